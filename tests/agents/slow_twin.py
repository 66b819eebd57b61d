"""The networks again, slow and obvious: an episode at a time, in float64, from the equations, no torch."""

import numpy as np

from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK

GAME = GameConfig(12, num_integers=15, window_radius=1, num_distractors=3, vocab_size=7, message_length=2)

AGENTS = [
    AgentConfig(hidden_size=9),
    AgentConfig(hidden_size=9, scalar_reach=8.0),
    AgentConfig(hidden_size=9, inputs="embedding", embedding_size=5),
    AgentConfig(hidden_size=9, inputs="embedding", embedding_size=5, network="local"),
    AgentConfig(inputs="embedding", embedding_size=5, network="landmark"),
]
NAMES = ["raw", "scaled", "embedding", "local", "landmark"]

GRID = GameConfig(shape=(4, 3), window_radius=1, vocab_size=7, message_length=2, num_visible=3)
SOLID = GameConfig(shape=(3, 4, 3), window_radius=1, vocab_size=7, message_length=2)


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
        lowest = (HIDDEN if game.num_hidden else MASK) if prefix == "sender" else 0
        lowest = MASK if prefix == "receiver" and agent.network != "sequential" else lowest
        return weights[f"{prefix}.inputs.table.weight"][integer - lowest]
    top = game.num_integers - 1
    value = (2 * integer / top - 1) * agent.scalar_reach if agent.scalar_reach else integer
    return np.array([value], float)


def slow_layers(weights, first, second, inputs):
    """The output of two linear layers for some vectors, one after another."""
    wide = weights[f"{first}.weight"] @ np.concatenate(inputs) + weights[f"{first}.bias"]
    return weights[f"{second}.weight"] @ np.maximum(wide, 0) + weights[f"{second}.bias"]


def slow_softmax(numbers):
    return np.exp(numbers) / np.exp(numbers).sum()


def slow_linear(weights, name, x):
    return weights[f"{name}.weight"] @ x + weights[f"{name}.bias"]


def slow_landmark(weights, window, game, agent):
    """The vector that a landmark sender names: a mixture of its visible neighbours."""
    target = np.unravel_index(np.argmax(window == MASK), game.window_shape)
    offsets = [tuple(np.atleast_1d(offset)) for offset in game.offsets]
    vectors = []
    for number, place in enumerate(np.ndindex(*game.window_shape)):
        if window[number] >= 0:
            offset = offsets.index(tuple(np.subtract(place, target)))
            integer = slow_input(weights, "sender", window[number], game, agent)
            vectors.append(integer + weights["sender.offsets.weight"][offset])
    scores = np.concatenate([slow_linear(weights, "sender.neighbour_to_score", v) for v in vectors])
    return slow_softmax(4 * scores) @ np.array(vectors)


def slow_landmark_score(weights, message, sequence, candidate, game, agent):
    """How well what stands around a candidate is what a landmark receiver reads from the message."""
    heard = [slow_heard(weights, message, which, game) for which in range(2)]
    offset = slow_softmax(4 * slow_linear(weights, "receiver.message_to_offset", heard[0]))
    integer = slow_linear(weights, "receiver.message_to_integer", heard[1])
    around = slow_inputs_around(weights, sequence, candidate, game, agent)
    return sum(share * (integer @ there) for share, there in zip(offset, around, strict=True))


def slow_heard(weights, message, which, game):
    """What a receiver hears for the offset (0) or for the integer (1)."""
    heard = np.zeros((game.message_length, game.vocab_size))
    for slot, share in enumerate(slow_softmax(weights["receiver.attention.weight"][which])):
        heard[slot, message[slot]] = share * game.message_length
    return heard.ravel()


def slow_inputs_around(weights, sequence, candidate, game, agent):
    """The vectors of what stands at each offset from a candidate: its grid is walked cell by cell."""
    shape = (len(sequence),) if len(game.shape) == 1 else game.shape
    grid = np.reshape(sequence, shape)
    [place] = np.argwhere(grid == candidate)
    inputs = []
    reach = 2 * game.window_radius
    for offset in np.ndindex(*(2 * reach + 1,) * len(shape)):
        cell = place + np.array(offset) - reach
        if (cell == place).all():
            continue
        there = all(0 <= at < size for at, size in zip(cell, shape, strict=True))
        inputs.append(slow_input(weights, "receiver", grid[tuple(cell)] if there else MASK, game, agent))
    return inputs


def slow_around(weights, sequence, candidate, game, agent):
    """The vector of what stands around a candidate."""
    inputs = slow_inputs_around(weights, sequence, candidate, game, agent)
    return slow_layers(weights, "receiver.around_to_wide", "receiver.wide_to_state", inputs)


def slow_send(weights, window, game, agent):
    if agent.network == "landmark":
        landmark = slow_landmark(weights, window, game, agent)
        logits = slow_linear(weights, "sender.landmark_to_symbols", landmark)
        return logits.reshape(game.message_length, game.vocab_size).argmax(axis=1).tolist()
    inputs = [slow_input(weights, "sender", integer, game, agent) for integer in window]
    hidden = np.zeros(agent.hidden_size)
    if agent.network == "local":
        hidden = slow_layers(weights, "sender.window_to_wide", "sender.wide_to_state", inputs)
    else:
        for x in inputs:
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
    if agent.network == "landmark":
        return np.array(
            [slow_landmark_score(weights, message, sequence, each, game, agent) for each in candidates]
        )
    hidden = np.zeros(agent.hidden_size)
    for symbol in message:
        hidden = slow_gru_step(
            weights, "receiver.message_gru", "_l0", np.eye(game.vocab_size)[symbol], hidden
        )
    if agent.network == "local":
        return np.array([slow_around(weights, sequence, each, game, agent) @ hidden for each in candidates])
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
