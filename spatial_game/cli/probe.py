"""`spatial-game probe`: speak to a receiver with a dictionary, and read its sender with one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from spatial_game.cli.analyse import count_with_progress, expand
from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import Players, load_players
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import Proportion
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import Counts
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.probing.asking import KINDS
from spatial_game.language.probing.probe import probe, require_same_checkpoint
from spatial_game.language.probing.report import CONTROLS, ProbeReport
from spatial_game.language.probing.substitutes import ReadersReport, compare_readers
from spatial_game.language.speaking.compose import Faults, common_symbols
from spatial_game.language.speaking.message_model import MessageModel
from spatial_game.language.speaking.message_profile import most_used
from spatial_game.tables import Column, Table

SHOWN = 3
"""Profiles of messages that text shows."""


@dataclass(frozen=True)
class Probe:
    """Ask a receiver with messages made from a lexicon: does it understand what we say?

    spatial-game probe embed-60 --lexicon lexicon.json --recording play.parquet
    """

    pair: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PAIR")]
    """A trained pair (bundled name, run folder or weights file), oracle or random."""
    lexicon: Path
    """The lexicon to speak with, as `analyse` writes it."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """Where the game differs from the pair's own."""
    recording: tuple[str, ...] = ()
    """Recordings of the pair, for speaking as is usual, and for the statistical reader and speaker."""
    senses: int = 4
    """Senses a message may have, for the larger of the statistical models."""
    index: int = 0
    """Which pair, where a name or a run has several."""
    episodes: int = 20_000
    """Episodes for each kind of entry."""
    seed: int = 0
    """Root of the random streams of episodes, phrases and senses."""
    force: bool = False
    """Use the lexicon although it is of another checkpoint."""
    device: str = "cpu"
    """Where a trained pair plays: auto, cpu or cuda."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Ask, and show how well it was understood."""
        if self.episodes < 1:
            raise ValueError(f"episodes must be at least 1; got {self.episodes}")
        output = Output(self.json)
        lexicon = Lexicon.read(self.lexicon)
        players = load_players(self.pair, self.index, self.game, self.seed, self.device)
        own = players.identity.get("weights_hash")
        made_from = require_same_checkpoint(lexicon, own, force=self.force)
        counts = self._counts(lexicon)
        models = self._models(counts)
        report, readers = self._ask(players, lexicon, counts, models)
        strangers = [found for found in made_from if found != own]
        if strangers:
            output.say(f"Forced: the lexicon is of {strangers[0]}, the receiver is {own}.")
        show_probe(output, report)
        show_readers(output, readers)
        if models:
            show_profiles(output, models)
        output.result(
            {
                "pair": self.pair,
                "weights_hash": own,
                "lexicon": str(self.lexicon),
                "lexicon_weights_hashes": made_from,
                "seed": self.seed,
                **report.to_dict(),
                **readers.to_dict(),
            }
        )

    def _counts(self, lexicon: Lexicon) -> Counts | None:
        if not self.recording:
            return None
        counts = count_with_progress(expand(self.recording), None, workers=1)
        if counts.config != lexicon.config:
            ours, theirs = lexicon.config.signature, counts.config.signature
            raise ValueError(f"recording must be of the lexicon's game, {ours}; got {theirs}")
        return counts

    def _models(self, counts: Counts | None) -> dict[str, MessageModel]:
        if counts is None:
            return {}
        with progress("modelling messages"):
            models = {"statistics": MessageModel.from_counts(counts)}
            if self.senses > 1:
                rng = np.random.default_rng(stream(self.seed, "senses"))
                models[f"{self.senses} senses"] = MessageModel.from_counts(
                    counts, senses=self.senses, rng=rng
                )
        return models

    def _ask(
        self,
        players: Players,
        lexicon: Lexicon,
        counts: Counts | None,
        models: dict[str, MessageModel],
    ) -> tuple[ProbeReport, ReadersReport]:
        config = players.config
        drawn, choices = (np.random.default_rng(seeds) for seeds in stream(self.seed, "probing").spawn(2))
        with progress("probing"):
            episodes = draw_episodes(config, self.episodes, drawn)
            report = probe(
                players.receiver,
                lexicon,
                episodes,
                config,
                sender=players.sender,
                model=models.get("statistics"),
                rng=choices,
                fillers=None if counts is None else common_symbols(counts),
            )
            readers = compare_readers(players.sender, players.receiver, episodes, lexicon, models)
        return report, readers


def show_probe(output: Output, report: ProbeReport) -> None:
    """How well phrases of each kind were understood, with floors and ceiling."""
    output.heading("Speaking: what the receiver understands of the lexicon")
    output.say("", translation(report).to_text(width=output.table_width))
    coverage = report.coverage.accuracy
    output.say(f"The lexicon can express {coverage:.1%} of ordinary episodes; chance is {report.chance:.0%}.")
    output.say(*hypotheses(report), *faults_in_words(report.faults), f"signature  {report.signature}")


def translation(report: ProbeReport) -> Table:
    """The paper's table 2 for one receiver."""
    columns = (
        Column("Phrases"),
        Column("Number", ","),
        Column("Accuracy", ".1%"),
        Column("95% interval"),
        Column("As usual", ".1%"),
        Column("Shuffled", ".1%"),
        Column("Sender", ".1%"),
    )
    rows = []
    for kind in report.kinds:
        others = (kind.usual, kind.floors.get("shuffled"), kind.ceiling)
        rows.append((KINDS[kind.kind], kind.phrases, *_known(kind.accuracy), *map(_accuracy, others)))
        rows += [
            (CONTROLS[name], None, *_known(control), None, None, None)
            for name, control in kind.controls.items()
        ]
    usual = _accuracy(report.ordinary_usual)
    rows.append(("any, in ordinary episodes", None, *_known(report.ordinary), usual, None, None))
    return Table(columns, tuple(rows))


def hypotheses(report: ProbeReport) -> list[str]:
    """H1 and H2 of the paper for one pair, in words."""
    said = []
    for kind in report.kinds:
        if kind.accuracy.trials:
            verdict = "above" if kind.beats_chance < 0.05 else "not above"
            said.append(f"H1  {KINDS[kind.kind]}: {verdict} chance, p {_p_value(kind.beats_chance)}")
        for name, p_value in kind.beats_control.items():
            verdict = "more than" if p_value < 0.05 else "no more than"
            said.append(f"H2  the positional part helps: {verdict} {CONTROLS[name]}, p {_p_value(p_value)}")
    return said


def faults_in_words(faults: Faults) -> list[str]:
    """What of the lexicon cannot be spoken; nothing where all can."""
    if not faults.listed:
        return ["The lexicon lists no entries: nothing can be said with it."]
    words = {
        "misfits": "fit in no slot",
        "outside": "speak of what this game has not",
        "alone": "have no partner to be composed with",
        "contradictory": "contradict another",
    }
    found = [f"{number} {words[name]}" for name, number in asdict(faults).items() if name in words and number]
    return [f"Of {faults.listed} listed entries, {', '.join(found)}."] if found else []


def show_readers(output: Output, readers: ReadersReport) -> None:
    """Who reads the sender, and who is understood by the receiver, in ordinary episodes."""
    output.heading("Reading: who understands the sender")
    columns = (
        Column("Reader"),
        Column("Covered", ".1%"),
        Column("Accuracy there", ".1%"),
        Column("Accuracy overall", ".1%"),
        Column("As the receiver", ".1%"),
    )
    rows: list[tuple[Any, ...]] = [("the receiver", None, None, readers.pair.accuracy, None)]
    for name, reader in readers.readers.items():
        parts = (reader.coverage, reader.accuracy, reader.overall, reader.agreement)
        rows.append((name, *map(_accuracy, parts)))
    output.say("", Table(columns, tuple(rows)).to_text(width=output.table_width))
    if not readers.speakers:
        output.say("With --recording, statistics of messages read and speak too.")
        return
    output.heading("Speaking in ordinary episodes: whom the receiver understands")
    heard = (
        Column("Speaker"),
        Column("Covered", ".1%"),
        Column("Understood", ".1%"),
        Column("Sender's own message", ".1%"),
    )
    rows = [("the sender", None, readers.pair.accuracy, None)]
    for name, speaker in readers.speakers.items():
        rows.append((name, *map(_accuracy, (speaker.coverage, speaker.understood, speaker.same))))
    output.say("", Table(heard, tuple(rows)).to_text(width=output.table_width))


def show_profiles(output: Output, models: dict[str, MessageModel]) -> None:
    """The most frequent messages by their statistics; in senses where integers are magnitudes."""
    first, last = next(iter(models.values())), [*models.values()][-1]
    model = last if first.smoothing.reach else first
    output.heading("What the most used messages mean by statistics: place, bits, likely integers")
    for one in most_used(model, SHOWN):
        output.say("", str(one))


def _known(part: Proportion) -> tuple[float | None, str]:
    if not part.trials:
        return None, "no such phrases"
    return part.accuracy, "{:.1%} to {:.1%}".format(*part.interval)


def _accuracy(part: Proportion | None) -> float | None:
    return part.accuracy if part is not None and part.trials else None


def _p_value(p: float) -> str:
    return f"= {p:.2g}" if p >= 1e-12 else "< 1e-12"
