"""What people copy works: README, pages and examples are run, and the README's figures are real."""

import os
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest

from spatial_game.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "maintenance").glob("*.md")),
]
NOTEBOOKS = sorted((ROOT / "docs" / "walkthroughs").glob("*.ipynb"))
NOT_RUN = "<!-- not run by the tests"
BLOCK = re.compile(
    r"(?P<before>[^\n]*)\n```(?P<language>python|bash)\n(?P<text>.*?)\n```"
    r"(?:\n\n```\{code-block\} text\n:class: output\n\n(?P<output>.*?)\n```)?",
    re.DOTALL,
)


def blocks(page):
    """The code of a page in order, as (language, text, the output that the page shows or None)."""
    found = BLOCK.finditer(page.read_text("utf-8"))
    return [(m["language"], m["text"], m["output"]) for m in found if not m["before"].startswith(NOT_RUN)]


@pytest.mark.usefixtures("short_trainings", "few_are_asked")
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run_in_order_and_print_what_it_shows(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, of_page = {"__name__": "page"}, blocks(page)
    shorten(monkeypatch)
    for language, text, output in of_page:
        capsys.readouterr()
        if language == "python":
            exec(compile(text, str(page), "exec"), names)
        else:
            run_commands(text)
        if output is not None:
            assert capsys.readouterr().out.strip() == output


def shorten(monkeypatch):
    """Train for few steps, and draw few dots; other tests see what more of them do."""
    from stable_baselines3 import PPO

    from spatial_agents.training.trainer import Trainer

    monkeypatch.setattr(Trainer, "finished", property(lambda trainer: trainer.step_number >= 4))
    monkeypatch.setattr("spatial_game.language.pictures.figures.writing.DOTS", 50)
    begin, learn, few = PPO.__init__, PPO.learn, {"n_steps": 4, "n_epochs": 1}
    monkeypatch.setattr(PPO, "__init__", lambda *given, **more: begin(*given, **more | few))
    monkeypatch.setattr(PPO, "learn", lambda model, steps, **more: learn(model, 4, **more))


def run_commands(text):
    for line in text.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "spatial-game":
            assert main(arguments) == 0, line
        else:
            assert (program, (ROOT / arguments[0]).is_file()) == ("python", True), line


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("0*.py")), ids=lambda path: path.name)
@pytest.mark.filterwarnings("error::DeprecationWarning:__main__")
def test_an_example_runs(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_shows(path, tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    stored, now = (nbformat.read(path, as_version=4) for _ in range(2))
    nbclient.NotebookClient(now, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    assert [printed(cell) for cell in now.cells] == [printed(cell) for cell in stored.cells]


def printed(cell):
    """What a cell printed, without its numbers: networks that were trained elsewhere differ a little."""
    texts = (output.text for output in cell.get("outputs", []) if output.get("name") == "stdout")
    return re.sub(r"[\d.,%-]+|\s+", " ", "".join(texts))


def test_the_demo_of_the_bundled_pair_says_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    missing = runpy.run_path(str(ROOT / ".ci" / "check_demo.py"))["missing"]
    assert missing(out) == []
    assert len(missing(out.replace("one left", "one right"))) > 3
