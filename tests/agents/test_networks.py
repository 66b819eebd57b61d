import itertools

import numpy as np
import pytest
import torch

from spatial_agents.networks import Embedding, GumbelSoftmax, Scalars, entropy, greedy, new_pair
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.episodes import MASK, draw_episodes

GAME = GameConfig(12, num_integers=15, window_radius=1, num_distractors=3, vocab_size=7, message_length=2)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


# ------------------------------------------------------ a slow twin: one episode at a time, float64, no torch


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def slow_gru_step(weights, prefix, suffix, x, h):
    """One step of a GRU, from its equations (Cho et al. 2014, with torch's two biases)."""
    of_input = weights[f"{prefix}.weight_ih{suffix}"] @ x + weights[f"{prefix}.bias_ih{suffix}"]
    of_state = weights[f"{prefix}.weight_hh{suffix}"] @ h + weights[f"{prefix}.bias_hh{suffix}"]
    (r_i, z_i, n_i), (r_h, z_h, n_h) = np.split(of_input, 3), np.split(of_state, 3)
    reset, update = sigmoid(r_i + r_h), sigmoid(z_i + z_h)
    new = np.tanh(n_i + reset * n_h)
    return (1 - update) * new + update * h


def slow_input(weights, prefix, integer, game, agent):
    if agent.inputs == "embedding":
        lowest = MASK if prefix == "sender" else 0
        return weights[f"{prefix}.inputs.table.weight"][integer - lowest]
    top = game.num_integers - 1
    value = (2 * integer / top - 1) * agent.scalar_reach if agent.scalar_reach else integer
    return np.array([value], float)


def slow_send(weights, window, game, agent):
    hidden = np.zeros(agent.hidden_size)
    for integer in window:
        x = slow_input(weights, "sender", integer, game, agent)
        hidden = slow_gru_step(weights, "sender.window_gru", "_l0", x, hidden)
    last, message = weights["sender.start"], []
    for _ in range(game.message_length):
        hidden = slow_gru_step(weights, "sender.message_cell", "", last, hidden)
        scores = weights["sender.hidden_to_symbol.weight"] @ hidden + weights["sender.hidden_to_symbol.bias"]
        message.append(int(scores.argmax()))
        last = (
            weights["sender.symbol_to_hidden.weight"][:, message[-1]]
            + weights["sender.symbol_to_hidden.bias"]
        )
    return message


def slow_scores(weights, message, sequence, candidates, game, agent):
    hidden = np.zeros(agent.hidden_size)
    for symbol in message:
        hidden = slow_gru_step(
            weights, "receiver.message_gru", "_l0", np.eye(game.vocab_size)[symbol], hidden
        )
    for integer in sequence:
        x = slow_input(weights, "receiver", integer, game, agent)
        hidden = slow_gru_step(weights, "receiver.sequence_gru", "_l0", x, hidden)
    scores = []
    for integer in candidates:
        x = slow_input(weights, "receiver", integer, game, agent)
        offered = (
            weights["receiver.candidate_to_hidden.weight"] @ x + weights["receiver.candidate_to_hidden.bias"]
        )
        scores.append(np.maximum(offered, 0) @ hidden)
    return np.array(scores)


AGENTS = [
    AgentConfig(hidden_size=9),
    AgentConfig(hidden_size=9, scalar_reach=8.0),
    AgentConfig(hidden_size=9, inputs="embedding", embedding_size=5),
]


@pytest.mark.parametrize("agent", AGENTS, ids=["raw", "scaled", "embedding"])
def test_networks_are_the_papers_equations(agent):
    pair = new_pair(GAME, agent, generator(1))
    torch.nn.init.normal_(pair.sender.start, generator=generator(2))  # so that the start vector matters
    weights = {name: value.double().numpy() for name, value in pair.state_dict().items()}
    episodes = draw_episodes(GAME, 40, np.random.default_rng(3))
    window, sequence, candidates = (
        torch.from_numpy(array.astype(np.int64))
        for array in (episodes.window, episodes.sequence, episodes.candidates)
    )
    with torch.no_grad():
        messages = pair.sender(window, greedy)
        logits = pair.receiver(messages, sequence, candidates)
    for i in range(len(episodes)):
        message = slow_send(weights, episodes.window[i], GAME, agent)
        assert messages[i].argmax(dim=1).tolist() == message
        expected = slow_scores(weights, message, episodes.sequence[i], episodes.candidates[i], GAME, agent)
        np.testing.assert_allclose(logits[i].numpy(), expected, rtol=1e-3, atol=1e-4)


# --------------------------------------------------------------------------------------------- the rest


def test_the_papers_pair_has_its_number_of_parameters():
    pair = new_pair(GameConfig(60), AgentConfig(hidden_size=64, inputs="scalars"), generator())
    assert sum(weight.numel() for weight in pair.parameters()) == 71_962


@pytest.mark.parametrize(("agent", "batch"), list(itertools.product(AGENTS, [1, 3])))
def test_shapes_with_any_batch_one_included(agent, batch):
    pair = new_pair(GAME, agent, generator())
    window = torch.zeros((batch, GAME.window_size), dtype=torch.int64)
    message = pair.sender(window, GumbelSoftmax(generator()))
    assert message.shape == (batch, GAME.message_length, GAME.vocab_size)
    sequence = torch.arange(4).repeat(batch, 1)  # a length other than the game's
    assert pair.receiver(message, sequence, sequence[:, :3]).shape == (batch, 3)


def test_scaling_is_linear_and_spans_the_reach():
    values = Scalars(60, reach=8.0)(torch.tensor([0, 59, MASK]))[:, 0]
    torch.testing.assert_close(values, torch.tensor([-8.0, 8.0, -8.0 - 16 / 59]))
    assert Scalars(60, reach=0.0)(torch.tensor([0, 59, MASK]))[:, 0].tolist() == [0, 59, -1]


def test_the_mask_has_an_embedding_of_its_own():
    table = Embedding(MASK, 10, 4)
    assert table.table.num_embeddings == 11
    assert torch.equal(table(torch.tensor([MASK, 9])), table.table.weight[[0, 10]])


def test_greedy_is_one_hot():
    assert greedy(torch.tensor([[0.1, 3.0, -1.0], [5.0, 2.0, 4.0]])).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_entropy_of_a_certain_and_of_a_uniform_symbol():
    assert entropy(torch.tensor([[0.0, 1000.0]])) == 0
    torch.testing.assert_close(entropy(torch.zeros(3, 26)), torch.tensor(26.0).log())


def test_soft_samples_are_distributions_that_follow_the_logits():
    logits = torch.tensor([[2.0, 1.0, 0.0]]).repeat(20_000, 1)
    samples = GumbelSoftmax(generator())(logits)
    torch.testing.assert_close(samples.sum(dim=1), torch.ones(len(samples)))
    chosen = torch.bincount(samples.argmax(dim=1), minlength=3) / len(samples)
    torch.testing.assert_close(chosen, logits[0].softmax(dim=0), atol=0.02, rtol=0)


def test_low_temperature_is_nearly_one_hot():
    logits = torch.zeros(500, 4)
    hard = GumbelSoftmax(generator(), temperature=0.01)(logits).max(dim=1).values.mean()
    soft = GumbelSoftmax(generator(), temperature=10.0)(logits).max(dim=1).values.mean()
    assert hard > 0.98
    assert soft < 0.4


def test_straight_through_sends_one_hot_and_has_the_soft_gradient():
    logits = torch.randn(6, 5, generator=generator(1))
    weight = torch.randn(6, 5, generator=generator(2))
    gradients = []
    for straight_through in (True, False):
        given = logits.clone().requires_grad_()
        symbol = GumbelSoftmax(generator(3), straight_through=straight_through)(given)
        (symbol * weight).sum().backward()
        gradients.append(given.grad)
        if straight_through:
            torch.testing.assert_close(symbol, greedy(symbol))
    torch.testing.assert_close(*gradients)


def test_weights_come_from_the_generator_alone():
    before = torch.get_rng_state()
    torch_state = [new_pair(GAME, AGENTS[2], generator(seed)).state_dict() for seed in (5, 5, 6)]
    assert torch.equal(torch.get_rng_state(), before)
    same, other = (
        all(torch.equal(torch_state[0][name], second[name]) for name in second) for second in torch_state[1:]
    )
    assert same
    assert not other
    assert torch_state[0]["receiver.sequence_gru.weight_hh_l0"].abs().max() <= 1 / 3  # 1/sqrt(hidden 9)
