"""The sender and the receiver of `spatial_agents.networks.product` as graphs."""

from __future__ import annotations

from spatial_agents.graphs import gru, landmark
from spatial_agents.graphs.graph import Value
from spatial_agents.graphs.layers import Agent

send = landmark.send


def compare(agent: Agent, message: Value, sequence: Value, candidates: Value) -> tuple[Value, Value]:
    """Return the products (B, offsets * features) for the message, and the vectors to compare them with."""
    state = gru.read(agent, "message_gru", agent.symbols, message)
    return landmark.compare_with(agent, state, state, sequence, candidates)
