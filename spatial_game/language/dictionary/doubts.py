"""What keeps the figures of a dictionary from being trusted, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import bdtr, bdtrc

from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.build import explained_bits, fitted_bits
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import divergence
from spatial_game.language.dictionary.thresholds import LEAST_EXCESS, LEAST_PROBABLE
from spatial_game.language.wording import end_text

ANOTHER_GAME, TARGETS, TOO_FEW = "another game", "targets", "too few"


def doubts(dictionary: Dictionary, counts: Counts) -> Mapping[str, str]:
    """Return what keeps the figures of a dictionary from being trusted: a sentence or two for each doubt.

    Data of another game are not also called few: more of them would not help.
    """
    episodes, drawn = _by_edge(counts)
    found = {ANOTHER_GAME: _another_game(dictionary, counts, episodes, drawn)}
    if not found[ANOTHER_GAME]:
        found[TOO_FEW] = dictionary.bits.too_few_text(fitted_bits(dictionary, counts))
    found[TARGETS] = _targets_elsewhere(counts, episodes, drawn)
    return {doubt: text for doubt, text in found.items() if text}


def _by_edge(counts: Counts) -> tuple[Numbers, FloatArray]:
    """Return the episodes (W,) at each edge, the middle last, and the shares that the game draws there."""
    views = columns_of(counts.config).views
    edges = counts.edges.sum(axis=0)
    drawn = np.bincount(views.edge, views.share)
    return np.append(edges, counts.total - edges.sum()), np.asarray(drawn, dtype=np.float64)


def _another_game(dictionary: Dictionary, counts: Counts, episodes: Numbers, drawn: FloatArray) -> str:
    """Return a warning if messages seem to tell more than they carry, wherever the targets stand."""
    bits, share = dictionary.bits, episodes / max(counts.total, 1)
    explained = explained_bits(dictionary, counts.messages, counts.held_out)
    excess = explained - divergence(share[None], drawn).item() - bits.entropy
    if excess <= LEAST_EXCESS + bits.by_chance:
        return ""
    return (
        "The data are of another game: the dictionary explains more than messages carry, so the windows are "
        "not distributed as the game draws them, and these figures do not hold."
    )


def _targets_elsewhere(counts: Counts, episodes: Numbers, drawn: FloatArray) -> str:
    """Return a warning if targets are near an end more or less often than in the game."""
    near, total, expected = int(episodes[:-1].sum()), counts.total, float(drawn[:-1].sum())
    p_value = 2 * min(bdtr(near, total, expected), bdtrc(near - 1, total, expected))
    if p_value >= LEAST_PROBABLE:
        return ""
    return (
        f"The targets are not where the game draws them: {near / total:.1%} are near "
        f"{end_text(counts.config)}, instead of "
        f"{expected:.1%}, so readings and figures about this hold of these data alone."
    )
