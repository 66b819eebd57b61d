"""Entries of a lexicon: a form with its meaning, for people, and the rules that say it, for readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import EDGE, Places, edge_names, place_names, places_of
from spatial_game.language.dictionary.belief import prior_at
from spatial_game.language.dictionary.referents import (
    Edge,
    Either,
    Integer,
    IntegerAt,
    Offset,
    Part,
    Referent,
    Sense,
    kind_of,
    meaning_of,
    parts_of,
    referent_of_meaning,
    senses_of,
)
from spatial_game.language.dictionary.rules import Rule
from spatial_game.language.fields import items, mapping, number, shortened, whole

LARGEST = 2.0**63
"""The largest number of bits that a file may name."""
_SURE = 1e-9  # probabilities in a file are at least this far from 0 and 1


@dataclass(frozen=True)
class Entry:
    """One form and its meaning."""

    form: Form
    referent: Referent
    npmi: float
    confidence: float
    """Share of the form's episodes in which the referent holds."""
    count: int
    """Episodes with both."""
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
    shares: tuple[float, ...] = ()
    """Share of the form's episodes in which each sense of the referent holds, if it has several."""
    rules: tuple[Rule, ...] = ()
    """What readers and speakers use. Redundant entries have none."""

    def __post_init__(self) -> None:
        """Raise `ValueError` unless several senses have a share each."""
        senses = len(senses_of(self.referent))
        if senses > 1 and len(self.shares) != senses:
            raise ValueError(f"shares must have one for each of the {senses} senses; got {len(self.shares)}")

    @property
    def kind(self) -> str:
        """The referent's kind: edge, integer_at, integer, offset or conjunction."""
        return kind_of(self.referent)

    @property
    def senses(self) -> tuple[tuple[Sense, float], ...]:
        """The senses of the form, each with its share of the form's episodes."""
        return tuple(zip(senses_of(self.referent), self.shares or (self.confidence,), strict=True))

    def to_dict(self, config: GameConfig) -> dict[str, Any]:
        """Return the entry as JSON holds it (format version 3)."""
        return {
            "form": list(self.form.symbols),
            "slot": self.form.slot,
            "senses": [{"meaning": meaning_of(sense), "share": share} for sense, share in self.senses],
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
        meanings = tuple(referent_of_meaning(sense["meaning"], config) for sense in senses)
        shares = tuple(number("share", sense["share"], 0, 1) for sense in senses)
        if not isinstance(content["listed"], bool):
            raise ValueError(f"listed must be true or false; got {shortened(content['listed'])}")
        bits, cost = content["bits"], content["cost"]
        return cls(
            form,
            meanings[0] if len(meanings) == 1 else Either(meanings),
            npmi=npmi,
            confidence=confidence,
            count=whole("count", content["count"], 0),
            p_value=number("p_value", content["p_value"], 0, 1),
            q_value=number("q_value", content["q_value"], 0, 1),
            listed=content["listed"],
            interval=_interval(content["interval"]),
            bits=None if bits is None else number("bits", bits, 0, LARGEST),
            cost=None if cost is None else number("cost", cost, 0, LARGEST),
            shares=shares if len(shares) > 1 else (),
            rules=tuple(
                rule_from_dict(rule, form, npmi, config) for rule in items("rules", content["rules"])
            ),
        )


def rules_from_confidence(entries: Sequence[Entry], config: GameConfig) -> Iterator[tuple[Rule, ...]]:
    """Yield the rules of entries that were selected by NPMI.

    The probability of a rule is the share of the senses that speak of its place (by the Krichevsky-Trofimov
    estimate); the parts of an only sense are taken to be equally sure. What was expected is what the game
    itself leads to expect. What the game does not have is left out.
    """
    places = places_of(config)
    priors = [prior_at(places, place) for place in range(len(places))]
    for entry in entries:
        episodes = entry.count / max(entry.confidence, _SURE)
        # Senses about one place are one rule.
        values: dict[int | None, set[int]] = {}
        shares: dict[int | None, float] = {}
        for sense, share in entry.senses:
            named_by_sense = [named for part in parts_of(sense) for named in _named_by(part, config, places)]
            for place, categories in named_by_sense:
                values.setdefault(place, set()).update(categories)
            for place in {place for place, _ in named_by_sense}:
                shares[place] = shares.get(place, 0.0) + share
        parts = len(values) if len(entry.senses) == 1 else 1
        yield tuple(
            Rule(
                entry.form,
                place,
                tuple(sorted(named)),
                ((min(shares[place], entry.confidence) * episodes + 0.5) / (episodes + 1)) ** (1 / parts),
                0.0 if place is None else float(priors[place][list(named)].sum()),
                strength=0.0 if place is not None and named else entry.npmi,
            )
            for place, named in values.items()
        )


def _named_by(part: Part, config: GameConfig, places: Places) -> Iterator[tuple[int | None, list[int]]]:
    """Yield the place that a part speaks of, None for a word, and the categories that it names there."""
    if isinstance(part, Edge):
        if part.name in config.edges:
            yield places.edge, [edge_names(config).index(part.name)]
    elif isinstance(part, Offset):
        if part.value in config.offsets:
            yield config.offsets.index(part.value), []
    else:
        values = [value for value in part.values if value in config.integers]
        if values and isinstance(part, Integer):
            yield None, values
        elif values and isinstance(part, IntegerAt) and part.offset in config.offsets:
            yield config.offsets.index(part.offset), values


def rule_to_dict(rule: Rule, config: GameConfig) -> dict[str, Any]:
    """Return a rule as JSON holds it, without its form."""
    is_edge = rule.place == len(config.offsets)
    content = {
        "place": None if rule.place is None else place_names(config)[rule.place],
        "values": [edge_names(config)[value] for value in rule.values] if is_edge else list(rule.values),
        "probability": rule.probability,
        "expected": rule.expected,
        "rest": rule.rest,
        "cost": rule.cost,
    }
    return {name: value for name, value in content.items() if name != "rest" or value is not None}


def rule_from_dict(content: Any, form: Form | None, strength: float, config: GameConfig) -> Rule:
    """Return the rule that `rule_to_dict` described. Raises `ValueError` naming field, rule and value."""
    given, names, edges = mapping("a rule", content), place_names(config), edge_names(config)
    name, values, rest = given["place"], items("values", given["values"]), given.get("rest")
    if name is not None and name not in names:
        raise ValueError(
            f"the place of a rule must be among {shortened([*names], 200)}; got {shortened(name)}"
        )
    if name == EDGE:
        unknown = [value for value in values if value not in edges]
        if unknown:
            raise ValueError(f"edges must be among {shortened(edges, 200)}; got {shortened(unknown[0])}")
        values = [edges.index(value) for value in values]
    else:
        values = [whole("a value", value, 0, len(config.integers) - 1) for value in values]
    if len(set(values)) < len(values) or (not values and name in (None, EDGE)):
        raise ValueError(f"values must differ, and a word must have at least one; got {shortened(values)}")
    return Rule(
        form,
        None if name is None else names.index(name),
        tuple(sorted(values)),
        number("probability", given["probability"], 0, 1),
        number("expected", given["expected"], 0, 1),
        None if rest is None else number("rest", rest, 0, LARGEST),
        cost=number("cost", given["cost"], 0, LARGEST),
        strength=strength if name is None or not values else 0.0,
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
