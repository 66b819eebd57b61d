"""Loading a trained pair, which then plays in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spatial_agents.agent_config import AgentConfig
from spatial_agents.pairs.names import find_pair
from spatial_agents.pairs.policy import Pair, TrainedReceiver, TrainedSender
from spatial_agents.pairs.weights import as_arrays, hash_weights, read_weights
from spatial_agents.players import PLAYERS, AgentWeights
from spatial_game.config import GameConfig
from spatial_game.files import fault_of_file
from spatial_game.json_text import from_json, printable


def load_pair(name_or_path: str | Path) -> Pair:
    """Return a trained pair by its bundled name, its run folder or its weights file.

    "embed-60/3" is the pair with index 3 of that name or run; without a number, it is index 0. Raises
    `ValueError` for an unknown name, with the known names, and for a file that is not whole and consistent.
    """
    files = find_pair(str(name_or_path))
    path, weights = files.weights, read_weights(files.weights)
    card = read_json(files.card) if files.card.is_file() else {"provenance": weights.provenance}
    try:
        return pair_from_weights(weights.tensors, weights.game, weights.agent, card)
    except ValueError as error:
        raise ValueError(printable(f"{path}: {error}")) from None


def pair_from_weights(
    tensors: Mapping[str, Any], game: GameConfig, agent: AgentConfig, card: dict[str, Any] | None = None
) -> Pair:
    """Return the pair with these weights: NumPy arrays, or the `state_dict` of a `PairNetwork`.

    Raises `ValueError` if they do not suit the configs.
    """
    arrays = as_arrays(tensors)
    new_sender, new_receiver = PLAYERS[agent.network]
    of_sender, of_receiver = AgentWeights("sender", arrays), AgentWeights("receiver", arrays)
    sender = TrainedSender(new_sender(game, agent, of_sender), game, agent)
    receiver = TrainedReceiver(new_receiver(game, agent, of_receiver), game, agent)
    left = arrays.keys() - of_sender.taken - of_receiver.taken
    if left:
        raise ValueError(f"tensors must be those of this config; got also {min(left)}")
    return Pair(sender, receiver, game, agent, hash_weights(arrays), card or {})


def finished(folder: Path) -> bool:
    """Return whether a folder holds a finished pair: whole weights, and a card with hash and figures."""
    try:
        card, weights = read_json(folder / "card.json"), read_weights(folder / "pair.safetensors")
    except (OSError, ValueError):
        return False
    evaluation = card.get("evaluation")
    found = evaluation if isinstance(evaluation, dict) else {}
    figures = [card.get("seconds"), *(found.get(name) for name in ("accuracy", "low", "high", "n"))]
    whole = all(isinstance(figure, int | float) for figure in figures)
    return whole and card.get("weights_hash") == hash_weights(weights.tensors)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object, such as a model card. Raises `ValueError` if the file is not whole."""
    fault = fault_of_file(path)
    if fault is not None:
        raise FileNotFoundError(f"{path}: {fault}")
    try:
        content = from_json(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: must be a whole JSON file; {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: must hold a JSON object; got {type(content).__name__}")
    return content
