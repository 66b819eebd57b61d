import itertools

import numpy as np
import pytest
import torch
from slow_twin import AGENTS, GAME, GRID, NAMES, SOLID, slow_scores, slow_send

from spatial_agents.networks.inputs import Embedding, Scalars
from spatial_agents.networks.pair import new_pair
from spatial_agents.networks.symbols import entropy, greedy, gumbel_softmax
from spatial_agents.recipes import AgentConfig
from spatial_agents.training.data import draw_every_target
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def soft(logits, temperature=1.0, straight_through=False, seed=0):
    return gumbel_softmax(logits, generator(seed), temperature, straight_through)


@pytest.mark.parametrize("game", [GAME, GRID, SOLID], ids=["sequence", "grid", "solid"])
@pytest.mark.parametrize("agent", AGENTS, ids=NAMES)
def test_networks_are_their_equations(agent, game):
    pair = new_pair(game, agent, 1)
    if agent.network != "landmark":
        torch.nn.init.normal_(pair.sender.start, generator=generator(2))  # so that the start vector matters
    weights = {name: value.double().numpy() for name, value in pair.state_dict().items()}
    episodes = draw_episodes(game, 40, np.random.default_rng(3))
    window, sequence, candidates = (
        torch.from_numpy(array.astype(np.int64))
        for array in (episodes.window, episodes.sequence, episodes.candidates)
    )
    with torch.no_grad():
        messages = pair.sender(window, greedy)
        logits = pair.receiver(messages, sequence, candidates)
    for i in range(len(episodes)):
        message = slow_send(weights, episodes.window[i], game, agent)
        assert messages[i].argmax(dim=1).tolist() == message
        expected = slow_scores(weights, message, episodes.sequence[i], episodes.candidates[i], game, agent)
        np.testing.assert_allclose(logits[i].numpy(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("game", [GAME, GRID, SOLID], ids=["sequence", "grid", "solid"])
@pytest.mark.parametrize("agent", AGENTS[3:], ids=NAMES[3:])
def test_messages_that_share_a_sequence_are_scored_as_alone(agent, game):
    pair = new_pair(game, agent, 1)
    episodes = draw_every_target(game, 3, generator(2))
    with torch.no_grad():
        message = pair.sender(episodes.window, greedy)
        together = pair.receiver(message, episodes.sequence, episodes.candidates)
        own = episodes.sequence.repeat_interleave(game.sequence_length, dim=0)
        torch.testing.assert_close(together, pair.receiver(message, own, own))


# --------------------------------------------------------------------------------------------- the rest


def test_the_papers_pair_has_its_number_of_parameters():
    pair = new_pair(GameConfig(60), AgentConfig(hidden_size=64, inputs="scalars"))
    assert sum(weight.numel() for weight in pair.parameters()) == 71_962


@pytest.mark.parametrize(("agent", "batch"), list(itertools.product(AGENTS, [1, 3])))
def test_shapes_with_any_batch_one_included(agent, batch):
    pair = new_pair(GAME, agent)
    window = torch.zeros((batch, GAME.window_size), dtype=torch.int64)
    message = pair.sender(window, soft)
    assert message.shape == (batch, GAME.message_length, GAME.vocab_size)
    sequence = torch.arange(4).repeat(batch, 1)  # a length other than the game's
    assert pair.receiver(message, sequence, sequence[:, :3]).shape == (batch, 3)


def test_scaling_is_linear_and_spans_the_reach():
    values = Scalars(*AgentConfig(scalar_reach=8.0).scaling(60))(torch.tensor([0, 59, MASK]))[:, 0]
    torch.testing.assert_close(values, torch.tensor([-8.0, 8.0, -8.0 - 16 / 59]))
    assert Scalars(*AgentConfig().scaling(60))(torch.tensor([0, 59, MASK]))[:, 0].tolist() == [0, 59, -1]


def test_the_mask_has_an_embedding_of_its_own():
    table = Embedding(MASK, 10, 4)
    assert table.table.num_embeddings == 11
    assert torch.equal(table(torch.tensor([MASK, 9])), table.table.weight[[0, 10]])


def test_greedy_is_one_hot():
    assert greedy(torch.tensor([[0.1, 3.0, -1.0], [5.0, 2.0, 4.0]])).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_entropy_of_a_certain_and_of_a_uniform_symbol():
    assert entropy(torch.tensor([[0.0, 1000.0]])).tolist() == [0]
    torch.testing.assert_close(entropy(torch.zeros(3, 26)), torch.full((3,), 26.0).log())


def test_soft_samples_are_distributions_that_follow_the_logits():
    logits = torch.tensor([[2.0, 1.0, 0.0]]).repeat(20_000, 1)
    samples = soft(logits)
    torch.testing.assert_close(samples.sum(dim=1), torch.ones(len(samples)))
    chosen = torch.bincount(samples.argmax(dim=1), minlength=3) / len(samples)
    torch.testing.assert_close(chosen, logits[0].softmax(dim=0), atol=0.02, rtol=0)


def test_low_temperature_is_nearly_one_hot():
    logits = torch.zeros(500, 4)
    hard = soft(logits, temperature=0.01).max(dim=1).values.mean()
    flat = soft(logits, temperature=10.0).max(dim=1).values.mean()
    assert hard > 0.98
    assert flat < 0.4


def test_straight_through_sends_one_hot_and_has_the_soft_gradient():
    logits = torch.randn(6, 5, generator=generator(1))
    weight = torch.randn(6, 5, generator=generator(2))
    gradients = []
    for straight_through in (True, False):
        given = logits.clone().requires_grad_()
        symbol = soft(given, straight_through=straight_through, seed=3)
        (symbol * weight).sum().backward()
        gradients.append(given.grad)
        if straight_through:
            torch.testing.assert_close(symbol, greedy(symbol))
    torch.testing.assert_close(*gradients)


def test_weights_come_from_the_seed_alone():
    before = torch.get_rng_state()
    torch_state = [new_pair(GAME, AGENTS[2], seed).state_dict() for seed in (5, 5, 6)]
    assert torch.equal(torch.get_rng_state(), before)
    same, other = (
        all(torch.equal(torch_state[0][name], second[name]) for name in second) for second in torch_state[1:]
    )
    assert same
    assert not other
    assert torch_state[0]["receiver.sequence_gru.weight_hh_l0"].abs().max() <= 1 / 3  # 1/sqrt(hidden 9)
