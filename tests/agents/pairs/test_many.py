import numpy as np
import pytest
import torch
from slow_twin import AGENTS, GAME

from spatial_agents.networks.gru import new_pair
from spatial_agents.pairs.many import ManyPairs
from spatial_agents.pairs.policy import CHUNK, nothing_after_end, pair_from_network
from spatial_agents.recipes import AgentConfig
from spatial_game.game.episodes import draw_episodes

KINDS = [*AGENTS, AgentConfig(hidden_size=9, inputs="one-hot", end_symbol=True)]


def pair_of(agent, seed):
    return pair_from_network(new_pair(GAME, agent, torch.Generator().manual_seed(seed)), GAME, agent)


@pytest.mark.parametrize("agent", KINDS, ids=["raw", "scaled", "embedding", "one-hot, end"])
def test_pairs_abreast_play_as_each_alone(agent):
    pairs = [pair_of(agent, seed) for seed in range(3)]
    many = ManyPairs(pairs)
    rng = np.random.default_rng(0)
    own = [draw_episodes(GAME, CHUNK["cpu"] // 3 + 5, rng) for _ in pairs]
    messages = many.send(np.stack([episodes.window for episodes in own]))
    choices = many.choose(
        messages, np.stack([e.sequence for e in own]), np.stack([e.candidates for e in own])
    )
    assert (messages.dtype, choices.dtype) == (np.int16, np.int16)
    for i, (pair, episodes) in enumerate(zip(pairs, own, strict=True)):
        sent = pair.sender.send(episodes.window)
        np.testing.assert_array_equal(messages[i], sent)
        chosen = pair.receiver.choose(sent, episodes.sequence, episodes.candidates)
        np.testing.assert_array_equal(choices[i], chosen)


def test_a_message_ends_for_itself_alone():
    messages = torch.tensor([[[3, 0, 2], [1, 2, 3]], [[0, 1, 1], [2, 2, 2]]])
    said = [[[3, 0, 0], [1, 2, 3]], [[0, 0, 0], [2, 2, 2]]]
    assert nothing_after_end(messages).tolist() == said
    assert [nothing_after_end(of_pair).tolist() for of_pair in messages] == said


def test_the_same_episodes_for_all():
    pairs = [pair_of(AGENTS[2], seed) for seed in range(2)]
    episodes = draw_episodes(GAME, 20, np.random.default_rng(0))
    many = ManyPairs(pairs)
    messages = many.send(episodes.window)
    choices = many.choose(messages, episodes.sequence, episodes.candidates)
    assert (messages.shape, choices.shape) == ((2, 20, GAME.message_length), (2, 20))
    np.testing.assert_array_equal(messages[1], pairs[1].sender.send(episodes.window))


def test_what_cannot_play_abreast_is_refused():
    with pytest.raises(ValueError, match="pairs must have one config"):
        ManyPairs([pair_of(AGENTS[0], 0), pair_of(AGENTS[1], 0)])
    with pytest.raises(ValueError, match="cell must be gru for pairs abreast; got lstm"):
        ManyPairs([pair_of(AgentConfig(cell="lstm"), 0)])
    with pytest.raises(ValueError, match=r"window must be in -1\.\.14; got 15"):
        ManyPairs([pair_of(AGENTS[2], 0)]).send(np.array([[0, -1, 15]]))
