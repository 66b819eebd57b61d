"""The bundled pairs: how they were trained and how well they play, from their cards and metrics.

python experiments/bundled.py                                            (prints the table; seconds)
python experiments/bundled.py --out docs/_static/training/pairs.csv
python experiments/bundled.py --figure docs/_static/training/full.png    (the curves of the full game)
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter
from rows import parser_of, read, save

from spatial_agents.pairs.names import PRETRAINED, numbered_pairs, pair_names
from spatial_agents.recipes import Recipe
from spatial_game.config import GameConfig
from spatial_game.tables import spread

GOOD = 0.95
CURVES = {"paper-60": "#4c82c3", "embed-60": "#2e9e6b", "local-60": "#d9822b"}
"""The families whose trainings are drawn, with their colours."""


def main() -> None:
    """Print or write the table, and draw the figure if asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("--figure", type=Path, help="a PNG file for the curves")
    options = parser.parse_args()
    if options.figure:
        draw(options.figure)
    else:
        save([row_of(name) for name in pair_names()], options.out)


def row_of(name: str) -> dict[str, str]:
    """Return the line of a family."""
    cards = [card(name, index) for index in numbered_pairs(name)]
    accuracy = [each["evaluation"]["accuracy"] for each in cards]
    return {
        "Pairs": name,
        "Number": str(len(cards)),
        "Game": in_words(GameConfig.from_dict(cards[0]["game"])),
        "Trained with": "; ".join(dict.fromkeys(own_options(each["recipe"]) for each in cards)),
        "Accuracy: mean (lowest to highest)": spread(accuracy),
        f"Million episodes until {GOOD:.0%}": millions([soonest(name, i) for i in numbered_pairs(name)]),
        "Fewest minutes": f"{min(each['seconds'] for each in cards) / 60:.1f}",
    }


def card(name: str, index: int) -> dict[str, Any]:
    """Return the model card of a pair."""
    return json.loads((PRETRAINED / name / f"{index:02d}.json").read_text("utf-8"))


def metrics(name: str, index: int) -> list[dict[str, float]]:
    """Return the validations of a training."""
    rows = read(PRETRAINED / name / f"{index:02d}.csv")
    return [{key: float(row[key]) for key in ("episodes", "validation_accuracy")} for row in rows]


def soonest(name: str, index: int) -> float | None:
    """Return the episodes until a validation first reached a good accuracy; None if none did."""
    good = (row["episodes"] for row in metrics(name, index) if row["validation_accuracy"] >= GOOD)
    return next(good, None)


def millions(episodes: list[float | None]) -> str:
    """Return the lowest and the highest number, and how many trainings have one if not all."""
    known = sorted(each / 1e6 for each in episodes if each is not None)
    if not known:
        return "never"
    ends = " to ".join(dict.fromkeys(f"{each:.1f}" for each in (known[0], known[-1])))
    return ends + (f" ({len(known)} of {len(episodes)})" if len(known) < len(episodes) else "")


def own_options(settings: dict[str, Any]) -> str:
    """Return the recipe of a training, and the options that differ from the recipe's own."""
    name, inputs = settings["recipe"], settings["inputs"]
    usual = {**dataclasses.asdict(Recipe(name, inputs)), "inputs": Recipe(name).inputs}
    given = (
        f"--{each.replace('_', '-')} {value}" for each, value in settings.items() if value != usual[each]
    )
    return " ".join([f"--recipe {name}", *given])


def in_words(config: GameConfig) -> str:
    """Return the size of a game in words."""
    size = "x".join(map(str, config.shape)) + " grid" if len(config.shape) > 1 else "integers"
    number = "" if len(config.shape) > 1 else f"{config.sequence_length} "
    seen = f", {config.num_visible} neighbour visible" if config.num_hidden else ""
    return f"{number}{size}{seen}"


def draw(path: Path) -> None:
    """Draw the accuracy of each training against episodes."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axis = figure.subplots()
    for name, colour in CURVES.items():
        for index in numbered_pairs(name):
            rows = metrics(name, index)
            points = ([row[key] for row in rows] for key in ("episodes", "validation_accuracy"))
            label = name if index == 0 else None
            axis.plot(*points, color=colour, linewidth=1.2, alpha=0.8, label=label)
    axis.set(xscale="log", xlabel="training episodes", ylim=(0, 1.02), ylabel="accuracy on fresh episodes")
    axis.xaxis.set_major_formatter(EngFormatter(sep=""))
    axis.axhline(1 / GameConfig().num_candidates, color="grey", linewidth=0.8, linestyle=":")
    axis.grid(alpha=0.25)
    axis.legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
