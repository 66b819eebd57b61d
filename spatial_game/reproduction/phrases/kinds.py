"""Asking a receiver with phrases of each kind: the paper's section 5.3 and table 2.

Phrases are drawn from the lexicon, episodes are changed so that the phrases are true, and the messages go to
the receiver without the sender. Beside each accuracy stand its floors (chance, the messages of other phrases,
random messages) and its ceiling (the sender's messages).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.evaluation import Proportion, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.probing.probe import understood
from spatial_game.language.probing.report import NOTHING_ASKED, ProbeReport, as_json, share_of
from spatial_game.reproduction.phrases.asking import ask, shuffled
from spatial_game.reproduction.phrases.hypotheses import above_chance, mcnemar
from spatial_game.reproduction.phrases.phrase_table import KINDS, PhraseTable
from spatial_game.tables import Table, Value, between

CONTROLS = {"zero": "Compositional-NP (symbol 0)", "other": "Compositional-NP (random symbols)"}
"""What stands in place of the offset in a control, with its name in the paper's table 2."""
DRAWS = 10
"""Independent draws into which the episodes of an accuracy are divided, to show how much it varies."""


@dataclass(frozen=True)
class KindReport:
    """How well a receiver understood the phrases of one kind."""

    kind: str
    """A key of `KINDS`."""
    phrases: int
    """Entries of the kind that can be spoken; for compositional the pairs that fit."""
    coverage: Proportion
    """Ordinary episodes that such phrases can express."""
    accuracy: Proportion = NOTHING_ASKED
    draws: tuple[Proportion, ...] = ()
    """The same episodes as DRAWS draws, each with phrases and episodes of its own, as the paper drew them."""
    floors: Mapping[str, Proportion] = dataclasses.field(default_factory=dict)
    """`shuffled`: messages of phrases of this kind that are not true there, as a lexicon with shuffled
    meanings would send; nothing is asked where all are true. `random`: random symbols."""
    ceiling: Proportion | None = None
    """The sender's own messages in these episodes, if there was a sender."""
    controls: Mapping[str, Proportion] = dataclasses.field(default_factory=dict)
    """Compositional phrases without their offset, by the keys of `CONTROLS`; the same episodes."""
    beats_chance: float = 1.0
    """H1: p-value of an accuracy above chance (`above_chance`); 1 if nothing was asked."""
    beats_control: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """H2: p-value of the offset helping (`mcnemar`)."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        found = as_json(self)
        renamed = {"p_chance": found.pop("beats_chance"), "p_control": found.pop("beats_control")}
        del found["kind"]
        return {"name": KINDS[self.kind], **found, "draws": draws_to_dict(self.draws), **renamed}


def probe_kinds(
    receiver: Receiver,
    lexicon: Lexicon,
    episodes: Episodes,
    config: GameConfig | None = None,
    *,
    sender: Sender | None = None,
    rng: np.random.Generator | None = None,
    fillers: IntArray | None = None,
) -> tuple[KindReport, ...]:
    """Ask `receiver` with phrases of a lexicon by NPMI, as many of each kind as there are `episodes`.

    The arguments are those of `spatial_game.language.probe`. Raises `ValueError` as `PhraseTable` does.
    """
    asker = Asker(receiver, sender, rng or np.random.default_rng(0))
    return tuple(asker.report(PhraseTable(kind, lexicon, config, fillers), episodes) for kind in KINDS)


@dataclass(frozen=True)
class Asker:
    """A receiver, and everything that it is asked with beside phrases."""

    receiver: Receiver
    sender: Sender | None
    rng: np.random.Generator

    def report(self, table: PhraseTable, episodes: Episodes) -> KindReport:
        """Ask with phrases of one kind."""
        coverage = share_of(table.expressible(episodes.window))
        if len(table) == 0 or len(episodes) == 0:
            return KindReport(table.kind, len(table), coverage)
        asked, config = ask(table, episodes, self.rng), table.config
        there, message = asked.episodes, asked.said.message
        random, other = (self.rng.integers(0, config.vocab_size, message.shape, np.int16) for _ in range(2))
        floors = {"shuffled": shuffled(table, asked, self.rng), "random": random}
        without = {"zero": np.zeros_like(other), "other": other} if table.kind == "compositional" else {}
        won = won_by(self.receiver, message, there)
        controls = {
            name: won_by(self.receiver, table.offset_replaced(asked.phrase, asked.said, by), there)
            for name, by in without.items()
        }
        own = None if self.sender is None else self.sender.send(there.window)
        return KindReport(
            table.kind,
            len(table),
            coverage,
            accuracy=share_of(won),
            draws=draws_of(won),
            floors={name: understood(self.receiver, floor, there) for name, floor in floors.items()},
            ceiling=None if own is None else understood(self.receiver, own, there),
            controls={name: share_of(control) for name, control in controls.items()},
            beats_chance=above_chance(won, 1 / config.num_candidates),
            beats_control={name: mcnemar(won, control) for name, control in controls.items()},
        )


def table_of_kinds(kinds: Sequence[KindReport], report: ProbeReport) -> Table:
    """Return the paper's table 2 for one receiver; the last row is about ordinary episodes."""
    rows = []
    for kind in kinds:
        others = (kind.floors.get("shuffled"), kind.ceiling)
        rows.append((KINDS[kind.kind], kind.phrases, *_cells(kind.accuracy, *others)))
        rows += [(CONTROLS[name], None, *_cells(part)) for name, part in kind.controls.items()]
    rows.append(("any, in ordinary episodes", None, *_cells(report.ordinary)))
    heading = "Phrases | Number :, | Accuracy :.1% | 95% interval | Shuffled :.1%"
    return Table.of(f"{heading} | Sender :.1%", rows)


def draws_of(won: Mask, number: int = DRAWS) -> tuple[Proportion, ...]:
    """Divide episodes, in their order, into draws of equal size; fewer where there are fewer episodes."""
    parts = np.array_split(won, min(number, len(won))) if len(won) else []
    return tuple(share_of(part) for part in parts)


def draws_to_dict(draws: Sequence[Proportion]) -> dict[str, Any]:
    """Return number, mean and standard deviation of draws, for JSON; no deviation of less than two draws."""
    values = [draw.accuracy for draw in draws]
    return {
        "number": len(values),
        "mean": float(np.mean(values)) if values else None,
        "deviation": float(np.std(values, ddof=1)) if len(values) > 1 else None,
    }


def _cells(accuracy: Proportion, *others: Proportion | None) -> tuple[Value, ...]:
    """Return an accuracy with its interval, and two other accuracies, of which some may be missing."""
    interval = between(accuracy.interval, ".1%") if accuracy.trials else "no such phrases"
    shown = [part.accuracy if part and part.trials else None for part in (accuracy, *others)]
    return (shown[0], interval, *shown[1:], *[None] * (2 - len(others)))
