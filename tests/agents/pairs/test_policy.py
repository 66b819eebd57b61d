"""Pairs that are loaded, what they refuse to play, and how well the bundled ones play."""

import numpy as np
import pytest
from kinds import AGENTS, GAME, GRID, SMALL

from spatial_agents import load_pair
from spatial_agents.networks import new_pair
from spatial_agents.pairs.loading import pair_from_weights
from spatial_agents.pairs.names import pair_names
from spatial_agents.pairs.weights import PairWeights, write_weights
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate
from spatial_game.studies import composition, held_out_study


def make(agent=SMALL, game=GAME):
    return pair_from_weights(new_pair(game, agent, 1).state_dict(), game, agent)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"vocab_size": 8}, "vocab_size must be 7, as it was made for; got 8"),
        ({"num_integers": 16}, "num_integers must be at most 15, as its embeddings have no other; got 16"),
        ({"sequence_length": 8, "num_integers": 15, "num_distractors": 6}, None),
    ],
)
def test_pairs_and_policies_tell_which_games_they_can_play(changes, fault):
    pair, game = make(), GAME.changed(**changes)
    assert [agent.incompatibility(game) for agent in (pair, pair.sender, pair.receiver)] == [fault] * 3


def test_scalars_know_no_largest_integer_and_no_pair_a_longest_sequence():
    assert make(AGENTS["sequential raw"]).incompatibility(GAME.changed(num_integers=99)) is None
    other = GAME.changed(sequence_length=8, num_integers=15, num_distractors=6)
    assert evaluate(make(), 200, config=other).num_episodes == 200


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("window", [[0, -1, 15]], r"window must be in -1..14; got 15"),
        ("window", [[0, -1]], r"window must have shape \(B, 3\); got \(1, 2\)"),
        ("window", [0, -1, 2], r"window must have shape \(B, 3\); got \(3,\)"),
        ("window", [[0.5, -1, 2]], "window must hold integers; got float64"),
        ("messages", [[7, 0]], r"messages must be in 0..6; got 7"),
        ("messages", [[-1, 0]], r"messages must be in 0..6; got -1"),
        ("messages", [[0, 0], [0, 0]], "sequence must have a row a message, 2; got 1"),
        ("sequence", [[-1, 3, 4]], r"sequence must be in 0..14; got -1"),
        ("candidates", [[3, 99]], r"candidates must be in 0..14; got 99"),
        ("sequence", np.empty((1, 0), int), r"sequence must have shape \(B, any\); got \(1, 0\)"),
    ],
)
def test_arrays_that_cannot_be_are_refused(part, value, message):
    arrays = {"window": [[0, -1, 2]], "messages": [[0, 0]], "sequence": [[1, 3, 4]], "candidates": [[3, 4]]}
    window, *others = ({**arrays, part: value}).values()
    with pytest.raises(ValueError, match=message):
        (make().sender.send(np.array(window)), make().receiver.choose(*map(np.array, others)))


@pytest.mark.parametrize(
    ("sequence", "candidates", "message"),
    [
        (range(11), [0, 1], r"sequence must have shape \(B, 12\); got \(1, 11\)"),
        ([*range(11), 0], [0, 11], "candidates must be integers of the sequence; got 11"),
    ],
)
def test_local_receivers_name_what_is_not_in_the_grid(sequence, candidates, message):
    with pytest.raises(ValueError, match=message):
        make(AGENTS["local embedding"], GRID).receiver.choose(
            np.zeros((1, 2), int), np.array([sequence]), np.array([candidates])
        )


def test_a_pair_loads_from_a_file_and_from_a_run(tmp_path):
    pair, network = make(), new_pair(GAME, SMALL, 1)
    for folder in ("run", "runs/00", "runs/01"):
        (tmp_path / folder).mkdir(parents=True)
        weights = PairWeights(network.state_dict(), GAME, SMALL, {"seed": 1})
        write_weights(tmp_path / folder / "pair.safetensors", weights)
    episodes = draw_episodes(GAME, 50, np.random.default_rng(0))
    for path in ("run/pair.safetensors", "run", "runs", "runs/1", "runs/01"):
        loaded = load_pair(tmp_path / path)
        assert loaded.weights_hash == pair.weights_hash
        assert (loaded.config, loaded.agent) == (GAME, SMALL)
        assert loaded.card["provenance"] == {"seed": 1}
        np.testing.assert_array_equal(loaded.sender.send(episodes.window), pair.sender.send(episodes.window))
    with pytest.raises(ValueError, match="index must be that of a pair of runs, 0, 1; got 2"):
        load_pair(tmp_path / "runs" / "2")


def test_a_pair_of_a_run_has_as_many_digits_as_the_run_gave_it(tmp_path):
    whole, begun = tmp_path / "runs" / "000", tmp_path / "runs" / "100"
    for folder in (whole, begun):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
    weights = PairWeights(new_pair(GAME, SMALL, 1).state_dict(), GAME, SMALL, {"seed": 1})
    write_weights(whole / "pair.safetensors", weights)
    assert load_pair(tmp_path / "runs").weights_hash == make().weights_hash
    with pytest.raises(ValueError, match="100: the run must be finished"):
        load_pair(tmp_path / "runs" / "100")


def test_names_of_pairs(tmp_path):
    with pytest.raises(ValueError, match="pair must be one pair; got embed-60/all, which are 16"):
        load_pair("embed-60/all")
    with pytest.raises(ValueError, match=r"index must be that of a pair of embed-60, 0, 1, .*; got 99"):
        load_pair("embed-60/99")
    with pytest.raises(ValueError, match=r"bundled name \(.*embed-60.*\), a run folder .*; got paper-61"):
        load_pair("paper-61")
    with pytest.raises(ValueError, match=r"must hold pair.safetensors; got none"):
        load_pair(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="the run must be finished; continue it with --resume"):
        load_pair(tmp_path)


# --------------------------------------------------------------------------------------- what is bundled

PROMISED = {
    "embed-60": (GameConfig(60), "embedding", 0.99),
    "grid-8x8": (GameConfig(shape=(8, 8), window_radius=1), "embedding", 0.99),
    "grid-4x4x4": (GameConfig(shape=(4, 4, 4), window_radius=1), "embedding", 0.97),
    "landmark-60": (GameConfig(60, num_visible=1), "embedding", 0.99),
    "local-60": (GameConfig(60), "embedding", 0.99),
    "paper-20": (GameConfig(20), "scalars", 0.90),
    "paper-60": (GameConfig(60), "scalars", 0.90),
    "seen-60": (GameConfig(60, num_visible=1), "embedding", 0.96),
    "seen-8x8": (GameConfig(shape=(8, 8), window_radius=1, num_visible=1), "embedding", 0.97),
}
"""The game of each bundled name, how integers enter, and the least accuracy."""


def test_the_promised_pairs_are_there():
    assert pair_names() == sorted(PROMISED)


@pytest.mark.parametrize("name", pair_names())
def test_bundled_pairs_play_as_well_as_their_cards_say(name):
    pair = load_pair(name)
    game, inputs, least = PROMISED[name]
    told = pair.card["evaluation"]
    assert (pair.config, pair.agent.inputs, told["n"]) == (game, inputs, 20_000)
    assert pair.card["weights_hash"] == pair.weights_hash
    assert told["accuracy"] >= least
    low, high = evaluate(pair, 4000, seed=12345).interval
    assert low - 0.01 <= told["accuracy"] <= high + 0.01


def test_the_card_repeats_exactly():
    pair = load_pair("embed-60")
    told = pair.card["evaluation"]
    assert evaluate(pair, told["n"], told["seed"]).overall.successes == pytest.approx(told["wins"], abs=3)


def test_landmark_pairs_compose():
    for index in range(3):
        pair = load_pair(f"landmark-60/{index}")
        joined = composition(pair, 5_000).results["joined"]
        assert min(joined["integer"], joined["offset"]) > 0.95
        recipe = pair.card["recipe"]
        study = held_out_study(pair, recipe["hold_out"], pair.card["evaluation"]["seed"], 500)
        new = study.results["held_out"][-1]
        assert (recipe["hold_out"], new["n"]) == (0.1, 500)
        assert new["accuracy"] > 0.95
