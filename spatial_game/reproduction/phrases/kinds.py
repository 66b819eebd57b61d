"""Asking a receiver with phrases of each kind: the paper's section 5.3 and table 2.

Phrases are drawn from the lexicon, episodes are changed so that the phrases are true, and the messages go to
the receiver without the sender. Beside each accuracy stand its floors (chance, the messages of other phrases,
random messages) and its ceiling (the sender's messages).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.evaluation import Proportion, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.probing.probe import understood
from spatial_game.language.probing.report import NOTHING_ASKED, share_of
from spatial_game.reproduction.inference import above_chance, accuracy, mcnemar, with_interval
from spatial_game.reproduction.phrases.asking import ask, shuffled
from spatial_game.reproduction.phrases.phrase_table import KINDS, PhraseTable
from spatial_game.tables import Table, Value

CONTROLS = {"zero": "Compositional-NP (symbol 0)", "other": "Compositional-NP (random symbols)"}
"""What stands in place of the offset in a control, with its name in the paper's table 2."""
DRAWS = 10
"""Independent draws into which the episodes of an accuracy are divided, to show how much it varies."""


def probe_kinds(
    receiver: Receiver,
    lexicon: Lexicon,
    episodes: Episodes,
    config: GameConfig | None = None,
    *,
    sender: Sender | None = None,
    rng: np.random.Generator | None = None,
    fillers: IntArray | None = None,
) -> dict[str, dict[str, Any]]:
    """Ask `receiver` with phrases of a lexicon by NPMI, as many of each kind as there are `episodes`.

    The arguments are those of `spatial_game.language.probing.probe`. Returns `ask_kind` by kind. Raises
    `ValueError` as `PhraseTable` does.
    """
    rng = rng or np.random.default_rng(0)
    tables = (PhraseTable(kind, lexicon, config, fillers) for kind in KINDS)
    return {table.kind: ask_kind(receiver, table, episodes, rng, sender) for table in tables}


def ask_kind(
    receiver: Receiver,
    table: PhraseTable,
    episodes: Episodes,
    rng: np.random.Generator,
    sender: Sender | None,
) -> dict[str, Any]:
    """Return how well a receiver understands phrases of one kind.

    `coverage`: ordinary episodes that such phrases can express. `draws`: the same episodes as independent
    draws. `floors`: messages of phrases that are not true there (`shuffled`; nothing is asked where all are
    true), and random symbols. `ceiling`: the sender's own messages, if there is a sender. `controls`:
    compositional phrases without their offset. `p_chance`, `p_control`: p-values of H1 and H2.
    """
    report = {
        "name": KINDS[table.kind],
        "phrases": len(table),
        "coverage": share_of(table.expressible(episodes.window)).to_dict(),
        "accuracy": NOTHING_ASKED.to_dict(),
        "draws": draws_of(np.zeros(0, dtype=bool)),
        "floors": {},
        "ceiling": None,
        "controls": {},
        "p_chance": 1.0,
        "p_control": {},
    }
    if len(table) == 0 or len(episodes) == 0:
        return report
    asked, config = ask(table, episodes, rng), table.config
    there, message = asked.episodes, asked.said.message
    random, other = (rng.integers(0, config.vocab_size, message.shape, np.int16) for _ in range(2))
    floors = {"shuffled": shuffled(table, asked, rng), "random": random}
    without = {"zero": np.zeros_like(other), "other": other} if table.kind == "compositional" else {}
    won = won_by(receiver, message, there)
    controls = {
        name: won_by(receiver, table.offset_replaced(asked.phrase, asked.said, by), there)
        for name, by in without.items()
    }
    own = None if sender is None else understood(receiver, sender.send(there.window), there)
    return report | {
        "accuracy": share_of(won).to_dict(),
        "draws": draws_of(won),
        "floors": {name: understood(receiver, floor, there).to_dict() for name, floor in floors.items()},
        "ceiling": own and own.to_dict(),
        "controls": {name: share_of(control).to_dict() for name, control in controls.items()},
        "p_chance": above_chance(won, 1 / config.num_candidates),
        "p_control": {name: mcnemar(won, control) for name, control in controls.items()},
    }


def draws_of(won: Mask) -> dict[str, Any]:
    """Divide episodes, in their order, into draws of equal size; return their number, mean and deviation."""
    parts = np.array_split(won, min(DRAWS, len(won))) if len(won) else []
    values = [float(part.mean()) for part in parts]
    return {
        "number": len(values),
        "mean": float(np.mean(values)) if values else None,
        "deviation": float(np.std(values, ddof=1)) if len(values) > 1 else None,
    }


def table_of_kinds(kinds: Mapping[str, Mapping[str, Any]], ordinary: Proportion) -> Table:
    """Return the paper's table 2 for one receiver; the last row is about ordinary episodes."""
    rows: list[tuple[Value, ...]] = []
    for kind in kinds.values():
        others = (kind["floors"].get("shuffled"), kind["ceiling"])
        rows.append((kind["name"], kind["phrases"], *_cells(kind["accuracy"], others)))
        rows += [(CONTROLS[name], None, *_cells(part)) for name, part in kind["controls"].items()]
    rows.append(("any, in ordinary episodes", None, *_cells(ordinary.to_dict())))
    heading = "Phrases | Number :, | Accuracy :.1% | 95% interval | Shuffled :.1% | Sender :.1%"
    return Table.of(heading, rows)


def _cells(own: Mapping[str, Any], others: Sequence[Any] = (None, None)) -> tuple[Value, ...]:
    """Return an accuracy with its interval, and two other accuracies."""
    share, interval = with_interval(own)
    return (share, interval or "no such phrases", *map(accuracy, others))
