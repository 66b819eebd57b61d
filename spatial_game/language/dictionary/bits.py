"""What messages tell in bits, and what follows from that, in sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass

from spatial_game.language.dictionary.thresholds import (
    EXCESS_BY_CHANCE,
    MOST_FITTED,
    MOST_UNKNOWN,
)


@dataclass(frozen=True)
class Bits:
    """What messages tell, in bits an episode; all but entropies are measured on held-out episodes.

    The P variables are the integers at `config.offsets`, then the view: which cells are seen. No figure is
    above the entropy of what is told, nor above that of the symbols or messages that tell it.
    """

    entropy: float
    """The entropy of the messages: they can tell at most this. It is estimated (Chao, Wang and Jost 2013), so
    messages that were not seen count, too."""
    messages: float
    """What the dictionary explains: the mean of log2 p(window | message) / q(window)."""
    symbols: float
    """The same by symbols alone."""
    messages_by_variable: tuple[float, ...]
    """(P,), of each variable by itself."""
    symbols_by_variable: tuple[float, ...]
    """(P,), by symbols alone."""
    slots_by_variable: tuple[tuple[float, ...], ...]
    """(T, P), by the symbol of one slot alone."""
    possible_by_variable: tuple[float, ...]
    """(P,), the most that could be told: the entropy of the variable in the recording."""
    episodes: int
    """Held-out episodes."""
    unknown: float
    """The share of the held-out episodes whose message is not known, and is read by its symbols."""

    @property
    def by_chance(self) -> float:
        """By how many bits the held-out episodes may be unlike others by chance."""
        return EXCESS_BY_CHANCE / math.sqrt(max(self.episodes, 1))

    def too_few_text(self, fitted: float) -> str:
        """Return a warning if the dictionary says much by chance; otherwise nothing.

        `fitted` are the bits that it explains of an episode that it was built from (`fitted_bits`).
        """
        if fitted <= MOST_FITTED * max(self.messages, 0.0) + self.by_chance:
            return ""
        return (
            f"There are too few episodes: the dictionary explains {fitted:.2f} bits of those that it was "
            f"built from, and {max(self.messages, 0.0):.2f} of others. So part of what it says holds of "
            "these episodes alone."
        )

    @property
    def has_few(self) -> bool:
        """Whether so many messages are new that their entropy may be higher than the estimate."""
        return self.unknown > MOST_UNKNOWN

    @property
    def text(self) -> str:
        """What messages carry, and how much of it the dictionary explains, in a few sentences."""
        carried = f"A message carries {self.entropy:.2f} bits."
        if self.has_few:
            carried = (
                f"A message carries about {self.entropy:.2f} bits. With this number of messages, there are "
                "too few episodes to be sure."
            )
        if self.episodes == 0:
            return f"{carried} What is explained is measured on every tenth episode, and there are fewer."
        return (
            f"{carried} The dictionary explains {max(self.messages, 0.0):.2f} of them. "
            f"This was measured on {self.episodes:,} episodes that were held out. In {self.unknown:.1%} of "
            "them, the message was new, and was read by its symbols."
        )
