"""NumPy networks play as the networks play in torch."""

import numpy as np
import pytest
import torch
from helpers.strategies import grids
from helpers.tiny_pairs import AGENTS, GAME, GRID, SOLID
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_agents.network_config import BLANK, NetworkConfig
from spatial_agents.networks import greedy, networks_of, new_networks, one_hot
from spatial_agents.pairs.names import bundled_names, numbered_pairs
from spatial_agents.pairs.pair import BATCH, load_pair, pair_from_weights
from spatial_agents.pairs.weights import read_weights
from spatial_game import GameConfig, draw_episodes
from spatial_game.game.windows import integers_around, offset_steps


def test_the_papers_pair_has_its_number_of_parameters():
    pair = new_networks(GameConfig(60), networks_of(NetworkConfig(hidden_size=64, inputs="scalars")))
    assert sum(weight.numel() for weight in pair.parameters()) == 71_962


each_agent = pytest.mark.parametrize("network_config", AGENTS.values(), ids=AGENTS)


def both(network_config, game=GAME):
    """The same pair in NumPy and in torch, with weights that tell inputs apart."""
    network = new_networks(game, networks_of(network_config), 1)
    for weight in network.parameters():
        weight.data *= 5 if weight.ndim == 2 else 1
        weight.data += 0.1 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(2))
    return pair_from_weights(network.state_dict(), game, network_config), network


def logits_in_torch(network, config, messages, episodes):
    """The logits of symbols, each after the likeliest before it, and of candidates."""
    window, sequence, candidates, message = (
        torch.from_numpy(array.astype(np.int64))
        for array in (episodes.window, episodes.sequence, episodes.candidates, messages)
    )
    of_symbols = []
    with torch.no_grad():
        network.sender(window, lambda logits: (of_symbols.append(logits), greedy(logits))[1])
        of_candidates = network.receiver(one_hot(message, config.vocab_size), sequence, candidates)
    logits = torch.stack(of_symbols, dim=1).reshape(len(window), -1, config.vocab_size)
    return logits.numpy(), of_candidates.numpy()


def differences(pair, network, episodes):
    """Return in how many episodes messages and choices differ.

    The logits must be the same but for rounding, and differ only where the two best are as close.
    """
    messages = pair.sender.send(episodes.window)
    ours = (
        pair.sender.logits(episodes.window),
        pair.receiver.logits(messages, episodes.sequence, episodes.candidates),
    )
    theirs = logits_in_torch(network, pair.config, messages, episodes)
    return [different_rows(*each) for each in zip(ours, theirs, strict=True)]


def different_rows(logits, expected):
    assert logits.dtype == expected.dtype == np.float32
    count = len(logits)
    same = (logits.argmax(-1) == expected.argmax(-1)).reshape(count, -1).all(axis=1)
    rounding = 3e-5 * max(1, np.abs(logits).max())
    np.testing.assert_allclose(logits[same], expected[same], rtol=0, atol=rounding)
    ordered = np.sort(logits, axis=-1)
    gaps = (ordered[..., -1] - ordered[..., -2]).reshape(count, -1).min(axis=1)
    assert (gaps[~same] < rounding).all()
    return np.count_nonzero(~same)


@pytest.mark.parametrize("game", [GAME, GRID, SOLID], ids=["sequence", "grid", "solid"])
@each_agent
def test_every_kind_of_pair_plays_as_in_torch(network_config, game):
    pair, network = both(network_config, game)
    episodes = draw_episodes(game, 100, np.random.default_rng(0))
    assert differences(pair, network, episodes) == [0, 0]
    assert len(np.unique(pair.sender.send(episodes.window), axis=0)) > 1


@each_agent
def test_other_lengths_and_numbers_of_candidates_play_as_in_torch(network_config):
    for other in (GameConfig(15, 15, 1, 13, 7, 2), GameConfig(4, 15, 1, 1, 7, 2)):
        episodes = draw_episodes(other, 100, np.random.default_rng(1))
        assert differences(*both(network_config), episodes) == [0, 0]


@pytest.mark.parametrize("size", [0, BATCH + 1])
@pytest.mark.parametrize("name", ["sequential scalars", "local one-hot", "landmark embedding"])
def test_batches_of_any_size_play_as_their_parts_do(size, name):
    pair, _ = both(AGENTS[name])
    episodes = draw_episodes(GAME, size, np.random.default_rng(0))
    messages = pair.sender.send(episodes.window)
    choices = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
    assert (messages.dtype, messages.shape) == (np.int16, (size, GAME.message_length))
    assert (choices.dtype, choices.shape) == (np.int16, (size,))
    for i in range(0, size, 64):
        one = episodes[i : i + 1]
        np.testing.assert_array_equal(pair.sender.send(one.window), messages[i : i + 1])
        assert pair.receiver.choose(messages[i : i + 1], one.sequence, one.candidates) == choices[i]


@pytest.mark.parametrize(
    ("pairs", "num_episodes", "most"), [(1, 200, 1), pytest.param(99, 20_000, 2, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", bundled_names())
def test_bundled_pairs_play_as_in_torch(name, pairs, num_episodes, most):
    for path in list(numbered_pairs(name).values())[:pairs]:
        weights = read_weights(path)
        network = new_networks(weights.config, networks_of(weights.network_config))
        network.load_state_dict({key: torch.from_numpy(array) for key, array in weights.tensors.items()})
        episodes = draw_episodes(weights.config, num_episodes, np.random.default_rng(5))
        assert max(differences(load_pair(path), network, episodes)) <= most  # one in 10,000


@given(grids(), st.integers(0, 2**32))
@settings(max_examples=6, deadline=None)
def test_the_cells_around_a_candidate_are_those_of_a_walk_over_the_grid(game, seed):
    episodes = draw_episodes(game, 2, np.random.default_rng(seed))
    found = integers_around(offset_steps(game), episodes.sequence, episodes.candidates, BLANK)
    for row, sequence in enumerate(episodes.sequence):
        grid = dict(zip(np.ndindex(*game.shape), sequence.tolist(), strict=True))
        for column, candidate in enumerate(episodes.candidates[row]):
            place = next(cell for cell, integer in grid.items() if integer == candidate)
            cells = [tuple(np.add(place, offset).tolist()) for offset in game.offsets]
            assert found[row, column].tolist() == [grid.get(cell, BLANK) for cell in cells]
