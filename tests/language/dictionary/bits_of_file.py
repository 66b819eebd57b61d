"""How many bits a lexicon's file explains of a recording with whole windows.

python bits_of_file.py LEXICON RECORDING
"""

import json
import math
import sys

import numpy as np
import pyarrow.parquet as pq


def explained(file, windows, messages):
    """Return the mean of log2 q(window | message) / q0(window), for lists of windows and messages."""
    radius, length = file["config"]["window_radius"], file["config"]["sequence_length"]
    *cells, _ = places_of(file)
    size = cells[0]["values"]
    column_of = [
        *range(radius),
        *range(radius + 1, 2 * radius + 1),
        radius,
    ]  # of each edge; the middle is last
    prior = [1 / length] * 2 * radius + [1 - 2 * radius / length]
    bits = {}
    for window, message in zip(windows, map(tuple, messages), strict=True):
        if message not in bits:
            weights = weights_of(file, message)
            mass = 0
            for i, column in enumerate(column_of):
                shown = [cell - column for cell in range(2 * radius + 1) if cell != column]
                absent = math.prod(weights[c["place"]][-1] for c in cells if c["place"] not in shown)
                sums = over_distinct([weights[name][:size] for name in shown]) / math.perm(size, len(shown))
                mass += prior[i] * weights["edge"][i] * absent * sums
            bits[message] = weights, math.log2(mass), []
        weights, norm, found = bits[message]
        column = window.index(-1)
        there = {cell - column: value for cell, value in enumerate(window) if cell != column}
        seen = [math.log2(weights[c["place"]][there.get(c["place"], -1)]) for c in cells]
        found.append(sum(seen) + math.log2(weights["edge"][column_of.index(column)]) - norm)
    return sum(sum(found) for _, _, found in bits.values()) / len(windows)


def weights_of(file, message):
    """Return what the rules that a message follows make of each place."""
    places = {place["place"]: place for place in places_of(file)}
    followed, words, offsets = [], [], []
    for entry in file["entries"]:
        slots = slots_of(entry, message)
        for rule in entry["rules"] if slots else ():
            kind = words if rule["place"] is None else followed if rule["values"] else offsets
            kind.append((entry["npmi"], slots, rule) if kind is not followed else rule)
    pairs = [  # the strongest word with an offset beside it says where its integers stand
        (min(one, other), offset["place"], word, word["probability"] * offset["probability"])
        for one, at, word in words for other, beside, offset in offsets
        if any(not a & b for a in at for b in beside)
    ]  # fmt: skip
    if pairs:
        _, name, word, p = max(pairs, key=lambda each: each[0])
        expected = len(word["values"]) * share_of_one(file, name)
        followed.append({**word, "place": name, "probability": p, "expected": expected})
    defaults, said = file["analysis"]["defaults"], [rule["place"] for rule in followed]
    followed += [rule for rule in defaults if rule["place"] not in said]
    weights = {name: np.ones(size_of(place)) for name, place in places.items()}
    for rule in followed:
        place, p = places[rule["place"]], rule["probability"]
        inside = [place["values"].index(v) if rule["place"] == "edge" else v for v in rule["values"]]
        factor = np.full(size_of(place), (1 - p) / rule.get("rest", 1 - rule["expected"]))
        for distance, near in [(2, 4), (1, 40)] if "rest" in rule else ():  # a band's misses lie near
            for value in (min(inside) - distance, max(inside) + distance):
                if 0 <= value < place["values"]:
                    factor[value] *= near
        factor[inside] = p / rule["expected"]
        weights[rule["place"]] *= factor
    return weights


def places_of(file):
    """Return the places of a window: each offset with the number of integers, and the edge with its names."""
    radius, length = file["config"]["window_radius"], file["config"]["sequence_length"]
    size = file["config"].get("num_integers") or length
    steps = [f"{i:+d}" if i else "" for i in range(radius)]
    edges = [*(f"begin{step}" for step in steps), *(f"end{step}".replace("+", "-") for step in steps[::-1])]
    offsets = [offset for offset in range(-2 * radius, 2 * radius + 1) if offset]
    return [
        *({"place": offset, "values": size} for offset in offsets),
        {"place": "edge", "values": [*edges, "middle"]},
    ]


def size_of(place):
    """Return how many things can stand at a place: edges; or integers, and no cell at all."""
    return place["values"] + 1 if isinstance(place["values"], int) else len(place["values"])


def slots_of(entry, message):
    """Return the sets of slots at which a message has the form of an entry."""
    form = entry["form"]
    starts = range(len(message) - len(form) + 1) if entry["slot"] is None else [entry["slot"]]
    closed = [i for i, symbol in enumerate(form) if symbol is not None]
    return [
        {start + i for i in closed} for start in starts if all(message[start + i] == form[i] for i in closed)
    ]


def share_of_one(file, place):
    """Return how often an integer stands at an offset, whatever is said."""
    length, radius, offset = (
        *(file["config"][n] for n in ("sequence_length", "window_radius")),
        abs(int(place)),
    )
    targets = length - offset if offset <= radius else 2 * radius + 1 - offset  # whose window has this cell
    return targets / length / places_of(file)[0]["values"]


def over_distinct(tables):
    """Return the sum over distinct integers of the products of weights: inclusion-exclusion."""
    if not tables:
        return 1.0
    first, *others = tables
    total = first.sum() * over_distinct(others)
    return total - sum(
        over_distinct([first * o, *others[:i], *others[i + 1 :]]) for i, o in enumerate(others)
    )


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as lexicon:
        content = json.load(lexicon)
    table = pq.read_table(sys.argv[2], columns=["window", "message"]).to_pydict()
    rows = (table["window"], table["message"])
    held_out = explained(content, *(row[9::10] for row in rows))
    print(f"explained {explained(content, *rows):.2f}, held out {held_out:.2f}")
