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

from spatial_agents.pairs.names import PRETRAINED, bundled_names, numbered_pairs
from spatial_agents.recipes import Recipe
from spatial_game.config import GameConfig

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
        save([row_of(name, index) for name in bundled_names() for index in numbered_pairs(name)], options.out)


def row_of(name: str, index: int) -> dict[str, str]:
    """Return the line of a pair."""
    about = card(name, index)
    return {
        "Pair": f"{name}/{index}",
        "Seed": str(about["seed"]),
        "Game": game_text(GameConfig.from_dict(about["game"])),
        "Trained with": own_options(about["recipe"]),
        "Accuracy": f"{about['evaluation']['accuracy']:.4f}",
        f"Episodes until {GOOD:.0%}": soonest(name, index),
        "Minutes": f"{about['seconds'] / 60:.1f}",
    }


def card(name: str, index: int) -> dict[str, Any]:
    """Return the model card of a pair."""
    return json.loads((PRETRAINED / name / f"{index:02d}.json").read_text("utf-8"))


def metrics(name: str, index: int) -> list[dict[str, float]]:
    """Return the validations of a training."""
    rows = read(PRETRAINED / name / f"{index:02d}.csv")
    return [{key: float(row[key]) for key in ("episodes", "validation_accuracy")} for row in rows]


def soonest(name: str, index: int) -> str:
    """Return the episodes until a validation first reached a good accuracy; nothing if none did."""
    good = (row["episodes"] for row in metrics(name, index) if row["validation_accuracy"] >= GOOD)
    return next((f"{episodes:.0f}" for episodes in good), "")


def own_options(settings: dict[str, Any]) -> str:
    """Return the recipe of a training, and the options that differ from the recipe's own."""
    name, inputs = settings["recipe"], settings["inputs"]
    usual = {**dataclasses.asdict(Recipe(name, inputs)), "inputs": Recipe(name).inputs}
    given = (
        f"--{each.replace('_', '-')} {value}" for each, value in settings.items() if value != usual[each]
    )
    return " ".join([f"--recipe {name}", *given])


def game_text(config: GameConfig) -> str:
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
