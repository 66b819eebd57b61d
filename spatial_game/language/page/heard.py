"""What a receiver makes of a language: parts exchanged, symbols in another order, and messages of the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray, draw_episodes
from spatial_game.game.evaluation import AgentPair
from spatial_game.game.rules import won
from spatial_game.game.seeds import stream
from spatial_game.language.page.map import Phrasebook
from spatial_game.language.probing import exchange

EPISODES = 2_000


@dataclass(frozen=True)
class Heard:
    """Shares of new episodes in which the receiver of a pair finds the target."""

    episodes: int
    own: float
    """With the messages of its own sender."""
    exchanged: tuple[float, ...]
    """With the symbol of one slot, for each slot, taken from the message of another episode."""
    shuffled: float
    """With the symbols in another order, drawn for each message."""
    phrasebook: float
    """With the message that a person finds in the map."""
    chance: float


def heard(pair: AgentPair, phrasebook: Phrasebook) -> Heard:
    """Play 2,000 new episodes with changed messages, and return how often the receiver is right."""
    rng = np.random.default_rng(stream(0, "sketch"))
    episodes = draw_episodes(pair.config, EPISODES, rng)
    own = pair.sender.send(episodes.window)
    others = own[rng.permutation(len(own))]

    def right(other: IntArray, slots: npt.ArrayLike = True) -> float:
        choice = exchange(pair.receiver, own, other, slots, episodes.sequence, episodes.candidates)
        return float(won(episodes.target_index, choice).mean())

    return Heard(
        EPISODES,
        right(own),
        tuple(right(others, slot) for slot in np.eye(own.shape[1], dtype=bool)),
        right(rng.permuted(own, axis=1)),
        right(phrasebook.send(episodes.window)),
        1 / pair.config.num_candidates,
    )
