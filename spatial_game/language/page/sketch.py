"""A grammar sketch: everything that is measured for it, from a recording and its dictionary."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.game.evaluation import AgentPair
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import counts_by_place
from spatial_game.language.dictionary.account import Account, account
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.rules import Rule, RuleTable
from spatial_game.language.dictionary.words import edge_in_words, place_in_words
from spatial_game.language.page.heard import Heard, heard
from spatial_game.language.page.information import Information, information
from spatial_game.language.page.map import NONE, Phrasebook, phrasebook
from spatial_game.language.page.search import MOST, Reading, readings
from spatial_game.language.page.silence import Silence, silence
from spatial_game.language.page.words import WordLists, word_lists
from spatial_game.language.players.reading import read_in_words
from spatial_game.recording import NOBODY, Recording

LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE = 0.02, 0.01
"""A language whose dictionary explains fewer bits, or a smaller share of its bits, says nothing."""


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
class Example:
    """An episode, and what its message says."""

    window: tuple[int, ...]
    message: tuple[int, ...]
    says: str
    target: int | None
    choice: int | None
    """The integer that the receiver chose; None if nobody did."""


@dataclass(frozen=True)
class Sketch:
    """What a language tells, how its messages are built, its words, and where it is silent.

    `sentences.sections` puts it into words.
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
    silence: Silence
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
        return (*map(place_in_words, self.config.offsets), EDGE_IN_WORDS)

    @property
    def says_nothing(self) -> bool:
        """Whether there is nothing to learn: the dictionary explains next to nothing."""
        explained = self.silence.explained_bits
        return explained < max(LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE * self.account.message_bits)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures, for JSON. In the map, a message is null where nothing was sent."""
        information = self.information
        names = [*map(str, self.config.offsets), "edge"]
        return {
            "name": self.name,
            "episodes": self.episodes,
            "signature": self.signature,
            "says_nothing": self.says_nothing,
            "account": self.account.to_dict(),
            "information": {
                "places": names,
                "to_tell": information.entropy.tolist(),
                "by_message": information.whole.tolist(),
                "by_slot": information.by_slot.tolist(),
                "by_prefix": information.by_prefix.tolist(),
                "only_together": information.together.tolist(),
                "unordered": information.unordered.tolist(),
                "named": [
                    {"places": [names[place] for place in places], "share": share}
                    for places, share in information.named.items()
                ],
            },
            "built": asdict(self.built),
            "words": {**asdict(self.words), "synonyms": self.words.synonyms},
            "map": self._map(),
            "edges": {name: self._edge(name) for name in self.phrasebook.edges},
            "silence": self._silence(),
            "examples": [asdict(example) for example in self.examples],
            "heard": None if self.heard is None else asdict(self.heard),
        }

    def _map(self) -> dict[str, Any]:
        shown = self.phrasebook.map
        return {
            "kind": shown.kind,
            "offsets": shown.offsets,
            "messages": [[self.message_at(int(row)) for row in line] for line in shown.message],
            "shares": shown.share.tolist(),
            "episodes": shown.episodes.tolist(),
        }

    def message_at(self, row: int) -> list[int] | None:
        """Return the message of a row of the map: a list of symbols, or None for none."""
        if row == NONE:
            return None
        return [row] if self.phrasebook.map.kind == "symbols" else self.phrasebook.messages[row].tolist()

    def message_of(self, row: int) -> list[int]:
        """Return the message of a row of the messages that are usual at an edge."""
        message: list[int] = self.phrasebook.messages[row].tolist()
        return message

    def _edge(self, name: str) -> dict[str, Any]:
        at = self.phrasebook.edges[name]
        messages = self.phrasebook.messages
        return {
            "words": edge_in_words(name),
            "offset": at.offset,
            "message": messages[at.usual.message].tolist(),
            "share": at.usual.share,
            "share_by_integer": at.usual_share,
            "by_integer": [
                None if each.message == NONE else messages[each.message].tolist() for each in at.by_integer
            ],
        }

    def _silence(self) -> dict[str, Any]:
        silence = self.silence
        return {
            "unexplained_bits": silence.unexplained,
            "naive_bayes_bits": silence.by_counts,
            "half_bits": silence.half_bits,
            "repeated_windows": silence.repeats.pairs,
            "repeated_messages": silence.repeats.same,
        }


EDGE_IN_WORDS = "near an end"


def sketch(
    counts: Counts, lexicon: Lexicon | None = None, *, name: str = "", pair: AgentPair | None = None
) -> Sketch:
    """Return the sketch of a language.

    `lexicon`: its dictionary; made from the counts by default. `pair`: the agents that speak it; their
    receiver then hears changed messages. The same input gives the same sketch.

    Raises `ValueError` for counts without episodes.
    """
    if not counts.total:
        raise ValueError("a sketch needs a recording with at least one episode; got none")
    if not lexicon:
        lexicon = Lexicon.from_counts(counts)
    rules, bits_told = lexicon.rules, information(counts)
    listed = [rule for entry in lexicon.listed for rule in entry.rules]
    bits = account(counts, rules, listed)  # a lexicon may be of other episodes
    book = phrasebook(counts, bits_told)
    return Sketch(
        name or "this recording",
        counts.config,
        counts.total,
        lexicon.signature,
        bits,
        bits_told,
        _built(counts, rules),
        word_lists(lexicon),
        book,
        silence(counts, bits),
        _examples(counts, lexicon),
        readings(counts, lexicon),
        len(counts.messages),
        None if pair is None else heard(pair, book),
    )


def _built(counts: Counts, rules: tuple[Rule, ...]) -> Built:
    """Return what the rules of each kind explain alone."""
    shown = counts.most_frequent(MOST)
    observed, length = counts_by_place(counts.config, shown.table), counts.config.message_length

    def explained(kept: list[Rule]) -> float:
        if not kept:
            return 0.0
        table = RuleTable(kept, counts.config)
        return max(table.belief(shown.messages).explained(observed) / max(shown.total, 1), 0.0)

    paired = [rule for rule in rules if rule.is_word or rule.is_offset]
    others = [rule for rule in rules if not (rule.is_word or rule.is_offset or rule.form is None)]
    wholes = [r for r in others if r.form and len(r.form.symbols) == length and None not in r.form.symbols]
    whole = set(map(id, wholes))
    return Built(explained(paired), explained([r for r in others if id(r) not in whole]), explained(wholes))


def _examples(counts: Counts, lexicon: Lexicon, number: int = 3) -> tuple[Example, ...]:
    """Return some episodes of the first block of the recording, evenly spaced."""
    block = next(iter(counts.sources[0].blocks()), None) if counts.sources else None
    if block is None:
        return ()
    return tuple(
        _example(block, row, lexicon) for row in sorted({len(block) * i // number for i in range(number)})
    )


def _example(block: Recording, row: int, lexicon: Lexicon) -> Example:
    target = choice = None
    if block.candidates is not None and block.target_index is not None:
        target = int(block.candidates[row, block.target_index[row]])
    if block.candidates is not None and block.choice is not None and block.choice[row] != NOBODY:
        choice = int(block.candidates[row, block.choice[row]])
    message = block.message[row]
    says = read_in_words(lexicon, message[None])[0]
    return Example(tuple(block.window[row].tolist()), tuple(message.tolist()), says, target, choice)
