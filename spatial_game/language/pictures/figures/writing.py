"""Figures as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spatial_game.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 300
"""The dots an inch of a PNG."""
_PROGRAM: dict[str, dict[str, Any]] = {
    "svg": {"Creator": "spatial-game", "Date": None},
    "png": {"Software": "spatial-game"},
}


def write_figures(folder: Path, figures: Mapping[str, Figure], signature: str, command: str) -> list[Path]:
    """Write figures by their names as SVG and PNG, and return the files.

    Their metadata have the signature and the command. Text in an SVG is text.
    """
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    description = " | ".join(filter(None, (signature, command)))
    files = []
    for name, figure in figures.items():
        for kind, program in _PROGRAM.items():
            metadata = {"Title": name, "Description": description, **program}
            files.append(folder / f"{name}.{kind}")
            with (
                replacing(files[-1]) as temporary,
                rc_context({"svg.hashsalt": "spatial-game", "svg.fonttype": "none"}),
            ):
                figure.savefig(temporary, format=kind, dpi=DOTS, metadata=metadata)
    return files
