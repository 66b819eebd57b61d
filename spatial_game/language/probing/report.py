"""The results of a probe, as text and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Mask
from spatial_game.game.evaluation import Proportion
from spatial_game.language.players.compose import Faults
from spatial_game.language.probing.asking import KINDS
from spatial_game.tables import Table, Value, between

CONTROLS = {"zero": "Compositional-NP (symbol 0)", "other": "Compositional-NP (random symbols)"}
"""The controls by what replaces the offset, with their names in the paper's table 2."""
DRAWS = 10
"""Number of independent draws into which the episodes of an accuracy are divided, to show its variation."""


NOTHING_ASKED = Proportion(0, 0)


@dataclass(frozen=True)
class KindReport:
    """How well a receiver understood the phrases of one kind."""

    kind: str
    """A key of `KINDS`."""
    phrases: int
    """Entries of the kind that fit into messages; for compositional, the pairs that fit."""
    coverage: Proportion
    """Ordinary episodes that such phrases can express."""
    accuracy: Proportion = NOTHING_ASKED
    draws: tuple[Proportion, ...] = ()
    """The same episodes as DRAWS draws, each with separate phrases and episodes, as in the paper."""
    usual: Proportion | None = None
    """The same episodes with the most common true message of the kind (`UsualSpeaker`), if there was a model;
    over the episodes that have one."""
    floors: Mapping[str, Proportion] = dataclasses.field(default_factory=dict)
    """`shuffled`: messages of phrases of this kind that are not true, as a lexicon with shuffled meanings
    would send (skipped if all are true). `random`: random symbols."""
    ceiling: Proportion | None = None
    """The sender's messages in these episodes, if there was a sender."""
    controls: Mapping[str, Proportion] = dataclasses.field(default_factory=dict)
    """Compositional phrases without their offset, by the keys of `CONTROLS`; the same episodes."""
    beats_chance: float = 1.0
    """H1: p-value of an accuracy above chance (`above_chance`); 1 without episodes."""
    beats_control: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """H2: p-value of the offset helping (`mcnemar`)."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        found = as_json(self)
        renamed = {"p_chance": found.pop("beats_chance"), "p_control": found.pop("beats_control")}
        del found["kind"]
        return {"name": KINDS[self.kind], **found, "draws": draws_to_dict(self.draws), **renamed}


EXCHANGED = {
    "integer": "one integer",
    "band": "a band of integers",
    "set": "a set of integers",
    "class": "a class of integers",
    "edge": "an edge",
    "offset": "the offset of integers",
}
"""The kinds of parts of a description that are exchanged, with their names."""


@dataclass(frozen=True)
class LexiconInPlay:
    """The lexicon in place of the sender and of the receiver, on the same ordinary episodes."""

    understood: Proportion
    """Episodes in which the receiver finds the target after a composed message."""
    own: Proportion
    """Episodes in which it finds the target after the sender's own message."""
    expressed: Proportion
    """Episodes for which the lexicon has a message."""
    read_unique: Proportion
    """Episodes in which the lexicon's reading of the sender's message leaves exactly one candidate."""
    read_right: Proportion
    """Among them, episodes in which this candidate is the target."""

    @property
    def relative(self) -> float | None:
        """Accuracy with composed messages, divided by the pair's own accuracy."""
        return self.understood.successes / self.own.successes if self.own.successes else None

    def to_dict(self) -> dict[str, Any]:
        """Return shares for JSON; null without episodes."""
        shares = {
            field.name: part.accuracy if (part := getattr(self, field.name)).trials else None
            for field in dataclasses.fields(self)
        }
        return {**shares, "relative": self.relative, "episodes": self.own.trials}


@dataclass(frozen=True)
class PartExchange:
    """Choices of the target when one part of a message was true and when it was false; the rest was true."""

    agreeing: Proportion
    disagreeing: Proportion


@dataclass(frozen=True)
class ProbeReport:
    """How well a receiver understands messages of a lexicon."""

    kinds: tuple[KindReport, ...]
    ordinary: Proportion
    """Episodes won with the strongest phrase, among the ordinary episodes that the lexicon can express."""
    ordinary_usual: Proportion | None
    """Episodes won with the most common true message, if there was a model."""
    coverage: Proportion
    """Ordinary episodes that the lexicon can express."""
    chance: float
    faults: Faults
    signature: str
    spoken: LexiconInPlay | None = None
    """The lexicon in place of either agent, if there was a sender."""
    exchanges: Mapping[str, PartExchange] = dataclasses.field(default_factory=dict)
    """By kind of part (`exchanges.EXCHANGED`), whether it affects the receiver; for descriptions."""

    def of(self, kind: str) -> KindReport:
        """Return the report of a kind."""
        return next(report for report in self.kinds if report.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {
            **as_json(self),
            "kinds": {report.kind: report.to_dict() for report in self.kinds},
            "spoken": None if self.spoken is None else self.spoken.to_dict(),
        }

    @property
    def table(self) -> Table:
        """The paper's table 2 for one receiver."""
        rows = []
        for kind in self.kinds:
            others = (kind.usual, kind.floors.get("shuffled"), kind.ceiling)
            rows.append((KINDS[kind.kind], kind.phrases, *_cells(kind.accuracy, *others)))
            rows += [(CONTROLS[name], None, *_cells(part)) for name, part in kind.controls.items()]
        rows.append(("any, in ordinary episodes", None, *_cells(self.ordinary, self.ordinary_usual)))
        heading = "Phrases | Number :, | Accuracy :.1% | 95% interval | Most common :.1% | Shuffled :.1%"
        return Table.of(f"{heading} | Sender :.1%", rows)

    @property
    def exchange_table(self) -> Table:
        """How often a message is understood if a part of it is true and if it is false, by kind of part."""
        rows = tuple(
            (EXCHANGED[kind], part.agreeing.trials, part.agreeing.accuracy, part.disagreeing.accuracy)
            for kind, part in self.exchanges.items()
            if part.agreeing.trials
        )
        heading = "Part | Episodes :, | Understood if it agrees :.1% | Understood if not :.1%"
        return Table.of(heading, rows)

    def __str__(self) -> str:
        covered = f"The lexicon can express {self.coverage.accuracy:.1%} of ordinary episodes"
        table = self.exchange_table if self.exchanges else self.table
        return f"{table.to_text()}\n{covered}; chance is {self.chance:.0%}.\nsignature  {self.signature}"


def as_json(value: Any) -> Any:
    """Return a report as JSON has it: dataclasses as objects, proportions as `Proportion.to_dict`."""
    if isinstance(value, Proportion):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: as_json(one) for name, one in value.items()}
    return [as_json(one) for one in value] if isinstance(value, (tuple, list)) else value


def share_of(won: Mask) -> Proportion:
    """Return the share of a mask that is true."""
    return Proportion(int(np.sum(won)), len(won))


def draws_of(won: Mask, number: int = DRAWS) -> tuple[Proportion, ...]:
    """Divide episodes, in their order, into draws of equal size; fewer draws if there are fewer episodes."""
    parts = np.array_split(won, min(number, len(won))) if len(won) else []
    return tuple(share_of(part) for part in parts)


def draws_to_dict(draws: Sequence[Proportion]) -> dict[str, Any]:
    """Return number, mean and standard deviation of draws for JSON; no deviation for fewer than two."""
    values = [draw.accuracy for draw in draws]
    return {
        "number": len(values),
        "mean": float(np.mean(values)) if values else None,
        "deviation": float(np.std(values, ddof=1)) if len(values) > 1 else None,
    }


def _cells(accuracy: Proportion, *others: Proportion | None) -> tuple[Value, ...]:
    """Return an accuracy with its interval, and three other accuracies; some of these may be missing."""
    interval = between(accuracy.interval, ".1%") if accuracy.trials else "no such phrases"
    shown = [part.accuracy if part and part.trials else None for part in (accuracy, *others)]
    return (shown[0], interval, *shown[1:], *[None] * (3 - len(others)))
