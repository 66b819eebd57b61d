"""`spatial-game evaluate`: how well trained pairs play, and studies of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro

from spatial_game.cli.errors import UsageError
from spatial_game.cli.options import GameOptions, require_writable
from spatial_game.cli.players import load_trained, named_pairs
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import Evaluation, evaluate
from spatial_game.game.seeds import stream
from spatial_game.studies import (
    CrossPlay,
    LengthStudy,
    NoiseStudy,
    channel_noise,
    cross_play,
    held_out_study,
    other_lengths,
    overlap,
)
from spatial_game.studies.cross_play import shared_game
from spatial_game.tables import Column, Table, Value

if TYPE_CHECKING:
    from spatial_agents import Pair


@dataclass(frozen=True)
class Evaluate:
    """Let trained pairs play fresh episodes: their accuracy, with 95% intervals, by observation type.

    spatial-game evaluate embed-60 --episodes 20000 --seed 1
    spatial-game evaluate embed-60/all --cross-play
    """

    pair: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="PAIR")]
    """Bundled name, run folder or weights file; NAME/2 for the pair of that index, NAME/all for all."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """Where the game differs from the pairs' own; studies keep to the pairs' own, but for cross-play."""
    index: int = 0
    """Which pair, where a name or a run has several."""
    episodes: int = 20_000
    """Fresh episodes for each number."""
    seed: int = 0
    """Root of the random streams of episodes."""
    cross_play: bool = False
    """Let every sender speak to every receiver: do strangers understand each other?"""
    lengths: bool = False
    """Shorten sequences by 5, 10, 20 and 40, as in the paper's table 7."""
    noise: bool = False
    """Replace symbols on the way, with growing probability."""
    held_out: bool = False
    """Ask for the combinations that the pair never saw, being trained with --hold-out."""
    overlap: int = 0
    """Count what of the evaluation also occurs among the first so many episodes of the pair's training."""
    figures: Path | None = None
    """Folder for a figure (SVG) of each study."""
    device: str = "cpu"
    """Where the pairs play: auto, cpu or cuda."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Play, and show how well it went."""
        if not self.pair:
            raise UsageError(
                "Missing from spatial-game evaluate: PAIR (at least one; see spatial-game evaluate --help)"
            )
        if self.overlap < 0:
            raise ValueError(f"overlap must be at least 0; got {self.overlap}")
        if self.figures is not None:
            require_writable("figures", self.figures, folder=True)
        output = Output(self.json)
        pairs = {
            label: load_trained(name, index, self.device)
            for label, name, index in named_pairs(self.pair, self.index)
        }
        for pair in pairs.values():
            pair.require_playable(self.game.config(pair.config))
            if self.held_out:
                held_out_of(pair)
        game = shared_game(self._game(pair) for pair in pairs.values()) if self.cross_play else None
        results = {label: self._evaluate(label, pair) for label, pair in pairs.items()}
        self._show(output, results)
        found = [
            {"pair": label, "weights_hash": pair.weights_hash, **results[label].to_dict()}
            | self._study(output, label, pair)
            for label, pair in pairs.items()
        ]
        content = found[0] if len(found) == 1 else {"pairs": found}
        if game is not None:
            content = {**content, "cross_play": self._cross_play(output, pairs, game)}
        output.result(content)

    def _game(self, pair: Pair) -> GameConfig:
        return self.game.config(pair.config)

    def _evaluate(self, label: str, pair: Pair) -> Evaluation:
        with progress(f"{label}: playing"):
            return evaluate(pair, self.episodes, self.seed, self._game(pair))

    def _show(self, output: Output, results: Mapping[str, Evaluation]) -> None:
        """One pair by observation type, several with a line each."""
        if len(results) > 1:
            output.heading("Pairs on fresh episodes")
            output.say("", by_pair(results).to_text(width=output.table_width))
            return
        for label, result in results.items():
            output.heading(f"{label}: {result.config.signature}")
            output.say("", by_observation(result).to_text(width=output.table_width))
            chance = 1 / result.config.num_candidates
            output.say(f"{result.distinct_messages:,} distinct messages; chance is {chance:.0%}")

    def _study(self, output: Output, label: str, pair: Pair) -> dict[str, Any]:
        """What the studies of one pair that are asked for find; shown on the way."""
        found = {}
        for name, study in self._studies(pair).items():
            with progress(f"{label}: {name}"):
                done = study(pair)
            output.heading(f"{label}: {name}")
            output.say("", done.table.to_text(width=output.table_width))
            found[name.replace(", ", "_").replace(" ", "_")] = done.to_dict()
            self._draw(f"{label}-{name}", done)
        return found

    def _studies(self, pair: Pair) -> dict[str, Callable[[Pair], Any]]:
        """The studies that are asked for, by what they show."""
        size: dict[str, Any] = {"num_episodes": self.episodes, "seed": self.seed}
        wanted: dict[str, Callable[[Pair], Any]] = {}
        if self.lengths:
            wanted["lengths, first integers"] = partial(other_lengths, **size)
            wanted["lengths, any integers"] = partial(other_lengths, integers="any", **size)
        if self.noise:
            wanted["noise"] = partial(channel_noise, **size)
        if self.held_out:
            fraction, training_seed = held_out_of(pair)
            wanted["held out"] = partial(
                held_out_study, fraction=fraction, training_seed=training_seed, **size
            )
        if self.overlap:
            wanted["overlap"] = lambda pair: streams_overlap(pair, self.overlap, self.episodes, self.seed)
        return wanted

    def _cross_play(self, output: Output, pairs: Mapping[str, Pair], game: GameConfig) -> dict[str, Any]:
        with progress("cross-play"):
            result = cross_play(pairs, self.episodes, self.seed, game)
        output.heading(f"Cross-play: {result.config.signature}; senders in rows, receivers in columns")
        output.say("", result.table.to_text(width=output.table_width), str(result))
        self._draw("cross-play", result)
        return result.to_dict()

    def _draw(self, name: str, study: object) -> None:
        """Write the figure of a study, where figures are wanted and it has one."""
        draw = next((d for kind, d in _DRAWN.items() if isinstance(study, kind)), None)
        if self.figures is None or draw is None:
            return
        from spatial_game.figures import to_svg

        safe = re.sub(r"[^\w.]+", "-", name)
        write_text(self.figures / f"{safe}.svg", to_svg(partial(draw, study=study), label=name))


def _draw_cross_play(axis: Any, study: CrossPlay) -> Any:
    from spatial_game import figures

    return figures.cross_play(axis, [[p.accuracy for p in row] for row in study.accuracy], study.names)


def _draw_lengths(axis: Any, study: LengthStudy) -> Any:
    from spatial_game import figures

    length = study.config.sequence_length
    series = {"this pair": {length - less: part.accuracy for less, part in study.accuracy.items()}}
    if study.paper:
        series["the paper"] = {length - less: value for less, value in study.paper.items()}
    return figures.lines(axis, series, "sequence length", "accuracy")


def _draw_noise(axis: Any, study: NoiseStudy) -> Any:
    from spatial_game import figures

    return figures.noise_curve(axis, {"this pair": study}, 1 / study.config.num_candidates)


_DRAWN: dict[type, Callable[..., Any]] = {
    CrossPlay: _draw_cross_play,
    LengthStudy: _draw_lengths,
    NoiseStudy: _draw_noise,
}


def held_out_of(pair: Pair) -> tuple[float, int]:
    """The share of combinations that a pair's training held out, and its seed.

    Raises `ValueError` for one whose card does not say so.
    """
    fraction = pair.card.get("recipe", {}).get("hold_out", 0.0)
    seed = pair.card.get("streams", {}).get("training", {}).get("entropy")
    if not fraction or seed is None:
        raise ValueError(
            f"held_out needs a pair whose training held combinations out (--hold-out); got {fraction}"
        )
    return float(fraction), int(seed)


def streams_overlap(pair: Pair, training: int, evaluation: int, seed: int) -> Any:
    """The overlap of a pair's training, so many episodes of it, with the evaluation stream of a seed."""
    from spatial_agents.training.samplers import training_episodes

    rng = np.random.default_rng(stream(seed, "evaluation"))
    asked = draw_episodes(pair.config, evaluation, rng)
    return overlap(pair.config, training_episodes(pair, training), asked)


def by_pair(results: Mapping[str, Evaluation]) -> Table:
    """A row for each pair, and the mean over them where they are more than one."""
    columns = (
        Column("Pair"),
        Column("Game"),
        Column("Accuracy", ".2%"),
        Column("95% interval"),
        Column("Distinct messages", ","),
    )
    rows: list[tuple[Value, ...]] = [
        (name, r.config.signature, r.accuracy, "{:.2%} to {:.2%}".format(*r.interval), r.distinct_messages)
        for name, r in results.items()
    ]
    accuracies = [result.accuracy for result in results.values()]
    rows.append(("mean", None, fmean(accuracies), f"worst {min(accuracies):.2%}", None))
    return Table(columns, tuple(rows))


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
