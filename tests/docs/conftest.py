"""What the tests of pages share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _rough_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn coarsely, without laying out their parts: that takes longer than what they show."""
    from matplotlib.figure import Figure

    save = Figure.savefig

    def save_roughly(figure: Figure, path: Path | str, **options: Any) -> None:
        figure.set_layout_engine("none")
        save(figure, path, **{**options, "dpi": 30})

    monkeypatch.setattr(Figure, "savefig", save_roughly)
