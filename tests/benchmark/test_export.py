"""The benchmark as a data set: files, hashes, metadata, and the way to CSAR's own program and back."""

import hashlib
import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest

from spatial_game.benchmark.corpus import Entry
from spatial_game.benchmark.export import export
from spatial_game.benchmark.readers.csar_file import CsarFile, write_pairs
from spatial_game.benchmark.results import known_answers
from spatial_game.benchmark.running import Limits, load_reader, path_of, run
from spatial_game.benchmark.suite import Task, tasks
from spatial_game.cli import main

TINY = next(task for task in tasks("quick") if task.episodes == 50)
TWO = [TINY, Task("trained", "paper-20/0", 50)]


@pytest.fixture(scope="module", autouse=True)
def _few_episodes():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spatial_game.benchmark.trained.ASKED", 100)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    rows = [*run(TWO, ["bosdis"], folder / "rows", Limits())]
    export(TWO, rows, {"Known answers": known_answers(rows)}, folder / "data")
    return folder / "data"


def test_metadata_name_every_file_with_its_hash_and_every_column(folder):
    metadata = json.loads((folder / "croissant.json").read_text())
    for file in metadata["distribution"]:
        assert hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest() == file["sha256"]
    columns = {s["name"]: [field["name"] for field in s["field"]] for s in metadata["recordSet"]}
    assert columns == {name: pq.read_schema(folder / f"{name}.parquet").names for name in columns}
    assert {"rai:dataLimitations", "rai:dataBiases", "rai:personalSensitiveInformation"} <= {*metadata}
    assert {"name", "description", "license", "creator", "citeAs", "version"} <= {*metadata}
    card = (folder / "README.md").read_text()
    assert card.startswith("---\nlicense: mit\n")
    assert "| attributes | bosdis | 1 |" in card


def test_the_files_hold_the_languages_and_their_answers(folder):
    corpus = TINY.make()
    messages = pq.read_table(folder / "messages.parquet").to_pylist()
    assert [row["task"] for row in messages] == [TINY.name] * 50 + [TWO[1].name] * 50
    assert messages[3]["message"] == corpus.forms[3][corpus.forms[3] >= 0].tolist()
    assert messages[3]["meaning"] == corpus.meanings.values[3].tolist()
    answers = pq.read_table(folder / "answers.parquet").to_pylist()
    found = {
        Entry(tuple(row["form"]), frozenset(zip(row["places"], row["values"], strict=True)))
        for row in answers
    }
    assert found == corpus.truth
    languages = pq.read_table(folder / "languages.parquet").to_pylist()
    assert [row["has_answers"] for row in languages] == [True, False]
    assert [row["task"] for row in languages] == [task.name for task in TWO]
    for row, task in zip(languages, TWO, strict=True):
        assert {name: row[name] for name in task.to_dict()} == task.to_dict()


def test_a_folder_with_other_files_is_refused(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("ten years")
    assert main(["benchmark", "--reader", "bosdis", "--export", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "export must be a new folder" in error
    assert "thesis.txt" in error


def test_mlcroissant_accepts_the_metadata(folder):
    croissant = pytest.importorskip("mlcroissant")
    croissant.Dataset(jsonld=folder / "croissant.json")


def test_what_csars_program_prints_is_read_for_the_same_language(folder):
    [pairs] = (folder / "csar").rglob(f"{TINY.name.partition('/')[2]}.jsonl")
    corpus = TINY.make()
    symbol = int(corpus.forms[0, 0])
    first, second = (
        f"({symbol}, {{0_1, 2_3}})  0.246 0.811 0.811",
        f"({symbol} {symbol}, {{1_0}})  0.1 0.2 0.2",
    )
    pairs.with_suffix(".txt").write_text(f"Extracting\n{first}\n{second}\n")
    one, other = load_reader(f"csar-file:{folder}")().read(corpus.forms, corpus.meanings)
    having = corpus.meanings.values[(corpus.forms == symbol).any(axis=1)]
    share = np.mean((having[:, 0] == 1) & (having[:, 2] == 3))
    assert one == Entry((symbol,), frozenset({(0, 1), (2, 3)}), pytest.approx(share))
    assert other.form == (symbol, symbol)


def test_csars_program_may_find_nothing(tmp_path):
    corpus = TINY.make()
    write_pairs(corpus.forms, corpus.meanings, tmp_path / "a.jsonl")
    (tmp_path / "a.txt").write_text("Extracting\n")
    assert [*CsarFile(tmp_path).read(corpus.forms, corpus.meanings)] == []


def test_files_of_csar_that_cannot_be_read_are_told(tmp_path):
    corpus = TINY.make()
    with pytest.raises(ValueError, match="must have this language; got none"):
        [*CsarFile(tmp_path).read(corpus.forms, corpus.meanings)]
    write_pairs(corpus.forms, corpus.meanings, tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match=r"must have a\.txt, beside its pairs; got none"):
        [*CsarFile(tmp_path).read(corpus.forms, corpus.meanings)]
    (tmp_path / "a.txt").write_text("(1 2, {red})  0.1 0.2 0.3\n")
    with pytest.raises(ValueError, match=re.escape("line 1 must be a morpheme of CSAR; got '(1 2, {red})")):
        [*CsarFile(tmp_path).read(corpus.forms, corpus.meanings)]


def test_a_folder_as_reader_has_a_safe_name(tmp_path):
    assert path_of(tmp_path, TINY, "csar-file:../x").is_relative_to(tmp_path / "rows" / "csar-file.x")


def test_the_command_exports_and_runs_in_parts(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("spatial_game.cli.benchmark.Benchmark._tasks", lambda self: TWO)
    words = ["benchmark", "--reader", "bosdis", "--out", str(tmp_path / "out")]
    assert main([*words, "--part", "1/2"]) == 0
    assert [path.stem for path in (tmp_path / "out").rglob("*.json")] == ["0-n50-seed0"]
    assert main([*words, "--jobs", "1", "--export", str(tmp_path / "data")]) == 0
    assert "croissant.json" in capsys.readouterr().out
    assert (tmp_path / "data" / "results.csv").read_text().count("\n") == 3


def test_a_folder_that_is_not_there_is_told(capsys):
    assert main(["benchmark", "--reader", "csar-file:nowhere"]) == 1
    assert capsys.readouterr().err.endswith("reader csar-file must name a folder; got nowhere\n")
