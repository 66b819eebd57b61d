"""The sender and the receiver of `spatial_agents.networks.gru` as graphs.

ONNX has a GRU of its own. In batches of 4,096 games this one, written out, takes less than two thirds of the
time, because ONNX Runtime vectorises its sigmoid and tanh better. The equations are in
`spatial_agents.networks.recurrence`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spatial_agents.graphs.graph import Value
from spatial_agents.graphs.layers import Agent, Rows, Scalars


def send(agent: Agent, window: Value) -> tuple[Value, Value]:
    """Return the messages (B, T) and the logits (B, T, V) for windows (B, W)."""
    return write(agent, read(agent, "window_gru", agent.inputs, window))


def compare(agent: Agent, message: Value, sequence: Value, candidates: Value) -> tuple[Value, Value]:
    """Return the state (B, H) after message and sequence, and the vectors (B, C, H) to compare it with."""
    state = read(agent, "message_gru", agent.symbols, message)
    state = read(agent, "sequence_gru", agent.inputs, sequence, state)
    to_hidden = agent.inputs.linear(*agent.layer("candidate_to_hidden"))
    return state, agent.add("Relu", to_hidden(agent.inputs.entries(candidates)))


def read(
    agent: Agent, name: str, inputs: Rows | Scalars, numbers: Value, first: Value | None = None
) -> Value:
    """Return the last state (B, H) of a GRU for numbers (B, L) and a first state, by default zeros."""
    if first is None:
        batch = agent.add("Shape", numbers, end=1)
        first = agent.add("Expand", 0.0, agent.add("Concat", batch, [agent.hidden], axis=0))
    elements = inputs.entries(agent.add("Transpose", numbers, perm=[1, 0]))
    return agent.graph.loop(gru(agent, name, "_l0", inputs), first, elements)


def write(agent: Agent, state: Value) -> tuple[Value, Value]:
    """Return the messages (B, T) that follow from a state (B, H), and their logits (B, T, V)."""
    weight, bias = agent.layer("symbol_to_hidden")
    table = np.vstack([weight.T + bias, agent.weights["start"]])  # a row for each symbol, one for the start
    cell = gru(agent, "message_cell", "", Rows(agent.graph, len(table), table=table))
    to_symbol = agent.linear("hidden_to_symbol")
    before = agent.add("Expand", len(table) - 1, agent.add("Shape", state, end=1))
    message, logits = [], []
    for _ in range(agent.game.message_length):
        state = cell(state, before)
        logits.append(to_symbol(state))
        before = agent.add("ArgMax", logits[-1], axis=1, keepdims=0)
        message.append(before)
    return agent.stacked(message), agent.stacked(logits)


def gru(agent: Agent, name: str, suffix: str, inputs: Rows | Scalars) -> Callable[[Value, Value], Value]:
    """Return one turn of a GRU: the next state (B, H) for a state and an entry of the inputs (B, ...)."""
    kinds = ("weight_ih", "bias_ih", "weight_hh", "bias_hh")
    arrays = (agent.weights[f"{name}.{kind}{suffix}"] for kind in kinds)
    (w_gates, w_new), (b_gates, b_new), (u_gates, u_new), (c_gates, c_new) = (
        np.split(array, [2 * agent.hidden]) for array in arrays
    )
    to_gates, to_new = inputs.linear(w_gates, b_gates + c_gates), inputs.linear(w_new, b_new)
    of_state = [agent.graph.constant(array) for array in (u_gates.T, u_new.T, c_new)]

    def turn(state: Value, x: Value) -> Value:
        gates = agent.add("Sigmoid", agent.add("Gemm", state, of_state[0], to_gates(x)))
        reset, update = agent.graph.halves(gates)
        content = agent.add("Gemm", state, *of_state[1:])
        new = agent.add("Tanh", to_new(x) + reset * content)
        return new + update * (state - new)

    return turn
