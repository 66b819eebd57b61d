"""`spatial-game probe`: speak to a receiver, and read its sender, with a lexicon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from cyclopts import Parameter

from spatial_game.cli.options import (
    AgentsGame,
    Command,
    GameOptions,
    positional,
    require_at_least,
)
from spatial_game.cli.players import Players, load_players
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.seeds import stream

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.lexicon import Lexicon
    from spatial_game.language.players.compose import Faults
    from spatial_game.language.probing.report import LexiconInPlay, ProbeReport


@positional
@dataclass(frozen=True, kw_only=True)
class Probe(Command):
    """The options of `spatial-game probe`."""

    pair: Annotated[str, Parameter(name="PAIR")] = field(kw_only=False)
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random or
    module:Class."""
    lexicon: Path | None = None
    """The lexicon to speak with, as `analyse` writes it. Default: the pair's own, or one that is made from
    200,000 new episodes of the pair."""
    game: AgentsGame = field(default_factory=GameOptions)
    recording: tuple[Path, ...] = ()
    """Recordings of the pair. With them, slots that no entry fills get the most common symbols."""
    episodes: int = 20_000
    """Episodes for each kind of entry."""
    seed: int = 0
    """Root of the random streams of episodes and phrases."""
    force: bool = False
    """Use the lexicon although it was made for other agents."""
    device: str = "cpu"
    """Where a trained pair plays: auto, cpu or cuda."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Probe, and show how well the receiver understands."""
        from spatial_game.language.probing.origin import stranger, weights_of

        require_at_least(1, episodes=self.episodes)
        players = load_players(self.pair, self.game, self.seed, self.device)
        lexicon = self._lexicon(players)
        strange = stranger(lexicon, players.identity, players.config)
        if strange and not self.force:
            raise ValueError(f"lexicon must be of the pair; it was {strange} (--force probes across pairs)")
        counts = self._counts(lexicon)
        report, kinds = self._ask(players, lexicon, counts)
        if strange:
            output.say(f"Forced: the lexicon was {strange}.")
        show_probe(output, report, kinds)
        return {
            "pair": self.pair,
            "weights_hash": players.identity.get("weights_hash"),
            "lexicon": None if self.lexicon is None else str(self.lexicon),
            "lexicon_weights_hashes": weights_of(lexicon),
            "seed": self.seed,
            **report.to_dict(),
            "kinds": kinds,
        }

    def _lexicon(self, players: Players) -> Lexicon:
        from spatial_game.cli.languages import read_language
        from spatial_game.language.dictionary.lexicon import Lexicon

        path = self.lexicon or players.lexicon
        if path is not None:
            return Lexicon.read(path)
        with read_language([self.pair], self.game, None, self.seed) as language:
            return language.lexicon()

    def _counts(self, lexicon: Lexicon) -> Counts | None:
        from spatial_game.cli.languages import count_with_progress, expand

        if not self.recording:
            return None
        counts = count_with_progress(expand(self.recording), None)
        if counts.config != lexicon.config:
            ours, theirs = lexicon.config.signature, counts.config.signature
            raise ValueError(f"recording must be of the lexicon's game, {ours}; got {theirs}")
        return counts

    def _ask(
        self, players: Players, lexicon: Lexicon, counts: Counts | None
    ) -> tuple[ProbeReport, dict[str, dict[str, Any]]]:
        from spatial_game.language.players.compose import common_symbols
        from spatial_game.language.probing.probe import probe
        from spatial_game.reproduction.phrases.kinds import probe_kinds

        drawn, choices = (np.random.default_rng(seeds) for seeds in stream(self.seed, "probing").spawn(2))
        with progress("probing"):
            episodes = draw_episodes(players.config, self.episodes, drawn)
            asked: dict[str, Any] = {
                "sender": players.sender,
                "rng": choices,
                "fillers": None if counts is None else common_symbols(counts),
            }
            report = probe(players.receiver, lexicon, episodes, players.config, **asked)
            kinds: dict[str, dict[str, Any]] = {}
            if lexicon.settings is not None:
                kinds = probe_kinds(players.receiver, lexicon, episodes, players.config, **asked)
            return report, kinds


def show_probe(output: Output, report: ProbeReport, kinds: Mapping[str, Mapping[str, Any]]) -> None:
    """Show how well the receiver understands the lexicon, and phrases of each kind if it is by NPMI."""
    from spatial_game.reproduction.phrases.kinds import table_of_kinds

    if kinds:
        output.table(
            "Speaking: what the receiver understands of the lexicon", table_of_kinds(kinds, report.ordinary)
        )
        output.say("", KEY)
    if report.exchange_table.rows:
        output.table("Exchanged alone: does the receiver mind this part of a message?", report.exchange_table)
    coverage = report.coverage.accuracy
    output.say(
        "",
        *spoken_in_words(report.spoken),
        f"The lexicon can express {coverage:.1%} of ordinary episodes; chance is {report.chance:.0%}.",
        *hypotheses(kinds),
        *faults_in_words(report.faults),
        f"signature  {report.signature}",
    )


def spoken_in_words(spoken: LexiconInPlay | None) -> list[str]:
    """Return how well the lexicon replaces the sender and the receiver, as text."""
    if spoken is None or spoken.relative is None:
        return []
    understood, own = spoken.understood.accuracy, spoken.own.accuracy
    read = f"For {spoken.read_unique.accuracy:.1%} of the sender's messages, the lexicon leaves one candidate"
    right = f", right for {spoken.read_right.accuracy:.1%} of these." if spoken.read_right.trials else "."
    return [
        f"The receiver understands {understood:.1%} of the messages that the lexicon alone composes, and",
        f"{own:.1%} of the sender's own: the lexicon does {spoken.relative:.1%} as well.",
        read + right,
    ]


KEY = "Shuffled: the meanings of the lexicon are shuffled. Sender: the sender's own message."
"""What the last columns of the translation mean."""


def hypotheses(kinds: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say whether the paper's hypotheses H1 and H2 hold for this pair."""
    from spatial_game.reproduction.phrases.kinds import CONTROLS

    said = []
    for kind in kinds.values():
        if kind["accuracy"]["n"]:
            verdict = "above" if kind["p_chance"] < 0.05 else "not above"
            said.append(f"H1  {kind['name']}: {verdict} chance, p {_p_value(kind['p_chance'])}")
        for name, p_value in kind["p_control"].items():
            verdict = "more than" if p_value < 0.05 else "no more than"
            said.append(f"H2  the positional part helps: {verdict} {CONTROLS[name]}, p {_p_value(p_value)}")
    return said


FAULTS = {
    "misfits": "fit in no slot",
    "outside": "mean something that is not in this game",
    "alone": "have no partner to be composed with",
}
"""Why entries cannot be used in a message."""


def faults_in_words(faults: Faults) -> list[str]:
    """Return which entries of the lexicon cannot be used in a message, as text."""
    if not faults.listed:
        return ["The lexicon lists no entries, so it cannot compose any message."]
    counts = asdict(faults)
    found = [f"{counts[name]} {words}" for name, words in FAULTS.items() if counts[name]]
    return [f"Of {faults.listed} listed entries, {', '.join(found)}."] if found else []


def _p_value(p: float) -> str:
    return f"= {p:.2g}" if p >= 1e-12 else "< 1e-12"
