"""Tables made at each build from results that are stored in the repository."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium

import spatial_agents
import spatial_game  # noqa: F401  (registers the environments)
from spatial_game.config import GameConfig
from spatial_game.studies.lengths import PAPER_LENGTHS, SHORTER
from spatial_game.tables import written

DOCS = Path(__file__).parent
STATIC = DOCS / "_static"
ROOT = DOCS.parent


def pages() -> dict[str, str]:
    """The tables by the names of their files, for other pages to include."""
    return {
        "returns.md": expected_returns(),
        **{f"baselines-{game}.md": baseline_table(game) for game in baseline_games()},
        **{f"baselines-{game}-cost.md": baseline_costs(game) for game in baseline_games()},
        "baselines-default.md": default_game(),
        "libraries.md": libraries(),
        "speed.md": speed(),
        "single.md": single(),
        "first-training.md": first_training(),
        "lengths.md": lengths(60, 20),
        "lengths-sweep.md": lengths(40, 100),
        "dictionaries.md": dictionaries(),
        "other-dictionaries.md": other_dictionaries(),
        "message-bits.md": message_bits(),
        "families.md": families(),
        "orders.md": orders(),
        "orders-origin.md": orders_origin(),
        "composition-messages.md": composition_messages(),
        "composition-receivers.md": composition_receivers(),
        "composition-symbols.md": composition_symbols(),
        "landmark.md": landmark(),
        "noise.md": noise(),
        "held-out.md": held_out(),
        "readers.md": readers(),
        "emergence.md": emergence(),
        "edge-messages.md": edge_messages(),
        "best-cells.md": best_cells(),
        "entries.md": entries(),
        "translation.md": translation(),
        "exchanges.md": exchanges(),
        "hypotheses.md": hypotheses(),
        "cross-play.md": cross_play(),
        "pairs.md": pairs(),
        "pretrained.md": pretrained(),
        "landmark-pairs.md": landmark_pairs(),
        "pace.md": pace(),
        **{f"measured-{path.stem}.md": measured(path) for path in (STATIC / "measured").glob("*.csv")},
    }


def table(*rows: tuple[Any, ...], right: Sequence[int] = ()) -> str:
    """Rows as a Markdown table; the first is the heading, and the columns in `right` hold numbers."""
    head, *body = ([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)
    rule = ["--:" if column in right else "---" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *body]) + "\n"


def read_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def measured(path: Path) -> str:
    """A stored table as it is; columns of numbers stand to the right."""
    with path.open(newline="", encoding="utf-8") as lines:
        head, *rows = csv.reader(lines)
    number = re.compile(r"[-+]?[\d.,]+%?( \(.*\)|( to [\d.,]+)?( s)?|\s±\s[\d.]+)?|")
    columns = zip(*rows, strict=True)
    right = [i for i, column in enumerate(columns) if all(number.fullmatch(cell) for cell in column)]
    return table(head, *rows, right=right)


def in_words(config: GameConfig) -> str:
    """The size of a game in words."""
    symbols = f"{config.message_length} symbols of {config.vocab_size}"
    grid = f" ({'x'.join(map(str, config.shape))} grid)" if len(config.shape) > 1 else ""
    seen = f", {config.num_visible} visible" if config.num_hidden else ""
    return f"{config.sequence_length} integers{grid}{seen}, {config.num_candidates} candidates, {symbols}"


def spread(values: Sequence[float], decimals: int = 1) -> str:
    """The mean of some shares, and the worst and the best of them where they differ."""
    return mean_and_ends(values, f".{decimals}%")


# --- The baselines --------------------------------------------------------------------------------------


def baseline_games() -> dict[str, GameConfig]:
    """The games of the baselines by name."""
    described = json.loads((STATIC / "baselines" / "settings.json").read_text("utf-8"))["games"]
    return {name: GameConfig.from_dict(described[name]["config"]) for name in ("small", "paper-20")}


def baseline_curves(game: str) -> dict[str, list[list[dict[str, float]]]]:
    """The points of each seed's curve by baseline, in the order of the settings."""
    curves: dict[str, dict[str, list[dict[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in read_csv(STATIC / "baselines" / "curves.csv"):
        if row["game"] == game:
            point = {key: float(row[key]) for key in ("episodes", "seconds", "accuracy")}
            curves[row["baseline"]][row["seed"]].append(point)
    order = ["ppo-receiver", "ppo-sender", "ppo-pair", "reinforce", "gumbel"]
    plain = sorted(set(curves) - set(order))
    return {name: list(curves[name].values()) for name in [*order, *plain] if name in curves}


def baseline_accuracies(game: str, name: str) -> list[float]:
    """The accuracy of each seed at the end of training."""
    return [points[-1]["accuracy"] for points in baseline_curves(game)[name]]


def baseline_table(game: str) -> str:
    """How well each baseline of a game plays in the end, and how soon it plays well."""
    rows = []
    for name, curves in baseline_curves(game).items():
        good = [next((p for p in points if p["accuracy"] >= 0.9), None) for points in curves]
        reached = [point for point in good if point]
        soon = "never"
        if reached:
            missed = "" if len(reached) == len(good) else f" ({len(reached)} of {len(good)} seeds)"
            soon = f"{statistics.median(point['episodes'] for point in reached):,.0f}{missed}"
        rows.append((f"`{name}`", spread([points[-1]["accuracy"] for points in curves]), soon))
    return table(("Baseline", "Accuracy: mean (worst to best)", "Episodes until 90%"), *rows, right=(1, 2))


def baseline_costs(game: str) -> str:
    """How long each baseline of a game was trained."""
    rows = []
    for name, curves in baseline_curves(game).items():
        episodes, seconds = (
            statistics.mean(points[-1][key] for points in curves) for key in ("episodes", "seconds")
        )
        rows.append((f"`{name}`", len(curves), f"{episodes:,.0f}", f"{seconds:.0f}"))
    return table(("Baseline", "Seeds", "Episodes", "Seconds"), *rows, right=(1, 2, 3))


CURVES = {
    "receiver": "the receiver; the oracle sends",
    "sender": "the sender; the oracle chooses",
    "sender-trained": "the sender; a trained receiver chooses",
}
"""The curves of the default game in words."""


def default_curves() -> dict[str, list[list[dict[str, str]]]]:
    """The points of each seed's curve of the default game, by curve."""
    curves: dict[str, dict[str, list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for row in read_csv(STATIC / "baselines" / "default.csv"):
        curves[row["curve"]][row["seed"]].append(row)
    return {name: list(curves[name].values()) for name in CURVES if name in curves}


def default_game() -> str:
    """How well each role plays the default game after so much time, and how soon it plays well."""
    rows = []
    for name, curves in default_curves().items():
        ends = [points[-1] for points in curves]
        played = sorted(int(end["episodes"]) / 1e6 for end in ends)
        soon = (
            minutes([soonest(points, share, "accuracy") for points in curves]) for share in (0.8, 0.9, 0.99)
        )
        rows.append(
            (
                CURVES[name],
                len(curves),
                minutes([float(end["seconds"]) for end in ends]),
                f"{played[0]:.1f} to {played[-1]:.1f}" if len(ends) > 1 else f"{played[0]:.1f}",
                spread([float(end["accuracy"]) for end in ends]),
                *soon,
            )
        )
    heading = ("Who learns", "Seeds", "Minutes", "Million episodes", "Accuracy: mean (worst to best)")
    return table((*heading, "Minutes until 80%", "90%", "99%"), *rows, right=range(1, 8))


def expected_returns() -> str:
    """What each agent earns in an episode on average, by who plays and in which game."""
    games = baseline_games()
    full = GameConfig()
    rows = [
        ("random receiver", "any", "1 / (`num_distractors` + 1)"),
        ("random receiver", f"default: {in_words(full)}", f"{1 / full.num_candidates:.3f}"),
        ("oracle pair", "any with enough messages for its code", "1.000"),
    ]
    learners = {
        "PPO receiver, oracle sender": "ppo-receiver",
        "PPO sender, trained receiver": "ppo-sender",
        "PPO for both agents": "ppo-pair",
    }
    for who, name in learners.items():
        for game, config in games.items():
            accuracies = baseline_accuracies(game, name)
            mean = statistics.mean(accuracies)
            rows.append((who, in_words(config), f"{mean:.3f} ({len(accuracies)} seeds)"))
    partners = {"receiver": "PPO receiver, oracle sender", "sender-trained": "PPO sender, trained receiver"}
    for name, who in partners.items():
        accuracies = [float(points[-1]["accuracy"]) for points in default_curves()[name]]
        mean = statistics.mean(accuracies)
        rows.append((who, f"default: {in_words(full)}", f"{mean:.3f} ({len(accuracies)} seeds)"))
    wins = [card["evaluation"]["accuracy"] for card in cards("embed-60").values()]
    rows.append(
        ("bundled pairs `embed-60`", in_words(full), f"{statistics.mean(wins):.3f} ({len(wins)} pairs)")
    )
    return table(("Who plays", "Game", "Mean return"), *rows, right=(2,))


# --- Other libraries ------------------------------------------------------------------------------------

LIBRARIES = {
    "stable-baselines3": "Stable-Baselines3",
    "sb3-contrib": "sb3-contrib",
    "cleanrl": "CleanRL-style loop",
    "torchrl": "TorchRL",
    "supersuit": "SuperSuit",
    "tianshou": "Tianshou",
    "rllib": "RLlib (Ray)",
    "agilerl": "AgileRL",
    "benchmarl": "BenchMARL",
}


def libraries() -> str:
    """What the example of each library learnt, on which game."""
    rows = []
    for row in read_csv(STATIC / "libraries" / "learnt.csv"):
        won = f"{float(row['won']):.1%}"
        if row["low"]:
            won += f" ({float(row['low']):.1%} to {float(row['high']):.1%})"
        library = row["library"]
        name = f"{LIBRARIES[library]} {version(library)}".strip()
        rows.append((name, row["trained"], won, row["seconds"]))
    heading = ("Library", "Trained", "Won", "Seconds")
    game = example_game()
    told = f"All examples play a tiny game: {in_words(game)}. Chance is {1 / game.num_candidates:.0%}."
    return f"{told}\n\n{table(heading, *rows, right=(2, 3))}"


def first_training() -> str:
    """How well PPO of Stable-Baselines3 plays the small game, by role and policy."""
    stored = STATIC / "training" / "first_training.csv"
    if not stored.exists():
        return "`python experiments/first_training.py` measures how well this learns.\n"
    accuracies: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in read_csv(stored):
        steps = f"{int(row['steps']):,}"
        accuracies[ROLES[row["role"]], POLICIES[row["policy"]], steps].append(float(row["accuracy"]))
    rows = [(*key, spread(values)) for key, values in accuracies.items()]
    heading = ("Environment", "Policy", "Steps", "Won: mean (worst to best)")
    config = GameConfig(**gymnasium.spec("spatial_game/Receiver-small-v0").kwargs)
    chance = f"Chance is {1 / config.num_candidates:.0%}."
    told = f"PPO at its defaults, with the oracle as partner ({in_words(config)}). {chance}"
    return f"{told}\n\n{table(heading, *rows, right=(2, 3))}"


ROLES = {
    "receiver": "`Receiver-small-v0`",
    "sender": "`Sender-small-v0`",
    "symbol": "`SenderSymbol-small-v0`",
}
POLICIES = {
    "features": "`MlpPolicy` with `features`",
    "plain": "plain `MlpPolicy`",
    "one_hot": '`MlpPolicy` with `observations="one_hot"`',
}


def version(library: str) -> str:
    """The version of a library that its example is run with."""
    pins = (ROOT / "tests" / "compat" / f"{library}.txt").read_text("utf-8")
    name = "ray" if library == "rllib" else library
    found = re.search(rf"^{name}(?:\[.*\])?==(.*)$", pins, re.MULTILINE)
    return found[1] if found else ""


def example_game() -> GameConfig:
    """The game that all examples for libraries play, read from their source."""
    sizes = "|".join(field.name for field in dataclasses.fields(GameConfig))
    games = set()
    for path in sorted((ROOT / "examples").glob("1[0-9]_*.py")):
        found = re.findall(rf'({sizes})"?(?:: |=)(\d+)', path.read_text("utf-8"))
        games.add(GameConfig(**{name: int(value) for name, value in found}))
    (game,) = games
    return game


def speed() -> str:
    """Episodes and steps a second of random play through each interface."""
    rows = []
    for row in read_csv(STATIC / "libraries" / "speed.csv"):
        counts = (f"{int(row[column]):,}" for column in ("games", "episodes", "steps"))
        rows.append((row["interface"], *counts))
    return table(("Interface", "Games", "Episodes/s", "Steps/s"), *rows, right=(1, 2, 3))


def single() -> str:
    """What each environment by itself plays in a second, beside others."""
    rows = [
        (row["program"], row["unit"], f"{int(row['a second']):,}")
        for row in read_csv(STATIC / "libraries" / "single.csv")
    ]
    return table(("Program", "Counted", "A second"), *rows, right=(2,))


# --- Studies of pairs -----------------------------------------------------------------------------------


def evaluated(study: str) -> list[dict[str, Any]]:
    """What `spatial-game evaluate --json` found in a study, for each pair: the command is on the page."""
    text = (STATIC / "evaluation" / f"{study}.json").read_text("utf-8")
    found: list[dict[str, Any]] = json.loads(text)["pairs"]
    return found


def lengths(*trained_with: int) -> str:
    """Table 7 of the paper: accuracy on whole sequences, and the differences to it on shorter ones."""
    rows: list[tuple[int, str, str, dict[int, float]]] = [
        (length, "the paper", "first", differences) for length, differences in PAPER_LENGTHS.items()
    ]
    for pair in evaluated("lengths"):
        name, length = pair["pair"].partition("/")[0], pair["config"]["sequence_length"]
        for integers in ("first", "any"):
            parts = pair[f"lengths_{integers}_integers"]["shortened_by"]
            shown = {int(less): part["difference"] for less, part in parts.items()}
            shown[0] = parts["0"]["accuracy"]
            rows.append((length, f"`{name}`", integers, shown))
    for row in read_csv(STATIC / "evaluation" / "lengths_of_other_pairs.csv"):
        shown = {less: float(row[str(less)]) for less in SHORTER if row[str(less)]}
        rows.append((int(row["length"]), row["trained"], row["integers"], shown))
    body = [
        (f"{length}, {who}", integers, f"{shown[0]:.2%}", *(signed(shown.get(less)) for less in SHORTER[1:]))
        for wanted in trained_with
        for length, who, integers, shown in rows
        if length == wanted
    ]
    heading = ("Trained with", "Integers", "Whole", *(f"-{less}" for less in SHORTER[1:]))
    return table(heading, *body, right=range(2, 7))


def signed(difference: float | None) -> str:
    """A difference of accuracies in percentage points; nothing for None."""
    return "" if difference is None else written(difference, "+.2pp")


def noise() -> str:
    """The accuracy of pairs over a channel that replaces symbols."""
    pairs = {pair["pair"].partition("/")[0]: pair["noise"] for pair in evaluated("noise")}
    first, *_ = pairs.values()
    symbols = GameConfig().message_length
    rows = [
        (
            f"{at['rate']:.0%}",
            f"{(1 - at['rate']) ** symbols:.1%}",
            *(noise_at(p, "by_rate", i) for p in pairs.values()),
        )
        for i, at in enumerate(first["by_rate"])
        if at["rate"] < 1
    ]
    for slot, name in enumerate(("first", "second", "last")):
        always = f"the {name} symbol always, the others never"
        rows.append((always, "0%", *(noise_at(pair, "by_slot", slot) for pair in pairs.values())))
    heading = ("Probability that a symbol is replaced", "Messages intact", *(f"`{name}`" for name in pairs))
    return table(heading, *rows, right=range(1, 4))


def noise_at(found: Mapping[str, Any], by: str, place: int) -> str:
    """The accuracy at one rate of noise, or with noise in one slot."""
    return f"{found[by][place]['accuracy']:.1%}"


def held_out() -> str:
    """What a pair makes of combinations that its training left out."""
    (found,) = json.loads((STATIC / "evaluation" / "held-out.json").read_text("utf-8"))["results"]
    (study,), (usual,) = found["held_out"], found["evaluations"]
    rows = [
        (number, *(f"{part['accuracy']:.2%}" for part in parts))
        for number, parts in enumerate(zip(study["held_out"], study["control"], strict=True))
    ]
    heading = (
        "Cells of the window with such combinations",
        "Never seen in training",
        "Seen in training (control)",
    )
    told = f"On ordinary episodes, its accuracy is {usual['accuracy']:.1%}. "
    told += "Many of them show such a combination."
    return f"{table(heading, *rows, right=(0, 1, 2))}\n{told}\n"


# --- The reproduction -----------------------------------------------------------------------------------


def reproduced(section: str) -> list[dict[str, str]]:
    """A table of `spatial-game reproduce --quick` of the 33 pairs of GRUs, as it wrote it."""
    return read_csv(STATIC / "findings" / "reproduction" / f"{section}.csv")


READERS = {
    "Pair itself": ("the pair itself", "Right where covered"),
    "Dictionary reads": ("reader: dictionary", "Covered"),
    "Dictionary right": ("reader: dictionary", "Right where covered"),
    "Statistics read": ("reader: statistics", "Right where covered"),
    "Usage understood": ("speaker: usage", "Right where covered"),
    "Statistics understood": ("speaker: statistics", "Right where covered"),
}
"""The columns of the table of readers and speakers: the rows and columns that hold them."""


def readers() -> str:
    """What readers and speakers make of each language."""
    of_pair: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for row in reproduced("readers"):
        of_pair[row["Pair"]][row["Who"]] = row
    rows = [
        (f"`{pair}`", *(f"{float(found[who][column]):.1%}" for who, column in READERS.values()))
        for pair, found in of_pair.items()
    ]
    return table(("Pair", *READERS), *rows, right=range(1, 7))


def translation() -> str:
    """Table 2 of the paper, over all pairs of 60 integers."""
    rows = []
    for row in reproduced("translation_brief"):
        if row["Family"] == "all":
            shares = [
                f"{float(row[f'{who}: {what}']):.1%}"
                for who in ("Ours", "Paper")
                for what in ("mean", "maximum")
            ]
            mean, most, *theirs = shares
            mean = f"{mean} ({row['95% interval of the mean']})"
            ours = (row["Pairs that have it"], mean, most, row["Phrases at the maximum"])
            rows.append((row["Type"], row["Estimator"], *ours, ", ".join(theirs)))
    heading = (
        "Type",
        "Estimator",
        "Pairs",
        "Mean (95% interval)",
        "Maximum",
        "Phrases",
        "Paper: mean, maximum",
    )
    return table(heading, *rows, right=range(3, 7))


def emergence() -> str:
    """Table 1 of the paper, by family of pairs."""
    rows = [
        (
            row["Type"],
            row["Pairs"],
            row["Emergence"],
            row["Paper: emergence"],
            row["Of the messages"],
            row["Paper: of the messages"],
        )
        for row in reproduced("emergence")
    ]
    heading = ("Type", "Pairs", "Emergence", "Paper", "Of the messages", "Paper")
    return table(heading, *rows, right=range(2, 6))


def edge_messages() -> str:
    """How many pairs of each family have messages of their own for edges, and reserve symbols for them."""
    rows = []
    for name, found in by_family(reproduced("edges")).items():
        edges = [int(row["Edges with messages of their own"]) for row in found]
        having = [row for row, number in zip(found, edges, strict=True) if number]
        reserved = sum(row["Reserved"] == "yes" for row in having)
        shares = (f"{sum(n >= least for n in edges)} of {len(edges)}" for least in (4, 1))
        rows.append((f"`{name}`", *shares, f"{reserved} of {len(having)}"))
    heading = ("Pairs", "All four edges", "Any edge", "Of these: reserved symbols")
    return table(heading, *rows, right=range(1, 4))


def by_family(rows: Sequence[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """Rows of single pairs, by the names of their families."""
    found: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        found[row["Pair"].split("/")[0]].append(row)
    return found


def best_cells() -> str:
    """At how many integers (t_n) phrases are understood best: the number of pairs of 60 integers, by type."""
    best: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in reproduced("translation"):
        if row["t_n"] and not row["Pair"].startswith("paper-20"):
            best[row["Type"], row["Estimator"]].append(int(row["t_n"]))
    rows = [
        (kind, estimator, len(found), f"{found.count(1)} of {len(found)}", _tally(found))
        for (kind, estimator), found in best.items()
    ]
    heading = ("Type", "Estimator", "Pairs", "Best at t_n = 1", "Others (t_n: pairs)")
    return table(heading, *rows, right=(2, 3))


def _tally(numbers: Sequence[int]) -> str:
    others = sorted({number for number in numbers if number != 1})
    return ", ".join(f"{number}: {numbers.count(number)}" for number in others)


def entries() -> str:
    """Table 3 of the paper: the most used entries by type, of the first pair of each family."""
    rows = [
        (
            f"`{row['Pair']}`",
            f"`{row['Message']}`",
            row["Type"],
            row["Meaning"],
            f"{float(row['NPMI']):.2f}",
            f"{float(row['Confidence']):.0%}",
        )
        for row in reproduced("dictionary")
    ]
    heading = ("Pair", "Message", "Type", "Meaning", "NPMI", "Confidence")
    return table(heading, *rows, right=(4, 5))


def exchanges() -> str:
    """How much a receiver's choice follows a part of a phrase that is exchanged, by pair and estimator."""
    effects: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for row in reproduced("minimal_pairs"):
        if row["Effect"]:
            effects[row["Pair"]][row["Estimator"], row["Part exchanged"]] = signed(float(row["Effect"]))
    kinds = [(estimator, part) for estimator in ("exact", "paper") for part in ("offset", "integer")]
    rows = [(f"`{pair}`", *(found.get(kind, "") for kind in kinds)) for pair, found in effects.items()]
    heading = ("Pair", *(f"{part.capitalize()}, {estimator}" for estimator, part in kinds))
    return table(heading, *rows, right=range(1, 5))


def hypotheses() -> str:
    """The two hypotheses, tested over the pairs of 60 integers."""
    rows = [
        (
            row["Hypothesis"],
            row["Estimator"],
            row["Number"],
            signed(float(row["Mean difference"])),
            f"{float(row['p-value']):.2g}",
        )
        for row in reproduced("hypotheses")
        if row["Pairs"] == "all of 60 integers"
    ]
    return table(("Hypothesis", "Estimator", "Pairs", "Mean difference", "p"), *rows, right=(2, 3, 4))


def cross_play() -> str:
    """How well partners and strangers understand each other."""
    rows = read_csv(STATIC / "evaluation" / "cross-play.csv")
    names = [row["Sender"] for row in rows]
    played = {(row["Sender"], name): float(row[name]) for row in rows for name in names}
    partners = statistics.fmean(played[name, name] for name in names)
    strangers = statistics.fmean(value for (a, b), value in played.items() if a != b)
    return (
        f"In the {len(played):,} combinations of these {len(names)} pairs (1,000 episodes each), partners "
        f"understand each other in {partners:.1%} of the episodes, and strangers in {strangers:.1%}. Chance "
        f"is {1 / GameConfig().num_candidates:.0%}.\n"
    )


# --- Languages ------------------------------------------------------------------------------------------


MUCH = 2
"""Bits about an offset from which they are bold."""


def dictionaries() -> str:
    """What the dictionary by description length makes of each bundled pair."""
    rows = read_csv(STATIC / "findings" / "dictionaries.csv")
    shares = explained(rows)
    body = [
        (
            f"`{row['pair']}`",
            row["message_bits"],
            f"{share:.1%}",
            f"{int(row['entries']):,}",
            row["kilobits"],
            row["whole_kilobits"],
            f"{float(row['read_unique']):.1%}",
            f"{float(row['read_right']):.2%}",
            f"{float(row['relative']):.1%}",
        )
        for row, share in zip(rows, shares, strict=True)
    ]
    heading = ("Pair", "Bits", "Explained", "Entries", "kbit", "Whole", "Read", "Right", "Spoken")
    return f"{table(heading, *body, right=range(1, 9))}\n{_dictionaries_in_short(rows, shares)}\n"


def _dictionaries_in_short(rows: Sequence[Mapping[str, str]], shares: Sequence[float]) -> str:
    """The mean and the worst of the columns of `dictionaries`."""
    told = []
    for name, values, style in (
        ("explained", shares, ".1%"),
        ("read", [float(row["read_unique"]) for row in rows], ".1%"),
        ("right", [float(row["read_right"]) for row in rows], ".2%"),
        ("spoken", [float(row["relative"]) for row in rows], ".1%"),
    ):
        told.append(f"{name} {statistics.fmean(values):{style}} (worst {min(values):{style}})")
    return f"Over the {len(rows)} pairs: {', '.join(told)}."


GRU_PAIRS = ("embed-60", "paper-20", "paper-60")
"""The bundled names of pairs of GRUs, which `dictionaries` is about."""


def other_dictionaries() -> str:
    """What the dictionary makes of the pairs of other networks, by family."""
    names = sorted({row["family"] for row in read_csv(STATIC / "findings" / "families.csv")} - {*GRU_PAIRS})
    rows = []
    for name in names:
        family = family_rows(name)
        rows.append(
            (
                f"`{name}`",
                len(family),
                mean_and_ends([float(row["message_bits"]) for row in family], ".1f"),
                spread(explained(family)),
                mean_and_ends([float(row["entries"]) for row in family], ",.0f"),
                mean_and_ends([float(row["kilobits"]) for row in family], ",.0f"),
            )
        )
    return table(("Family", "Pairs", "Bits", "Explained", "Entries", "kbit"), *rows, right=range(1, 6))


def family_rows(name: str) -> list[dict[str, str]]:
    """The rows of `families.csv` about the pairs of a bundled name."""
    return [row for row in read_csv(STATIC / "findings" / "families.csv") if row["family"] == name]


def explained(rows: Sequence[Mapping[str, str]]) -> list[float]:
    """The share of the bits of messages that each row's dictionary explains on held-out episodes."""
    return [float(row["held_out_bits"]) / float(row["message_bits"]) for row in rows]


def message_bits() -> str:
    """How much the messages of each bundled pair tell about each offset, from all windows and from half."""
    rows = read_csv(STATIC / "findings" / "message_bits.csv")
    whole = all_windows()
    half = [row for row in rows if row not in whole]
    most = int(whole[0]["windows"])
    body = [
        (f"`{row['pair']}`", f"{int(row['messages']):,}", row["message bits"], *map(bold, offsets(row)))
        for row in whole
    ]
    differences: dict[bool, list[float]] = {True: [], False: []}
    for one, other in zip(half, whole, strict=True):
        for a, b in zip(map(float, offsets(one)), map(float, offsets(other)), strict=True):
            differences[b >= MUCH].append(abs(a - b))
    much, little = (max(differences[kind]) for kind in (True, False))
    heading = ("Pair", "Messages used", "Bits in a message", "2 left", "1 left", "1 right", "2 right")
    told = (
        f"The figures come from {most:,} windows. With half of them, the bold figures change by at most "
        f"{much:.2f} bits, and the others by at most {little:.2f}."
    )
    return f"{table(heading, *body, right=range(1, 7))}\n{told}\n"


FAMILIES = {"embed-60": "GRUs, embeddings", "paper-60": "GRUs, scalars", "local-60": "local, embeddings"}
"""The bundled names of pairs of the full game, and their networks and inputs."""


def families() -> str:
    """How the languages of the full game differ between networks and inputs."""
    rows = []
    for name, networks in FAMILIES.items():
        told = [row for row in all_windows() if row["pair"].startswith(f"{name}/")]
        family = family_rows(name)
        many = [sum(float(bits) >= MUCH for bits in offsets(row)) for row in told]
        rows.append(
            (
                f"`{name}`",
                networks,
                mean_and_ends([float(row["messages"]) for row in told], ",.0f"),
                mean_and_ends([float(row["message_bits"]) for row in family], ".1f"),
                spread(explained(family)),
                mean_and_ends([float(row["entries"]) for row in family], ",.0f"),
                ", ".join(f"{n} ({many.count(n)})" for n in sorted(set(many))),
            )
        )
    heading = ("Pairs", "Networks, inputs", "Messages used", "Bits", "Explained", "Entries", "Offsets told")
    return table(heading, *rows, right=(2, 3, 4, 5))


def orders() -> str:
    """How much dictionaries and additive models explain of the pairs of local networks."""
    rows = []
    for row in read_csv(STATIC / "findings" / "orders.csv"):
        name, _, index = row["pair"].partition("/")
        (dictionary,) = (each for each in family_rows(name) if each["pair"] == index)
        rows.append(
            (
                f"`{row['pair']}`",
                f"{float(row['message_bits']):.1f}",
                f"{float(dictionary['held_out_bits']) / float(dictionary['message_bits']):.1%}",
                f"{float(dictionary['kilobits']):.0f}",
                f"{float(row['held_out']) / float(row['message_bits']):.1%}",
                f"{float(row['kilobits']):.0f}",
                row["values"],
            )
        )
    heading = ("Pair", "Bits", "Dictionary", "kbit", "Additive", "kbit", "Values")
    return table(heading, *rows, right=(1, 2, 3, 4, 5, 6))


def orders_origin() -> str:
    """Where the orders of the pairs of local networks come from."""
    found = read_csv(STATIC / "findings" / "orders.csv")
    rows = []
    for name in dict.fromkeys(row["pair"].partition("/")[0] for row in found):
        own = [row for row in found if row["pair"].startswith(f"{name}/")]
        columns = {"start_layer_share": ".0%", "layer_share": ".0%", "layer_order": ".2f"}
        columns["start_layer_order"] = ".2f"
        shown = (mean_and_ends([float(row[c]) for row in own], style) for c, style in columns.items())
        rows.append((f"`{name}`", *shown))
    heading = ("Pairs", "First layer, before", "After training", "As in the weights", "As at the start")
    return table(heading, *rows, right=(1, 2, 3, 4))


def mean_and_ends(values: Sequence[float], style: str) -> str:
    """The mean of some numbers, and the least and the most of them where they differ."""
    mean, *ends = (f"{value:{style}}" for value in (statistics.mean(values), min(values), max(values)))
    return f"{mean} ({ends[0]} to {ends[1]})" if ends[0] != ends[1] else mean


def all_windows() -> list[dict[str, str]]:
    """The rows of `message_bits.csv` that are counted from most windows: one for each pair."""
    rows = read_csv(STATIC / "findings" / "message_bits.csv")
    most = max(int(row["windows"]) for row in rows)
    return [row for row in rows if int(row["windows"]) == most]


def offsets(row: Mapping[str, str]) -> list[str]:
    """The bits about each offset in a row of `message_bits.csv`, from left to right."""
    return [row[offset] for offset in ("-2", "-1", "+1", "+2")]


def bold(bits: str) -> str:
    """Bits, in bold if they are many."""
    return f"**{bits}**" if float(bits) >= MUCH else bits


# --- Composition ----------------------------------------------------------------------------------------

COMPOSED_GAMES = {
    "20": GameConfig(20),
    "60": GameConfig(60),
    "8x8": GameConfig(shape=(8, 8), window_radius=1),
}
"""The games of `composition.csv`, seen in full."""


def composition() -> dict[tuple[str, str], list[dict[str, str]]]:
    """The rows of `composition.csv` by game and by the number of visible neighbours: one for each seed."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in read_csv(STATIC / "findings" / "composition.csv"):
        groups[row["game"], row["visible"]].append(row)
    return groups


def composition_middle() -> dict[tuple[str, str, str], dict[str, str]]:
    """The rows of `composition-middle.csv` by game, visible neighbours and seed."""
    rows = read_csv(STATIC / "findings" / "composition-middle.csv")
    return {(row["game"], row["visible"], row["seed"]): row for row in rows}


def composition_heads(game: str, visible: str) -> tuple[str, str]:
    """A game and what its sender sees, in words."""
    config = COMPOSED_GAMES[game]
    name = " x ".join(game.split("x")) if "x" in game else f"{game} integers"
    return name, f"{visible} of {config.window_size - 1}" if visible != "all" else "all"


def composition_messages() -> str:
    """What the messages of the pairs of `composition.csv` tell, and how many of them split."""
    rows = []
    for (game, visible), found in composition().items():
        config = COMPOSED_GAMES[game]
        most = (math.log2(len(config.integers)), math.log2(config.window_size - 1))
        bits = (
            f"{mean_and_ends([told_above_chance(row, name) for row in found], '.1f')}, of {whole:.1f}"
            for name, whole in zip(("integer_bits", "offset_bits"), most, strict=True)
        )
        messages = mean_and_ends([float(row["messages"]) for row in found], ",.0f")
        shares = (column_spread(found, name) for name in ("accuracy", "split"))
        rows.append((*composition_heads(game, visible), len(found), messages, *bits, *shares))
    heading = ("Game", "Visible", "Pairs", "Messages", "Integer, bits", "Offset, bits", "Accuracy", "Split")
    return table(heading, *rows, right=range(2, 8))


def told_above_chance(row: Mapping[str, str], name: str) -> float:
    """The bits that messages tell, less the estimate for shuffled messages."""
    return max(0.0, float(row[name]) - float(row[f"{name}_by_chance"]))


def composition_receivers() -> str:
    """What the receivers of `composition.csv` make of joined messages and of new combinations."""
    middle = composition_middle()
    rows = [
        (
            *composition_heads(*key),
            *(column_spread(found, name) for name in ("own", "followed")),
            *(of_each_seed(found, name) for name in ("integer_effect", "offset_effect")),
            *(
                column_spread([middle[*key, row["seed"]] for row in found], name)
                for name in ("seen", "never_seen")
            ),
        )
        for key, found in composition().items()
    ]
    heading = ("Game", "Visible", "Own", "Joined", "Integer", "Offset", "Known", "New")
    return table(heading, *rows, right=range(2, 8))


def composition_symbols() -> str:
    """What single symbols tell of the offset, in the pairs that see one neighbour."""
    games: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in read_csv(STATIC / "findings" / "composition-symbols.csv"):
        games[row["game"]].append(row)
    rows = [
        (
            composition_heads(game, "1")[0],
            *(mean_and_ends([float(row[name]) for row in found], ".0f") for name in ("symbols", "alone")),
            column_spread(found, "told"),
            f"{1 / (COMPOSED_GAMES[game].window_size - 1):.0%}",
        )
        for game, found in games.items()
    ]
    heading = ("Game", "Symbols used", "At only one offset", "A symbol tells the offset", "Chance")
    return table(heading, *rows, right=range(1, 5))


LANDMARK = {
    "landmark": "`landmark`",
    "hears all": "`landmark`, with a receiver that reads every slot for both",
    "local receiver": "`landmark`, with the receiver of `local`",
    "local sender": "`landmark`, with the sender of `local`",
    "local": "`local`",
}
"""The networks of `landmark.csv` in words, and the pairs of `composition.csv` that they are compared with."""


def landmark() -> str:
    """What composes, of the pairs of `landmark.csv` and of the local pairs that see one neighbour."""
    groups: dict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for row in read_csv(STATIC / "findings" / "landmark.csv"):
        game, _, visible = row["game"].partition(" ")
        groups[row["networks"], game, visible or "1"].append(row)
    groups["local", "60", "1"] = composition()["60", "1"]
    columns = ("accuracy", "split", "integer_effect", "offset_effect", "seen", "never_seen")
    rows = [
        (LANDMARK[name], *composition_heads(*key), len(found), *(column_spread(found, c, 1) for c in columns))
        for (name, *key), found in groups.items()
    ]
    heading = (
        "Networks",
        "Game",
        "Visible",
        "Pairs",
        "Accuracy",
        "Split",
        "Integer",
        "Offset",
        "Known",
        "New",
    )
    return table(heading, *rows, right=range(3, 10))


def column_spread(rows: Sequence[Mapping[str, str]], name: str, decimals: int = 0) -> str:
    """The mean, the least and the most of a column of shares; nothing if no row has a value."""
    values = [float(row[name]) for row in rows if row[name]]
    return spread(values, decimals) if values else ""


def of_each_seed(rows: Sequence[Mapping[str, str]], name: str) -> str:
    """The differences in a column, one after the other; a dash for a row without a value."""
    return ", ".join(written(float(row[name]), "+.0%") if row[name] else "–" for row in rows)


# --- Training -------------------------------------------------------------------------------------------


REACHED = (0.9, 0.95, 0.98, 0.995)
"""The accuracies up to which the minutes of training are told."""


def pace() -> str:
    """How long the bundled pairs were trained, by the command that trained them."""
    groups: dict[tuple[str, str], list[Path]] = {}
    for path, card in cards().items():
        groups.setdefault((path.parent.name, own_options(card["command"])), []).append(path)
    rows = []
    for (name, options), paths in groups.items():
        found = [json.loads(path.read_text("utf-8")) for path in paths]
        curves = [read_csv(path.with_suffix(".csv")) for path in paths]
        rows.append(
            (
                f"`{name}` {ranges([int(path.stem) for path in paths])}",
                options if options == "none" else f"`{options}`",
                *(minutes([soonest(curve, share) for curve in curves]) for share in REACHED),
                minutes([card["seconds"] for card in found]),
                spread([card["evaluation"]["accuracy"] for card in found]),
            )
        )
    heading = ("Pairs", "Options", *(f"{100 * share:g}%" for share in REACHED), "Total", "Accuracy")
    return table(heading, *rows, right=range(2, 8))


def own_options(command: str) -> str:
    """The options of a training without those that say where and for which seed and length."""
    kept = re.sub(r" --(seed|out|device|workers|sequence-length) \S+| --recipe curriculum", "", command)
    return kept.removeprefix("spatial-game train").strip() or "none"


def soonest(
    curve: Sequence[Mapping[str, str]], share: float, column: str = "validation_accuracy"
) -> float | None:
    """The seconds until a validation first reached an accuracy; None if none did."""
    good = (float(row["seconds"]) for row in curve if float(row[column]) >= share)
    return next(good, None)


def minutes(seconds: Sequence[float | None]) -> str:
    """The least and the most minutes, and how many pairs there are of them if not all."""
    reached = sorted(each / 60 for each in seconds if each is not None)
    if not reached:
        return "never"
    ends = " to ".join(sorted({f"{each:.1f}" for each in (reached[0], reached[-1])}, key=float))
    return ends + (f" ({len(reached)} of {len(seconds)})" if len(reached) < len(seconds) else "")


# --- The bundled pairs ----------------------------------------------------------------------------------


def cards(name: str = "*") -> dict[Path, dict[str, Any]]:
    """The model cards of the bundled pairs of a name."""
    folder = Path(spatial_agents.__file__).parent / "pretrained"
    return {
        path: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(f"{name}/[0-9][0-9].json"))
    }


def pairs() -> str:
    """The names of the bundled pairs, and how well they play."""
    rows = []
    for name in sorted({path.parent.name for path in cards()}):
        of_name = list(cards(name).values())
        accuracies = [card["evaluation"]["accuracy"] for card in of_name]
        (game,) = {in_words(GameConfig.from_dict(card["game"])) for card in of_name}
        how = f"{game}; {of_name[0]['recipe']['recipe']}; {inputs(of_name[0])}"
        rows.append((f"`{name}`", len(of_name), spread(accuracies), how))
    heading = ("Name", "Pairs", "Accuracy: mean (worst to best)", "Game; recipe; inputs")
    return table(heading, *rows, right=(1, 2))


def inputs(card: dict[str, Any]) -> str:
    """How integers entered the networks of a pair, with the scale of scalars."""
    recipe = card["recipe"]
    scaled = recipe["inputs"] == "scalars" and recipe["scalar_reach"]
    reach = f"{recipe['scalar_reach']:g}"
    return f"scalars, scaled to -{reach}..{reach}" if scaled else str(recipe["inputs"])


def landmark_pairs() -> str:
    """The accuracy of each bundled pair of landmark networks."""
    rows = []
    for name in sorted({path.parent.name for path in cards()}):
        found = [card for card in cards(name).values() if card["recipe"].get("network") == "landmark"]
        accuracies = ", ".join(f"{card['evaluation']['accuracy']:.1%}" for card in found)
        if found:
            rows.append((f"`{name}`", in_words(GameConfig.from_dict(found[0]["game"])), accuracies))
    return table(("Pairs", "Game", "Accuracy"), *rows, right=(2,))


def pretrained() -> str:
    """Each bundled pair: the figures of its model card, and the command that trained it."""
    rows = [card_row(card) for card in cards().values()]
    heading = ("Pair", "Inputs", "Accuracy (95% interval)", "Minutes of training")
    commands = table(("Pairs", "Trained with, and `--seed`"), *training_commands(cards()))
    return f"{table(heading, *rows, right=(2, 3))}\n{commands}"


def card_row(card: dict[str, Any]) -> tuple[str, ...]:
    """A model card in one row."""
    result = card["evaluation"]
    accuracy = f"{result['accuracy']:.2%} ({result['low']:.2%} to {result['high']:.2%})"
    return f"`{card['name']}`", inputs(card), accuracy, f"{card['seconds'] / 60:.0f}"


def training_commands(cards: Mapping[Path, dict[str, Any]]) -> list[tuple[str, str]]:
    """Each command that trained pairs, without what differs from pair to pair, and the seeds it had."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for path, card in cards.items():
        command = re.sub(r" --(seed|out|device|workers) \S+", "", card["command"])
        seed = int(re.findall(r"--seed (\d+)", card["command"])[0])
        found.setdefault((path.parent.name, command), []).append((int(path.stem), seed))
    rows = []
    for (name, command), pairs in found.items():
        indices, seeds = zip(*pairs, strict=True)
        rows.append((f"`{name}` {ranges(indices)}", f"`{command}`, {ranges(seeds)}"))
    return rows


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in words, consecutive ones by their first and last: [0, 1, 2, 5] as "0 to 2, 5"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
