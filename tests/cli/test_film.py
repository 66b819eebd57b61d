"""`film` on the command line, with runs of pairs whose weights are drawn at random."""

import dataclasses
import json
import os
from pathlib import Path

import pytest
from kept_runs import write_history, write_pair

from spatial_agents.recipes import Recipe
from spatial_game.cli import main
from spatial_game.config import GameConfig

EPISODES = ["--episodes", "1000"]


def write_config(folder: Path, **recipe: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"options": {"recipe": recipe}}), "utf-8")


def found(capsys, *words: str):
    capsys.readouterr()
    assert main(["film", *words, *EPISODES, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_steps_of_a_pair(tmp_path, capsys):
    run = write_history(tmp_path / "run", {0: 1, 500: 1, 1000: 2})
    (run / "history" / "notes.safetensors").write_text("not a step", "utf-8")
    page, gif = tmp_path / "film.html", tmp_path / "film.gif"
    content = found(capsys, str(run), "--out", str(page), "--gif", str(gif))
    assert gif.read_bytes()[:3] == b"GIF"
    assert content["unit"] == "step"
    assert content["times"] == [0, 500, 1000]
    first, second, third = content["figures"][0]
    assert (first["kept"], second["kept"]) == (None, 1)
    assert second["accuracy"] == first["accuracy"]
    assert third["kept"] < 1
    text = page.read_text("utf-8")
    assert "A film of run" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    again = tmp_path / "again.html"
    found(capsys, str(run), "--out", str(again))
    assert again.read_text("utf-8") == text


def test_a_name_is_no_markup(tmp_path, capsys):
    run, page = write_history(tmp_path / "<b>&", {0: 1, 500: 2}), tmp_path / "film.html"
    found(capsys, str(run), "--out", str(page))
    assert "A film of &lt;b&gt;&amp;" in page.read_text("utf-8")
    assert "<b>" not in page.read_text("utf-8").partition("<script")[0]


def test_text_shows_the_frames_and_words(tmp_path, capsys):
    run = write_history(tmp_path / "run", {0: 1, 2000: 2})
    assert main(["film", str(run), *EPISODES]) == 0
    shown = capsys.readouterr().out
    assert "2,000" in shown
    assert "the most used of" in shown


def test_frames_are_evenly_spaced(tmp_path, capsys):
    run = write_history(tmp_path / "run", {step: step for step in range(0, 90, 10)})
    assert found(capsys, str(run), "--frames", "3")["times"] == [0, 40, 80]


def test_generations_are_frames(tmp_path, capsys):
    run = tmp_path / "run"
    for generation in range(3):
        write_pair(run / f"{generation:02d}" / "pair.safetensors", generation)
    (run / "03").mkdir()  # a generation that is still in training
    write_config(run, iterate=4)
    content = found(capsys, str(run))
    assert content["unit"] == "generation"
    assert content["times"] == [0, 1, 2]
    assert content["senders"] == ["run"]
    write_history(run / "02", {0: 1, 10: 2})
    assert found(capsys, str(run / "02"))["name"] == "run/02"


def test_dialects_of_several_pairs_at_the_steps_that_all_have(tmp_path, capsys):
    write_history(tmp_path / "run" / "00", {0: 1, 10: 2, 20: 3})
    write_history(tmp_path / "run" / "01", {0: 1, 20: 4})
    content = found(capsys, str(tmp_path / "run"))
    assert content["senders"] == ["00", "01"]
    assert content["times"] == [0, 20]
    assert content["agreement"][0] == [[1, 1], [1, 1]]
    assert content["agreement"][1][0][1] < 1


def test_each_sender_of_a_population_is_shown_once(tmp_path, capsys):
    for pair, sender in enumerate([5, 6, 5, 6]):
        write_history(tmp_path / "run" / f"{pair:02d}", {0: sender, 10: sender + 2})
    write_config(tmp_path / "run", senders=2, receivers=4)
    assert found(capsys, str(tmp_path / "run"))["senders"] == ["00", "01"]


def test_newcomers_are_named(tmp_path, capsys):
    for pair in ("00", "01"):
        write_history(tmp_path / "run" / pair, {0: 1, 100: 2})
    recipe = Recipe(recipe="local", steps=100, senders=2, receivers=1, reset="both", reset_every=60)
    write_config(tmp_path / "run", **dataclasses.asdict(recipe))
    content = found(capsys, str(tmp_path / "run"))
    assert content["replaced"] == [[[20, "receiver"], [40, "sender"]], [[20, "receiver"]]]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["nothing"], "run must be the folder of a training run; got nothing"),
        (
            ["empty"],
            "run must have at least two steps to show, which `train --keep-every` keeps; got 0 in empty",
        ),
        (["one"], "got 1 in one"),
        (["generation"], "run must have at least two generations to show; got 1 in generation"),
        (["broken"], "00000010.safetensors: must be a whole safetensors file"),
        (["mixed"], "00000010.safetensors: must be of the game of"),
        (["two", "--out", "missing/film.html"], "out must be in a folder that exists"),
        (["two", "--gif", "film.png"], "gif must be a file whose name ends in .gif; got film.png"),
        (["two", "--frames", "1"], "frames must be at least 2; got 1"),
        (["two", "--episodes", "0"], "episodes must be at least 1; got 0"),
    ],
)
def test_a_mistake_is_one_line(words, fault, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    write_history(Path("one"), {0: 1})
    for name in ("two", "broken", "mixed"):
        write_history(Path(name), {0: 1, 10: 2})
    write_pair(Path("mixed/history/00000010.safetensors"), 1, GameConfig(sequence_length=10))
    whole = Path("broken/history/00000010.safetensors").read_bytes()
    Path("broken/history/00000010.safetensors").write_bytes(whole[:-100])
    write_pair(Path("generation/00/pair.safetensors"), 1)
    write_config(Path("generation"), iterate=2)
    before = sorted(os.listdir())
    assert main(["film", *words]) == 1
    error = capsys.readouterr().err
    assert fault in error
    assert error.count("\n") == 1
    assert sorted(os.listdir()) == before
