"""`spatial-game evaluate`: measure how well trained pairs play, and study them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from cyclopts.types import PositiveInt

from spatial_agents.pairs.names import labels_of
from spatial_game.cli.agents import Players, load_players
from spatial_game.cli.options import Command, GameFlags, UnlistedGame
from spatial_game.cli.terminal import Output, progress
from spatial_game.errors import UserError
from spatial_game.game.evaluation import Evaluation, evaluate_pair
from spatial_game.tables import Table, Value, between, counted

if TYPE_CHECKING:
    from spatial_game.studies import Study


@dataclass(frozen=True, kw_only=True)
class Evaluate(Command):
    """The options of `spatial-game evaluate`."""

    pairs: tuple[str, ...] = field(kw_only=False)
    """Bundled name, run folder or weights file; NAME alone is its first pair, NAME/2 the pair with index 2,
    NAME/all all of them; oracle, random, or agents of your own as module:Class. With --composition alone also
    recordings (.parquet) of one language: no receiver is asked."""
    game: UnlistedGame = field(default_factory=GameFlags)
    episodes: PositiveInt = 20_000
    """New episodes for each number."""
    seed: int = 0
    """Root of the random streams of episodes."""
    cross_play: bool = False
    """Let every sender play with every receiver: do strangers understand each other?"""
    lengths: bool = False
    """Shorten sequences by 5, 10, 20 and 40, as in the paper's table 7."""
    noise: bool = False
    """Replace symbols at random, with increasing probability."""
    held_out: bool = False
    """Test the combinations that `train --hold-out` left out: both of two candidates show only such ones."""
    composition: bool = False
    """Do messages name an integer and its offset separately, and does the receiver understand new
    combinations of them?"""

    def execute(self, output: Output) -> dict[str, Any]:
        """Play, show the accuracy, and run the studies."""
        from spatial_game.studies.cross_play import cross_play, shared_game

        if any(map(is_recording, self.pairs)):
            return self._of_recordings(output)
        pairs = {label: load_players(label, self.game, self.seed) for label in labels_of(self.pairs)}
        studies = {label: self._studies(pair) for label, pair in pairs.items()}
        game = shared_game(pair.config for pair in pairs.values()) if self.cross_play else None
        results: dict[str, Evaluation] = {}
        for label, pair in pairs.items():
            with progress(f"{label}: playing"):
                results[label] = evaluate_pair(pair, self.episodes, self.seed)
        show(output, results)
        content: dict[str, Any] = {"pairs": []}
        for label, pair in pairs.items():
            weights_hash = pair.identity.get("weights_hash")
            of_pair = {
                "pair": label,
                "weights_hash": weights_hash,
                "game_assumed": pair.assumes_game,
                **results[label].to_dict(),
            }
            for name, study in studies[label].items():
                with progress(f"{label}: {name}"):
                    report = study(pair)
                show_study(output, f"{label}: {name}", report)
                of_pair[name.replace(", ", "_").replace(" ", "_")] = report.to_dict()
            content["pairs"].append(of_pair)
        if game is not None:
            with progress("cross-play"):
                crossed = cross_play(pairs, self.episodes, self.seed, game)
            heading = f"Cross-play: {crossed.config.signature}; senders in rows, receivers in columns"
            output.table(heading, crossed.table)
            output.say("", crossed.summary)
            content["cross_play"] = crossed.to_dict()
        return content

    def _of_recordings(self, output: Output) -> dict[str, Any]:
        """Show what recordings of one language say about composition, without a receiver."""
        from spatial_game.recording import read_recording
        from spatial_game.studies.composition import composition_of

        others = [name for name in self.pairs if not is_recording(name)]
        others += self.non_default("cross_play", "lengths", "noise", "held_out", "episodes")
        if not self.composition or others:
            given, files = ", ".join(others) or "no study", ", ".join(filter(is_recording, self.pairs))
            raise UserError(f"{files}: a recording must be given with --composition alone; got {given}")
        with progress("composition"):
            recording = read_recording(self.pairs, columns=[], config=self.game.given)
            study = composition_of(recording, self.seed)
        episodes = counted(len(recording), "episode")
        show_study(output, f"{', '.join(self.pairs)}, {episodes}: composition", study)
        return {"recordings": list(self.pairs), "composition": study.to_dict()}

    def _studies(self, pair: Players) -> dict[str, Callable[[Players], Any]]:
        """Return the studies that were asked for, by name."""
        from spatial_game import studies

        size: dict[str, Any] = {"num_episodes": self.episodes, "seed": self.seed}
        by_name: dict[str, Callable[[Players], Any]] = {}
        if self.lengths:
            by_name["lengths, first integers"] = partial(studies.other_lengths, **size)
            by_name["lengths, any integers"] = partial(studies.other_lengths, integers="any", **size)
        if self.noise:
            by_name["noise"] = partial(studies.channel_noise, **size)
        if self.held_out:
            if self.game.given:
                raise UserError(f"held_out must be given without options of the game; got {self.game.given}")
            by_name["held out"] = partial(studies.held_out_study, **held_out_of(pair), **size)
        if self.composition:
            by_name["composition"] = partial(studies.composition, **size)
        return by_name


def held_out_of(pair: Players) -> dict[str, Any]:
    """Return the share of combinations that a pair's training left out, and the seed of the choice.

    Raises `ValueError` for a pair whose training left nothing out.
    """
    fraction, seed = pair.card.get("recipe", {}).get("hold_out", 0.0), pair.card.get("seed")
    if not isinstance(fraction, float) or not fraction or not isinstance(seed, int):
        raise UserError(
            f"held_out needs a pair whose training held combinations out (--hold-out); got {fraction}"
        )
    return {"fraction": fraction, "training_seed": seed}


def is_recording(name: str) -> bool:
    """Tell whether a name is that of a recording."""
    return Path(name).suffix.lower() == ".parquet"


def show_study(output: Output, title: str, study: Study) -> None:
    """Show the table of a study, and its summary if it has one."""
    output.table(title, study.table)
    output.paragraphs(["", study.summary] if study.summary else [])


def show(output: Output, results: Mapping[str, Evaluation]) -> None:
    """Show one pair by the place of the target, or several with one line each."""
    if len(results) > 1:
        output.table("Pairs on new episodes", by_pair(results))
        return
    for label, result in results.items():
        output.table(f"{label}: {result.config.signature}", by_observation(result))
        chance = 1 / result.config.num_candidates
        output.say("", f"{result.distinct_messages:,} distinct messages; chance is {chance:.0%}")


def by_pair(results: Mapping[str, Evaluation]) -> Table:
    """Return a row for each pair, then their mean and the worst."""
    rows: list[tuple[Value, ...]] = [
        (name, r.config.signature, r.accuracy, between(r.interval), r.distinct_messages)
        for name, r in results.items()
    ]
    accuracies = [result.accuracy for result in results.values()]
    rows += [(name, None, value(accuracies), None, None) for name, value in (("mean", fmean), ("worst", min))]
    heading = "Pair | Game | Accuracy :.2% | 95% interval | Distinct messages :,"
    return Table.of(heading, rows)


def by_observation(result: Evaluation) -> Table:
    """Return the accuracy over all episodes, and for each place of the target."""
    rows = (
        (name, part.trials, part.accuracy, between(part.interval))
        for name, part in {"all": result.overall, **result.by_observation}.items()
        if part.trials
    )
    return Table.of("Target at | Episodes :, | Accuracy :.2% | 95% interval", rows)
