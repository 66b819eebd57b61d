"""Model cards: what a trained pair is, how it was trained and how well it plays, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spatial_agents.pairs.tensor_files import hash_weights, read_weights
from spatial_game.files import fault_of_file
from spatial_game.json_text import from_json


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
