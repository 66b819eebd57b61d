"""Referents of the user's own: the labels that a function gives to windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

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
    number_of: dict[str, int] = {}
    message, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for ids, window, *_ in counts.episodes("labels need"):
        labels = np.asarray(label(window))
        rule = f"label must return a text, a boolean or an integer for each of the {len(window)} windows"
        require(labels.shape == (len(window),) and labels.dtype.kind in "Ubiu", rule, _described(labels))
        has_one = labels != "" if labels.dtype.kind == "U" else labels >= 0
        different, which = np.unique(labels[has_one], return_inverse=True)
        numbers = [number_of.setdefault(str(each), len(number_of)) for each in different]
        message.append(ids[has_one])
        number.append(np.array(numbers, np.int64)[which])
    names = tuple(sorted(number_of))
    order = {name: column for column, name in enumerate(names)}
    columns = np.array([order[name] for name in number_of], np.int64)[np.concatenate(number)]
    rows = np.concatenate(message)
    shape = len(counts.messages), len(names)
    episodes = sp.csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape)

    def referents(columns: Numbers) -> Labels:
        return Labels(columns, names)

    every = joined([ngrams(counts.messages), whole_messages(counts.messages)])
    return count_together(every, episodes, counts.message_totals, referents, min_count)


def name_of_label(label: LabelFunction) -> str:
    """Return the name of a function, or of the class of another object that can be called."""
    return getattr(label, "__qualname__", type(label).__qualname__)


def _described(labels: npt.NDArray[np.generic]) -> str:
    return f"{labels.dtype} of shape {labels.shape}"
