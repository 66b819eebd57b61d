"""The exchange: take a part of a message from another message, and ask the receiver."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.game.policies import Receiver
from spatial_game.language.counting.rows import Numbers


def exchange(
    receiver: Receiver,
    message: IntArray,
    other: IntArray,
    slots: npt.ArrayLike,
    sequence: IntArray,
    candidates: IntArray,
) -> Numbers:
    """Return the receiver's choices (B,) after messages (B, T) with some slots taken from others (B, T).

    `slots` is True for the slots to take: one truth value, (T,) or (B, T). The receiver looks for the target
    in sequences (B, L), and chooses among candidates (B, C).
    """
    if len(message) == 0:
        return np.zeros(0, dtype=np.int64)
    asked = np.where(slots, other, message).astype(np.int16)
    return np.asarray(receiver.choose(asked, sequence, candidates), dtype=np.int64)
