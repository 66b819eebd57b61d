"""`spatial-game probe`: speak to a receiver, and read its sender, with a dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from cyclopts.types import PositiveInt

from spatial_game.agents import load_agents
from spatial_game.cli.options import Command, GameFlags, UnlistedGame
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import Agents
from spatial_game.game.seeds import random_stream

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary


@dataclass(frozen=True, kw_only=True)
class Probe(Command):
    """The options of `spatial-game probe`."""

    pair: str = field(kw_only=False)
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random or
    module:Class."""
    dictionary: Path | None = None
    """The dictionary to speak with, as `analyse` writes it. Default: the pair's own, or one that is made from
    200,000 new episodes of the pair."""
    game: UnlistedGame = field(default_factory=GameFlags)
    episodes: PositiveInt = 20_000
    """Episodes to play."""
    seed: int = 0
    """Root of the random streams of episodes and of exchanged symbols."""
    force: bool = False
    """Use the dictionary although it was made for other agents."""

    def execute(self) -> Iterator[Report]:
        """Probe, and show how well the receiver understands."""
        from spatial_game.cli.origin import other_origin, weights_of
        from spatial_game.language.probing import probe

        agents = load_agents(self.pair, seed=self.seed, **self.game.given)
        dictionary = self._dictionary(agents)
        sender, receiver, config = agents.sender, agents.receiver, agents.config
        of_episodes, of_exchanges = map(np.random.default_rng, random_stream(self.seed, "probing").spawn(2))
        with progress("probing"):
            episodes = draw_episodes(config, self.episodes, of_episodes)
            found = probe(receiver, dictionary, episodes, config, sender=sender, rng=of_exchanges)
        report = Report(
            pair=self.pair,
            weights_hash=agents.identity.get("weights_hash"),
            dictionary=None if self.dictionary is None else str(self.dictionary),
            dictionary_weights_hashes=weights_of(dictionary),
            seed=self.seed,
            **found.to_dict(),
        )
        if self.force and (origin := other_origin(dictionary, agents.identity, config)):
            report.lines(f"Forced: the dictionary was {origin}.")
        title = "One symbol exchanged: how often the receiver still finds the target"
        report.table(title, found.exchange_table)
        report.lines()
        report.paragraphs(found.sentences)
        yield report

    def _dictionary(self, agents: Agents) -> Dictionary:
        from spatial_game.cli.origin import read_dictionary
        from spatial_game.cli.read_language import language_of

        path = self.dictionary or agents.dictionary_file
        if path is not None:
            identity = None if self.force else agents.identity
            return read_dictionary(path, agents.config, identity, " (--force probes across pairs)")
        with language_of(agents, None, self.seed) as language:
            return language.dictionary()
