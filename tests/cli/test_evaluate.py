"""`train` and `evaluate`, on tiny pairs that hardly learned anything."""

import shutil

import numpy as np
import pytest

from spatial_game.cli import main
from spatial_game.recording import read_recording

pytest.importorskip("torch")
TINY = (
    "train --sequence-length 8 --window-radius 1 --num-distractors 3 --vocab-size 6 --message-length 2 "
    "--hidden-size 8 --evaluation-episodes 50 --jobs 1 --steps 3 --unseen 0.25"
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, short_trainings):
    """Two tiny pairs of one run, and the folder that holds it."""
    folder = tmp_path_factory.mktemp("runs")
    assert main([*TINY.split(), "--seed", "4", "--pairs", "2", "--out", str(folder / "run")]) == 0
    return folder


@pytest.fixture
def run(trained, folder):
    shutil.copytree(trained / "run", folder / "run")
    return folder / "run"


def test_a_run_is_resumed_evaluated_and_recorded(run, result, text):
    cards = [pair["card"] for pair in result("train --resume run")["pairs"]]
    (run / "01" / "pair.safetensors").unlink()  # as if the run had been killed at its end
    again = [pair["card"] for pair in result("train --resume run")["pairs"]]
    hashes = [card["weights_hash"] for card in cards]
    assert [card["weights_hash"] for card in again] == hashes
    assert "standard deviation" in text("train --resume run")
    [found] = result("evaluate run/01/pair.safetensors --episodes 300 --seed 5")["pairs"]
    assert (found["n"], found["weights_hash"]) == (300, hashes[1])
    text("record run/1 --episodes 50 --out play.parquet")
    assert read_recording("play.parquet").provenance["sender"]["weights_hash"] == hashes[1]


def test_all_studies_of_one_pair(run, result, text):
    line = "evaluate run --episodes 100 --study lengths lengths-any noise combines unseen"
    [found] = result(line)["pairs"]
    assert (found["pair"], found["n"]) == ("run/0", 100)
    assert {"lengths", "lengths_any", "noise", "combines"} < set(found)
    assert (found["unseen"]["fraction"], found["unseen"]["combinations"]) == (0.25, 4 * 2)
    shown = text(line)
    for name in ("lengths", "lengths-any", "noise", "combines", "unseen"):
        assert f"run/0: {name}" in shown


def test_pairs_of_ones_own_tell_what_their_training_held_out(write_module, text):
    name = write_module(
        "from spatial_agents import load_pair\n"
        "class Pair:\n"
        "    card = {'seed': 5, 'recipe': {'unseen': 0.2}}\n"
        "    config = load_pair('landmark-60').config\n"
        "    send = staticmethod(load_pair('landmark-60').sender.send)\n"
        "    choose = staticmethod(load_pair('landmark-60').receiver.choose)\n"
    )
    assert "chance is 50%" in text(f"evaluate {name}:Pair --study unseen --episodes 1000")


def test_strangers_play_any_game_that_all_can(run, result, text):
    line = "evaluate run/all --cross-play --episodes 20 --sequence-length 6"
    found = result(line)
    assert [pair["pair"] for pair in found["pairs"]] == ["run/0", "run/1"]
    assert found["cross_play"]["senders"] == found["cross_play"]["receivers"] == ["run/0", "run/1"]
    assert found["cross_play"]["game"].startswith("L6")
    alone = [pair["accuracy"] for pair in found["pairs"]]
    assert [found["cross_play"]["accuracy"][i][i]["accuracy"] for i in (0, 1)] == alone
    shown = text(line)
    assert "strangers" in shown
    assert "worst" in shown


@pytest.mark.usefixtures("short_trainings")
def test_each_member_of_a_population_plays_once_and_no_two_are_strangers(folder, text, result):
    text(f"{TINY} --senders 2 --receivers 3 --out population")
    line = "evaluate population --cross-play --episodes 20"
    found = result(line)["cross_play"]
    assert found["senders"] == ["population/sender0", "population/sender1"]
    assert found["receivers"] == [f"population/receiver{number}" for number in range(3)]
    assert [len(row) for row in found["accuracy"]] == [3, 3]
    assert found["strangers_mean"] is None
    partners = found["partners_mean"]
    assert partners == pytest.approx(np.mean([part["accuracy"] for row in found["accuracy"] for part in row]))
    sizes = "--sequence-length 8 --window-radius 1 --num-distractors 3 --vocab-size 6 --message-length 2"
    assert result(f"{line} random {sizes}")["cross_play"]["strangers_mean"] is not None
    assert "of one population" in text(
        "compare population/sender0-receiver0 population/sender1-receiver2 --episodes 500"
    )
    for name in "sender0-receiver0", "sender0-receiver1":  # the card says it, not the name of the folder
        shutil.move(f"population/{name}", f"population/{name[-1]}-renamed")
    assert "1 population:" in text("evaluate population/0-renamed population/1-renamed --episodes 20")
    assert {row["family"] for row in result("runs population")["pairs"]} == {"population"}
