"""Pages can be read in the clone as they stand: links lead somewhere, figures are those of stored files."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest
import tables

from spatial_agents.recipes import MOST_PAIRS
from spatial_game.cli.app import app
from spatial_game.config import GameOptions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
PROSE = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`", re.DOTALL)


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_links_lead_to_files(page):  # Sphinx checks the headings that they name
    for target in re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page.read_text("utf-8"))):
        name = target.partition("#")[0]
        assert re.match(r"\w+:", target) or (page.parent / name).exists(), target


def test_the_first_pages_have_the_command_of_the_readme():
    (line,) = re.findall(r"^python3 -m venv .* demo$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    for name in ("index.md", "start.md"):
        assert f"```sh\n{line}\n```" in (DOCS / name).read_text("utf-8")


def imported():
    """The names that pages, notebooks and examples import from the packages."""
    files = [*PAGES, ROOT / "README.md", *DOCS.rglob("*.ipynb"), *(ROOT / "examples").glob("*.py")]
    text = "\n".join(path.read_text("utf-8").replace("\\n", "") for path in files)  # of JSON
    lines = re.findall(r"from spatial_(?:game|agents)\S* import (\([^)]*\)|[\w, ]+)", text)
    return set(re.findall(r"\w+", " ".join(lines)))


def test_the_api_page_has_every_name_that_people_are_told_to_import():
    listed = re.findall(r"auto(\w+):: (?:([\w.]+)\.)?(\w+)", (DOCS / "api.md").read_text("utf-8"))
    names = {name for _, _, name in listed} | {"referential_v0", "referential_symbol_v0"}  # of other pages
    for kind, package, name in listed:
        if kind == "module":
            names |= set(dir(importlib.import_module(f"{package}.{name}".lstrip("."))))
    assert imported() - names == set()


def test_the_design_names_files_and_folders_that_exist():
    text = (DOCS / "design.md").read_text("utf-8")
    roots = (ROOT / "spatial_game", ROOT / "agents" / "spatial_agents")
    files = re.findall(r"`([\w/]+\.py)`", text)
    assert [name for name in files if not any((root / name).exists() for root in roots)] == []
    drawing = text[text.index("spatial_game/ ") :]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = [
        each
        for contract in project["tool"]["importlinter"]["contracts"]
        for each in contract.get("layers", ())
    ]
    modules = [module for layer in layers for module in re.split(r" [:|] ", layer)]
    assert [module for module in modules if not re.search(rf"\b{module}(/|\.py)", drawing)] == []


def test_the_walks_of_the_design_name_what_their_files_define():
    roots = (ROOT / "spatial_game", ROOT / "agents" / "spatial_agents")
    rows = re.findall(
        r"^\| (`[^|]+`) \| `([\w/]+\.py)`", (DOCS / "design.md").read_text("utf-8"), re.MULTILINE
    )
    for calls, file in rows:
        text = "".join((root / file).read_text("utf-8") for root in roots if (root / file).exists())
        for name in re.findall(r"`(?:\w+\.)*(\w+)(?:\(.*?\))?`", calls):
            assert re.search(rf"(def|class) {name}\b", text), (name, file)
    assert len(rows) > 14


def test_the_page_of_training_has_every_option_of_train():
    _, _, table = (DOCS / "training.md").read_text("utf-8").partition("| Option | Effect |\n|---|---|\n")
    first_cells = [line.split(" | ")[0] for line in table.partition("\n\n")[0].splitlines()]
    of_table = set(re.findall(r"--[a-z-]+", " ".join(first_cells)))
    arguments = app["train"].assemble_argument_collection()
    options = {argument.name for argument in arguments if argument.parse and not argument.children}
    elsewhere = {"--json", *(f"--{name.replace('_', '-')}" for name in GameOptions.__annotations__)}
    assert of_table == options - elsewhere
    assert f"at most {MOST_PAIRS:,} pairs" in (DOCS / "training.md").read_text("utf-8")


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_tables_have_the_rows_of_stored_files(page):
    text = page.read_text("utf-8")
    assert text == tables.filled(text), "python experiments/tables.py writes the rows again"


def test_rows_are_written_and_words_beside_them_are_kept(monkeypatch):
    monkeypatch.setitem(tables.TABLES, "new", lambda: iter([["`a`", "2"], ["`b`", "3"]]))
    head = "<!-- rows of new -->\n| Name | Figure | Words |\n|---|--:|---|\n"
    old, new = "| `a`: the first | 1 | some |\n", "| `a`: the first | 2 | some |\n| `b` | 3 |\n"
    assert tables.filled(f"before\n{head}{old}\nafter\n") == f"before\n{head}{new}\nafter\n"


# --- Figures in sentences, which no program writes ---------------------------------------------------------


def sentences():
    """Yield pages, and parts of sentences with figures of stored files."""
    rows = tables.stored("findings/reproduction/edges")
    for name in ("paper-60", "embed-60"):
        edges = [row["Edges with messages of their own"] for row in rows if row["Pair"].startswith(name)]
        yield "findings", f"{edges.count('4')} of the {len(edges)} `{name}`"
    for kind, _, _, estimator, _, _, _, *figures, _ in tables.phrases():
        if (kind, estimator) == ("Compositional-P", "text"):
            yield from (("findings", figure) for figure in figures)
    of = ("embed-60", "code", "best", "integer")
    names = ("Family", "Estimator", "Cell", "Part exchanged")
    effects = tables.grouped(tables.stored("findings/reproduction/effects"), *names)[of]
    (effect,), (ceiling,) = (tables.column(effects, name) for name in ("Effect", "Ceiling"))
    for page in ("findings", "reproducing"):
        yield page, f"{100 * effect:.1f} points"
        yield page, f"{100 * ceiling:.1f} are possible"
    nulls = tables.stored("measured/nulls")
    assert {row["false"] for row in nulls} == {"0"}
    low, high = min(tables.column(nulls, "lowest_bits")), max(tables.column(nulls, "highest_bits"))
    yield "dictionary", f"held-out episodes are {low:.3f} to {high:.3f}"


@pytest.mark.parametrize(("page", "sentence"), list(sentences()))
def test_figures_in_sentences_are_those_of_stored_files(page, sentence):
    assert sentence in re.sub(r"\s+", " ", (DOCS / f"{page}.md").read_text("utf-8"))
