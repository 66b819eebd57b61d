"""A grammar sketch: everything that is measured for it, from a recording and its dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.game.evaluation import AgentPair
from spatial_game.json_text import plain
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.counting.places import counts_by_place
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.dictionary.account import account
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.dictionary.describe import tabled
from spatial_game.language.lexicon.analyses import Account
from spatial_game.language.lexicon.entries import Rule
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.rule_table import RuleTable
from spatial_game.language.lexicon.wording import place_in_words
from spatial_game.language.page.heard import Heard, heard
from spatial_game.language.page.information import Information, information
from spatial_game.language.page.map import Phrasebook, phrasebook
from spatial_game.language.page.words import Reading, WordLists, readings, window_in_words, word_lists
from spatial_game.language.reading import read_in_words
from spatial_game.recording import NOBODY, Recording

LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE = 0.02, 0.01
"""A language whose dictionary explains fewer bits, or a smaller share of its bits, says nothing."""
EXAMPLES = 3
_MOST_EPISODES = 400_000
_COLUMNS = ("candidates", "target_index", "choice")


@dataclass(frozen=True)
class Built:
    """Bits an episode that rules of some kinds explain alone."""

    words: float
    """Words for integers with words for offsets."""
    parts: float
    """Rules about parts of messages: some of their symbols."""
    wholes: float
    """Rules about whole messages."""


@dataclass(frozen=True)
class Repeats:
    """Pairs of episodes with the same window: does the sender say the same?"""

    pairs: int
    same: int
    """Pairs with the same message, too."""

    @property
    def free_bits(self) -> float | None:
        """A lower bound of the bits that do not follow from the window; None if all pairs differ.

        The collision entropy, -log2 of the share of the same messages, is at most Shannon's.
        """
        return None if not self.same else float(np.log2(self.pairs / self.same))


@dataclass(frozen=True)
class Example:
    """An episode, and what its message says."""

    window: str
    message: str
    says: str
    target: int | None
    choice: int | None
    """The integer that the receiver chose; None if nobody did."""


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
    built: Built
    words: WordLists
    phrasebook: Phrasebook
    repeats: Repeats
    examples: tuple[Example, ...]
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
    first, ids, window = _first_episodes(counts)
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
        examples=_examples(first, lexicon),
        readings=readings(counts, lexicon, ids, window),
        num_messages=len(counts.messages),
        heard=None if pair is None else heard(pair, book),
    )


def _first_episodes(counts: Counts) -> tuple[Recording, Numbers, IntArray]:
    """Read the first 400,000 episodes: return a block, the rows of their messages (B,), and their windows."""
    blocks: list[Recording] = []
    for block in (block for source in counts.sources for block in source.blocks(columns=_COLUMNS)):
        blocks.append(block)
        if sum(map(len, blocks)) >= _MOST_EPISODES:
            break
    ids = np.concatenate([message_ids(counts, block.message) for block in blocks])
    first = next(block for block in blocks if len(block))
    return first, ids, np.concatenate([block.window for block in blocks])


def _built(counts: Counts, rules: tuple[Rule, ...]) -> Built:
    """Return what the rules of each kind explain alone."""
    shown = tabled(counts)
    observed = counts_by_place(counts.config, shown.table)

    def explained(kept: list[Rule]) -> float:
        if not kept:
            return 0.0
        belief = RuleTable(kept, counts.config).belief(shown.messages)
        return max(belief.explained(observed) / max(counts.total, 1), 0.0)

    kinds: dict[str, list[Rule]] = {"words": [], "parts": [], "wholes": []}
    for rule in rules:
        if rule.is_word or rule.is_offset:
            kinds["words"].append(rule)
        elif rule.form is not None:
            symbols = rule.form.symbols
            whole = len(symbols) == counts.config.message_length and None not in symbols
            kinds["wholes" if whole else "parts"].append(rule)
    return Built(**{kind: explained(kept) for kind, kept in kinds.items()})


def repeats(ids: Numbers, window: IntArray) -> Repeats:
    """Return how often the sender repeats its message (B,) when a window (B, W) comes again."""
    group = distinct_rows(window - window.min(initial=0))[1]
    times = (np.unique(keys, return_counts=True)[1] for keys in (group, group * (int(ids.max()) + 1) + ids))
    return Repeats(*(int((n * (n - 1) // 2).sum()) for n in times))


def _examples(block: Recording, lexicon: Lexicon) -> tuple[Example, ...]:
    """Return some episodes of a block, evenly spaced."""
    rows = sorted({len(block) * i // EXAMPLES for i in range(EXAMPLES)})
    says = read_in_words(lexicon, block.message[rows])
    found = []
    for row, words in zip(rows, says, strict=True):
        target = choice = None
        if block.candidates is not None and block.target_index is not None:
            target = int(block.candidates[row, block.target_index[row]])
        if block.candidates is not None and block.choice is not None and block.choice[row] != NOBODY:
            choice = int(block.candidates[row, block.choice[row]])
        found.append(
            Example(
                window_in_words(block.window[row].tolist()),
                " ".join(map(str, block.message[row].tolist())),
                words,
                target,
                choice,
            )
        )
    return tuple(found)
