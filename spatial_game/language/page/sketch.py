"""A grammar sketch: everything that is measured for it, from a recording and its dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_episodes
from spatial_game.game.evaluation import AgentPair, won_by
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import stream
from spatial_game.json_text import plain
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.counting.places import counts_by_place
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.dictionary.account import account
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.lexicon.analyses import Account
from spatial_game.language.lexicon.entries import Rule
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.rule_table import RuleTable
from spatial_game.language.lexicon.wording import place_in_words
from spatial_game.language.page.information import Information, information
from spatial_game.language.page.map import Phrasebook, phrasebook
from spatial_game.language.page.words import Reading, WordLists, readings, word_lists

LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE = 0.02, 0.01
"""A language whose dictionary explains fewer bits, or a smaller share of its bits, says nothing."""
HEARD_EPISODES = 2_000
_MOST_EPISODES = 400_000


@dataclass(frozen=True)
class Repeats:
    """Pairs of episodes with the same window: does the sender say the same?"""

    pairs: int
    same: int
    """Pairs with the same message, too."""

    @property
    def free_bits(self) -> float:
        """A lower bound of the bits that do not follow from the window.

        The collision entropy, -log2 of the share of the same messages, is at most Shannon's.
        """
        return float(np.log2(max(self.pairs, 1) / max(self.same, 1)))


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


@dataclass(frozen=True)
class Sketch:
    """What a language tells, how its messages are built, its words, and where it is silent.

    `sections.sections` puts it into words.
    """

    name: str
    """The agents, or the recording."""
    config: GameConfig
    episodes: int
    signature: str
    account: Account
    information: Information
    built: Mapping[str, float]
    """Bits an episode that the rules of each kind explain alone: "words" for integers with words for offsets,
    rules about "parts" of messages, and rules about "wholes"."""
    words: WordLists
    phrasebook: Phrasebook
    repeats: Repeats
    readings: tuple[Reading, ...]
    """The most frequent messages, and what they mean by the dictionary."""
    num_messages: int
    """Different messages that were sent."""
    heard: Heard | None
    """What the receiver makes of it; None without one."""

    @property
    def places(self) -> tuple[str, ...]:
        """The places of a window in words: each of `config.offsets`, then "near an end"."""
        return (*map(place_in_words, self.config.offsets), "near an end")

    @property
    def explained_bits(self) -> float:
        """The bits that the dictionary explains: of held-out episodes, if there are any."""
        held = self.account.held_out_bits
        return self.account.explained_bits if held is None else held

    @property
    def says_nothing(self) -> bool:
        """Whether there is nothing to learn: the dictionary explains next to nothing."""
        return self.explained_bits < max(LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE * self.account.message_bits)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        content: dict[str, Any] = plain(
            {**vars(self), "places": self.places, "says_nothing": self.says_nothing}
        )
        return content


def sketch(
    counts: Counts, lexicon: Lexicon | None = None, *, name: str = "", pair: AgentPair | None = None
) -> Sketch:
    """Return the sketch of a language.

    `lexicon`: its dictionary; made from the counts by default. `pair`: the agents that speak it; their
    receiver then hears changed messages. The same input gives the same sketch.

    Raises `ValueError` for counts without episodes.
    """
    if not counts.total or not counts.sources:
        raise ValueError("a sketch needs a recording with at least one episode; got none")
    if lexicon is None:
        lexicon = dictionary_of(counts)
    ids, window = _first_episodes(counts)
    bits = information(counts)
    book = phrasebook(counts, bits, ids, window)
    return Sketch(
        name=name or "this recording",
        config=counts.config,
        episodes=counts.total,
        signature=lexicon.signature,
        # The account of a lexicon may be of other episodes.
        account=account(counts, lexicon.rules),
        information=bits,
        built=_built(counts, lexicon.rules),
        words=word_lists(lexicon),
        phrasebook=book,
        repeats=repeats(ids, window),
        readings=readings(counts, lexicon, ids, window),
        num_messages=len(counts.messages),
        heard=None if pair is None else heard(pair, book),
    )


def _first_episodes(counts: Counts) -> tuple[Numbers, IntArray]:
    """Read the first 400,000 episodes: return the rows of their messages (B,), and their windows (B, W)."""
    ids, windows, number = [], [], 0
    for block in (block for source in counts.sources for block in source.blocks(columns=())):
        ids.append(message_ids(counts, block.message))
        windows.append(block.window)
        number += len(block)
        if number >= _MOST_EPISODES:
            break
    return np.concatenate(ids), np.concatenate(windows)


def _built(counts: Counts, rules: tuple[Rule, ...]) -> dict[str, float]:
    """Return what the rules of each kind explain alone."""
    shown = counts.frequent
    observed = counts_by_place(counts.config, shown.table)
    kinds: dict[str, list[Rule]] = {"words": [], "parts": [], "wholes": []}
    for rule in rules:
        if rule.is_word or rule.is_offset:
            kinds["words"].append(rule)
        elif rule.form is not None:
            symbols = rule.form.symbols
            whole = len(symbols) == counts.config.message_length and None not in symbols
            kinds["wholes" if whole else "parts"].append(rule)
    bits = dict.fromkeys(kinds, 0.0)
    for kind, kept in kinds.items():
        if kept:
            explained = RuleTable(kept, counts.config).belief(shown.messages).explained(observed)
            bits[kind] = max(explained / max(counts.total, 1), 0.0)
    return bits


def repeats(ids: Numbers, window: IntArray) -> Repeats:
    """Return how often the sender repeats its message (B,) when a window (B, W) comes again."""
    group = distinct_rows(window - window.min(initial=0))[1]
    times = (np.unique(keys, return_counts=True)[1] for keys in (group, group * (int(ids.max()) + 1) + ids))
    return Repeats(*(int((n * (n - 1) // 2).sum()) for n in times))


def heard(pair: AgentPair, book: Phrasebook) -> Heard:
    """Play 2,000 new episodes with changed messages, and return how often the receiver is right."""
    rng = np.random.default_rng(stream(0, "sketch"))
    episodes = draw_episodes(pair.config, HEARD_EPISODES, rng)
    own = ask_sender(pair.sender, episodes.window, pair.config)
    others = own[rng.permutation(len(own))]

    def right(other: IntArray, slots: npt.ArrayLike = True) -> float:
        heard = np.where(slots, other, own).astype(np.int16)
        return float(won_by(pair.receiver, heard, episodes).mean())

    return Heard(
        HEARD_EPISODES,
        right(own),
        tuple(right(others, slot) for slot in np.eye(own.shape[1], dtype=bool)),
        right(rng.permuted(own, axis=1)),
        right(book.send(episodes.window)),
        1 / pair.config.num_candidates,
    )
