"""A language on one page: its dictionary, what each message means, and how often that is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask, draw_episodes
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Agents
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.build import build_dictionary, fitted_bits
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.interpreter import Interpreter, interpreter
from spatial_game.language.dictionary.readings import LEAST_SURE, Reading
from spatial_game.language.probing import ProbeReport, probe

MOST = 10_000
"""The number of most frequent messages that are read."""
LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE = 0.02, 0.01
"""A dictionary that explains fewer bits, or a smaller share of the messages' bits, explains nothing."""
MOST_FITTED = 1.1
"""There are too few episodes if the dictionary explains this number of times the bits of held-out episodes on
those that it was built from: the difference is what it says by chance."""
PROBE_EPISODES = 2_000
_MOST_EPISODES = 400_000
_WINDOWS = 2  # that are shown for each message


@dataclass(frozen=True)
class Message:
    """A message, what it means, and how often that is true."""

    symbols: tuple[int, ...]
    reading: Reading
    adds: bool
    """Whether the whole message says more than its symbols by themselves."""
    episodes: int
    held_out: int
    """Held-out episodes with this message."""
    true: int
    """Held-out episodes in which the reading is true."""
    windows: tuple[str, ...]
    """Some of the windows for which it was sent."""

    @property
    def is_sure(self) -> bool:
        """Whether the reading may be true at least half of the time: no interval of its truth excludes it."""
        return self.reading.is_sure and self._measured.interval[1] >= LEAST_SURE

    @property
    def measured(self) -> str:
        """In how many held-out episodes it is true: "4 of 5 (38% to 96%)", or nothing without any."""
        low, high = self._measured.interval
        return f"{self.true:,} of {self.held_out:,} ({low:.0%} to {high:.0%})" if self.held_out else ""

    @property
    def _measured(self) -> Proportion:
        return Proportion(self.true, self.held_out)

    def __str__(self) -> str:
        return " ".join(map(str, self.symbols))


@dataclass(frozen=True)
class Page:
    """What the page of a language shows. `sections.sections` puts it into words."""

    name: str
    """The agents, or the recording."""
    dictionary: Dictionary
    messages: tuple[Message, ...]
    """The most frequent messages, at most `MOST`, the most frequent one first."""
    num_messages: int
    """Different messages that were sent."""
    fitted_bits: float
    """What the dictionary explains of the episodes that it was built from, in bits an episode."""
    heard: ProbeReport | None
    """What the receiver makes of it; None without one."""

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.dictionary.config

    @cached_property
    def interpreter(self) -> Interpreter:
        """What the dictionary says, in words."""
        return interpreter(self.dictionary)

    @property
    def words(self) -> list[Message]:
        """The messages that say more than their symbols by themselves."""
        return [message for message in self.messages if message.adds]

    @property
    def says_nothing(self) -> bool:
        """Whether the dictionary finds nothing: it explains next to no bits."""
        bits = self.dictionary.bits
        return bits.messages < max(LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE * bits.entropy)

    @property
    def too_few(self) -> bool:
        """Whether there are too few episodes: the dictionary says much that is so by chance."""
        return self.fitted_bits > MOST_FITTED * self.dictionary.bits.messages

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, for JSON."""
        return {
            "name": self.name,
            "signature": self.dictionary.signature,
            "episodes": self.dictionary.total,
            "bits": asdict(self.dictionary.bits),
            "fitted_bits": self.fitted_bits,
            "says_nothing": self.says_nothing,
            "too_few": self.too_few,
            "of_another_game": self.dictionary.bits.of_another_game,
            "heard": None if self.heard is None else self.heard.to_dict(),
        }


def make_page(
    counts: Counts, dictionary: Dictionary | None = None, *, name: str = "", agents: Agents | None = None
) -> Page:
    """Return the page of a language.

    `dictionary`: its dictionary; made from the counts by default. `agents`: the agents that speak it; their
    receiver then hears changed messages. The same input gives the same page.

    Raises `ValueError` for counts without episodes, or without sources.
    """
    dictionary = dictionary or build_dictionary(counts)
    return Page(
        name or "this recording",
        dictionary,
        _messages(counts, dictionary),
        len(counts.messages),
        fitted_bits(dictionary, counts),
        None if agents is None else _heard(agents, dictionary),
    )


def _messages(counts: Counts, dictionary: Dictionary) -> tuple[Message, ...]:
    """Return the most frequent messages with what they mean, and how often that is true when held out."""
    ids, window, held_out = _first_episodes(counts)
    order = np.argsort(-counts.message_totals, kind="stable")[:MOST]
    by_message = np.argsort(ids, kind="stable")
    first, end = (np.searchsorted(ids[by_message], order, side) for side in ("left", "right"))
    adding = {entry.ngram.symbols for entry in interpreter(dictionary).messages}
    found = []
    for i, reading in enumerate(interpreter(dictionary).read(counts.messages[order])):
        own = by_message[first[i] : end[i]]
        measured = window[own[held_out[own]]]
        symbols = tuple(counts.messages[order[i]].tolist())
        found.append(
            Message(
                symbols,
                reading,
                adds=symbols in adding,
                episodes=int(counts.message_totals[order[i]]),
                held_out=len(measured),
                true=int(reading.true_of(measured).sum()),
                windows=tuple(map(window_text, window[own[:_WINDOWS]].tolist())),
            )
        )
    return tuple(found)


def _first_episodes(counts: Counts) -> tuple[Numbers, IntArray, Mask]:
    """Read the first 400,000 episodes: rows of messages (B,), windows (B, W), and which are held out (B,)."""
    parts, number = [], 0
    for part in counts.episodes("a page needs"):
        parts.append(part)
        number += len(part[0])
        if number >= _MOST_EPISODES:
            break
    ids, windows, held_out = zip(*parts, strict=True)
    return np.concatenate(ids), np.concatenate(windows), np.concatenate(held_out)


def _heard(agents: Agents, dictionary: Dictionary) -> ProbeReport:
    """Ask the receiver in new episodes."""
    rng = np.random.default_rng(random_stream(0, "page"))
    episodes = draw_episodes(agents.config, PROBE_EPISODES, rng)
    return probe(agents.receiver, dictionary, episodes, agents.config, sender=agents.sender, rng=rng)


def window_text(window: Sequence[int]) -> str:
    """Return a window as a person writes it: "?" is the target, "*" a hidden cell."""
    return " ".join({-1: "?", -2: "*"}.get(cell, str(cell)) for cell in window)
