"""Referents of the user's own: the labels that a function gives to windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.checks import require, require_takes
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.ngrams import joined, ngrams, whole_messages
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.associations import Associations
from spatial_game.language.npmi.count import count_together
from spatial_game.language.npmi.referents import Labels

LabelFunction: TypeAlias = Callable[[IntArray], npt.ArrayLike]
"""Returns a label (B,) for each of the windows (B, W): a text, a boolean, or an integer from 0 on.

A window with the text "" or a negative integer has no label.
"""


def count_labels(counts: Counts, label: LabelFunction, min_count: int) -> Associations:
    """Count n-grams and whole messages with the labels that a function gives to windows.

    Reads the episodes again.

    Raises `ValueError` for anything but one label for each window.
    """
    require_takes("label", label, "window")
    episodes, names = _episodes_by_label(counts, label)

    def referents(columns: Numbers) -> Labels:
        return Labels(columns, names)

    every = joined([ngrams(counts.messages), whole_messages(counts.messages)])
    return count_together(every, episodes, counts.message_totals, referents, min_count)


def _episodes_by_label(counts: Counts, label: LabelFunction) -> tuple[sp.csr_array[Any], tuple[str, ...]]:
    """Return (M, L), in how many episodes each message has each label, and the labels by alphabet."""
    number_of: dict[str, int] = {}
    message, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for ids, window, *_ in counts.episodes("labels need"):
        labels = _checked(label(window), len(window))
        has_one = labels != "" if labels.dtype.kind == "U" else labels >= 0
        different, which = np.unique(labels[has_one], return_inverse=True)
        numbers = [number_of.setdefault(str(each), len(number_of)) for each in different]
        message.append(ids[has_one])
        number.append(np.array(numbers, np.int64)[which])
    names = sorted(number_of)
    column = np.argsort([number_of[name] for name in names])
    rows, columns = np.concatenate(message), column[np.concatenate(number)]
    shape = len(counts.messages), len(names)
    return sp.csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape), tuple(names)


def _checked(found: npt.ArrayLike, num_windows: int) -> npt.NDArray[Any]:
    """Return labels as an array. Raises `ValueError` for anything but one label for each window."""
    labels = np.asarray(found)
    rule = f"label must return a text, a boolean or an integer for each of the {num_windows} windows"
    is_label = labels.shape == (num_windows,) and labels.dtype.kind in "Ubiu"
    require(is_label, rule, f"{labels.dtype} of shape {labels.shape}")
    return labels


def name_of_label(label: LabelFunction) -> str:
    """Return the name of a function, or of the class of another object that can be called."""
    return getattr(label, "__qualname__", type(label).__qualname__)
