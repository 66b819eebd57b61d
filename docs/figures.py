"""Figures for the sentences of pages, from the results that are stored in the repository.

A page writes `{{ dictionaries.explained.mean }}`, and each build puts the stored figure there. `figures` has
an entry for each study. A column of a study has the `number` of its values, their `mean`, the `least` and the
`most`, whose these two are (`least_at`, `most_at`), and each value by name: `explained["paper-60/9"]`.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping
from typing import Any

from results import (
    MUCH,
    STATIC,
    all_windows,
    cards,
    composition_middle,
    default_curves,
    family_rows,
    ranges,
    read_csv,
)
from scipy.stats import spearmanr

Values = Mapping[str, float]


def figures() -> dict[str, Any]:
    """Return the figures by the names that pages write."""
    return {
        "pairs": pairs(),
        "dictionaries": dictionaries(),
        "naive_bayes": naive_bayes(),
        "untrained": {inputs: untrained(inputs) for inputs in ("embedding", "scalars")},
        "bits": {name: bits(name) for name in ("embed-60", "paper-60")},
        "composition": composition(),
        "effects": {estimator: effects("reproduction", estimator) for estimator in ("exact", "paper")},
        "reproduced_local": reproduced_local(),
        "landmark": landmark(),
        "orders": {name: orders(pairs) for name, pairs in (("grid", "grid-8x8"), ("local", "local-60"))},
        "first_curve": {policy: first_curve(policy) for policy in ("features", "plain")},
        "default_game": {name: default_game(name) for name in default_curves()},
    }


def told(values: Values, style: str) -> dict[str, str]:
    """Return what pages say of some values, each written in a style."""
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    by_value = sorted(known, key=lambda name: known[name])
    least, most = by_value[0], by_value[-1]
    numbers = {"mean": statistics.fmean(known.values()), "least": known[least], "most": known[most], **known}
    names = {"number": str(len(known)), "least_at": f"`{least}`", "most_at": f"`{most}`"}
    return {name: format(value, style) for name, value in numbers.items()} | names


def shares(study: str, column: str) -> Values:
    """Return a column of a study of dictionaries as a share of the bits of each pair's messages."""
    rows = read_csv(STATIC / "findings" / f"{study}.csv")
    return {row["pair"]: float(row[column]) / float(row["message_bits"]) for row in rows}


def dictionaries() -> dict[str, dict[str, str]]:
    """Return the columns of the table of dictionaries; `explained` is the share of the bits held out."""
    rows = read_csv(STATIC / "findings" / "dictionaries.csv")
    found = {"explained": told(shares("dictionaries", "held_out_bits"), ".1%")}
    for column in rows[0].keys() - {"pair"}:
        style = ",.0f" if column == "entries" else ".1f" if "bits" in column else ".1%"
        found[column] = told({row["pair"]: float(row[column]) for row in rows}, style)
    return found


def naive_bayes() -> dict[str, dict[str, str]]:
    """Return the share of bits that counts alone explain, and how many percentage points more this is."""
    ours, theirs = (shares("naive_bayes", column) for column in ("dictionary", "naive_bayes"))
    more = {pair: 100 * (theirs[pair] - share) for pair, share in ours.items()}
    return {"explained": told(theirs, ".1%"), "more": told(more, ".1f")}


def untrained(inputs: str) -> dict[str, dict[str, str]]:
    """Return what senders without training say: messages, their bits, entries, and the share explained."""
    rows = [row for row in read_csv(STATIC / "findings" / "untrained.csv") if row["inputs"] == inputs]
    styles = {"messages": ".0f", "message_bits": ".1f", "entries": ".0f"}
    found = {name: told({row["seed"]: float(row[name]) for row in rows}, styles[name]) for name in styles}
    explained = {row["seed"]: float(row["held_out_bits"]) / float(row["message_bits"]) for row in rows}
    return found | {"explained": told(explained, ".0%")}


def bits(name: str) -> dict[str, dict[str, str]]:
    """Return the bits of the pairs that tell the integer two left (`far`), and of the others (`near`)."""
    rows = [row for row in all_windows() if row["pair"].startswith(f"{name}/")]
    far = [row for row in rows if float(row["-2"]) >= MUCH]
    return {"far": ends(far), "near": ends([row for row in rows if row not in far])}


def ends(rows: list[dict[str, str]]) -> dict[str, str]:
    """Return the least and the most bits about each offset, and of all that are bold, over some pairs."""
    columns = {offset: [float(row[offset]) for row in rows] for offset in ("-2", "-1", "+1", "+2")}
    columns["bold"] = [value for values in columns.values() for value in values if value >= MUCH]
    found = {name: f"{min(values):.1f} to {max(values):.1f}" for name, values in columns.items()}
    found["messages"] = f"{max(int(row['messages']) for row in rows):,}"
    return found | {"pairs": ranges([int(row["pair"].split("/")[1]) for row in rows])}


def effects(folder: str, estimator: str) -> dict[str, dict[str, str]]:
    """Return how far an exchanged part of a phrase moves the receiver's choice, by part."""
    rows = read_csv(STATIC / "findings" / folder / "minimal_pairs.csv")
    found = [row for row in rows if row["Effect"] and row["Estimator"] == estimator]
    return {
        part: told({r["Pair"]: float(r["Effect"]) for r in found if r["Part exchanged"] == part}, ".0%")
        for part in ("offset", "integer")
    }


def reproduced_local() -> dict[str, Any]:
    """Return how well `local-60` are understood by the exact estimator, and the effects of parts."""
    rows = read_csv(STATIC / "findings" / "reproduction-local" / "translation_brief.csv")
    mean = {row["Type"]: f"{float(row['Ours: mean']):.0%}" for row in rows if row["Estimator"] == "exact"}
    return {
        "edges": mean["Non-Compositional Positional"],
        "composed": mean["Compositional-P"],
        "without": mean["Compositional-NP (symbol 0)"],
        **effects("reproduction-local", "exact"),
    }


def pairs() -> dict[str, Any]:
    """Return what the model cards say, by name: accuracy, number of messages, and their rank correlation."""
    found: dict[str, Any] = {"number": str(len(cards()))}
    for name in {path.parent.name for path in cards()}:
        played = {f"{name}/{int(path.stem)}": card["evaluation"] for path, card in cards(name).items()}
        accuracy, messages = (
            {pair: result[what] for pair, result in played.items()}
            for what in ("accuracy", "distinct_messages")
        )
        found[name] = {"accuracy": told(accuracy, ".1%"), "messages": told(messages, ",.0f")}
        if len(played) > 2:
            rank = spearmanr(list(accuracy.values()), list(messages.values())).statistic
            found[name]["correlation"] = f"{rank:.2f}"
    return found


def composition() -> dict[str, dict[str, Any]]:
    """Return what is said of the pairs of `composition.csv`: all, those of sequences, and those of the grid.

    `effect` is the lesser of the two effects of a pair: 1 for a receiver that composes.
    """
    middle = composition_middle()
    rows = [
        row | middle[row["game"], row["visible"], row["seed"]]
        for row in read_csv(STATIC / "findings" / "composition.csv")
    ]
    sequences = [row for row in rows if row["game"] != "8x8"]
    groups = {
        "every": rows,
        "sequences": sequences,
        "sequences_in_full": [row for row in sequences if row["visible"] == "all"],
        "sequences_in_part": [row for row in sequences if row["visible"] != "all"],
        "grid_in_full": [row for row in rows if row["game"] == "8x8" and row["visible"] == "all"],
        "grid_in_part": [row for row in rows if row["game"] == "8x8" and row["visible"] != "all"],
    }
    return {name: composed(found) for name, found in groups.items()}


def landmark() -> dict[str, dict[str, dict[str, str]]]:
    """Return what is said of the pairs of `landmark.csv`: by networks for 60 integers, else by game."""
    rows = [row | {"visible": "1"} for row in read_csv(STATIC / "findings" / "landmark.csv")]
    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(row["networks"] if row["game"] == "60" else row["game"], []).append(row)
    return {name: composed(found) for name, found in groups.items()}


def orders(name: str) -> dict[str, Any]:
    """Return what is said of the pairs of a name: columns of `orders.csv`, and how alike their orders are."""
    rows = {row["pair"]: row for row in read_csv(STATIC / "findings" / "orders.csv")}
    own = {pair: row for pair, row in rows.items() if pair.startswith(f"{name}/")}
    found: dict[str, Any] = {}
    for column in next(iter(own.values())).keys() - {"pair", "order"}:
        style = ".2f" if "order" in column else ".1f" if "bits" in column else ".1%"
        found[column] = told({pair: float(row[column]) for pair, row in own.items()}, style)
    found["explained"] = told({pair: share_of_bits(row) for pair, row in own.items()}, ".1%")
    dictionaries = {f"{name}/{row['pair']}": share_of_bits(row) for row in family_rows(name)}
    found["dictionary"] = told(dictionaries, ".1%")
    fits = [row for row in read_csv(STATIC / "findings" / "orders-fits.csv") if row["pair"] in own]
    found["fits"] = {
        column: told({row["pair"]: float(row[column]) for row in fits}, ".2f")
        for column in ("order", "start_order")
    }
    spread = {row["pair"]: float(row["held_out_least"]) / float(row["held_out_most"]) for row in fits}
    found["fits"]["alike"] = told(spread, ".1%")
    start = {row["pair"]: share_of_bits(row, "start_") for row in fits}
    found["fits"]["start_explained"] = told(start, ".1%")
    ranks = {pair: rank_of(row["order"]) for pair, row in own.items()}
    alike = {
        f"{one}, {other}": abs(float(spearmanr(ranks[one], ranks[other]).statistic))
        for one, other in itertools.combinations(ranks, 2)
    }
    size = len(next(iter(ranks.values())))
    # Rank correlations of random orders have mean 0 and variance 1 / (K - 1), and are nearly normal.
    chance = math.sqrt(2 / math.pi / (size - 1))
    return found | {"between": told(alike, ".2f"), "between_chance": f"{chance:.2f}"}


def share_of_bits(row: Mapping[str, str], kind: str = "") -> float:
    """Return the share of the bits that is explained in held-out episodes."""
    return float(row[f"{kind}held_out_bits" if "held_out_bits" in row else f"{kind}held_out"]) / float(
        row[f"{kind}message_bits"]
    )


def rank_of(order: str) -> list[int]:
    """Return the rank of each integer in an order, which is a text such as "2 0 1"."""
    integers = [*map(int, order.split())]
    return [integers.index(integer) for integer in range(len(integers))]


def composed(rows: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the columns of some rows of `composition.csv`."""
    names = {f"{row['game']}/{row['visible']}/{row['seed']}": row for row in rows}
    columns = ("accuracy", "split", "seen", "never_seen", "followed", "integer_effect", "offset_effect")
    values = {
        column: {name: float(row[column] or "nan") for name, row in names.items()} for column in columns
    }
    values["effect"] = {name: min(values[c][name] for c in columns[-2:]) for name in names}
    return {column: told(found, ".1%") for column, found in values.items()}


def first_curve(policy: str) -> dict[str, dict[str, str]]:
    """Return the accuracy of a policy after 12,288 steps of the small game, and the seconds until there."""
    rows = [
        row
        for row in read_csv(STATIC / "training" / "first_curve.csv")
        if (row["policy"], row["steps"]) == (policy, "12288")
    ]
    styles = {"accuracy": ".1%", "seconds": ".0f"}
    return {name: told({r["seed"]: float(r[name]) for r in rows}, style) for name, style in styles.items()}


def default_game(curve: str) -> dict[str, dict[str, str]]:
    """Return where the seeds of a curve of the default game ended: accuracy, and minutes of training."""
    ends = {points[-1]["seed"]: points[-1] for points in default_curves()[curve]}
    accuracy = {seed: float(end["accuracy"]) for seed, end in ends.items()}
    spent = {seed: float(end["seconds"]) / 60 for seed, end in ends.items()}
    return {"accuracy": told(accuracy, ".1%"), "minutes": told(spent, ".0f")}
