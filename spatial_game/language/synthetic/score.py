"""How well an analysis recovered a known language."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.episodes import MASK, Episodes, IntArray
from spatial_game.language.forms import Form
from spatial_game.language.referents import Edge, Integer, IntegerAt, Offset, Referent
from spatial_game.language.synthetic.language import KnownEntry, Language


@dataclass(frozen=True)
class Score:
    """How well a lexicon agrees with a language."""

    recall: float
    """Share of the true entries that were found; 1 where there are none."""
    precision: float
    """Share of the entries found that are right; 1 where none were found."""
    missing: frozenset[KnownEntry]
    """True entries that were not found."""
    wrong: frozenset[KnownEntry]
    """Entries that are not right."""


def score(
    entries: Iterable[KnownEntry], language: Language, episodes: Episodes, *, least_share: float = 0.8
) -> Score:
    """Compare a lexicon with the truth, on `episodes` spoken of without noise.

    An entry is right if its referent holds in at least `least_share` of the episodes with its form. An
    offset, which is of what the rest of the message names, is right if it is in the truth. A form that
    never occurs without noise is wrong.
    """
    found = {(form, _in_order(referent)) for form, referent in entries}
    message = language.without_noise().send(episodes.window)
    wrong = frozenset(
        (form, referent)
        for form, referent in found
        if not _right(form, referent, language, episodes.window, message, least_share)
    )
    missing = language.truth - found
    return Score(
        recall=1 - len(missing) / len(language.truth) if language.truth else 1.0,
        precision=1 - len(wrong) / len(found) if found else 1.0,
        missing=missing,
        wrong=wrong,
    )


def _right(
    form: Form, referent: Referent, language: Language, window: IntArray, message: IntArray, share: float
) -> bool:
    if isinstance(referent, Offset):
        return (form, referent) in language.truth
    with_form = occurs(form, message)
    return bool(with_form.any() and holds(referent, language.config, window[with_form]).mean() >= share)


def occurs(form: Form, message: IntArray) -> npt.NDArray[np.bool_]:
    """In which of messages (B, T) a form stands, (B,)."""
    length = len(form.symbols)
    slots = range(message.shape[1] - length + 1) if form.slot is None else (form.slot,)
    found = np.zeros(len(message), dtype=np.bool_)
    for slot in slots:
        found |= (message[:, slot : slot + length] == form.symbols).all(axis=1)
    return found


def holds(
    referent: Edge | Integer | IntegerAt, config: GameConfig, window: IntArray
) -> npt.NDArray[np.bool_]:
    """In which of windows (B, W) a referent holds, (B,)."""
    column = (window == MASK).argmax(axis=1)
    if isinstance(referent, Edge):
        return np.asarray(np.array(config.edges)[column] == referent.name)
    if isinstance(referent, Integer):
        return np.asarray(np.isin(window, referent.values).any(axis=1))
    place = column + referent.offset
    inside = (place >= 0) & (place < window.shape[1])
    cell = window[np.arange(len(window)), np.where(inside, place, column)]
    return np.asarray(inside & np.isin(cell, referent.values))


def _in_order(referent: Referent) -> Referent:
    """The same referent with its integers in ascending order, as the truth has them."""
    if isinstance(referent, (Integer, IntegerAt)):
        return dataclasses.replace(referent, values=tuple(sorted(referent.values)))
    return referent
