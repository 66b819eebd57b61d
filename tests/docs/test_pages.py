"""Pages can be read in the clone as they stand: links lead somewhere, figures are those of stored files."""

from __future__ import annotations

import csv
import json
import re
import statistics
from pathlib import Path

import pytest

import spatial_agents

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
STATIC = DOCS / "_static"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
PROSE = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`", re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return what a link can name in a page: its labels, and its headings as Sphinx and GitHub write them."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    labels = set().union(*map(anchors, PAGES))
    for target in re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page.read_text("utf-8"))):
        name, _, anchor = target.partition("#")
        if not re.match(r"\w+:", target):
            where = page.parent / name if name else page
            assert where.exists(), target
            assert not anchor or anchor in (anchors(where) if name else labels), target


def test_every_page_has_a_place_in_a_table_of_contents() -> None:
    listed = {DOCS / "index.md"}
    for page in PAGES:
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {next(page.parent.glob(f"{Path(name).parent}/{Path(name).name}.*")) for name in names}
    assert set(PAGES) - listed == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_on_a_page_depends_on_a_build(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "{{" not in text
    assert "_generated" not in text
    assert page.name == "contributing.md" or "{include}" not in text


def test_the_first_pages_have_the_command_of_the_readme() -> None:
    (line,) = re.findall(r"^python3 -m venv .* demo$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    for name in ("index.md", "start.md"):
        assert f"```sh\n{line}\n```" in (DOCS / name).read_text("utf-8")


# --- Figures in sentences and tables ---------------------------------------------------------------------


def read_csv(name: str) -> list[dict[str, str]]:
    with (STATIC / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def mean_and_ends(values: list[float], style: str) -> str:
    """Return a mean with its range as pages write it: "99.6% (99.1% to 100.0%)"."""
    mean, least, most = (
        format(value, style) for value in (statistics.fmean(values), min(values), max(values))
    )
    return mean if least == most else f"{mean} ({least} to {most})"


def shown(page: str) -> str:
    """Return a page's text in one line, so that a sentence can be found across line breaks."""
    return re.sub(r"\s+", " ", (DOCS / page).read_text("utf-8"))


def test_training_has_the_accuracy_of_the_bundled_pairs() -> None:
    folder = Path(spatial_agents.__file__).parent / "pretrained"
    for family in sorted(path.name for path in folder.iterdir() if path.is_dir()):
        cards = [
            json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(f"{family}/[0-9][0-9].json"))
        ]
        if cards:
            accuracy = mean_and_ends([card["evaluation"]["accuracy"] for card in cards], ".1%")
            assert f"| `{family}` | {len(cards)} | {accuracy} |" in shown("training.md")


def test_findings_has_what_the_dictionaries_explain() -> None:
    rows = read_csv("findings/dictionaries.csv")
    explained = [float(row["held_out_bits"]) / float(row["message_bits"]) for row in rows]
    assert f"explained {statistics.fmean(explained):.1%} (worst {min(explained):.1%})" in shown("findings.md")
