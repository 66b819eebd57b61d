"""The bundled pairs by name, found without loading torch."""

from __future__ import annotations

from pathlib import Path

PRETRAINED = Path(__file__).parents[1] / "pretrained"


def pair_names() -> list[str]:
    """Return the names of the bundled pairs, sorted."""
    return sorted({weights.parent.name for weights in PRETRAINED.glob("*/*.safetensors")})
