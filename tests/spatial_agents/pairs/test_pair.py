"""Pairs that are loaded, what they refuse to play, and how well the bundled ones play."""

import json
import pickle

import numpy as np
import pytest
from helpers.tiny_pairs import AGENTS, GAME, GRID, SMALL
from threadpoolctl import threadpool_info, threadpool_limits

from spatial_agents import load_pair
from spatial_agents.networks import networks_of, new_networks
from spatial_agents.pairs.names import bundled_names
from spatial_agents.pairs.pair import pair_from_weights
from spatial_agents.pairs.weights import PairWeights, write_weights
from spatial_game import GameConfig, draw_episodes, evaluate
from spatial_game.studies.unseen import unseen_study


def make(network_config=SMALL, game=GAME):
    return pair_from_weights(
        new_networks(game, networks_of(network_config), 1).state_dict(), game, network_config
    )


@pytest.mark.parametrize(
    ("network_config", "changes", "fault"),
    [
        (SMALL, {"vocab_size": 8}, "vocab_size must be 7, as it was made for; got 8"),
        (
            SMALL,
            {"num_integers": 16},
            "num_integers must be at most 15, as its embeddings have no other; got 16",
        ),
        (SMALL, {"sequence_length": 8, "num_integers": 15, "num_distractors": 6}, None),
        (AGENTS["sequential raw"], {"num_integers": 99}, None),
    ],
)
def test_pairs_and_policies_tell_which_games_they_can_play(network_config, changes, fault):
    pair, game = make(network_config), GAME.changed(**changes)
    assert [each.incompatibility(game) for each in (pair, pair.sender, pair.receiver)] == [fault] * 3
    assert fault or evaluate(pair, game, num_episodes=200).num_episodes == 200


ARRAYS = {"window": [[0, -1, 2]], "messages": [[0, 0]], "sequence": [[1, 3, 4]], "candidates": [[3, 4]]}
IN_A_GRID = {**ARRAYS, "window": [[0] * 9], "sequence": [[*range(11), 0]], "candidates": [[0, 10]]}


@pytest.mark.parametrize(
    ("pair", "arrays", "part", "value", "message"),
    [
        (make(), ARRAYS, "window", [[0, -1, 15]], r"window must be in -1..14; got 15"),
        (make(), ARRAYS, "window", [[0, -1]], r"window must have shape \(any, 3\); got \(1, 2\)"),
        (make(), ARRAYS, "window", [0, -1, 2], r"window must have shape \(any, 3\); got \(3,\)"),
        (make(), ARRAYS, "window", [[0.5, -1, 2]], "window must be integers; got dtype float64"),
        (make(), ARRAYS, "messages", [[-1, 0]], r"messages must be in 0..6; got -1"),
        (make(), ARRAYS, "messages", [[0, 0]] * 2, r"sequence must have shape \(2, any\); got \(1, 3\)"),
        (make(), ARRAYS, "sequence", [[-1, 3, 4]], r"sequence must be in 0..14; got -1"),
        (make(), ARRAYS, "candidates", [[3, 99]], r"candidates must be in 0..14; got 99"),
        (make(AGENTS["local embedding"], GRID), IN_A_GRID, "sequence", [range(11)], r"shape \(B, 12\)"),
        (make(AGENTS["local embedding"], GRID), IN_A_GRID, "candidates", [[0, 11]], "the sequence; got 11"),
    ],
)
def test_arrays_that_cannot_be_are_refused(pair, arrays, part, value, message):
    window, *others = map(np.array, ({**arrays, part: value}).values())
    with pytest.raises(ValueError, match=message):
        (pair.sender.send(window), pair.receiver.choose(*others))


def test_a_pair_loads_from_a_file_and_from_a_run_and_pickles(tmp_path):
    pair, network = make(), new_networks(GAME, networks_of(SMALL), 1)
    for folder in ("run", "runs/00", "runs/01"):
        (tmp_path / folder).mkdir(parents=True)
        weights = PairWeights(network.state_dict(), GAME, SMALL, {"seed": 1})
        write_weights(tmp_path / folder / "pair.safetensors", weights)
    window = draw_episodes(GAME, 50, np.random.default_rng(0)).window
    for path in ("run/pair.safetensors", "run", "runs", "runs/1", "runs/01"):
        loaded = pickle.loads(pickle.dumps(load_pair(tmp_path / path)))
        assert loaded.weights_hash == pair.weights_hash
        assert (loaded.config, loaded.network_config) == (GAME, SMALL)
        assert loaded.card["provenance"] == {"seed": 1}
        np.testing.assert_array_equal(loaded.sender.send(window), pair.sender.send(window))


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
    assert bundled_names() == sorted(PROMISED)


@pytest.mark.parametrize("name", bundled_names())
def test_bundled_pairs_play_as_well_as_their_cards_say(name):
    pair = load_pair(name)
    game, inputs, least = PROMISED[name]
    told = pair.card["evaluation"]
    assert (pair.config, pair.network_config.inputs, told["n"]) == (game, inputs, 20_000)
    assert pair.card["weights_hash"] == pair.weights_hash
    assert told["accuracy"] >= least
    low, high = evaluate(pair, num_episodes=500, seed=12345).interval
    assert low - 0.01 <= told["accuracy"] <= high + 0.01


def test_a_landmark_pair_understands_new_combinations():
    pair = load_pair("landmark-60")
    recipe = pair.card["recipe"]
    study = unseen_study(pair, recipe["unseen"], pair.card["evaluation"]["seed"], 500)
    new = study.results["never_seen"]
    assert (recipe["unseen"], new["windows"]) == (0.1, 4 * 6)
    assert new["accuracy"] > 0.95


def test_a_pair_plays_in_one_thread_of_numpy(monkeypatch):
    pair, seen = make(), []
    window = draw_episodes(GAME, 3, np.random.default_rng(0)).window

    def play(*arrays):
        seen.append({each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"})
        return np.zeros((len(window), GAME.message_length, GAME.vocab_size))

    monkeypatch.setattr(pair.sender, "network", play)
    with threadpool_limits(2):
        pair.sender.send(window)
    assert seen == [{1}]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"weights_hash": "x"}, "weights_hash must be [0-9a-f]{64}, that of the weights beside it; got 'x'"),
        ({"recipe": 5}, "recipe must be a JSON object; got 5"),
        ({"recipe": {"scalar_reach": "x"}}, "recipe.scalar_reach must be a number; got 'x'"),
        ({"seed": None}, "seed must be a whole number; got None"),
        ({"evaluation": {"accuracy": "x", "n": 10}}, "evaluation.accuracy must be a number; got 'x'"),
        ({"evaluation": {"accuracy": 0.5}}, "evaluation.n must be a whole number; got None"),
    ],
)
def test_a_badly_edited_card_is_one_clear_error(change, fault, tmp_path):
    weights, path = make(), tmp_path / "mine.safetensors"
    tensors = new_networks(GAME, networks_of(SMALL), 1).state_dict()
    write_weights(path, PairWeights(tensors, GAME, SMALL, {}))
    evaluation = {"accuracy": 0.5, "n": 10}
    card = {"weights_hash": weights.weights_hash, "recipe": {}, "evaluation": evaluation, "seed": 1}
    path.with_suffix(".json").write_text(json.dumps(card))
    assert load_pair(path).card == card
    path.with_suffix(".json").write_text(json.dumps(card | change))
    with pytest.raises(ValueError, match=f"mine.json: {fault}"):
        load_pair(path)


def test_the_scripted_agents_are_no_trained_pairs():
    with pytest.raises(ValueError, match=r'^load_pair loads trained pairs; call load_agents\("oracle"\)$'):
        load_pair("oracle")
