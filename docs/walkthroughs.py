"""Runs the walk-throughs and stores what they print and draw: `python docs/walkthroughs.py [NAME...]`.

A walk-through is a script in `examples/walkthroughs`, divided into cells as editors and notebooks know
them: `# %%` begins code, `# %% [markdown]` text in comments. Its page shows text and code, and below each
cell what it printed and the pictures that it wrote. Pages and pictures are kept in `docs/walkthroughs`, so
that building the documentation runs nothing; `tests/test_walkthroughs.py` runs the scripts and compares.

A script whose first line says `# slow: ...` takes minutes and is only run when it is named.
"""

from __future__ import annotations

import contextlib
import io
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "examples" / "walkthroughs"
PAGES = ROOT / "docs" / "walkthroughs"
PICTURES = (".png", ".gif", ".svg")
WIDTH = "88"
"""Columns of what is printed."""


@dataclass
class Cell:
    """A piece of a script, and, once it has run, what came of it."""

    kind: str
    """`text` or `code`."""
    source: str
    line: int
    """Where it begins in the script."""
    printed: str = ""
    pictures: list[Path] = field(default_factory=list)

    def alt(self, picture: str) -> str:
        """What a picture shows: the comment above the line that writes it."""
        said = re.search(rf'^# (.+)\n.*"{re.escape(picture)}"', self.source, re.MULTILINE)
        if said is None:
            raise ValueError(f'above "{picture}" a comment must say what it shows; there is none')
        return said[1]


def scripts() -> list[Path]:
    """All walk-throughs, in order."""
    return sorted(SCRIPTS.glob("*.py"))


def is_slow(script: Path) -> bool:
    """Whether it takes minutes."""
    return script.read_text("utf-8").startswith("# slow: ")


def cells(script: Path) -> list[Cell]:
    """The cells of a script. What stands before the first is left out."""
    found: list[Cell] = []
    for number, line in enumerate(script.read_text("utf-8").splitlines(), start=1):
        if line.startswith("# %%"):
            found.append(Cell("text" if "[markdown]" in line else "code", "", number + 1))
        elif found:
            found[-1].source += line + "\n"
    for cell in found:
        if cell.kind == "text":
            cell.source = re.sub(r"^# ?", "", cell.source, flags=re.MULTILINE)
        cell.source = cell.source.strip("\n")
    return found


def run(script: Path, folder: Path) -> list[Cell]:
    """Run a script in a folder; its cells, with what they printed and the pictures that they wrote."""
    names = {"__name__": "__main__", "__file__": str(script)}
    done = cells(script)
    with _elsewhere(folder):
        for cell in done:
            if cell.kind == "code":
                code = compile("\n" * (cell.line - 1) + cell.source, str(script), "exec")
                before = _pictures(folder)
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(code, names)
                cell.printed = "\n".join(line.rstrip() for line in printed.getvalue().splitlines())
                cell.pictures = sorted(_pictures(folder) - before)
    return done


@contextlib.contextmanager
def _elsewhere(folder: Path) -> Iterator[None]:
    """Work in a folder, with the settings that a page is made with."""
    before, environment = Path.cwd(), dict(os.environ)
    os.environ.update(COLUMNS=WIDTH, MPLBACKEND="agg", NO_COLOR="1")
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def _pictures(folder: Path) -> set[Path]:
    return {path for path in folder.iterdir() if path.suffix in PICTURES}


def page(script: Path, done: list[Cell], footer: str) -> str:
    """The page of a script that has run."""
    parts = [f"<!-- made by: python docs/walkthroughs.py {script.stem} -->"]
    for cell in done:
        if cell.kind == "text":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        if cell.printed.strip():
            parts.append(f"```{{code-block}} text\n:class: output\n\n{cell.printed.strip(chr(10))}\n```")
        parts += [f"![{cell.alt(path.name)}]({script.stem}/{path.name})" for path in cell.pictures]
    return "\n\n".join([*parts, footer]) + "\n"


def store(script: Path) -> None:
    """Run a script, and store its page and pictures."""
    begun, used = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        done = run(script, Path(folder))
        footer = stamp(script, time.perf_counter() - begun, time.process_time() - used)
        shutil.rmtree(PAGES / script.stem, ignore_errors=True)
        for cell in done:
            for picture in cell.pictures:
                (PAGES / script.stem).mkdir(parents=True, exist_ok=True)
                shutil.copy(picture, PAGES / script.stem)
    PAGES.mkdir(exist_ok=True)
    (PAGES / f"{script.stem}.md").write_text(page(script, done, footer), "utf-8")


def stamp(script: Path, seconds: float, processor_seconds: float) -> str:
    """When and where a page was made, and the script to download."""
    import spatial_game

    took, used = (f"{s:.0f} s" if s < 100 else f"{s / 60:.0f} min" for s in (seconds, processor_seconds))
    where = (
        f"spatial-game {spatial_game.__version__}, Python {platform.python_version()}, {platform.machine()}"
    )
    return (
        f"---\n\nThe whole script: {{download}}`{script.name} <../../examples/walkthroughs/{script.name}>`. "
        f"What stands here was printed on {date.today():%d %B %Y} ({where}), in {took}, "
        f"{used} of it on the processor."
    )


def main() -> None:
    """Store the named walk-throughs; without a name, all that are quick."""
    sys.path.insert(0, str(ROOT))
    named = sys.argv[1:]
    chosen = [s for s in scripts() if (s.stem in named if named else not is_slow(s))]
    missing = set(named) - {script.stem for script in chosen}
    if missing:
        known = ", ".join(script.stem for script in scripts())
        raise SystemExit(f"walk-throughs must be among {known}; got {', '.join(missing)}")
    for script in chosen:
        print(f"{script.stem} ...", flush=True)
        store(script)


if __name__ == "__main__":
    main()
