"""Run the walk-throughs and store what they print and draw: `python docs/walkthroughs.py [NAME...]`.

A walk-through is a script in `examples/walkthroughs`, divided into cells as editors and notebooks know them:
`# %%` begins code, `# %% [markdown]` text in comments. Its page shows text and code and, below each cell,
what the cell printed and the figures that it wrote. The line above the one that writes a figure is a comment
with its title and caption: `# TITLE. CAPTION`.

Pages and figures are kept in `docs/walkthroughs`, so building the documentation runs nothing. The build also
makes a notebook of each page; `python docs/walkthroughs.py --notebooks FOLDER` writes them elsewhere.
`tests/docs/test_walkthroughs.py` runs the notebooks and compares.

A script whose first line says `# slow: ...` takes minutes and is only run if it is named.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
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
from typing import Any

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "examples" / "walkthroughs"
PAGES = ROOT / "docs" / "walkthroughs"
PICTURES = (".png",)
WIDTH = "88"
"""Columns of what is printed."""


@dataclass
class Cell:
    """A piece of a script and, once it has run, what it printed and drew."""

    kind: str
    """`text` or `code`."""
    source: str
    line: int
    """Where it begins in the script."""
    printed: str = ""
    pictures: list[Path] = field(default_factory=list)

    def caption(self, picture: str) -> tuple[str, str]:
        """The title and the caption of a picture: the comment above the line that writes it."""
        said = re.search(rf'^# (.+?)\. (.+)\n.*"{re.escape(picture)}"', self.source, re.MULTILINE)
        if said is None:
            raise ValueError(f'above "{picture}" there must be a comment "# TITLE. CAPTION"; there is none')
        return said[1], said[2]


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


def run(done: list[Cell], script: Path, folder: Path) -> list[Cell]:
    """Run the cells of a script in a folder; add what they print and the pictures that they write."""
    names = {"__name__": "__main__", "__file__": str(script)}
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


# --- Pages ----------------------------------------------------------------------------------------------

OUTPUT = "```{{code-block}} text\n:class: output\n\n{}\n```"
FIGURE = "```{{figure}} {}/{}\n:alt: {}\n\n**{}.** {}\n```"


def page(script: Path, done: list[Cell], footer: str) -> str:
    """The page of a script that has run."""
    parts = [f"<!-- made by: python docs/walkthroughs.py {script.stem} -->"]
    for cell in done:
        if cell.kind == "text":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        if cell.printed.strip():
            parts.append(OUTPUT.format(cell.printed.strip("\n")))
        for picture in cell.pictures:
            title, caption = cell.caption(picture.name)
            parts.append(FIGURE.format(script.stem, picture.name, title, title, caption))
    return "\n\n".join([*parts, footer]) + "\n"


def stored(script: Path) -> list[Cell]:
    """The cells of a script with the output and the pictures that its stored page shows."""
    text = (PAGES / f"{script.stem}.md").read_text("utf-8")
    done = cells(script)
    output = re.compile(r"\n\n```\{code-block\} text\n:class: output\n\n(.*?)\n```", re.DOTALL)
    figure = re.compile(r"\n\n```\{figure\} (\S+)\n.*?\n```", re.DOTALL)
    end = 0
    for cell in done:
        shown = f"```python\n{cell.source}\n```" if cell.kind == "code" else cell.source
        end = text.index(shown, end) + len(shown)
        if found := output.match(text, end):
            cell.printed, end = found[1], found.end()
        while found := figure.match(text, end):
            cell.pictures.append(PAGES / found[1])
            end = found.end()
    return done


def store(script: Path) -> None:
    """Run a script, and store its page and pictures."""
    begun, used = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        done = run(cells(script), script, Path(folder))
        footer = stamp(script, time.perf_counter() - begun, time.process_time() - used)
        shutil.rmtree(PAGES / script.stem, ignore_errors=True)
        for cell in done:
            for picture in cell.pictures:
                (PAGES / script.stem).mkdir(parents=True, exist_ok=True)
                shutil.copy(picture, PAGES / script.stem)
    PAGES.mkdir(exist_ok=True)
    (PAGES / f"{script.stem}.md").write_text(page(script, done, footer), "utf-8")


def stamp(script: Path, seconds: float, processor_seconds: float) -> str:
    """The end of a page: what to download, and when, where and how long the script ran."""
    import spatial_game

    took, used = (f"{s:.0f} s" if s < 100 else f"{s / 60:.0f} min" for s in (seconds, processor_seconds))
    versions = f"spatial-game {spatial_game.__version__}, Python {platform.python_version()}"
    name = script.stem
    return (
        "---\n\nDownload this walk-through "
        f"as a {{download}}`script <../../examples/walkthroughs/{name}.py>` "
        f"or as a {{download}}`notebook <../_generated/notebooks/{name}.ipynb>`. "
        f"Its output is of {date.today():%d %B %Y} ({versions}, {platform.machine()}). "
        f"The run took {took}, {used} of it on the processor."
    )


# --- Notebooks ------------------------------------------------------------------------------------------


def notebook(done: list[Cell]) -> dict[str, Any]:
    """Cells as a Jupyter notebook (nbformat 4.5), with their output, and captions as text."""
    found: list[dict[str, Any]] = []
    for cell in done:
        if cell.kind == "text":
            found.append(_notebook_cell("markdown", without_links(cell.source)))
            continue
        outputs = [_printed(cell.printed)] if cell.printed else []
        outputs += [_drawn(picture, cell.caption(picture.name)[0]) for picture in cell.pictures]
        found.append(_notebook_cell("code", cell.source) | {"execution_count": None, "outputs": outputs})
        for picture in cell.pictures:
            title, caption = cell.caption(picture.name)
            found.append(_notebook_cell("markdown", f"**{title}.** {caption}"))
    for number, each in enumerate(found):
        each["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": found}


def notebook_code(document: dict[str, Any]) -> list[Cell]:
    """The code of a notebook as cells that can be run."""
    codes = (cell for cell in document["cells"] if cell["cell_type"] == "code")
    return [Cell("code", "".join(cell["source"]), 1) for cell in codes]


def without_links(text: str) -> str:
    """Text whose links to other pages are their names alone: a notebook stands by itself."""
    text = re.sub(r"\[\]\(([^)]*/)?(\w+)\.md\)", r"*\2*", text)
    return re.sub(r"\[([^\]]+)\]\([^)]+\.md[^)]*\)|\{\w+\}`([^`<]+?)(?: <[^>]*>)?`", r"\1\2", text)


def _notebook_cell(kind: str, source: str) -> dict[str, Any]:
    return {"cell_type": kind, "id": "", "metadata": {}, "source": source.splitlines(keepends=True)}


def _printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def _drawn(picture: Path, title: str) -> dict[str, Any]:
    data = base64.b64encode(picture.read_bytes()).decode("ascii")
    return {"output_type": "display_data", "metadata": {}, "data": {"image/png": data, "text/plain": title}}


def write_notebooks(folder: Path) -> None:
    """Write a notebook of each stored walk-through into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for script in scripts():
        text = json.dumps(notebook(stored(script)), indent=1, ensure_ascii=False) + "\n"
        path = folder / f"{script.stem}.ipynb"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def main() -> None:
    """Store the named walk-throughs; without a name, all that are quick. Or write notebooks."""
    sys.path.insert(0, str(ROOT))
    if sys.argv[1:2] == ["--notebooks"]:
        write_notebooks(Path(*sys.argv[2:]))
        return
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
