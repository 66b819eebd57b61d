"""Does partial sight, or a second axis, make languages compose? Trains pairs, and measures their languages.

    OMP_NUM_THREADS=1 python experiments/composition.py FOLDER                (hours of one thread)
    python experiments/composition.py FOLDER --games 20 --seeds 0             (three pairs, minutes)
    python experiments/composition.py FOLDER --draw-only                      (the figures alone)

Each pair is trained into FOLDER, unless it is there; a training that was interrupted continues. One row for
each pair goes to composition.csv in docs/_static/findings, unless the row is there. Then the symbols of those
that see one neighbour are counted, new combinations are tried away from borders, and the figures are drawn.
All pairs hold out a tenth of the combinations of integer and offset.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
from pathlib import Path
from statistics import fmean

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from spatial_agents import load_pair
from spatial_agents.pairs.policy import Pair
from spatial_game.cli import main as spatial_game
from spatial_game.game.episodes import HIDDEN, MASK, draw_episodes
from spatial_game.game.evaluation import evaluate
from spatial_game.game.held_out import held_out
from spatial_game.language.counting.places import middle_column, num_shown
from spatial_game.studies import composition, held_out_study
from spatial_game.studies.held_out import show_combinations

OUT = Path(__file__).parent.parent / "docs" / "_static" / "findings"
RECIPE = "--recipe local --hidden-size 128 --embedding-size 32 --entropy-bonus 0.03"
HELD_OUT = 0.1
GAMES = {
    "20": ("--sequence-length 20 --steps 2000", ("1", "2", "all")),
    "60": ("--sequence-length 60 --steps 3000", ("1", "2", "all")),
    "8x8": ("--shape 8 8 --window-radius 1 --steps 3000", ("1", "2", "4", "all")),
}
NAMES = {"20": "20 integers", "60": "60 integers", "8x8": "8 x 8 grid"}
EPISODES = 200_000
BLUE, ORANGE, GREY = "#4c82c3", "#d9822b", "#8a8a8a"


def main() -> None:
    """Train and measure what is missing, in whole seeds; then draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--draw-only", action="store_true")
    options = parser.parse_args()
    table = options.out / "composition.csv"
    rows = read(table)
    wanted = [(g, v, s) for s in options.seeds for g in options.games for v in GAMES[g][1]]
    for game, visible, seed in [] if options.draw_only else wanted:
        if (game, visible, str(seed)) not in names(rows):
            run = trained(game, visible, seed, options.folder)
            rows.append(
                {"game": game, "visible": visible, "seed": str(seed), **figures(load_pair(run), seed)}
            )
            print(rows[-1], flush=True)
            write(table, rows)
    alphabets(rows, options.folder, options.out / "composition-symbols.csv")
    middle = in_the_middle(rows, options.folder, options.out / "composition-middle.csv")
    matplotlib.use("agg")
    draw_bits(rows, options.out / "composition-bits.png")
    draw_shares(rows, middle, options.out / "composition-shares.png")


def trained(game: str, visible: str, seed: int, folder: Path) -> Path:
    """Train a pair, or go on with its training; return the folder of its run."""
    run = folder / f"{game}-{visible}-{seed}"
    options = f"{GAMES[game][0]} {RECIPE} --hold-out {HELD_OUT} --seed {seed} --out {run}"
    partial = "" if visible == "all" else f"--num-visible {visible}"
    if not (run / "card.json").exists():
        command = f"--resume {run}" if (run / "config.json").exists() else f"{partial} {options}"
        if spatial_game(["train", *command.split()]):
            raise SystemExit(f"the training of {run} failed")
    return run


def figures(pair: Pair, seed: int, episodes: int = EPISODES) -> dict[str, str]:
    """Return what is measured of one pair."""
    found = composition(pair, episodes).results
    joined, new = found["joined"], held_out_study(pair, HELD_OUT, seed, 10_000).results
    values = {
        "accuracy": evaluate(pair, 20_000).accuracy,
        "message_bits": found["message_bits"],
        "integer_bits": found["integer_bits"],
        "integer_bits_by_chance": found["bits_by_chance"][0],
        "offset_bits": found["offset_bits"],
        "offset_bits_by_chance": found["bits_by_chance"][1],
        "split": found["split"],
        "split_by_chance": found["split_by_chance"],
        "own": joined["own"]["accuracy"] if joined else None,
        "followed": joined["followed"]["accuracy"] if joined else None,
        "integer_effect": joined["integer"] if joined else None,
        "offset_effect": joined["offset"] if joined else None,
        "never_seen": new["held_out"][-1]["accuracy"],
        "seen": new["control"][-1]["accuracy"],
    }
    slots = "".join(str(slot + 1) for slot in joined["integer_slots"]) if joined else ""
    numbers = {name: "" if value is None else f"{value:.4f}" for name, value in values.items()}
    trials = str(joined["own"]["n"]) if joined else "0"
    return {"messages": str(found["messages"]), **numbers, "integer_slots": slots, "trials": trials}


def alphabets(rows: list[dict[str, str]], folder: Path, path: Path) -> None:
    """Write what single symbols tell of the offset, for the pairs that see one neighbour."""
    found = {(row["game"], row["seed"]): row for row in read(path)}
    for game, visible, seed in names(rows):
        run = folder / f"{game}-{visible}-{seed}"
        if visible == "1" and (game, seed) not in found and (run / "card.json").exists():
            found[game, seed] = {"game": game, "seed": seed, **symbols(run)}
    if found:
        write(path, list(found.values()))


def names(rows: list[dict[str, str]]) -> list[tuple[str, str, str]]:
    """Return the game, the visible neighbours and the seed of each row."""
    return [(row["game"], row["visible"], row["seed"]) for row in rows]


def symbols(run: Path) -> dict[str, str]:
    """Return how many symbols a sender uses, how many at one offset alone, and how often one tells it."""
    pair = load_pair(run)
    size, middle = pair.config.window_size, middle_column(pair.config)
    cells = np.delete(np.arange(size), middle)
    integers = np.arange(len(pair.config.integers))
    windows = np.full((len(cells), len(integers), size), HIDDEN)
    windows[:, :, middle] = MASK
    windows[np.arange(len(cells)), :, cells] = integers
    said = pair.sender.send(windows.reshape(-1, size)).reshape(len(cells), -1)
    uses = np.stack([np.bincount(each, minlength=pair.config.vocab_size) for each in said])
    alone = ((uses > 0).sum(axis=0) == 1).sum()
    told = uses.max(axis=0).sum() / uses.sum()
    return {"symbols": str((uses > 0).any(axis=0).sum()), "alone": str(alone), "told": f"{told:.4f}"}


Middle = dict[tuple[str, str, str], dict[str, str]]


def in_the_middle(rows: list[dict[str, str]], folder: Path, path: Path) -> Middle:
    """Write and return the accuracy on combinations, new and of training, with the mask in the middle.

    Near a border the sender can tell the border instead, so a pair may be right without the combination.
    """
    found = read(path)
    for name in set(names(rows)) - set(names(found)):
        run = folder / "-".join(name)
        if (run / "card.json").exists():
            of_row = dict(zip(("game", "visible", "seed"), name, strict=True))
            new = on_new_combinations(load_pair(run), HELD_OUT, int(name[2]))
            found.append(of_row | {key: f"{value:.4f}" for key, value in new.items()})
            write(path, found)
    return dict(zip(names(found), found, strict=True))


def on_new_combinations(pair: Pair, share: float, seed: int) -> dict[str, float]:
    """Return the accuracy of a pair where all visible cells are new combinations, and where none is.

    `share` of the combinations was left out of the training with this seed.
    """
    config = pair.config
    new = held_out(config, share, seed)
    known = held_out(config, min(share, (1 - share) / 2), seed, apart_from=new)
    values = {}
    for name, chosen in {"never_seen": new, "seen": known}.items():
        rng = np.random.default_rng(seed)
        others = dataclasses.replace(chosen, cells=~(chosen.cells | new.cells))
        drawn = draw_episodes(config, 20_000, rng)
        drawn = drawn[np.flatnonzero(drawn.mask_column == middle_column(config))]
        shown = show_combinations(drawn, chosen, others, num_shown(config), rng)
        message = pair.sender.send(shown.window)
        choice = pair.receiver.choose(message, shown.sequence, shown.candidates)
        values[name] = float(np.mean(choice == shown.target_index))
    return values


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file; none if there is none."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Write the rows in the order of the games."""
    order = [(game, visible) for game, (_, seen) in GAMES.items() for visible in seen]
    rows.sort(key=lambda row: (order.index((row["game"], row.get("visible", "1"))), int(row["seed"])))
    write_rows(path, rows)


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write the rows as they are ordered."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def draw_bits(rows: list[dict[str, str]], path: Path) -> None:
    """Draw the bits told of integer and offset, above chance, by how much the sender sees."""
    series = {
        "of the integer": (BLUE, "o", lambda row: excess(row, "integer_bits")),
        "of the offset": (ORANGE, "s", lambda row: excess(row, "offset_bits")),
    }
    draw(rows, path, series, "bits that a message tells", None)


def excess(row: dict[str, str], name: str) -> float:
    """Return an estimate less its value by chance."""
    return max(0.0, float(row[name]) - float(row[f"{name}_by_chance"]))


def draw_shares(rows: list[dict[str, str]], middle: Middle, path: Path) -> None:
    """Draw how well the receiver understands combinations of training, new ones, and joined messages."""
    rows = [row | middle[name] for name, row in zip(names(rows), rows, strict=True) if name in middle]
    series = {
        "combinations of training": (BLUE, "o", lambda row: float(row["seen"])),
        "new combinations": (ORANGE, "s", lambda row: float(row["never_seen"])),
        "joined messages": (GREY, "^", lambda row: float(row["followed"]) if row["followed"] else None),
    }
    draw(rows, path, series, "share understood", 0.2)


def draw(rows: list[dict[str, str]], path: Path, series: dict, label: str, chance: float | None) -> None:
    """Draw a panel for each game, one above the other: a mark for each seed, a line through the means."""
    games = [game for game in GAMES if any(row["game"] == game for row in rows)]
    figure = Figure(figsize=(4.6, 2.1 * len(games) + 0.7), layout="constrained")
    axes = figure.subplots(len(games), 1, squeeze=False)[:, 0]
    for axis, game in zip(axes, games, strict=True):
        found = [row for row in rows if row["game"] == game]
        kept = [visible for visible in GAMES[game][1] if any(row["visible"] == visible for row in found)]
        for name, (colour, marker, value) in series.items():
            style = {"color": colour, "marker": marker}
            points = [(kept.index(row["visible"]), value(row)) for row in found]
            points = [point for point in points if point[1] is not None]
            places = sorted({place for place, _ in points})
            means = [fmean(value for there, value in points if there == place) for place in places]
            axis.plot(places, means, label=name, **style)
            axis.scatter(*zip(*points, strict=True), s=12, alpha=0.5, **style)
        axis.set_ylim(*((-0.1, None) if chance is None else (0, 1.04)))
        if chance is not None:
            axis.axhline(chance, color=GREY, linestyle=":", linewidth=1)
            axis.text(len(kept) - 1, chance + 0.02, "chance", ha="right", color="#555555", fontsize=9)
        axis.set_xticks(range(len(kept)), kept)
        axis.set_title(NAMES[game], fontsize=11, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", alpha=0.25)
    axes[-1].set_xlabel("neighbours that the sender sees")
    figure.supylabel(label, fontsize=10)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
