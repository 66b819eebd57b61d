"""The sender and the receiver as graphs, which compute what `spatial_agents.networks` does in play.

The sender is greedy. Batches, sequences and numbers of candidates can have any size. Each graph holds its
weights in the order of ONNX; whatever depends only on weights is computed when the graph is built.
"""

from __future__ import annotations

from collections.abc import Mapping

from spatial_agents.graphs import gru, landmark, local, product
from spatial_agents.graphs.graph import Array
from spatial_agents.graphs.layers import Agent
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig

_NETWORKS = {"sequential": gru, "local": local, "landmark": landmark, "product": product}


def sender_model(game: GameConfig, config: AgentConfig, tensors: Mapping[str, Array]) -> bytes:
    """Return the graph from `window` (B, W) to `message` (B, T) and `logits` (B, T, V), as an ONNX file."""
    agent = Agent("sender", game, config, tensors)
    length, graph = game.message_length, agent.graph
    window = graph.input("window", "int64", "batch", game.window_size)
    message, logits = _NETWORKS[config.network].send(agent, window)
    graph.output("message", message, "int64", "batch", length)
    graph.output("logits", logits, "float32", "batch", length, game.vocab_size)
    return graph.model()


def receiver_model(game: GameConfig, config: AgentConfig, tensors: Mapping[str, Array]) -> bytes:
    """Return the graph from `message` (B, T), `sequence` (B, L) and `candidates` (B, C) to the `choice` (B,).

    Its other output is `logits` (B, C).
    """
    agent = Agent("receiver", game, config, tensors)
    add, graph = agent.add, agent.graph
    message = graph.input("message", "int64", "batch", game.message_length)
    sequence = graph.input("sequence", "int64", "batch", "length")
    candidates = graph.input("candidates", "int64", "batch", "candidates")
    state, offered = _NETWORKS[config.network].compare(agent, message, sequence, candidates)
    logits = add("Squeeze", offered @ add("Unsqueeze", state, [2]), [2])
    graph.output("choice", add("ArgMax", logits, axis=1, keepdims=0), "int64", "batch")
    graph.output("logits", logits, "float32", "batch", "candidates")
    return graph.model()
