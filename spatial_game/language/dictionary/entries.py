"""Entries of a lexicon: a form with its meaning, for people, and the rules that say it, for readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import places_of
from spatial_game.language.dictionary.belief import prior_at
from spatial_game.language.dictionary.rules import Rule
from spatial_game.language.fields import items, mapping, number, shortened, whole
from spatial_game.language.meaning import Meaning, Meanings, in_text, kind_of, meanings_from

LARGEST = 2.0**63
"""The largest number of bits that a file may name."""
_SURE = 1e-9  # probabilities in a file are at least this far from 0 and 1


@dataclass(frozen=True)
class Sense:
    """What a form means in a share of its episodes."""

    meanings: Meanings
    """What holds together."""
    share: float


@dataclass(frozen=True)
class Entry:
    """One form and its meaning."""

    form: Form
    senses: tuple[Sense, ...]
    """One or more, the most frequent first: the target is the first, or the second."""
    npmi: float
    confidence: float
    """Share of the form's episodes in which one of the senses holds."""
    count: int
    """Episodes with the form in which one of them holds."""
    p_value: float
    q_value: float
    listed: bool = True
    """Whether tables show the entry. Others count with it: better entries make them redundant, or their
    meaning is not sure enough to be asserted."""
    interval: tuple[float, float] | None = None
    """95% interval of the NPMI, if intervals were asked for."""
    bits: float | None = None
    """What the form tells by this entry: bits that an episode with the form is shortened by, on average."""
    cost: float | None = None
    """Bits to write the entry. Both are None where entries are selected by NPMI."""
    rules: tuple[Rule, ...] = ()
    """What readers and speakers use. Redundant entries have none."""

    @property
    def meanings(self) -> tuple[Meanings, ...]:
        """What holds together in each sense."""
        return tuple(sense.meanings for sense in self.senses)

    @property
    def meaning(self) -> str:
        """The senses in the words of the paper's table 3."""
        return " or ".join(map(in_text, self.meanings))

    @property
    def kind(self) -> str:
        """The kind of the most frequent sense: edge, integer_at, integer, offset or conjunction."""
        return kind_of(self.senses[0].meanings)

    def to_dict(self, config: GameConfig) -> dict[str, Any]:
        """Return the entry as JSON holds it."""
        return {
            "form": list(self.form.symbols),
            "slot": self.form.slot,
            "senses": [
                {"meanings": [meaning.to_dict() for meaning in sense.meanings], "share": sense.share}
                for sense in self.senses
            ],
            "listed": self.listed,
            "npmi": self.npmi,
            "confidence": self.confidence,
            "count": self.count,
            "p_value": self.p_value,
            "q_value": self.q_value,
            "interval": None if self.interval is None else list(self.interval),
            "bits": self.bits,
            "cost": self.cost,
            "rules": [rule_to_dict(rule, config) for rule in self.rules],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], config: GameConfig) -> Entry:
        """Return the entry that `to_dict` described.

        Raises `ValueError` naming field, rule and value.
        """
        mapping("an entry", content)
        form = _form(content["form"], content["slot"], config)
        confidence = number("confidence", content["confidence"], 0, 1)
        npmi = number("npmi", content["npmi"], -1, 1)
        senses = [mapping("a sense", sense) for sense in items("senses", content["senses"])]
        if not senses:
            raise ValueError("senses must have at least one; got none")
        if not isinstance(content["listed"], bool):
            raise ValueError(f"listed must be true or false; got {shortened(content['listed'])}")
        bits, cost = content["bits"], content["cost"]
        return cls(
            form,
            tuple(
                Sense(meanings_from(sense["meanings"], config), number("share", sense["share"], 0, 1))
                for sense in senses
            ),
            npmi=npmi,
            confidence=confidence,
            count=whole("count", content["count"], 0),
            p_value=number("p_value", content["p_value"], 0, 1),
            q_value=number("q_value", content["q_value"], 0, 1),
            listed=content["listed"],
            interval=_interval(content["interval"]),
            bits=None if bits is None else number("bits", bits, 0, LARGEST),
            cost=None if cost is None else number("cost", cost, 0, LARGEST),
            rules=tuple(
                rule_from_dict(rule, form, npmi, config) for rule in items("rules", content["rules"])
            ),
        )


def rules_from_confidence(entries: Sequence[Entry], config: GameConfig) -> Iterator[Entry]:
    """Yield entries that were selected by NPMI, the listed ones with the rules that follow from their shares.

    The probability of a rule is the share of the senses that speak of its place (by the Krichevsky-Trofimov
    estimate); the parts of an only sense are taken to be equally sure. What was expected is what the game
    itself leads to expect. What the game does not have is left out.
    """
    places = places_of(config)
    priors = [prior_at(places, place) for place in range(len(places))]
    for entry in entries:
        if not entry.listed or entry.count == 0:
            yield entry
            continue
        episodes = entry.count / max(entry.confidence, _SURE)
        # Senses about one place are one rule.
        values: dict[int | None, set[int]] = {}
        shares: dict[int | None, float] = {}
        for sense in entry.senses:
            named = [numbers for meaning in sense.meanings if (numbers := meaning.numbers(config))]
            for place, categories in named:
                values.setdefault(place, set()).update(categories)
            for place in {place for place, _ in named}:
                shares[place] = shares.get(place, 0.0) + sense.share
        parts = len(values) if len(entry.senses) == 1 else 1
        rules = tuple(
            Rule(
                entry.form,
                place,
                tuple(sorted(categories)),
                ((min(shares[place], entry.confidence) * episodes + 0.5) / (episodes + 1)) ** (1 / parts),
                0.0 if place is None else float(priors[place][list(categories)].sum()),
                strength=0.0 if place is not None and categories else entry.npmi,
            )
            for place, categories in values.items()
        )
        yield replace(entry, rules=rules)


def rule_to_dict(rule: Rule, config: GameConfig) -> dict[str, Any]:
    """Return a rule as JSON holds it, without its form."""
    content = {
        **Meaning.of(config, rule.place, rule.values).to_dict(),
        "probability": rule.probability,
        "expected": rule.expected,
        "rest": rule.rest,
        "cost": rule.cost,
    }
    return {name: value for name, value in content.items() if name != "rest" or value is not None}


def rule_from_dict(content: Any, form: Form | None, strength: float, config: GameConfig) -> Rule:
    """Return the rule that `rule_to_dict` described. Raises `ValueError` naming field, rule and value."""
    given = mapping("a rule", content)
    place, values = Meaning.from_dict(given, config).numbers(config) or (None, [])
    rest = given.get("rest")
    return Rule(
        form,
        place,
        tuple(sorted(values)),
        number("probability", given["probability"], 0, 1),
        number("expected", given["expected"], 0, 1),
        None if rest is None else number("rest", rest, 0, LARGEST),
        cost=number("cost", given["cost"], 0, LARGEST),
        strength=strength if place is None or not values else 0.0,
    )


def _interval(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    low, high = (number("interval", value, -1, 1) for value in items("interval", given, 2))
    if low > high:
        raise ValueError(f"the ends of an interval must be in order; got {[low, high]}")
    return low, high


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
