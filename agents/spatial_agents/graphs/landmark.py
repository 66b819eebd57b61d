"""The sender and the receiver of `spatial_agents.networks.landmark` as graphs."""

from __future__ import annotations

from spatial_agents.graphs.graph import Value
from spatial_agents.graphs.layers import FLOAT, Agent
from spatial_agents.graphs.local import around
from spatial_agents.recipes import SHARP, UNSEEN
from spatial_game.game.episodes import MASK
from spatial_game.game.windows import offset_numbers


def send(agent: Agent, window: Value) -> tuple[Value, Value]:
    """Return the messages (B, T) and the logits (B, T, V) for windows (B, W)."""
    logits = agent.linear("landmark_to_symbols")(landmark(agent, window))
    by_slot = agent.add("Reshape", logits, [-1, agent.game.message_length, agent.game.vocab_size])
    return agent.add("ArgMax", by_slot, axis=2, keepdims=0), by_slot


def landmark(agent: Agent, window: Value) -> Value:
    """Return the vectors (B, features) of the named neighbours."""
    add = agent.add
    is_mask = add("Cast", add("Equal", window, MASK), to=FLOAT)
    numbers = add("Gather", offset_numbers(agent.game).clip(0), add("ArgMax", is_mask, axis=1, keepdims=0))
    neighbours = agent.inputs.vectors(window) + add("Gather", agent.weights["offsets.weight"], numbers)
    scores = add("Squeeze", agent.linear("neighbour_to_score")(neighbours), [2]) * SHARP
    shares = add("Softmax", add("Where", window < 0, UNSEEN, scores), axis=-1)
    return add("Squeeze", add("Unsqueeze", shares, [1]) @ neighbours, [1])


def compare(agent: Agent, message: Value, sequence: Value, candidates: Value) -> tuple[Value, Value]:
    """Return the products (B, offsets * features) for the message, and the vectors to compare them with."""
    of_offset, of_integer = heard(agent, message, 0), heard(agent, message, 1)
    return compare_with(agent, of_offset, of_integer, sequence, candidates)


def compare_with(
    agent: Agent, of_offset: Value, of_integer: Value, sequence: Value, candidates: Value
) -> tuple[Value, Value]:
    """Return the same for what the receiver has heard (B, any) of the offset and of the integer."""
    add, features = agent.add, agent.inputs.features
    offered = around(agent, sequence, candidates)
    offset = add("Softmax", agent.linear("message_to_offset")(of_offset) * SHARP, axis=-1)
    integer = agent.linear("message_to_integer")(of_integer)
    products = add("Unsqueeze", offset, [2]) * add("Unsqueeze", integer, [1])
    return add("Reshape", products, [-1, len(agent.game.offsets) * features]), offered


def heard(agent: Agent, message: Value, what: int) -> Value:
    """Return the message (B, T * V) with the weights for the offset (0) or for the integer (1)."""
    add, length = agent.add, agent.game.message_length
    shares = add("Softmax", agent.weights["attention.weight"][what]) * float(length)
    symbols = agent.symbols.vectors(message) * add("Unsqueeze", shares, [1])
    return add("Reshape", symbols, [0, -1])
