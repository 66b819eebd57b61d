"""`spatial-game train` and `spatial-game evaluate`: trained pairs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import tyro

from spatial_agents.recipes import TrainOptions
from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import load_trained
from spatial_game.cli.terminal import Output, progress
from spatial_game.evaluation import Evaluation, evaluate
from spatial_game.report import Column, Table


@dataclass(frozen=True)
class Train:
    """Train pairs of agents into a run folder; kill it at any moment, and continue with --resume.

    spatial-game train --sequence-length 60 --inputs embedding --seed 0 --out runs/mine
    """

    options: Annotated[TrainOptions, tyro.conf.arg(name="")]
    """How to train."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Train, and show how well the pairs play."""
        from spatial_agents.train import train

        output = Output(self.json)
        folders = train(self.options)
        cards = [json.loads((folder / "card.json").read_text("utf-8")) for folder in folders]
        for folder, card in zip(folders, cards, strict=True):
            result = card["evaluation"]
            output.say(f"{folder}  accuracy {result['accuracy']:.2%} on {result['n']:,} fresh episodes")
        pairs = [{"folder": str(f), "card": card} for f, card in zip(folders, cards, strict=True)]
        output.result({"pairs": pairs})


@dataclass(frozen=True)
class Evaluate:
    """Let a trained pair play fresh episodes: its accuracy, with 95% intervals, by observation type.

    spatial-game evaluate embed-60 --episodes 20000 --seed 1
    """

    pair: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PAIR")]
    """Bundled name, run folder or weights file."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """Where the game differs from the pair's own."""
    index: int = 0
    """Which pair, where a name or a run has several."""
    episodes: int = 20_000
    """Fresh episodes to play."""
    seed: int = 0
    """Root of the random stream of episodes."""
    device: str = "cpu"
    """Where the pair plays: auto, cpu or cuda."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Play, and show how well it went."""
        output = Output(self.json)
        pair = load_trained(self.pair, self.index, self.device)
        config = self.game.config(pair.config)
        pair.require_playable(config)
        with progress("playing"):
            result = evaluate(pair, self.episodes, self.seed, config)
        output.heading(f"{self.pair}: {config.signature}")
        output.say("", by_observation(result).to_text())
        chance = 1 / config.num_candidates
        output.say(f"{result.distinct_messages:,} distinct messages; chance is {chance:.0%}")
        output.result({"pair": self.pair, "weights_hash": pair.weights_hash, **result.to_dict()})


def by_observation(result: Evaluation) -> Table:
    """Accuracy over all episodes and by where the target stands."""
    columns = (
        Column("Target at"),
        Column("Episodes", ","),
        Column("Accuracy", ".2%"),
        Column("95% interval"),
    )
    rows = (
        (name, part.trials, part.accuracy, "{:.2%} to {:.2%}".format(*part.interval))
        for name, part in {"all": result.overall, **result.by_observation}.items()
        if part.trials
    )
    return Table(columns, tuple(rows))
