"""Rules: "messages with this form say that one of these values stands at this place".

A dictionary is a list of rules, whichever way they were found. What a message says is the product of the
factors of its rules: each multiplies what is believed of a place by p / e for the values that it names and by
(1 - p) / (1 - e) for all others, where p is its probability and e the share that was believed without it.
Where a band is wrong, what is meant lies near: the values beside it weigh more than others, and 1 - e is
weighted likewise.

A *word* names integers and leaves open where they stand; a word for an offset, beside it in the message, says
where. The strongest such pair of a message makes a rule.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import prior_at
from spatial_game.language.fields import MOST_BITS, mapping, number
from spatial_game.language.meaning import Meaning

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
    place, values = meaning.numbers(config) or (None, [])
    return 0.0 if place is None else float(prior_at(config, place)[values].sum())


def fits_in(form: Form | None, config: GameConfig) -> bool:
    """Return whether a form can stand in a message of this game."""
    if form is None:
        return True
    room = config.message_length - len(form.symbols)
    placed = room >= 0 and (form.slot is None or 0 <= form.slot <= room)
    return placed and all(symbol is None or 0 <= symbol < config.vocab_size for symbol in form.symbols)
