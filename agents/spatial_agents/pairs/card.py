"""Model cards: what a trained pair is, how it was trained and how well it plays, as JSON and as Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spatial_agents.pairs.tensor_files import hash_weights, read_weights
from spatial_game.config import GameConfig
from spatial_game.files import fault_of_input


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object, such as a model card. Raises `ValueError` if the file is not whole."""
    fault = fault_of_input(path)
    if fault is not None:
        raise FileNotFoundError(f"{path}: {fault}")
    try:
        content = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: must be a whole JSON file; {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: must hold a JSON object; got {type(content).__name__}")
    return content


def finished(folder: Path) -> bool:
    """Return whether a folder holds a finished pair: whole weights, and a card with their hash."""
    try:
        card, weights = read_json(folder / "card.json"), read_weights(folder / "pair.safetensors")
    except (OSError, ValueError):
        return False
    return card.get("weights_hash") == hash_weights(weights.tensors)


def card_as_markdown(card: dict[str, Any]) -> str:
    """Return a model card as Markdown."""
    result = card["evaluation"]
    config = GameConfig.from_dict(card["game"])
    parts = [
        f"| {name} | {part['n']:,} | {part['accuracy']:.2%} | {part['low']:.2%} to {part['high']:.2%} |"
        for name, part in [("all", result), *result["by_observation"].items()]
        if part["n"]
    ]
    fixed = card["recipe"].get("fixed_samples")
    rounded = f" (rounded to {card['rounded']})" if "rounded" in card else ""
    episodes = f"episodes out of {fixed:,} fixed ones" if fixed else "fresh episodes"
    return "\n".join(
        [
            f"# {card['name']}",
            "",
            f"A sender and a receiver for the spatial referential game {config.signature} "
            f"(inputs: {card['recipe']['inputs']}; {card['parameters']:,} parameters).",
            "",
            f"    {card['command']}",
            "",
            f"- {card['steps']:,} steps, {card['episodes_seen']:,} {episodes}, "
            f"{card['seconds'] / 60:.1f} minutes on {card['machine']}",
            f"- weights {card['weights_hash']}{rounded}",
            f"- {result['distinct_messages']:,} distinct messages in the evaluation; "
            f"chance is {result['chance']:.0%}",
            "",
            "| target at | fresh episodes | accuracy | 95% interval |",
            "|---|---|---|---|",
            *parts,
            "",
        ]
    )
