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
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
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


def test_the_design_names_files_that_exist_and_every_package() -> None:
    text = (DOCS / "design.md").read_text("utf-8")
    roots = (ROOT / "spatial_game", ROOT / "agents" / "spatial_agents")
    for name in re.findall(r"`([\w/]+\.py)`", text):
        assert any((root / name).exists() for root in roots), name
    packages = [
        path.parent.name
        for root in roots
        for path in (*root.glob("*/__init__.py"), *root.glob("language/*/__init__.py"))
    ]
    assert [name for name in packages if f"{name}/" not in text] == []


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


def column(rows: list[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows if row[name]]


def explained(rows: list[dict[str, str]], bits: str = "held_out_bits") -> list[float]:
    return [float(row[bits]) / float(row["message_bits"]) for row in rows]


def smaller_effect(row: dict[str, str]) -> float:
    return min(float(row["integer_effect"]), float(row["offset_effect"]))


def test_findings_has_what_the_dictionaries_explain() -> None:
    families: dict[str, list[dict[str, str]]] = {}
    for row in read_csv("findings/families.csv"):
        families.setdefault(row["family"], []).append(row)
    for name, rows in families.items():
        cells = (
            mean_and_ends(column(rows, "message_bits"), ".1f"),
            mean_and_ends(explained(rows), ".1%"),
            mean_and_ends(column(rows, "entries"), ",.0f"),
            mean_and_ends(column(rows, "kilobits"), ".0f"),
        )
        assert f"| `{name}` | {len(rows)} | {' | '.join(cells)} |" in shown("findings.md")


def test_findings_has_how_dictionaries_read_and_speak() -> None:
    rows = read_csv("findings/dictionaries.csv")
    page = shown("findings.md")
    assert f"the {len(rows)} GRU pairs" in page
    assert f"In {mean_and_ends(column(rows, 'read_unique'), '.1%')} of the held-out episodes" in page
    assert f"dictionary {mean_and_ends(column(rows, 'relative'), '.1%')} as often" in page
    pairs = {row["pair"]: row for row in rows}
    for name, part in (("embed-60/0", "class"), ("paper-60/0", "band")):
        other, true = (float(pairs[name][f"{part}_{kind}"]) for kind in ("disagreeing", "agreeing"))
        said = f"With a false {part}, `{name}` is understood in {other:.1%}"
        assert said in page
        assert f"instead of {true:.1%}" in page
    rows = read_csv("findings/naive_bayes.csv")
    more = [
        100 * (b - a)
        for a, b in zip(explained(rows, "dictionary"), explained(rows, "naive_bayes"), strict=True)
    ]
    assert f"at most {max(more):.1f} percentage points more" in page
    rows = [row for row in read_csv("findings/untrained.csv") if row["inputs"] == "embedding"]
    bits, share = statistics.fmean(column(rows, "message_bits")), statistics.fmean(explained(rows))
    assert f"messages of {bits:.1f} bits on average, and dictionaries explain {share:.0%}" in page


def test_findings_has_what_composes() -> None:
    page = shown("findings.md")
    rows = read_csv("findings/composition.csv")
    best = max(smaller_effect(row) for row in rows if row["trials"] != "0")
    assert f"{len(rows)} pairs with the networks of `local`" in page
    assert f"more than {max(column(rows, 'split')):.1%} of the episodes" in page
    assert f"is {best:.1%} at best" in page
    middle = read_csv("findings/composition-middle.csv")
    on_grids, in_sequences = (
        max(column([row for row in middle if (row["game"] == "8x8") is grid], "never_seen"))
        for grid in (True, False)
    )
    assert (
        f"at most {in_sequences:.1%} of the episodes on sequences, and in at most {on_grids:.1%} on" in page
    )
    groups: dict[str, list[dict[str, str]]] = {}
    for row in read_csv("findings/landmark.csv"):
        groups.setdefault(f"{row['networks']} {row['game']}", []).append(row)
    groups["local"] = [row for row in rows if (row["game"], row["visible"]) == ("60", "1")]
    for name, found in groups.items():
        means = [statistics.fmean(column(found, of)) for of in ("accuracy", "split")]
        means += [statistics.fmean(map(smaller_effect, found)), statistics.fmean(column(found, "never_seen"))]
        assert name.startswith("hears all") or f"| {' | '.join(f'{mean:.1%}' for mean in means)} |" in page


def test_findings_has_how_pairs_play_elsewhere() -> None:
    page = shown("findings.md")
    (found,) = json.loads((STATIC / "evaluation" / "held-out.json").read_text("utf-8"))["results"]
    (study,) = found["held_out"]
    columns = ([part["accuracy"] for part in study[kind]] for kind in ("held_out", "control"))
    for number, parts in enumerate(zip(*columns, strict=True)):
        assert f"| {number} | {' | '.join(f'{accuracy:.2%}' for accuracy in parts)} |" in page
    for pair in json.loads((STATIC / "evaluation" / "noise.json").read_text("utf-8"))["pairs"]:
        noise, name = pair["noise"], pair["pair"].partition("/")[0]
        tenth = next(at["accuracy"] for at in noise["by_rate"] if at["rate"] == 0.1)
        assert f"`{name}` {'wins ' if name == 'embed-60' else ''}{tenth:.1%}" in page
        assert all(f"{noise['by_slot'][slot]['accuracy']:.1%}" in page for slot in (0, 2))
    for pair in json.loads((STATIC / "evaluation" / "lengths.json").read_text("utf-8"))["pairs"]:
        name = pair["pair"].partition("/")[0]
        for integers in ("first", "any"):
            parts = pair[f"lengths_{integers}_integers"]["shortened_by"]
            if name != "paper-20":
                assert f"| `{name}` | {integers} | {parts['0']['accuracy']:.2%} |" in page
    rows = read_csv("evaluation/cross-play.csv")
    played = {(row["Sender"], name): float(row[name]) for row in rows for name in row if name != "Sender"}
    partners = statistics.fmean(played[row["Sender"], row["Sender"]] for row in rows)
    strangers = statistics.fmean(share for (a, b), share in played.items() if a != b)
    assert f"other in {partners:.1%} of 1,000 episodes, and strangers in {strangers:.1%}" in page
