"""A description as a flat list: which form says what of which place, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.search import Layer, Plan

_DOMINATES = 0.75
"""A symbol that stands in so many of a form's episodes belongs to the form: the others are misspellings."""


@dataclass(frozen=True)
class Statement:
    """One form, one place, and the categories that may stand there."""

    form: Form
    place: int
    inside: Mask  # (C,)
    factor: FloatArray  # (C,), by what the belief is multiplied
    saved: float  # bits, on all episodes that the dictionary was built from
    cost: float  # bits
    ends: tuple[float, float]  # of a band, the weights of its first and its last integer


def statements(plans: Sequence[Plan], messages: IntArray, n: FloatArray) -> list[Statement]:
    """Return what the plans of all places state about messages (R, T) with n (R,) episodes."""
    found = []
    for place, plan in enumerate(plans):
        for layer in plan.layers:
            forms = _forms(layer, messages, n)
            told, factors = layer.statements, layer.statements.factors()
            found += [
                Statement(
                    form,
                    place,
                    told.inside[i],
                    factors[i],
                    float(told.saved[i]),
                    float(told.cost[i] + layer.form_bits),
                    (float(told.ends[i, 0]), float(told.ends[i, 1])),
                )
                for i, form in enumerate(forms)
            ]
    return found


def _forms(layer: Layer, messages: IntArray, n: FloatArray) -> list[Form]:
    """Return the forms of a layer. One that a single message has, noise apart, is that message."""
    pattern, rows = layer.pattern, layer.forms
    incidence = pattern.incidence[rows]
    length = messages.shape[1]
    symbols = np.full((len(rows), length), -1, dtype=np.int64)
    if pattern.slots is not None:
        symbols[:, list(pattern.slots)] = pattern.symbols[rows]
    open_slots = [slot for slot in range(length) if pattern.slots is None or slot not in pattern.slots]
    whole = np.ones(len(rows), dtype=bool)
    for slot in open_slots:
        number = int(messages[:, slot].max()) + 1
        by_symbol = np.zeros((len(rows), number))
        entries = incidence.tocoo()
        np.add.at(by_symbol, (entries.row, messages[entries.col, slot]), n[entries.col])
        top = by_symbol.argmax(axis=1)
        clear = by_symbol.max(axis=1) >= _DOMINATES * by_symbol.sum(axis=1)
        symbols[:, slot] = np.where(clear, top, -1)
        whole &= clear
    found = []
    for i, row in enumerate(rows.tolist()):
        if pattern.slots is None and not whole[i]:
            found.append(Form(tuple(pattern.symbols[row].tolist()), None))
            continue
        given = np.flatnonzero(symbols[i] >= 0)
        kept = symbols[i, given[0] : given[-1] + 1].tolist()
        found.append(Form(tuple(None if s < 0 else s for s in kept), int(given[0])))
    return found
