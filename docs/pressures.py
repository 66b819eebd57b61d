"""Tables and figures in words of the study of pressures to compose (`experiments/pressures.py`)."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr

Group = tuple[str, str, str, str]
"""Networks, width of embeddings, game and pressure."""

FINDINGS = Path(__file__).parent / "_static" / "findings"
Row = Mapping[str, str]
STUDIES = ("pressures", "newcomers", "confirmation")
SHARES = ("accuracy", "integer", "offset", "new", "split", "explained")
CHEAP = {
    "split": "messages that split",
    "explained": "share of the bits that the dictionary explains",
    "kilobits": "size of the dictionary",
    "topographic_similarity": "topographic similarity",
    "positional_disentanglement": "positional disentanglement",
    "bag-of-symbols_disentanglement": "bag-of-symbols disentanglement",
}
"""What can be measured without asking the receiver, by the names of the columns."""


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a study: one for each pair."""
    with (FINDINGS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def pressure(row: Row) -> str:
    """The pressure on a pair, in words."""
    parts = []
    alone = (row["senders"], row["receivers"]) == ("1", "1")
    if row["reset"] == "receivers" and not alone:
        parts.append(f"{row['receivers']} receivers, each new after {row['reset_every']} steps")
    elif row["reset"] == "receivers":
        parts.append(f"new receivers every {row['reset_every']} steps")
    elif not alone:
        whole = ", in a partition" if row["partition"] == "True" else ""
        senders = f"{row['senders']} senders and " if row["senders"] != "1" else ""
        parts.append(f"{senders}{row['receivers']} receivers{whole}")
    if float(row["reconstruct"]):
        parts.append(f"second task of weight {row['reconstruct']}")
    if float(row["one_factor"]):
        growing = ", growing from 0" if row["one_factor_start"] == "0.0" else ""
        parts.append(f"near distractors {float(row['one_factor']):.0%}{growing}")
    if row["iterate"] != "0":
        parts.append(f"{row['iterate']} generations, {int(row['transmission']):,} episodes handed on")
    if (row["vocab_size"], row["message_length"]) != ("26", "3"):
        parts.append(f"{row['message_length']} symbols of {row['vocab_size']}")
    if row["temperature"] != "1.0":
        parts.append(f"temperature {row['temperature']}")
    if row["entropy_bonus"] != "0.03":
        parts.append(f"entropy bonus {row['entropy_bonus']}")
    if row["hold_out"] != "0.1":
        parts.append(f"{float(row['hold_out']):.0%} of the combinations left out")
    return ", ".join(parts) or "none"


def groups(name: str) -> dict[Group, list[dict[str, str]]]:
    """The rows of a study by networks, width of embeddings, game and pressure, in the order of the file."""
    found = defaultdict(list)
    for row in rows_of(name):
        found[row["network"], row["embedding_size"], row["shape"], pressure(row)].append(row)
    return dict(found)


def mean_and_ends(rows: Sequence[Row], column: str, style: str) -> str:
    """The mean of a column, with the least and the most if they differ as they are written."""
    values = [float(row[column]) for row in rows if row[column] != "nan"]
    if not values:
        return "–"
    least, mean, most = (format(v, style) for v in (min(values), statistics.fmean(values), max(values)))
    return mean if least == most else f"{mean} ({least} to {most})"


def study(name: str) -> list[tuple[Any, ...]]:
    """A table of a study: the heading, and a line for each kind of pairs, without what all share."""
    heading = (
        "Networks", "Embeddings", "Game", "Pressure", "Pairs", "Accuracy", "Integer", "Offset", "New",
        "Split", "Explained", "Kilobits",
    )  # fmt: skip
    games = {"20": "20 integers", "60": "60 integers", "8x8": "8 x 8 grid"}
    lines = [
        (
            f"`{network}`", width, games[shape], words, len(rows),
            *(mean_and_ends(rows, column, ".0%") for column in SHARES),
            mean_and_ends(rows, "kilobits", ".1f"),
        )
        for (network, width, shape, words), rows in groups(name).items()
    ]  # fmt: skip
    common = {i for i, column in enumerate(zip(*lines, strict=True)) if i < 3 and len({*column}) == 1}
    return [tuple(v for i, v in enumerate(line) if i not in common) for line in (heading, *lines)]


def teaching() -> list[tuple[Any, ...]]:
    """A table of how fast receivers learn two languages."""
    found = defaultdict(list)
    for row in rows_of("teaching"):
        found[row["receiver"], row["language"], row["step"]].append(row)
    receivers = list(dict.fromkeys(receiver for receiver, _, _ in found))
    heading = (
        "Receiver", "Composes: after 100 steps", "after 200", "Random: after 100 steps", "after 200",
        "New combinations after 800",
    )  # fmt: skip
    lines = [
        (
            receiver,
            *(
                mean_and_ends(found[receiver, language, step], "known", ".0%")
                for language in ("composes", "random")
                for step in ("100", "200")
            ),
            mean_and_ends(found[receiver, "composes", "800"], "new", ".0%"),
        )
        for receiver in receivers
    ]
    return [heading, *lines]


def every_pair() -> list[dict[str, str]]:
    """The pairs of both studies whose messages can be joined."""
    rows = [row for name in STUDIES for row in rows_of(name)]
    return [row for row in rows if row["integer"] != "nan"]


def cheap_measures() -> list[tuple[Any, ...]]:
    """How cheap measures rank pairs, compared with the effects and with new combinations: Spearman's rho."""
    every = every_pair()
    alike = [row for row in every if (row["network"], row["shape"]) == ("product", "60")]
    lines = []
    for column, words in CHEAP.items():
        ranks = []
        for rows in (every, alike):
            cheap, new = ([float(row[name]) for row in rows] for name in (column, "new"))
            effect = [min(float(row["integer"]), float(row["offset"])) for row in rows]
            ranks += [f"{spearmanr(cheap, each).statistic:+.2f}" for each in (effect, new)]
        lines.append((words, *ranks))
    alike_too = [f"{len(alike)} alike: {words}" for words in ("effect", "new")]
    return [("Measure", "All pairs: smaller effect", "new combinations", *alike_too), *lines]


ONE, FOUR = "new receivers every 200 steps", "4 receivers, each new after 400 steps"
NAMES: dict[str, Group] = {
    "recipe": ("product", "32", "60", FOUR),
    "recipe_one": ("product", "32", "60", ONE),
    "alone": ("product", "32", "60", "none"),
    "narrow_one": ("product", "16", "60", ONE),
    "narrow_alone": ("product", "16", "60", "none"),
    "local": ("local", "16", "60", ONE),
    "small": ("product", "32", "20", FOUR),
    "small_alone": ("product", "32", "20", "none"),
    "grid": ("product", "32", "8x8", ONE),
    "grid_alone": ("product", "32", "8x8", "none"),
}
"""The groups of `newcomers.csv` that the page names."""


def values() -> dict[str, dict[str, str]]:
    """What the page says of the studies: of groups of newcomers, and of all pairs of `pressures.csv`."""
    found = groups("newcomers")
    said = {name: in_short(found[group]) for name, group in NAMES.items()}
    of_confirmation = groups("confirmation")
    said |= {f"{name}_again": in_short(of_confirmation[NAMES[name]]) for name in ("recipe", "recipe_one")}
    said["pressures"] = in_short(rows_of("pressures"))
    seconds = sum(int(row["seconds"]) for name in STUDIES for row in rows_of(name))
    alike = sum((row["network"], row["shape"]) == ("product", "60") for row in every_pair())
    numbers = {"hours": f"{seconds / 3600:.1f}", "pairs": str(len(every_pair())), "alike": str(alike)}
    return said | {"all": numbers}


def in_short(rows: Sequence[Row]) -> dict[str, str]:
    """The smaller effects, the accuracy on new combinations, and how many pairs have 90% of all."""
    pairs = [
        (min(float(row["integer"]), float(row["offset"])), float(row["new"]))
        for row in rows
        if row["integer"] != "nan"
    ]
    numbers = {}
    for name, column in zip(("effect", "new"), zip(*pairs, strict=True), strict=True):
        for kind, of in (("least", min), ("mean", statistics.fmean), ("most", max)):
            numbers[f"{kind}_{name}"] = f"{of(column):.0%}"
    composing = sum(min(pair) >= 0.9 for pair in pairs)
    return {**numbers, "pairs": str(len(rows)), "composing": str(composing)}
