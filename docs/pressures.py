"""Tables and figures in words of the study of pressures to compose (`experiments/pressures.py`)."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr

FINDINGS = Path(__file__).parent / "_static" / "findings"
Row = Mapping[str, str]
STUDIES = ("pressures", "newcomers")
SHARES = ("accuracy", "integer", "offset", "known", "new", "split", "explained")
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
    if row["reset"] != "none":
        parts.append(f"new {row['reset']} every {row['reset_every']} steps")
    if (row["senders"], row["receivers"]) != ("1", "1"):
        whole = ", in a partition" if row["partition"] == "True" else ""
        parts.append(f"senders: {row['senders']}, receivers: {row['receivers']}{whole}")
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


def groups(name: str) -> dict[tuple[str, str, str], list[dict[str, str]]]:
    """The rows of a study by networks, game and pressure, in the order of the file."""
    found = defaultdict(list)
    for row in rows_of(name):
        found[row["network"], row["shape"], pressure(row)].append(row)
    return dict(found)


def mean_and_ends(rows: Sequence[Row], column: str, style: str) -> str:
    """The mean of a column, with the least and the most if they differ as they are written."""
    values = [float(row[column]) for row in rows if row[column] != "nan"]
    if not values:
        return "–"
    least, mean, most = (format(v, style) for v in (min(values), statistics.fmean(values), max(values)))
    return mean if least == most else f"{mean} ({least} to {most})"


def study(name: str) -> list[tuple[Any, ...]]:
    """A table of a study: the heading, and a line for each kind of pairs."""
    heading = (
        "Networks", "Game", "Pressure", "Pairs", "Accuracy", "Integer", "Offset", "Known", "New", "Split",
        "Explained", "Kilobits",
    )  # fmt: skip
    games = {"20": "20 integers", "60": "60 integers", "8x8": "8 x 8 grid"}
    lines = [
        (f"`{network}`", games[shape], words, len(rows), *(mean_and_ends(rows, c, ".0%") for c in SHARES),
         mean_and_ends(rows, "kilobits", ".1f"))
        for (network, shape, words), rows in groups(name).items()
    ]  # fmt: skip
    return [heading, *lines]


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
    rows = [*rows_of("pressures"), *rows_of("newcomers")]
    return [row for row in rows if row["integer"] != "nan"]


def cheap_measures() -> list[tuple[Any, ...]]:
    """How cheap measures rank pairs, compared with the effects and with new combinations: Spearman's rho."""
    rows = every_pair()
    effect = [min(float(row["integer"]), float(row["offset"])) for row in rows]
    new = [float(row["new"]) for row in rows]
    lines = []
    for column, words in CHEAP.items():
        values = [float(row[column]) for row in rows]
        lines.append((words, *(f"{spearmanr(values, each).statistic:+.2f}" for each in (effect, new))))
    return [("Measure", "Smaller effect", "New combinations"), *lines]


NAMES = {
    "recipe": ("product", "60", "new receivers every 200 steps"),
    "alone": ("product", "60", "none"),
    "seldom": ("product", "60", "new receivers every 1000 steps"),
    "four": ("product", "60", "new receivers every 1600 steps, senders: 1, receivers: 4"),
    "local": ("local", "60", "new receivers every 200 steps"),
    "small": ("product", "20", "new receivers every 200 steps"),
    "grid": ("product", "8x8", "new receivers every 200 steps"),
}
"""The groups of `newcomers.csv` that the page names."""


def values() -> dict[str, dict[str, str]]:
    """What the page says of the studies: of groups of newcomers, and of all pairs of `pressures.csv`."""
    found = groups("newcomers")
    said = {name: in_short(found[group]) for name, group in NAMES.items() if group in found}
    said["pressures"] = in_short(rows_of("pressures"))
    seconds = sum(int(row["seconds"]) for name in STUDIES for row in rows_of(name))
    return said | {"all": {"hours": f"{seconds / 3600:.1f}", "pairs": str(len(every_pair()))}}


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
