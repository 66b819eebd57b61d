"""Dialects: how often senders send the same message for the same window, and their tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import FloatArray


class Branch(NamedTuple):
    """Where two groups of senders join."""

    left: int
    """A sender, or S plus the number of an earlier branch."""
    right: int
    agreement: float
    """The mean agreement of the senders of one group with those of the other."""


def agreement(messages: IntArray) -> FloatArray:
    """Return (F, S, S), the share of the windows for which two senders send the same message in a frame.

    `messages` (S, F, B, T): what the senders send for the same B windows.
    """
    senders, frames = messages.shape[:2]
    same = np.ones((frames, senders, senders))
    for one in range(senders):
        for other in range(one):
            shares = (messages[one] == messages[other]).all(axis=-1).mean(axis=-1)
            same[:, one, other] = same[:, other, one] = shares
    return same


def tree(same: FloatArray) -> tuple[Branch, ...]:
    """Return how groups of senders join by their agreement (S, S), those that agree most first.

    Average linkage (Sokal and Michener 1958): two groups agree as their members do on average.
    """
    if len(same) < 2:
        return ()
    joined = hierarchy.linkage(squareform(1 - same, checks=False), "average")
    return tuple(Branch(int(a), int(b), 1 - float(distance)) for a, b, distance, _ in joined)


def leaves(branches: tuple[Branch, ...], senders: int) -> list[int]:
    """Return the senders in the order of the tree's leaves, so that no branches cross."""
    order = {sender: [sender] for sender in range(senders)}
    for number, branch in enumerate(branches, senders):
        order[number] = order.pop(branch.left) + order.pop(branch.right)
    return [sender for group in order.values() for sender in group]
