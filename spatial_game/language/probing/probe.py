"""Ask a receiver with composed messages: does it understand what the lexicon says?

The paper's section 5.3. For each kind of entry, phrases are drawn from the lexicon, episodes are changed so
that the phrases are true, and the messages go to the receiver without the sender. Each accuracy has floors
(chance, the messages of other phrases, random messages) and a ceiling (the sender's messages).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.compose import Composed, Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.message_model import MessageModel
from spatial_game.language.players.phrases import NOTHING, PHRASE_KINDS, described
from spatial_game.language.players.statistical_players import UsualSpeaker
from spatial_game.language.probing.asking import (
    KINDS,
    ask,
    offset_replaced,
    shuffled,
    speakable,
    won_by,
)
from spatial_game.language.probing.exchanges import exchange_parts
from spatial_game.language.probing.hypotheses import above_chance, mcnemar
from spatial_game.language.probing.report import KindReport, LexiconInPlay, ProbeReport, draws_of, share_of

MOST_EXCHANGES = 5_000
"""Episodes in which parts of messages are exchanged. More would take long, and change little."""


def probe(
    receiver: Receiver,
    lexicon: Lexicon,
    episodes: Episodes,
    config: GameConfig | None = None,
    *,
    sender: Sender | None = None,
    model: MessageModel | None = None,
    rng: np.random.Generator | None = None,
    fillers: IntArray | None = None,
) -> ProbeReport:
    """Ask `receiver` with phrases of `lexicon`: for each kind, one phrase for each of the `episodes`.

    `episodes` are ordinary episodes of the game `config` (default: the lexicon's). Coverage is measured on
    them; then they are changed so that a phrase is true, and the receiver is asked. `rng` chooses phrases and
    controls (default: a generator of seed 0). `sender` adds its own messages as a ceiling; `model`, of the
    lexicon's counts, adds the most common true messages. A kind without phrases is skipped. A description has
    no such kinds; its parts are exchanged instead (see `exchanges`).

    Raises `ValueError` for a game that is incompatible with the lexicon's.
    """
    config, rng = config or lexicon.config, rng or np.random.default_rng(0)
    composer = Composer(lexicon, config, fillers=fillers)
    ordinary = composer.compose(episodes.window)
    asker = Asker(receiver, sender, model, composer, rng)
    wins = asker.wins(ordinary.message, episodes)
    whole = described(lexicon)
    return ProbeReport(
        kinds=() if whole else tuple(asker.report(kind, episodes) for kind in KINDS),
        ordinary=wins,
        ordinary_usual=asker.usual(PHRASE_KINDS, episodes),
        coverage=share_of(ordinary.expressed),
        chance=1 / config.num_candidates,
        faults=composer.faults,
        signature=f"{lexicon.signature} | probe n{len(episodes)}",
        spoken=None if sender is None else _spoken(sender, receiver, composer, ordinary, wins, episodes),
        exchanges=exchange_parts(receiver, composer, episodes[:MOST_EXCHANGES], rng) if whole else {},
    )


def _spoken(
    sender: Sender,
    receiver: Receiver,
    composer: Composer,
    said: Composed,
    wins: Proportion,
    episodes: Episodes,
) -> LexiconInPlay:
    """Return how well the lexicon speaks to the receiver and reads the sender."""
    own = sender.send(episodes.window)
    read = Decoder(composer.lexicon, composer.config).decode(own, episodes.sequence, episodes.candidates)
    return LexiconInPlay(
        understood=Proportion(wins.successes, len(episodes)),
        own=share_of(won_by(receiver, own, episodes)),
        expressed=share_of(said.expressed),
        read_unique=share_of(read.unique),
        read_right=share_of((read.choice == episodes.target_index)[read.unique]),
    )


@dataclass(frozen=True)
class Asker:
    """A receiver, and everything for asking it."""

    receiver: Receiver
    sender: Sender | None
    model: MessageModel | None
    composer: Composer
    rng: np.random.Generator

    def report(self, kind: str, episodes: Episodes) -> KindReport:
        """Ask with phrases of one kind."""
        whole, config = self.composer, self.composer.config
        composer = Composer(whole.lexicon, config, kinds=[kind], fillers=whole.fillers)
        coverage = share_of(composer.compose(episodes.window).expressed)
        phrases = speakable(composer, kind)
        if len(phrases) == 0 or len(episodes) == 0:
            return KindReport(kind, len(phrases), coverage)
        asked = ask(composer, phrases, episodes, self.rng)
        message = asked.said.message
        won = won_by(self.receiver, message, asked.episodes)
        random = self.rng.integers(0, config.vocab_size, message.shape, dtype=np.int16)
        floors = {"shuffled": shuffled(composer, asked, self.rng), "random": random}
        own = None if self.sender is None else self.sender.send(asked.episodes.window)
        without = without_offset(composer, asked.said, self.rng) if kind == "compositional" else {}
        controls = {name: won_by(self.receiver, control, asked.episodes) for name, control in without.items()}
        return KindReport(
            kind,
            len(phrases),
            coverage,
            accuracy=share_of(won),
            draws=draws_of(won),
            usual=self.usual([kind], asked.episodes),
            floors={name: self.wins(floor, asked.episodes) for name, floor in floors.items()},
            ceiling=None if own is None else self.wins(own, asked.episodes),
            controls={name: share_of(control) for name, control in controls.items()},
            beats_chance=above_chance(won, 1 / config.num_candidates),
            beats_control={name: mcnemar(won, control) for name, control in controls.items()},
        )

    def usual(self, kinds: Collection[str], episodes: Episodes) -> Proportion | None:
        """Return the episodes won with the most common true message; None without a model."""
        if self.model is None:
            return None
        speaker = UsualSpeaker(self.composer.lexicon, self.model, kinds=kinds)
        return self.wins(speaker.speak(episodes.window), episodes)

    def wins(self, messages: IntArray, episodes: Episodes) -> Proportion:
        """Return the episodes won, among the expressed ones."""
        spoken = np.flatnonzero((messages != NOTHING).all(axis=1))
        return share_of(won_by(self.receiver, messages[spoken], episodes[spoken]))


def without_offset(composer: Composer, said: Composed, rng: np.random.Generator) -> dict[str, IntArray]:
    """Return the messages of pairs with other symbols instead of the offset, by `CONTROLS` (H2)."""
    other = rng.integers(0, composer.config.vocab_size, said.message.shape, dtype=np.int16)
    return {"zero": offset_replaced(composer, said, 0), "other": offset_replaced(composer, said, other)}
