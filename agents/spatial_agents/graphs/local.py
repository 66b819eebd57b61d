"""The sender and the receiver of `spatial_agents.networks.local` as graphs."""

from __future__ import annotations

from spatial_agents.graphs import gru
from spatial_agents.graphs.graph import Value
from spatial_agents.graphs.layers import FLOAT, Agent
from spatial_agents.recipes import BLANK
from spatial_game.game.windows import surroundings


def send(agent: Agent, window: Value) -> tuple[Value, Value]:
    """Return the messages (B, T) and the logits (B, T, V) for windows (B, W)."""
    vectors = agent.add("Reshape", agent.inputs.vectors(window), [0, -1])
    return gru.write(agent, agent.two_layers("window_to_wide", "wide_to_state")(vectors))


def compare(agent: Agent, message: Value, sequence: Value, candidates: Value) -> tuple[Value, Value]:
    """Return the state (B, H) after the message, and vectors (B, C, H) of the cells around candidates."""
    offered = around(agent, sequence, candidates)
    state = gru.read(agent, "message_gru", agent.symbols, message)
    return state, agent.two_layers("around_to_wide", "wide_to_state")(offered)


def around(agent: Agent, sequence: Value, candidates: Value) -> Value:
    """Return the vectors (B, C, offsets * features) of the cells around each candidate."""
    add, (steps, inside) = agent.add, surroundings(agent.game)
    same = add("Equal", add("Unsqueeze", candidates, [2]), add("Unsqueeze", sequence, [1]))
    places = add("ArgMax", add("Cast", same, to=FLOAT), axis=2, keepdims=0)
    cells = add("Unsqueeze", places, [2]) + steps
    there = add("Gather", inside, places % len(inside)) & (cells >= 0)
    there = there & (cells < add("Shape", sequence, start=1, end=2))
    flat = add("Reshape", add("Where", there, cells, 0), [0, -1])
    integers = add("Reshape", add("GatherElements", sequence, flat, axis=1), add("Shape", cells))
    vectors = agent.inputs.vectors(add("Where", there, integers, BLANK))
    return add("Reshape", vectors, [0, 0, len(agent.game.offsets) * agent.inputs.features])
