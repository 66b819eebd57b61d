"""Write the rows of tables in the documentation's pages from the stored files.

    python experiments/tables.py

Rows follow after the comment `<!-- rows of NAME -->` and two lines of heading. A cell that the file does not
hold is kept: the last cells of a row, and what follows the name in its first cell.
"""

from __future__ import annotations

import itertools
import re
from argparse import ArgumentParser, RawTextHelpFormatter
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
from rows import family_of, read

from spatial_game.language.probing import LEAST_EXCHANGES
from spatial_game.reproduction.inference import interval_of_differences
from spatial_game.studies.asked import FEWEST
from spatial_game.text import spread, written

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "docs" / "_static"
MARKER = re.compile(r"(?m)^<!-- rows of ([\w ]+) -->\n(\|.*\n\|.*\n)((?:\|.*\n)*)")
NETWORKS = ("plain", "one_hot", "products", "features")
Rows = list[dict[str, str]]
ENDS = ("from", "to")


def main() -> None:
    """Write all pages."""
    ArgumentParser(description=__doc__, formatter_class=RawTextHelpFormatter).parse_args()
    for page in (ROOT / "docs").glob("*.md"):
        page.write_text(filled(page.read_text("utf-8")), "utf-8")


def filled(text: str) -> str:
    """Return the text of a page with the rows of its tables as the stored files have them."""
    return MARKER.sub(lambda found: _filled(*found.groups()), text)


def _filled(name: str, heading: str, rows: str) -> str:
    kept = [row.strip("| ").split(" | ") for row in rows.splitlines()]
    width, lines = heading.splitlines()[0].count("|") - 1, []
    for cells in TABLES[name]():
        old = next((row for row in kept if row[0] == cells[0] or row[0].startswith(f"{cells[0]}: ")), cells)
        lines.append(f"| {' | '.join([old[0], *cells[1:], *old[len(cells) : width]])} |\n")
    return f"<!-- rows of {name} -->\n{heading}{''.join(lines)}"


def stored(name: str) -> Rows:
    """Return the rows of a file."""
    return read(STATIC / f"{name}.csv")


def column(rows: Rows, name: str) -> list[float]:
    """Return the numbers of a column; cells without one are left out."""
    return [float(row[name]) for row in rows if row[name]]


def grouped(rows: Rows, *names: str) -> dict[tuple[str, ...], Rows]:
    """Return rows by the values of these columns."""
    groups: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def spreads(rows: Rows, *names: str, style: str = ".1%") -> Iterator[str]:
    """Return the mean of each column, with the lowest and the highest."""
    return (spread(found, style) if (found := column(rows, name)) else "none" for name in names)


def explained(rows: Rows, *names: str) -> Iterator[str]:
    """Return the share of the message's bits of each column, with the lowest and the highest."""
    return (spread([float(row[name]) / float(row["message_bits"]) for row in rows]) for name in names)


def dictionaries() -> Iterator[list[str]]:
    for (name,), rows in grouped(stored("findings/dictionaries"), "family").items():
        bits = spreads(rows, "message_bits", style=".1f")
        shares = explained(rows, "held_out_bits")
        yield [f"`{name}`", str(len(rows)), *bits, *shares, *spreads(rows, "read", "relative")]


def exchanged_symbols() -> Iterator[list[str]]:
    families = grouped(stored("findings/dictionaries"), "family")
    kinds = itertools.product(("embed-60", "paper-60"), (1, 2, 3), ("known", "new"))
    for family, slot, kind in kinds:
        cell = f"{slot}_{kind}"
        asked = [row for row in families[family,] if int(row[f"n_{cell}"]) >= LEAST_EXCHANGES]
        episodes, true_only, false_only = (
            np.array([int(row[f"{name}_{cell}"]) for row in asked])
            for name in ("n", "true_only", "false_only")
        )
        gaps = ((true_only - false_only) / episodes).tolist()
        shares = (fmean(column(asked, f"{said}_{cell}")) for said in ("true", "false"))
        ends = interval_of_differences(gaps) or ()
        points = with_interval([100 * each for each in (fmean(gaps), *ends)], "+.1f")
        who = [f"`{family}`, slot {slot}, {kind}", f"{episodes.sum():,}", *(f"{each:.1%}" for each in shares)]
        yield [*who, points, f"{sum(gap > 0 for gap in gaps)} of {len(gaps)}"]


def raw_numbers() -> Iterator[list[str]]:
    kinds = grouped(stored("training/raw_numbers"), "sequence", "batch_size", "rate")
    for (sequence, batch, rate), rows in kinds.items():
        times = (column(rows, f"at_{millions}_million") for millions in ("2", "4", "6.4", "15.36", "23.04"))
        yield [sequence, f"{int(batch):,}", rate, *(", ".join(f"{each:.0%}" for each in at) for at in times)]


def untrained() -> Iterator[list[str]]:
    for (inputs,), rows in grouped(stored("findings/untrained"), "inputs").items():
        bits = spreads(rows, "message_bits", style=".1f")
        yield [inputs, *bits, *explained(rows, "held_out_bits"), *spreads(rows, "read", "understood")]


def private_order() -> Iterator[list[str]]:
    for row in stored("findings/private_order"):
        cells = [listed(row, name, " and ") for name in ("One value", "Three values")]
        cells += [row["Order by size"], row["Random order"], listed(row, "Alike in two fits", ", ")]
        yield [f"`{row['Pair']}`", row["Bits of a message"], *cells]


def listed(row: dict[str, str], name: str, between: str) -> str:
    """Return the numbers of the columns whose names begin so."""
    return between.join(cell for other, cell in row.items() if other.startswith(f"{name},") and cell)


def new_combinations() -> Iterator[list[str]]:
    for (networks, game), rows in grouped(stored("findings/new_combinations"), "networks", "game").items():
        shares = spreads(rows, "accuracy", "new_combinations", "seen_combinations")
        windows = spreads(rows, "new_windows", style=".0f")
        yield [f"`{networks}`", game, str(len(rows)), *shares, *windows]


def combine() -> Iterator[list[str]]:
    rows = [{**row, "family": family_of(row["pair"])} for row in stored("findings/combines")]
    for (name,), found in grouped(rows, "family").items():
        degrees = Counter(row["degree"] or row["verdict"] for row in found)
        said = ", ".join(f"{degree}: {number}" for degree, number in degrees.most_common())
        sent, scaled = spreads(found, "sent"), spreads(found, "scaled", style=".0%")
        asked = (
            next(spreads([row for row in found if int(row[f"{by}_windows"]) >= FEWEST], f"{by}_accuracy"))
            for by in ("symbols", "offset_integer")
        )
        yield [f"`{name}`", str(len(found)), *sent, *asked, *scaled, said]


def matrix() -> Iterator[list[str]]:
    rows = stored("findings/matrix")
    itself = [row for row in rows if row["from"] == row["to"]]
    others = [row | {end: f"`{family_of(row[end])}`" for end in ENDS} for row in rows if row not in itself]
    for ends, found in {**grouped(others, *ENDS), ("any", "itself"): itself}.items():
        shares = spreads(found, "untranslated", "translated", "permuted")
        yield [*ends, str(len(found)), *shares, *spreads(found, "way", style=".0%")]


def translations() -> Iterator[list[str]]:
    for row in stored("findings/translations"):
        names = ("untranslated", "translated", "own", "to_itself")
        ends = (f"`{row['from']}`", f"`{row['to']}`")
        yield [*ends, *(percent(row[name]) for name in names), f"{float(row['scaled']):.0%}", row["verdict"]]


def percent(share: str) -> str:
    """Return a share as it stands in a file, in percent."""
    return written(float(share), ".1%")


def lengths() -> Iterator[list[str]]:
    yield ["the paper's, first", "93.0%", "+0.3", "-0.3", "-2.5", "-15.8"]
    for (name,), rows in grouped(stored("evaluation/elsewhere"), "family").items():
        for kind in ("first", "any"):
            num_correct = [column(rows, f"{kind}_{less}") for less in (0, 5, 10, 20, 40)]
            lost = [
                [100 * (a - b) for a, b in zip(less, num_correct[0], strict=True)] for less in num_correct[1:]
            ]
            points = (re.sub(r"[+-]0\.0", "0.0", spread(each, "+.1f")) for each in lost)
            yield [f"`{name}`, {kind}", spread(num_correct[0]), *points]


def wrong_symbols() -> Iterator[list[str]]:
    for (name,), rows in grouped(stored("evaluation/elsewhere"), "family").items():
        yield [f"`{name}`", *spreads(rows, "first_0", "noise", "slot_0", "slot_1", "slot_2")]


def choices() -> Iterator[list[str]]:
    yield ["the paper (all t_n)", "25.0%", "56.0%", "45.1%", "10.0%", "30.0%", "36.0%"]
    names = ("positions", "positions_messages", "integers", "integers_messages", "composed", "whole")
    for (choice,), rows in grouped(stored("findings/estimators"), "choice").items():
        yield [choice, *spreads([r for r in rows if r["pair"].startswith("paper-60")], *names)]


def known_languages() -> Iterator[list[str]]:
    for (name,), rows in grouped(stored("measured/known_answers"), "language").items():
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
        yield [f"`{name}`", *cells]


def readings() -> Iterator[list[str]]:
    rows = [{**row, "kind": "pairs" if "/" in row["language"] else "known"} for row in stored(READINGS)]
    for (episodes, kind), found in grouped(rows, "episodes", "kind").items():
        shares = [
            [row | {"share": str(int(row[part]) / int(row[whole]))} for row in found if int(row[whole])]
            for part, whole in MEMBERS.items()
        ]
        told = [spread(column(each, "share"), ".1%") for each in shares]
        yield [
            f"{int(episodes):,}, {kind}",
            *spreads(found, "off", style=".1%"),
            *spreads(found, "covered", style=".0%"),
            *told,
        ]


READINGS = "measured/readings"
MEMBERS = {
    "symbols_false": "symbols_named",
    "false": "named",
    "symbols_lost": "symbols_raised",
    "lost": "raised",
}


def phrases() -> Iterator[list[str]]:
    rows = stored("findings/reproduction/translation")
    rows = [{**row, "family": family_of(row["Pair"])} for row in rows if row["Cell"] == "paper's"]
    names = ("Type", "Paper: mean", "Paper: deviation", "family", "Estimator")
    for (kind, theirs, deviation, family, estimator), found in grouped(rows, *names).items():
        if family in ("embed-60", "paper-60") and not kind.startswith("Compositional-NP"):
            emerged = [row for row in found if row["Reported"]]
            who = [kind, f"{float(theirs):.0%} ± {float(deviation):.1%}", f"`{family}`", estimator]
            size = [*spreads(emerged, "Phrases", style=",.0f"), *spreads(emerged, "Expressible")]
            figures = spreads(emerged, "Reported", "False", "Counts alone")
            with_false = str(len(column(emerged, "False")))
            yield [*who, f"{len(emerged)} of {len(found)}", *size, *figures, with_false]


def differences() -> Iterator[list[str]]:
    for row in stored("findings/reproduction/comparison"):
        if row["Claim"].startswith(("H1", "H2")) and row["Cell"] != "best" and row["Low"]:
            ours, theirs = ([100 * float(row[name]) for name in names] for names in (OURS, DIFFERENCE))
            figure = row["Figure"] if row["Claim"].startswith("H1") else "H2"
            paper = f"{float(row['Paper']):.0%}" if figure != "H2" else "8 points"
            who = [figure, f"`{row['Family']}`", row["Estimator"], row["Cell"], row["Pairs with it"]]
            yield [*who, paper, with_interval(ours, ".1f"), with_interval(theirs, "+.1f")]


OURS = ("Ours", "Low", "High")
DIFFERENCE = ("Difference", "Difference: low", "Difference: high")


def with_interval(values: list[float], style: str) -> str:
    """Return a figure and the ends of its interval, if it has one."""
    figure, *ends = (written(value, style) for value in values)
    return f"{figure} ({' to '.join(ends)})" if ends else figure


def minimal_pairs() -> Iterator[list[str]]:
    rows = [row for row in stored("findings/reproduction/effects") if row["Family"] != "paper-20"]
    for row in rows:
        if int(row["Pairs asked"]):
            points = [100 * float(row[name]) for name in ("Effect", "Low", "High") if row[name]]
            effect = with_interval(points, "+.1f")
            who = [f"`{row['Family']}`", row["Estimator"], row["Cell"], row["Part exchanged"]]
            beyond = f"{float(row['Beyond the radius']):.0%}"
            asked = f"{row['Pairs asked']} of {row['Pairs with phrases']}"
            yield [*who, asked, beyond, effect, written(100 * float(row["Ceiling"]), "+.1f")]


def late_rewards() -> Iterator[list[str]]:
    for (variant,), rows in grouped(stored("training/late_reward"), "variant").items():
        yield [variant, *spreads(rows, "accuracy")]


def roles() -> Iterator[list[str]]:
    for (game, role, steps), rows in grouped(stored("training/roles"), "game", "role", "steps").items():
        won = {network: own for (network,), own in grouped(rows, "network").items()}
        cells = [spread(column(won[name], "accuracy")) if name in won else "not trained" for name in NETWORKS]
        yield [f"{game}, {role}", f"{int(steps):,}", *cells]


def first_curve() -> Iterator[list[str]]:
    for (policy,), rows in grouped(stored("training/first_curve"), "policy").items():
        steps = rows[-1]["steps"]
        name = "`MlpPolicy` with `features`" if policy == "features" else "plain `MlpPolicy`"
        yield [name, f"{int(steps):,}", *spreads([r for r in rows if r["steps"] == steps], "accuracy")]


def bundled_pairs() -> Iterator[list[str]]:
    rows = [{**row, "family": family_of(row["Pair"])} for row in stored("training/pairs")]
    for (name,), of_family in grouped(rows, "family").items():
        yield [f"`{name}`", str(len(of_family)), *spreads(of_family, "Accuracy")]


def as_stored(name: str) -> Iterator[list[str]]:
    for row in stored(name):
        yield [f"{int(cell):,}" if cell.isdigit() else cell for cell in row.values()]


TABLES: dict[str, Callable[[], Iterator[list[str]]]] = {
    "dictionaries": dictionaries,
    "exchanged symbols": exchanged_symbols,
    "raw numbers": raw_numbers,
    "untrained": untrained,
    "private order": private_order,
    "new combinations": new_combinations,
    "combine": combine,
    "matrix": matrix,
    "translations": translations,
    "lengths": lengths,
    "wrong symbols": wrong_symbols,
    "choices": choices,
    "known languages": known_languages,
    "readings": readings,
    "phrases": phrases,
    "differences": differences,
    "minimal pairs": minimal_pairs,
    "late rewards": late_rewards,
    "roles": roles,
    "first curve": first_curve,
    "baselines": lambda: as_stored("baselines/results"),
    "speeds": lambda: as_stored("libraries/speed"),
    "bundled pairs": bundled_pairs,
}


if __name__ == "__main__":
    main()
