"""The names and shapes of a pair's weights, by its configs. Nothing here loads torch."""

from __future__ import annotations

from spatial_agents.recipes import BLANK, WIDER, AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import lowest_in_window

Shapes = dict[str, tuple[int, ...]]


def weight_shapes(game: GameConfig, agent: AgentConfig) -> Shapes:
    """Return the shapes of a pair's weights by their names, as in `PairNetwork.state_dict()`."""
    lowest = {"sender": lowest_in_window(game), "receiver": 0 if agent.network == "sequential" else BLANK}
    shapes = Shapes()
    for role, first in lowest.items():
        rows = len(game.integers) - first
        features = {"scalars": 1, "embedding": agent.embedding_size, "one-hot": rows}[agent.inputs]
        own = _layers(game, agent, features)[role]
        if agent.inputs == "embedding":
            own["inputs.table.weight"] = (rows, features)
        shapes |= {f"{role}.{name}": shape for name, shape in own.items()}
    return shapes


def _layers(game: GameConfig, agent: AgentConfig, features: int) -> dict[str, Shapes]:
    """Return the shapes of the layers of each role, if an integer enters as this number of features."""
    hidden, wide, offsets = agent.hidden_size, WIDER * agent.hidden_size, len(game.offsets)
    message = game.message_length * game.vocab_size
    if agent.network == "landmark":
        sender = {"offsets.weight": (offsets, features)}
        sender |= _linear("neighbour_to_score", features, 1)
        sender |= _linear("landmark_to_symbols", features, message)
        receiver = {"attention.weight": (2, game.message_length)}
        receiver |= _linear("message_to_offset", message, offsets)
        receiver |= _linear("message_to_integer", message, features)
        return {"sender": sender, "receiver": receiver}
    sender = {"start": (hidden,), **_gru("message_cell", hidden, hidden, "")}
    sender |= _linear("symbol_to_hidden", game.vocab_size, hidden)
    sender |= _linear("hidden_to_symbol", hidden, game.vocab_size)
    receiver = _gru("message_gru", game.vocab_size, hidden)
    if agent.network == "local":
        sender |= _linear("window_to_wide", game.window_size * features, wide)
        receiver |= _linear("around_to_wide", offsets * features, wide)
        to_state = _linear("wide_to_state", wide, hidden)
        return {"sender": sender | to_state, "receiver": receiver | to_state}
    sender |= _gru("window_gru", features, hidden)
    receiver |= _gru("sequence_gru", features, hidden)
    receiver |= _linear("candidate_to_hidden", features, hidden)
    return {"sender": sender, "receiver": receiver}


def _linear(name: str, inputs: int, outputs: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _gru(name: str, inputs: int, hidden: int, suffix: str = "_l0") -> Shapes:
    weights = {"weight_ih": (3 * hidden, inputs), "weight_hh": (3 * hidden, hidden)}
    shapes = {**weights, "bias_ih": (3 * hidden,), "bias_hh": (3 * hidden,)}
    return {f"{name}.{kind}{suffix}": shape for kind, shape in shapes.items()}
