"""The benchmark of readers: languages from seeds, scores by hand, and the limits of readers."""

import json
import os
import sys
import time

import numpy as np
import pytest

from spatial_game.benchmark.corpus import ANY, Corpus, Entry, Meanings
from spatial_game.benchmark.readers import LIBRARIES, READERS
from spatial_game.benchmark.running import Limits, forget_faults, load_reader, read_within, run
from spatial_game.benchmark.scores import score
from spatial_game.benchmark.suite import Task, tasks
from spatial_game.cli import main

TINY = Task("attributes", tasks("quick")[11].language, 500)


def corpus(truth):
    """Return two places told by two slots: symbol v in slot p says value v of place p (10 + v in slot 1)."""
    values = np.array([(a, b) for a in range(3) for b in range(3)] * 20, dtype=np.int16)
    forms = values + np.array([0, 10])
    return Corpus(forms, Meanings(values, ("one", "other")), frozenset(truth), forms)


TRUTH = [Entry((v + 10 * p,), frozenset({(p, v)}), slot=p) for p in range(2) for v in range(3)]


def test_the_truth_scores_one_and_nothing_scores_zero():
    known = corpus(TRUTH)
    every = score(TRUTH, known).to_dict()
    assert {name: round(value, 9) for name, value in every.items()} == dict.fromkeys(every, 1) | {
        "entries": 6
    }
    assert score([], known).exact.f1 == 0


def test_scores_of_a_small_dictionary_by_hand():
    wrong = Entry((0,), frozenset({(0, 1)}), slot=0)  # the right form with another value
    found = score([TRUTH[1], wrong], corpus(TRUTH))
    assert (found.exact.precision, found.exact.recall) == (1 / 2, 1 / 6)
    assert found.weighted_exact.precision == pytest.approx(1 / 2)  # both forms are equally frequent
    assert found.form.precision == 1


@pytest.mark.parametrize("name", [name for name in READERS if name not in LIBRARIES])
def test_every_reader_reads_two_slots_about_two_places(name):
    entries = load_reader(name)().read(corpus(TRUTH).forms, corpus(TRUTH).meanings)
    found = score([*entries], corpus(TRUTH))
    least = {"majority": 0.0, "ibm1": 0.3}.get(name, 0.6)  # whole messages say two things at once
    assert found.fuzzy.f1 >= least


def test_tasks_come_from_their_seeds_alone():
    for task in (tasks("quick")[0], TINY, tasks("quick")[-1]):
        one, two = task.make(), task.make()
        assert np.array_equal(one.forms, two.forms)
        assert one.truth == two.truth
    names = [task.name for task in tasks("full")]
    assert len(names) == len(set(names)) > 480
    assert {task.track for task in tasks("full")} == {"spatial", "attributes", "nothing", "trained"}


class Raises:
    def read(self, forms, meanings):
        raise RuntimeError("no\nidea")


class ReturnsOthers:
    def read(self, forms, meanings):
        yield Entry((1, 2, 3, 4), frozenset())


class Sleeps:
    def read(self, forms, meanings):
        end = time.process_time() + 60
        while time.process_time() < end:
            pass


class Fills:
    def read(self, forms, meanings):
        np.ones((1 << 28, 4)).sum()
        return []


@pytest.mark.parametrize(
    ("reader", "fault"),
    [
        (Raises, "raised RuntimeError: no idea"),
        (ReturnsOthers, "raised ValueError: a form must have 1 to 2 symbols"),
        (Sleeps, "took longer than 1 s"),
        (Fills, "needed more than 500 MB"),
    ],
)
def test_a_reader_that_fails_loses_its_language_in_one_line(reader, fault):
    found = read_within(reader, corpus(TRUTH), Limits(seconds=1, megabytes=500))
    assert fault in found.fault
    assert "\n" not in found.fault
    assert not found.entries


def test_what_a_reader_prints_is_no_result(capfd):
    assert read_within(Prints, corpus(TRUTH), Limits()).fault == ""
    out, err = capfd.readouterr()
    assert (out, err) == ("", "a word\n")


class Prints:
    def read(self, forms, meanings):
        os.write(1, b"a word\n")
        return []


@pytest.mark.parametrize(
    ("fault", "limits", "stays"),
    [
        ("", Limits(seconds=5), True),
        ("took longer than 60 s", Limits(), True),
        ("took longer than 60 s", Limits(seconds=90), False),
        ("needed more than 2,000 MB", Limits(megabytes=1_000), False),
        ("raised RuntimeError: no idea", Limits(), False),
        ("ended with exit status 3", Limits(), False),
    ],
)
def test_rows_with_faults_are_made_again_if_that_may_help(fault, limits, stays, tmp_path):
    [row] = run([TINY], ["bosdis"], tmp_path, Limits())
    [path] = tmp_path.rglob("*.json")
    path.write_text(json.dumps({**row, "fault": fault}))
    forget_faults([TINY], ["bosdis"], tmp_path, limits)
    assert path.is_file() == stays


def test_a_damaged_row_is_made_again(tmp_path):
    [row] = run([TINY], ["bosdis"], tmp_path, Limits())
    [path] = tmp_path.rglob("*.json")
    for damaged in (path.read_text()[:100], "[]", ""):
        path.write_text(damaged)
        [again] = run([TINY], ["bosdis"], tmp_path, Limits())
        assert {**again, "seconds": 0} == {**row, "seconds": 0}


def test_a_reader_of_the_current_folder_is_found(tmp_path, monkeypatch):
    (tmp_path / "reader_of_mine.py").write_text(
        "class Mine:\n    def read(self, forms, meanings):\n        return []\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    assert load_reader("reader_of_mine:Mine")().read(None, None) == []


def test_a_place_without_values_means_nothing():
    known = corpus(TRUTH)
    values = np.column_stack([known.meanings.values, np.full(len(known.forms), ANY)])
    found = [*load_reader("majority")().read(known.forms, Meanings(values, ("one", "other", "none")))]
    assert len(found) == 9
    assert all(place < 2 for entry in found for place, _ in entry.meaning)


def test_rows_are_not_made_twice(tmp_path):
    limits = Limits()
    [first] = run([TINY], ["bosdis"], tmp_path, limits)
    [path] = tmp_path.rglob("*.json")
    path.write_text(json.dumps({**first, "exact_f1": 0.123}))
    [again] = run([TINY], ["bosdis"], tmp_path, limits)
    assert again["exact_f1"] == 0.123


@pytest.mark.parametrize("name", ["nobody", "no.module:Reader", "json:JSONDecoder"])
def test_a_reader_that_cannot_be_is_told_in_one_line(name, capsys):
    assert main(["benchmark", "--reader", name]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "reader" in error


def test_messages_are_padded_where_words_are_short():
    task = next(
        each for each in tasks("quick") if each.track == "attributes" and (each.make().forms == ANY).any()
    )
    found = score([*load_reader("csar")().read(task.make().forms, task.make().meanings)], task.make())
    assert found.fuzzy.f1 > 0.5
