"""Referents of the user's own: labels of windows, counted by hand."""

import math
import re

import numpy as np
import pytest
from helpers.scripted import Scripted, left_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import npmi_table
from spatial_game.language.counting.counts import count
from spatial_game.language.npmi.admit import why_none
from spatial_game.language.npmi.labels import count_labels
from spatial_game.recording import Recording, record

CONFIG = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=4, message_length=2)


EVERYTHING = {"threshold": -1, "min_confidence": 0, "significance": 1}


def left(window):
    return left_of(CONFIG, window)


def parity(window):
    return np.where(left(window) < 0, "", np.where(left(window) % 2, "odd", "even"))


def says_parity(window):
    """Symbol 0 or 1 for even and odd, 2 for none, in the first slot; noise in the second."""
    noise = np.random.default_rng(0).integers(0, 4, len(window))
    return np.column_stack([np.where(left(window) < 0, 2, left(window) % 2), noise])


def recording_of(say, number=4_000):
    return record((Scripted(say), None), draw_episodes(CONFIG, number, np.random.default_rng(1)), CONFIG)


def test_a_sender_that_says_labels_is_read_and_noise_is_not():
    found = npmi_table(count(recording_of(says_parity)), label=parity).of_kind("label")
    surely = {(each.ngram.symbols, each.ngram.slot): str(each.referent) for each in found if each.npmi == 1}
    assert surely == {((0,), 0): "even", ((1,), 0): "odd"}
    assert {each.ngram.slot for each in found if len(each.ngram.symbols) == 1} <= {0, None}


def test_a_whole_message_has_a_label_that_no_symbol_has_alone():
    def says_both(window):  # whether the second symbol is the first one gives the parity of all that is shown
        noise = np.random.default_rng(3).integers(0, 2, len(window))
        return np.column_stack([noise, noise ^ (window.sum(axis=1) % 2)])

    def parity_of_all(window):
        return np.where(window.sum(axis=1) % 2, "odd", "even")

    table = npmi_table(count(recording_of(says_both)), label=parity_of_all, threshold=0.3)
    found = {(each.ngram.symbols, each.ngram.slot): str(each.referent) for each in table.of_kind("label")}
    assert found == {((0, 0), 0): "even", ((1, 1), 0): "even", ((0, 1), 0): "odd", ((1, 0), 0): "odd"}


def test_the_signature_names_the_function():
    counts = count(recording_of(says_parity))
    assert " top1 label parity | " in npmi_table(counts, label=parity).signature
    assert " label " not in npmi_table(counts).signature


@pytest.mark.parametrize("estimator", ["exact", "text", "code"])
def test_labels_are_counted_and_scored_as_shares_of_the_episodes(estimator):
    recording = recording_of(says_parity)
    table = npmi_table(count(recording), label=parity, estimator=estimator, **EVERYTHING)
    label, total = parity(recording.window), len(recording)
    assert len(table.of_kind("label")) > 4
    for each in table.of_kind("label"):
        symbols, width = np.array(each.ngram.symbols), len(each.ngram.symbols)
        slots = range(CONFIG.message_length - width + 1) if each.ngram.slot is None else [each.ngram.slot]
        said = np.any([(recording.message[:, s : s + width] == symbols).all(axis=1) for s in slots], axis=0)
        true = label == str(each.referent)
        counted = (each.joint, each.ngram_total, each.referent_total)
        assert counted == ((said & true).sum(), said.sum(), true.sum())
        joint, ngram, referent = (number / total for number in counted)
        assert each.npmi == pytest.approx(math.log(joint / ngram / referent) / -math.log(joint))


@pytest.mark.parametrize(
    "label",
    [lambda window: left(window) % 2 == 0, lambda window: np.where(left(window) < 0, -1, left(window))],
)
def test_labels_are_texts_booleans_or_integers_and_their_order_is_that_of_texts(label):
    table = npmi_table(count(recording_of(says_parity)), label=label, threshold=-1, min_confidence=0)
    labels = [each.referent.label for each in table.of_kind("label")]
    assert labels == sorted(labels)
    assert {*labels} <= {"True", "False", *map(str, range(8))}
    assert [each.referent.to_dict() for each in table.of_kind("label")] == [
        {"label": each} for each in labels
    ]


def test_0_is_a_label_and_a_negative_integer_is_none():
    recording = recording_of(says_parity)
    found = count_labels(count(recording), left, 1)
    assert found.referents.names == tuple("01234567")
    totals = dict(zip(found.referents.label.tolist(), found.referent_total.tolist(), strict=True))
    assert totals == {n: (left(recording.window) == n).sum() for n in range(8)}
    assert found.total == len(recording)


def test_labels_of_several_recordings_are_the_same_in_any_order():
    whole = recording_of(says_parity)
    odd = parity(whole.window) == "odd"
    one, other = (
        Recording(CONFIG, window=whole.window[rows], message=whole.message[rows]) for rows in (odd, ~odd)
    )
    found, expected = (count_labels(count(parts), parity, 1) for parts in ([one, other], whole))
    assert found.referents.names == expected.referents.names == ("even", "odd")
    for name in ("ngram", "joint", "ngram_total", "referent_total"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_a_table_with_labels_has_the_papers_associations_too():
    counts = count(recording_of(says_parity))
    plain, with_labels = npmi_table(counts), npmi_table(counts, label=parity)
    assert with_labels.associations[: len(plain)] == plain.associations
    assert [each.referent.label for each in with_labels.associations[len(plain) :]].count(None) == 0
    assert with_labels.types == plain.types
    assert "Label" in {row[1] for row in with_labels.shown().rows}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"min_count": 5_000},
            r"the highest number of episodes together is 1,\d+, below 5000 \(min_count\)",
        ),
        (
            {"threshold": 0.9},
            r"among those that meet min_count, significance \(\d+\), the highest NPMI is 0\.\d+, "
            r"below 0\.9 \(threshold\)",
        ),
        (
            {"threshold": 0, "min_confidence": 0.99},
            r"among those that meet min_count, significance, threshold \(\d+\), "
            r"the highest confidence is 0\.\d+, below 0\.99 \(min_confidence\)",
        ),
    ],
)
def test_the_demand_that_leaves_no_label_is_said_with_the_best_value(changes, reason):
    """One in ten messages is noise, so no n-gram has a label always."""

    def says_parity_mostly(window):
        rng = np.random.default_rng(2)
        noise = rng.integers(0, 4, (len(window), 2))
        return np.where(rng.random((len(window), 1)) < 0.1, noise, says_parity(window))

    table = npmi_table(count(recording_of(says_parity_mostly)), label=parity, **changes)
    assert table.of_kind("label") == ()
    assert re.fullmatch(reason, why_none(table.best_labels, table.settings))


def test_messages_that_do_not_depend_on_labels_have_none():
    noise = recording_of(lambda window: np.random.default_rng(2).integers(0, 4, (len(window), 2)))
    assert npmi_table(count(noise), label=parity).of_kind("label") == ()
    assert npmi_table(count(noise), label=lambda window: np.full(len(window), "")).of_kind("label") == ()


@pytest.mark.parametrize(
    ("label", "fault"),
    [
        (lambda window: left(window) / 2, r"float64 of shape \(4000,\)"),
        (lambda window: window, r"int\d+ of shape \(4000, 3\)"),
        (lambda window: "even", r"<U4 of shape \(\)"),
    ],
)
def test_anything_but_a_label_for_each_window_is_refused(label, fault):
    with pytest.raises(ValueError, match=f"label must return a text, a boolean or an integer .*got {fault}"):
        npmi_table(count(recording_of(says_parity)), label=label)
