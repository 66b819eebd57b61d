"""`runs`: one row for each pair that was trained."""

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spatial_agents.pairs.names import PRETRAINED, bundled_names
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.folders import write_config
from spatial_game.cli import main
from spatial_game.config import GameConfig


@pytest.fixture
def nested(folder):
    """Runs of one pair, two folders deep, that differ in their inputs."""
    for name in ("embed-60", "paper-60"):
        for end, to in ((".safetensors", "pair.safetensors"), (".json", "card.json")):
            (folder / "runs" / "deep" / name).mkdir(parents=True, exist_ok=True)
            shutil.copy(PRETRAINED / name / f"00{end}", folder / "runs" / "deep" / name / to)
    return folder / "runs"


def test_pairs_in_nested_folders_are_rows_with_all_options_and_results(nested, text, result):
    rows = result("runs runs --out tables/a:runs.parquet")["pairs"]
    assert [row["pair"] for row in rows] == ["runs/deep/embed-60", "runs/deep/paper-60"]
    assert [(row["inputs"], row["seed"], row["accuracy"]) for row in rows] == [
        ("embedding", 0, 0.997),
        ("scalars", 0, 0.969),
    ]
    [written] = (nested.parent / "tables").iterdir()
    assert pq.ParquetFile(written.absolute()).read().to_pylist() == rows
    [heading, *lines] = csv.reader(io.StringIO(text("runs runs --format csv")))
    assert heading == list(rows[0])
    assert [line[heading.index("accuracy")] for line in lines] == ["0.997", "0.969"]
    shown = text("runs runs")
    assert "inputs" in shown
    assert "temperature" not in shown  # it is the same


def test_bundled_names_are_all_of_their_pairs(result):
    rows = result(f"runs embed-60/0 {' '.join(bundled_names())}")["pairs"]
    assert len({row["pair"] for row in rows}) == len(rows)
    assert len({row["weights_hash"] for row in rows}) == len(rows) > 40
    assert {row["family"] for row in rows} == {*bundled_names()}


def test_the_name_of_a_file_decides_its_format_and_nothing_else_is_printed(nested, text, error):
    shown = text("runs runs --format csv")
    assert text("runs runs --out a.csv").split() == ["written", "a.csv"]
    assert Path("a.csv").read_text() == shown
    assert "out must end in .parquet or .csv; got a.txt" in error("runs runs --out a.txt")


def test_options_of_several_types_are_texts_in_parquet(nested, text):
    for name, given in (("embed-60", 1), ("paper-60", "all")):
        card = nested / "deep" / name / "card.json"
        content = json.loads(card.read_text()) | {"objective_options": {"mode": given}}
        card.write_text(json.dumps(content))
    text("runs runs --out a.parquet")
    assert pq.read_table("a.parquet")["mode"].to_pylist() == ["1", "all"]


def test_options_of_the_game_have_columns(result, text):
    [line, grid] = result("runs embed-60/0 grid-8x8/0")["pairs"]
    assert (line["sequence_length"], line["shape"], line["window_radius"]) == (60, "60", 2)
    assert line["population"] is grid["population"] is None
    assert (grid["sequence_length"], grid["shape"], grid["window_radius"]) == (64, "8x8", 1)
    assert "sequence_length" not in text("runs embed-60/0 grid-8x8/0")  # the game says it


def test_unfinished_pairs_of_a_sweep_are_counted_with_what_continues_them(nested, capsys, text):
    text("runs runs")
    assert capsys.readouterr().err == ""
    for value in (1, 2):
        options = TrainOptions(GameConfig(), Recipe("local", senders=2), pairs=2)
        write_config(nested / "sweep" / f"steps={value}", options)
    begun = nested / "sweep" / "steps=1" / "00"
    write_config(begun, replace(options, pairs=1))
    shutil.copytree(nested / "deep" / "embed-60", begun / "sender0-receiver0")
    assert main(["runs", "runs"]) == 0
    said = capsys.readouterr()
    assert "3 pairs" in said.out
    assert said.err == (
        "spatial-game: note: 7 more are unfinished: spatial-game train --resume runs/sweep continues them\n"
    )


def test_a_folder_without_a_pair_and_a_card_of_other_weights_are_refused(nested, error):
    (nested / "empty").mkdir()
    assert "folders must hold a finished pair; got none in runs/empty" in error("runs runs/empty")
    assert 'got "embed-61" (did you mean "embed-60"?)' in error("runs embed-61")
    card = nested / "deep" / "embed-60" / "card.json"
    shutil.copy(nested / "deep" / "paper-60" / "card.json", card)
    assert "card.json: weights_hash must be " in error("runs runs")
