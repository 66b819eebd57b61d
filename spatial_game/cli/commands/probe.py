"""`spatial-game probe`: speak to a receiver, with a dictionary or with messages of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from cyclopts.types import NonNegativeInt, PositiveInt

from spatial_game.agents import load_agents
from spatial_game.cli.language import dictionary_of, language_of, messages_of
from spatial_game.cli.options import SHOWN, AgentsName, GameCommand
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import Agents
from spatial_game.game.seeds import random_stream
from spatial_game.text import counted

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary

CANDIDATES = (
    "Offered: how many such candidates there were. Chosen: the share of them that the receiver chose. Those "
    "that explain most choices come first, and what follows from rows above is left out. A small share may "
    "be a second choice: chosen if no better one is among the candidates."
)
EXCHANGES = (
    "The symbol of one slot is exchanged for one that, by the dictionary, says only what is true, or for one "
    "that says something untrue. Known: the dictionary has both changed messages; new: it has neither, so "
    "only new ones show that the receiver knows the symbol by itself. Difference: true less false."
)


@dataclass(frozen=True, kw_only=True)
class Probe(GameCommand):
    """The options of `spatial-game probe`."""

    agents: AgentsName = field(kw_only=False)
    message: tuple[str, ...] = ()
    """The symbols of a message, such as 9 9 20, or of several: send these, and show which candidates the
    receiver chooses."""
    dictionary: Path | None = None
    """The dictionary to speak with, as `analyse` writes it. Default: the pair's own, or one that is made from
    200,000 new episodes of the pair."""
    episodes: PositiveInt = 20_000
    """Episodes to play."""
    seed: NonNegativeInt = 0
    """Root of the random streams of episodes and of exchanged symbols."""
    force: bool = False
    """Use the dictionary although it was made for other agents."""

    def execute(self) -> Iterator[Report]:
        """Probe, and show how well the receiver understands, or what it does with messages that are given."""
        agents = load_agents(self.agents, seed=self.seed, **self.game)
        yield self._asked(agents) if self.message else self._probed(agents, self._dictionary(agents))

    def _asked(self, agents: Agents) -> Report:
        """Send the messages that are given; report which candidates the receiver chooses."""
        from spatial_game.language.dictionary.interpreter import interpreter
        from spatial_game.language.probing import WHOLE, understanding

        config, dictionary = agents.config, self._stored(agents)
        names = dictionary.symbol_names if dictionary else [*map(str, range(config.vocab_size))]
        messages = messages_of(self.message, names, config)
        rng = np.random.default_rng(random_stream(self.seed, "probing"))
        episodes, chance = draw_episodes(config, self.episodes, rng), f"{1 / config.num_candidates:.0%}"
        report = Report(agents=self.agents, seed=self.seed, episodes=self.episodes, messages=[])
        for message in messages:
            with progress("probing"):
                reading = interpreter(dictionary).read(message[None])[0] if dictionary else None
                table = understanding(agents.receiver, message, episodes, config, reading)
            spelt = " ".join(names[symbol] for symbol in message)
            report.heading(f"Message {spelt}, sent in {counted(self.episodes, 'episode')}")
            means = interpreter(dictionary).text(message) if dictionary else None
            if dictionary and means:
                report.paragraphs(f"The dictionary: {means}.", *interpreter(dictionary).legend(means))
            some = f" (the first {SHOWN} of {len(table.rows)})" if len(table.rows) > SHOWN else ""
            title = f"Candidates that the receiver chooses more often than by chance, {chance}{some}"
            report.table(title, table.first(SHOWN))
            told = [row[0] for row in table.rows]
            if {*told} <= {WHOLE}:
                report.paragraphs(f"The receiver chooses no candidates more often than by chance, {chance}.")
            if WHOLE in told:
                alone = "counts the episodes in which the reading is true of exactly one candidate."
                report.paragraphs(f'"{WHOLE.capitalize()}" {alone}')
            if {*told} > {WHOLE}:
                report.paragraphs(CANDIDATES)
            found = {"message": message, "means": means, "candidates": table.records()}
            report.data["messages"].append(found)
        return report

    def _probed(self, agents: Agents, dictionary: Dictionary) -> Report:
        """Let the receiver and the sender play with the dictionary."""
        from spatial_game.cli.origin import other_origin, weights_of
        from spatial_game.language.probing import probe

        sender, receiver, config = agents.sender, agents.receiver, agents.config
        of_episodes, of_exchanges = map(np.random.default_rng, random_stream(self.seed, "probing").spawn(2))
        with progress("probing"):
            episodes = draw_episodes(config, self.episodes, of_episodes)
            found = probe(receiver, dictionary, episodes, config, sender=sender, rng=of_exchanges)
        report = Report(
            agents=self.agents,
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
        report.paragraphs(EXCHANGES if found.exchange_table.rows else None, *found.sentences)
        return report

    def _dictionary(self, agents: Agents) -> Dictionary:
        """Return the dictionary to speak with."""
        if stored := self._stored(agents):
            return stored
        with language_of(agents, None, self.seed) as language:
            return dictionary_of(language.count())

    def _stored(self, agents: Agents) -> Dictionary | None:
        """Return the dictionary that is given, or the pair's own; None without any."""
        from spatial_game.cli.origin import read_dictionary

        path = self.dictionary or agents.dictionary_file
        identity = None if self.force else agents.identity
        advice = " (--force probes across pairs)"
        return read_dictionary(path, agents.config, identity, advice) if path else None
