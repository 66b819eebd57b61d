"""Write the pages of bundled languages, which readers of the documentation look through."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from spatial_agents.pairs.names import PRETRAINED
from spatial_game.cli import main

SKETCHED = ("landmark-60", "product-60", "embed-60", "paper-60", "local-60", "grid-8x8", "grid-4x4x4")
SKETCHED_EPISODES = 200_000


def write_pages(folder: Path) -> None:
    """Write the sketches, from new episodes and the pairs' bundled lexicons."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SKETCHED:
        lexicon, out = PRETRAINED / name / "00.lexicon.json.gz", folder / f"sketch-{name}.html"
        given = ("--lexicon", str(lexicon)) if lexicon.exists() else ()
        options = ("--episodes", str(SKETCHED_EPISODES), "--seed", "1", "--out", str(out))
        run("describe", f"{name}/0", *given, *options)


def run(*words: str) -> None:
    """Run a command of the program. Raises `RuntimeError` if it fails."""
    with contextlib.redirect_stdout(io.StringIO()):
        status = main(list(words))
    if status != 0:
        raise RuntimeError(f"spatial-game {' '.join(words)} failed")
