"""Entries of a lexicon: a form with its rules, for readers, and the meaning that follows, for people.

A rule says that messages with this form say that one of these values stands at this place. What a message
says is the product of the factors of its rules: each multiplies what is believed of a place by p / e for the
values that it names and by (1 - p) / (1 - e) for all others, where p is its probability and e the share that
was believed without it. Where a band is wrong, what is meant lies near: the values beside it weigh more than
others, and 1 - e is weighted likewise.

A *word* names integers and leaves open where they stand; a word for an offset, beside it in the message, says
where. The strongest such pair of a message makes a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import prior_at
from spatial_game.language.fields import MOST_BITS, items, mapping, number, shortened, whole
from spatial_game.language.lexicon.meaning import ANYWHERE, Meaning, Meanings, in_text, kind_of, merged

NEAR = (40.0, 4.0)
"""The weights of the first and the second value beside a band; other values outside weigh 1. Where a band is
wrong, what is meant lies near."""


@dataclass(frozen=True)
class Rule:
    """Messages with this form say that one of these values stands at this place."""

    form: Form | None
    """None: the rule is about all messages that have no other rule about its place."""
    meaning: Meaning
    """Of a word, the offset beside it names the place; of an offset, the word beside it names the values."""
    probability: float
    """How often this is so: p."""
    expected: float
    """How often it was believed to be so without the rule: e. Of a word, it follows from the place."""
    rest: float | None = None
    """Of a band, 1 - e with the values near it weighted (`NEAR`). None: misses are not near."""
    saved: float = field(default=0.0, compare=False)
    """Bits that the rule saved in the episodes from which it was made; not in files."""
    cost: float = 0.0
    """Bits to write it."""
    strength: float = field(default=0.0, compare=False)
    """Of words and offsets: the NPMI. In a message with several pairs, the strongest one counts."""

    @property
    def is_word(self) -> bool:
        """Whether it names integers without a place."""
        return self.meaning.place is None

    @property
    def is_offset(self) -> bool:
        """Whether it names a place for the word beside it."""
        return not self.meaning.values


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """Return a rule as JSON holds it, without its form."""
    content = {
        **rule.meaning.to_dict(),
        "probability": rule.probability,
        "expected": rule.expected,
        "cost": rule.cost,
    }
    return content if rule.rest is None else {**content, "rest": rule.rest}


def rule_from_dict(content: Any, form: Form | None, strength: float, config: GameConfig) -> Rule:
    """Return the rule that `rule_to_dict` described. Raises `ValueError` naming field, rule and value."""
    given = mapping("a rule", content)
    rest = given.get("rest")
    return Rule(
        form,
        Meaning.from_dict(given, config),
        number("probability", given["probability"], 0, 1),
        number("expected", given["expected"], 0, 1),
        None if rest is None else number("rest", rest, 0, MOST_BITS),
        cost=number("cost", given["cost"], 0, MOST_BITS),
        strength=strength,
    )


def expected_of(meaning: Meaning, config: GameConfig) -> float:
    """Return how often a meaning holds in the game itself; 0 of a word, which names no place."""
    place, values = meaning.numbers(config)
    return 0.0 if place == ANYWHERE else float(prior_at(config, place)[values].sum())


def fits_in(form: Form | None, config: GameConfig) -> bool:
    """Return whether a form can stand in a message of this game."""
    if form is None:
        return True
    room = config.message_length - len(form.symbols)
    placed = room >= 0 and (form.slot is None or 0 <= form.slot <= room)
    return placed and all(symbol is None or 0 <= symbol < config.vocab_size for symbol in form.symbols)


@dataclass(frozen=True)
class Sense:
    """What a form means in a share of its episodes."""

    meanings: Meanings
    """What holds together."""
    share: float


Alternative: TypeAlias = tuple[tuple[int, ...], float]
"""The numbers of the meanings of an entry that hold together, and the share of the form's episodes."""


@dataclass(frozen=True)
class Entry:
    """One form with its rules, from which its meaning follows."""

    form: Form
    rules: tuple[Rule, ...]
    """What readers and speakers use, in the order in which people are told."""
    npmi: float
    confidence: float
    """Share of the form's episodes in which the meaning holds."""
    count: int
    """Episodes with the form in which it holds."""
    p_value: float
    """The probability of so close a relation by chance; in a dictionary, an upper bound of it."""
    q_value: float | None = None
    """The same, corrected for many tests; None in a dictionary, whose code allows for all that it may say."""
    listed: bool = True
    """Whether tables show the entry. Others count with it: better entries make them redundant, or their
    meaning is not sure enough to be asserted."""
    bits: float | None = None
    """What the form tells by this entry: bits that an episode with the form is shortened by, on average. None
    where entries are selected by NPMI."""
    alternatives: tuple[Alternative, ...] = ()
    """Of a form whose meanings do not hold together: which ones do, the most frequent first."""

    @cached_property
    def senses(self) -> tuple[Sense, ...]:
        """What the form means: one sense, or its alternatives."""
        meanings = merged(rule.meaning for rule in self.rules)
        if not self.alternatives:
            return (Sense(meanings, self.confidence),)
        return tuple(
            Sense(tuple(meanings[i] for i in numbers), share) for numbers, share in self.alternatives
        )

    @property
    def meanings(self) -> tuple[Meanings, ...]:
        """What holds together in each sense."""
        return tuple(sense.meanings for sense in self.senses)

    @property
    def episodes(self) -> int:
        """Episodes with the form."""
        return round(self.count / self.confidence) if self.confidence else 0

    @property
    def meaning(self) -> str:
        """The senses in the words of the paper's table 3."""
        return " or ".join(map(in_text, self.meanings))

    @property
    def kind(self) -> str:
        """The kind of the most frequent sense: edge, integer_at, integer, offset or conjunction."""
        return kind_of(self.senses[0].meanings)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as JSON holds it, without what it does not have."""
        alternatives = [{"meanings": [*numbers], "share": share} for numbers, share in self.alternatives]
        others = {"q_value": self.q_value, "bits": self.bits}
        return {
            "form": list(self.form.symbols),
            "slot": self.form.slot,
            "rules": [rule_to_dict(rule) for rule in self.rules],
            **({"alternatives": alternatives} if alternatives else {}),
            "listed": self.listed,
            "npmi": self.npmi,
            "confidence": self.confidence,
            "count": self.count,
            "p_value": self.p_value,
            **{name: value for name, value in others.items() if value is not None},
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], config: GameConfig) -> Entry:
        """Return the entry that `to_dict` described.

        Raises `ValueError` naming field, rule and value.
        """
        mapping("an entry", content)
        form, npmi = _form(content["form"], content["slot"], config), number("npmi", content["npmi"], -1, 1)
        rules = [rule_from_dict(rule, form, npmi, config) for rule in items("rules", content["rules"])]
        if not rules:
            raise ValueError("rules must have at least one; got none")
        if len(rules) > 1 and any(rule.is_word or rule.is_offset for rule in rules):
            raise ValueError(f"rules with a word or an offset must be a single one; got {len(rules)}")
        if not isinstance(content["listed"], bool):
            raise ValueError(f"listed must be true or false; got {shortened(content['listed'])}")
        num_meanings = len(merged(rule.meaning for rule in rules))
        alternatives = items("alternatives", content.get("alternatives", []))
        return cls(
            form,
            tuple(rules),
            npmi,
            confidence=number("confidence", content["confidence"], 0, 1),
            count=whole("count", content["count"], 0),
            p_value=number("p_value", content["p_value"], 0, 1),
            q_value=number("q_value", content["q_value"], 0, 1) if "q_value" in content else None,
            listed=content["listed"],
            bits=number("bits", content["bits"], 0, MOST_BITS) if "bits" in content else None,
            alternatives=tuple(_alternative(each, num_meanings) for each in alternatives),
        )


def by_role(entries: Iterable[Entry]) -> tuple[list[Entry], list[Entry], list[Entry]]:
    """Return the entries that name a place and values, the words, and the offsets that stand beside them."""
    roles: dict[str, list[Entry]] = {"place": [], "integer": [], "offset": []}
    for entry in entries:
        roles[entry.kind if entry.kind in roles else "place"].append(entry)
    return roles["place"], roles["integer"], roles["offset"]


def _alternative(content: Any, num_meanings: int) -> Alternative:
    given = mapping("an alternative", content)
    numbers = [whole("meanings", i, 0, num_meanings - 1) for i in items("meanings", given["meanings"])]
    if not numbers:
        raise ValueError("meanings must be at least one; got none")
    return tuple(numbers), number("share", given["share"], 0, 1)


def _form(symbols: Any, slot: Any, config: GameConfig) -> Form:
    """Return a form as JSON holds it, where null leaves a symbol open; without nulls at its ends."""
    length, largest = len(items("form", symbols)), config.vocab_size - 1
    if not 1 <= length <= config.message_length:
        raise ValueError(f"form must hold 1 to {config.message_length} symbols; got {length}")
    given = [i for i, symbol in enumerate(symbols) if symbol is not None]
    if not given:
        raise ValueError("form must hold at least one symbol that is not null; got none")
    if slot is not None:
        slot = whole("slot", slot, 0, config.message_length - length) + given[0]
    kept = symbols[given[0] : given[-1] + 1]
    return Form(tuple(None if s is None else whole("form", s, 0, largest) for s in kept), slot)
