"""Pages can be read in the clone as they stand: links lead somewhere, figures are those of stored files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from rows import read, spread

import spatial_agents

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
STATIC = DOCS / "_static"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
PROSE = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`", re.DOTALL)


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:  # Sphinx checks the headings that they name
    for target in re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page.read_text("utf-8"))):
        name = target.partition("#")[0]
        assert re.match(r"\w+:", target) or (page.parent / name).exists(), target


def test_the_first_pages_have_the_command_of_the_readme() -> None:
    (line,) = re.findall(r"^python3 -m venv .* demo$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    for name in ("index.md", "start.md"):
        assert f"```sh\n{line}\n```" in (DOCS / name).read_text("utf-8")


def test_the_design_names_files_and_folders_that_exist() -> None:
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


# --- Figures in sentences and tables ---------------------------------------------------------------------

Rows = list[dict[str, str]]


def read_csv(name: str) -> Rows:
    return read(STATIC / name)


def read_json(name: str) -> Any:
    return json.loads((STATIC / name).read_text("utf-8"))


def column(rows: Rows, name: str) -> list[float]:
    return [float(row[name]) for row in rows if row[name]]


def explained(rows: Rows, bits: str = "held_out_bits") -> list[float]:
    return [float(row[bits]) / float(row["message_bits"]) for row in rows]


def grouped(rows: Rows, *names: str) -> dict[str, Rows]:
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(" ".join(row[name] for name in names), []).append(row)
    return groups


GRUS = ("embed-60", "paper-20", "paper-60")


def dictionaries() -> Iterator[str]:
    every = read_csv("findings/dictionaries.csv")
    for name, rows in grouped(every, "family").items():
        bits = (spread(explained(rows, of)) for of in ("held_out_bits", "letter_bits"))
        cells = [spread(column(rows, "message_bits"), ".1f"), *bits]
        cells += [spread(column(rows, of)) for of in ("read", "relative")]
        yield f"| `{name}` | {len(rows)} | {' | '.join(cells)} |"
    rows = [row for row in every if row["family"] in GRUS]
    yield f"the {len(rows)} GRU pairs"
    read, spoken = column(rows, "read"), column(rows, "relative")
    yield f"target for {fmean(read):.1%} of the messages (at least {min(read):.1%} in each pair)"
    yield f"understand its speaker {fmean(spoken):.1%} as often as the sender (at least {min(spoken):.1%})"
    share = [float(row["letter_bits"]) / float(row["held_out_bits"]) for row in rows]
    yield f"{min(share):.0%} to {max(share):.0%} of what words tell"
    for name in ("embed-60", "paper-60"):
        true, false = (column(grouped(every, "family")[name], f"{kind}_1") for kind in ("true", "false"))
        yield f"| `{name}` | {spread(true)} | {spread(false)} |"
    for inputs, rows in grouped(read_csv("findings/untrained.csv"), "inputs").items():
        cells = [spread(column(rows, "message_bits"), ".1f"), spread(explained(rows))]
        cells += [spread(column(rows, of)) for of in ("read", "understood")]
        yield f"| {inputs} | {' | '.join(cells)} |"


def neighbours() -> Iterator[str]:
    families = grouped(read_csv("findings/dictionaries.csv"), "family")
    embed, paper = families["embed-60"], families["paper-60"]
    two_left = column(embed, "two_left")
    yield f"In {sum(bits >= 2 for bits in two_left)} of the {len(embed)} `embed-60`"
    yield f"at most {max(bits for bits in two_left if bits < 2):.1f} bits"
    places = ("two_left", "one_left", "one_right", "two_right")
    told = [sum(float(row[place]) >= 2 for place in places) for row in paper]
    yield f"In {told.count(2)} of the {len(paper)} `paper-60`"
    yield f"in the other {told.count(3)}, they tell three offsets"


def known_languages() -> Iterator[str]:
    for rows in grouped(read_csv("measured/known_answers.csv"), "language").values():
        cells = []
        for part in (("0.0", "3000"), ("0.0", "100000"), ("0.1", "100000")):
            found = [row for row in rows if (row["noise"], row["episodes"]) == part]
            mean, most = (
                [100 * (b - r) for b, r in zip(column(found, best), column(found, read), strict=True)]
                for best, read in (("best", "read"), ("best_there", "read_lowest"))
            )
            exact, lowest = column(found, "exact"), column(found, "exact_lowest")
            cells.append(f"{fmean(mean):.1f} (at most {max(most):.1f})".replace("-0.0", "0.0"))
            cells.append(f"{fmean(exact):.0%} (at least {min(lowest):.0%})")
        yield f"| {' | '.join(cells)} |"


def nulls() -> Iterator[str]:
    rows = read_csv("measured/nulls.csv")
    assert {row["false"] for row in rows} == {"0"}
    yield f"{min(column(rows, 'lowest_bits'))} to {max(column(rows, 'highest_bits'))}"


def edges() -> Iterator[str]:
    rows = read_csv("findings/reproduction/edges.csv")
    edges = [row["Edges with messages of their own"] for row in rows]
    yield f"in {edges.count('4')} of the {len(edges)} `paper-60`"


def phrases() -> Iterator[str]:
    rows = read_csv("findings/reproduction/translation_brief.csv")
    for row in rows:
        if row["Cell"] == "paper's" and row["Counts alone: mean"] and row["Estimator"] != "code":
            ours, low, high, counts = (
                f"{float(row[name]):.1%}" for name in ("Ours: mean", "Low", "High", "Counts alone: mean")
            )
            if (row["Type"], row["Estimator"]) != ("Non-Compositional Positional", "exact"):
                cells = f"{row['Estimator']} | {ours} ({low} to {high}) | {counts} | {row['Pairs with it']}"
                yield f"| {row['Type']} | {float(row['Paper: mean']):.0%} | {cells} |"


def composing() -> Iterator[str]:
    def smaller(rows: Rows) -> list[float]:
        return [
            min(float(r["integer_effect"]), float(r["offset_effect"])) for r in rows if r["integer_effect"]
        ]

    rows = read_csv("findings/composition.csv")
    local = grouped(rows, "networks")["local"]
    yield f"{len(local)} pairs with the networks of `local`"
    yield f"more than {max(column(local, 'split')):.1%} of the episodes"
    yield f"is {max(smaller(local)):.1%} at best"
    on_grids, on_lines = (
        max(column([r for r in local if ("8x8" in r["game"]) is grid], "new_combinations"))
        for grid in (True, False)
    )
    yield f"at most {on_lines:.1%} of the episodes on sequences, and in at most {on_grids:.1%} on"
    at_one = [column([row], "symbols_at_one_offset")[0] for row in local if "0, 1 visible" in row["game"]]
    yield f"and {min(at_one):.0%} to {max(at_one):.0%} of the symbols of a pair are used at only one offset"
    for name, found in grouped(rows, "networks", "game").items():
        values = (
            column(found, "accuracy"),
            column(found, "split"),
            smaller(found),
            column(found, "new_combinations"),
        )
        if "1 visible" in name and name not in ("local 20, 1 visible", "local 8x8, 1 visible"):
            yield f"| {' | '.join(f'{fmean(each):.1%}' for each in values)} |"


def elsewhere() -> Iterator[str]:
    studies = [pair["held_out"] for pair in read_json("evaluation/held-out.json")["pairs"]]
    for number in range(len(studies[0]["control"])):
        shown = ([study[part][number]["accuracy"] for study in studies] for part in ("held_out", "control"))
        yield f"| {number} | {' | '.join(spread(each) for each in shown)} |"
    for pair in read_json("evaluation/noise.json")["pairs"]:
        noise = pair["noise"]
        yield from (f"{at['accuracy']:.1%}" for at in noise["by_rate"] if at["rate"] == 0.1)
        yield from (f"{noise['by_slot'][slot]['accuracy']:.1%}" for slot in (0, 2))
    for pair in read_json("evaluation/lengths.json")["pairs"]:
        name = pair["pair"].partition("/")[0]
        for integers in ("first", "any") if name.endswith("60") else ():
            parts = pair[f"lengths_{integers}_integers"]["shortened_by"]
            yield f"| `{name}` | {integers} | {parts['0']['accuracy']:.2%} |"
            yield f"| {100 * parts['40']['difference']:+.2f} pp |"
    rows = read_csv("evaluation/cross-play.csv")
    played = {(row["Sender"], name): float(row[name]) for row in rows for name in row if name != "Sender"}
    partners = fmean(share for (sender, receiver), share in played.items() if sender == receiver)
    strangers = fmean(share for (sender, receiver), share in played.items() if sender != receiver)
    yield f"other in {partners:.1%} of 1,000 episodes, and strangers in {strangers:.1%}"


def choices() -> Iterator[str]:
    names = ("positions", "positions_messages", "integers", "integers_messages", "composed", "whole")
    for choice, rows in grouped(read_csv("findings/estimators.csv"), "choice").items():
        of_paper = [row for row in rows if row["pair"].startswith("paper-60")]
        found = (column(of_paper, name) for name in names)
        yield f"| {choice} | {' | '.join(f'{fmean(each):.1%}' if each else 'none' for each in found)} |"


def late_rewards() -> Iterator[str]:
    for variant, rows in grouped(read_csv("training/late_reward.csv"), "variant").items():
        yield f"| {variant} | {spread(column(rows, 'accuracy'))} |"


def roles() -> Iterator[str]:
    for rows in grouped(read_csv("training/roles.csv"), "game", "role").values():
        won = {name: spread(column(own, "accuracy")) for name, own in grouped(rows, "network").items()}
        cells = (won.get(network, "not trained") for network in ("plain", "one_hot", "features"))
        game, role, steps = (rows[0][name] for name in ("game", "role", "steps"))
        yield f"| {game} | {role} | {int(steps):,} | {' | '.join(cells)} |"
        if "layers" in won:
            yield f"the receiver then wins {won['layers']}"


def speeds() -> Iterator[str]:
    for name in ("single", "speed"):
        for row in read_csv(f"libraries/{name}.csv"):
            cells = (f"{int(cell):,}" if cell.isdigit() else cell for cell in row.values())
            yield f"| {' | '.join(cells)} |"


def library_tables() -> Iterator[str]:
    for policy, rows in grouped(read_csv("training/first_curve.csv"), "policy").items():
        steps = max(int(row["steps"]) for row in rows)
        won = spread(column([row for row in rows if row["steps"] == str(steps)], "accuracy"))
        yield f"{'with `features`' if policy == 'features' else 'plain `MlpPolicy`'} | {steps:,} | {won} |"
    yield from (f"| {' | '.join(row.values())} |" for row in read_csv("baselines/results.csv"))


def private_orders() -> Iterator[str]:
    for row in read_csv("findings/private_order.csv"):
        pair, *cells = (cell for name, cell in row.items() if name != "Values")
        yield f"| `{pair}` | {' | '.join(cells[:8])} |"
    for part in ("grid-8x8", "local-60"):
        rows = [row for row in read_csv("findings/private_order.csv") if row["Pair"].startswith(part)]
        follows = sorted(int(row["Receiver follows"].rstrip("%")) for row in rows)
        yield f"{follows[0]}% to {follows[-1]}%"
        elsewhere = sorted(float(row["Receiver moves elsewhere"].rstrip("%")) for row in rows)
        yield f"{elsewhere[0]}% to {elsewhere[-1]}%"
    first = read_csv("findings/private_order.csv")[0]
    ours, size = (float(first[name]) for name in ("Cuts of this order", "Cuts by size"))
    yield f"{ours:.0%} of the cases (sorted by size: {size:.0%})"


def bundled_pairs() -> Iterator[str]:
    folder = Path(spatial_agents.__file__).parent / "pretrained"
    for family in sorted({path.parent.name for path in folder.glob("*/[0-9][0-9].json")}):
        cards = [json.loads(path.read_text("utf-8")) for path in folder.glob(f"{family}/[0-9][0-9].json")]
        accuracy = spread([card["evaluation"]["accuracy"] for card in cards])
        yield f"| `{family}` | {len(cards)} | {accuracy} |"
    hardest = grouped(read_csv("findings/composition.csv"), "networks", "game")["local 8x8, 1 visible"]
    yield f"`local` wins {spread(column(hardest, 'accuracy'))} of it"


@pytest.mark.parametrize(
    ("page", "figures"),
    [
        ("findings", dictionaries),
        ("findings", neighbours),
        ("findings", edges),
        ("reproducing", phrases),
        ("language", known_languages),
        ("language", nulls),
        ("findings", private_orders),
        ("findings", composing),
        ("findings", elsewhere),
        ("deviations", choices),
        ("training", bundled_pairs),
        ("libraries", library_tables),
        ("libraries", speeds),
        ("late_reward", late_rewards),
        ("late_reward", roles),
    ],
)
def test_figures_are_those_of_stored_files(page: str, figures: Callable[[], Iterator[str]]) -> None:
    text = re.sub(r"\s+", " ", (DOCS / f"{page}.md").read_text("utf-8"))
    assert [figure for figure in figures() if figure not in text] == []
