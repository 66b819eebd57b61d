"""Asking a receiver with composed messages: does it understand what the lexicon says?"""

from __future__ import annotations

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import Proportion, share_of, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import won
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.players.compose import Composed, Composer
from spatial_game.language.players.decode import NOTHING, Decoder
from spatial_game.language.probing.exchange import exchange_parts
from spatial_game.language.probing.report import LexiconInPlay, ProbeReport

MOST_EXCHANGES = 5_000
"""Episodes in which parts of messages are exchanged. More would take long, and change little."""


def probe(
    receiver: Receiver,
    lexicon: Lexicon,
    episodes: Episodes,
    config: GameConfig | None = None,
    *,
    sender: Sender | None = None,
    rng: np.random.Generator | None = None,
) -> ProbeReport:
    """Speak to `receiver` with `lexicon`, and exchange the parts of what is said (see `exchange_parts`).

    `episodes` are ordinary ones of the game `config` (default: the lexicon's). `rng` draws the exchanged
    messages (default: a generator of seed 0). With a `sender`, the report compares the lexicon with it
    (`LexiconInPlay`).

    Raises `ValueError` for a game that is incompatible with the lexicon's.
    """
    config, rng = config or lexicon.config, rng or np.random.default_rng(0)
    composer = Composer(lexicon, config)
    said = composer.compose(episodes.window)
    wins = understood(receiver, said.message, episodes)
    return ProbeReport(
        ordinary=wins,
        coverage=share_of(said.expressed),
        chance=1 / config.num_candidates,
        faults=composer.faults,
        signature=f"{lexicon.signature} | probe n{len(episodes)}",
        spoken=None if sender is None else _spoken(sender, receiver, composer, said, wins, episodes),
        exchanges=exchange_parts(receiver, composer, episodes[:MOST_EXCHANGES], rng),
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
        read_right=share_of(won(episodes.target_index, read.choice)[read.unique]),
    )


def understood(receiver: Receiver, messages: IntArray, episodes: Episodes) -> Proportion:
    """Return the episodes won with messages (B, T), of those in which something is said."""
    spoken = np.flatnonzero((messages != NOTHING).all(axis=1))
    return share_of(won_by(receiver, messages[spoken], episodes[spoken]))
