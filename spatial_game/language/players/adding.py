"""Reading and speaking with an additive model, for `decode`, `compose` and `reading`, and its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.game.windows import offset_numbers
from spatial_game.language.additive.model import AdditiveModel, cells_of, cells_of_columns
from spatial_game.language.additive.regions import (
    Region,
    first_symbols,
    message_regions,
    order,
    rank_correlation,
    said,
    strength,
)
from spatial_game.language.counting.columns import Columns, blocks, candidate_columns, middle_column
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.referents import Edge, IntegerAt
from spatial_game.language.dictionary.words import edge_in_words, place_in_words
from spatial_game.tables import Table

FOLLOWS, UNLIKE = 0.9, 0.3
"""From which rank correlation a scale follows the integers' size, and below which it does not."""

_READ, _SPOKEN = 1 << 13, 1 << 9  # episodes at a time


def evidence(
    model: AdditiveModel, config: GameConfig, messages: IntArray, sequence: IntArray, candidates: IntArray
) -> tuple[FloatArray, Mask]:
    """Return the evidence in bits (B, C) for candidates of the game `config`, and which messages are known.

    It is log2 P(message | window of the candidate) / p(message); 0 for a message that the model cannot say.
    """
    ids, score = model.ids(messages), np.zeros(candidates.shape)
    for rows in blocks(len(messages), _READ):
        known = np.flatnonzero(ids[rows] >= 0) + rows.start
        columns = candidate_columns(config, sequence[known], candidates[known])
        cells = cells_of_columns(model.config, config, columns)
        for i in range(candidates.shape[1]):
            score[known, i] = model.evidence(cells[:, i], ids[known])
    return score, ids >= 0


def true_of(model: AdditiveModel, config: GameConfig, messages: IntArray) -> Callable[[Columns], Mask]:
    """Return a function that tells which of the messages (M, T) speak for windows with columns (B, W)."""
    ids = model.ids(messages)
    known = np.flatnonzero(ids >= 0)
    usual = np.log2(model.share)

    def true(columns: Columns) -> Mask:
        cells, found = (
            cells_of_columns(model.config, config, columns),
            np.zeros((len(columns), len(ids)), bool),
        )
        bits = model.message_bits(model.contributions[cells].sum(axis=1)) - usual
        found[:, known] = bits[:, ids[known]] > 0
        return found

    return true


def messages_for(
    model: AdditiveModel, window: IntArray, rng: np.random.Generator | None = None
) -> npt.NDArray[np.int16]:
    """Return the most probable messages (B, T) for windows (B, W); with `rng`, drawn ones."""
    chosen = np.empty(len(window), dtype=np.int64)
    for rows in blocks(len(window), _SPOKEN):
        bits = model.message_bits(model.contributions[cells_of(model.config, window[rows])].sum(axis=1))
        if rng is not None:  # the Gumbel-max trick
            bits = bits + rng.gumbel(size=bits.shape) / np.log(2)
        chosen[rows] = bits.argmax(axis=1)
    return np.asarray(model.messages[chosen], dtype=np.int16)


def scale_in_words(model: AdditiveModel, symbols: int = 2) -> list[str]:
    """Return what the integers count, which places count most, and what the commonest first symbols say."""
    config, ranked = model.config, order(model)
    size = len(ranked)
    rho = rank_correlation(model.values[0, :size], np.arange(size))
    ends = min(3, size // 2)
    highest, lowest = (_listed(map(str, those)) for those in (ranked[: -1 - ends : -1], ranked[:ends]))
    moved = strength(model)
    scales = "a scale" if len(moved) == 1 else f"{len(moved)} scales"
    first = "" if len(moved) == 1 else f" on the first, which makes {moved[0]:.0%} of the sums,"
    relation = "follows" if rho >= FOLLOWS else "has little to do with" if rho < UNLIKE else "partly follows"
    found = [
        f"Integers are told by {scales} of this language's own:{first} {highest} are highest, "
        f"{lowest} lowest.",
        f"The scale {relation} the integers' size (rank correlation {rho:.2f}).",
    ]
    squares = (model.weights**2).sum(axis=(0, 2))
    middle = middle_column(config)
    squares[middle] = 0.0
    numbers = offset_numbers(config)[middle]
    best = np.argsort(-squares, kind="stable")[: min(2, config.window_size - 1)].tolist()
    share = squares / max(squares.sum(), 1e-12)
    places = (f"{place_in_words(config.offsets[numbers[p]])} ({share[p]:.0%} of the sums)" for p in best)
    found.append(f"What counts most stands {'; then '.join(places)}.")
    said_first = [
        f"Symbol {symbol} first ({often:.0%}): {words}."
        for symbol, (often, region) in first_symbols(model).items()
        if (words := _region_in_words(model, region))
    ]
    return found + said_first[:symbols]


def _region_in_words(model: AdditiveModel, region: Region) -> str:
    return "; ".join(words for _, words in _parts(model, region))


def _listed(parts: Iterable[str]) -> str:
    """Return "a", "a and b" or "a, b and c"."""
    *before, last = [*parts] or [""]
    return f"{', '.join(before)} and {last}" if before else last


def first_symbol_table(model: AdditiveModel) -> Table:
    """Return the first symbols, the most frequent first, with what each says."""
    rows = (
        (symbol, share, _region_in_words(model, region) or "nothing that is clear")
        for symbol, (share, region) in first_symbols(model).items()
    )
    return Table.of("First symbol | Episodes :.1% | Says", rows)


def meanings(model: AdditiveModel, message: int) -> list[tuple[Edge | IntegerAt, str]]:
    """Return what a message says, by its number: an edge, and the half of the order that stands at places."""
    return _parts(model, message_regions(model)[message])


def _parts(model: AdditiveModel, region: Region) -> list[tuple[Edge | IntegerAt, str]]:
    config = model.config
    found: list[tuple[Edge | IntegerAt, str]] = []
    if region.mask != middle_column(config):
        name = config.edges[region.mask]
        found.append((Edge(name), edge_in_words(name)))
    for offset, integers, word in said(model, region):
        at = IntegerAt(tuple(integers.tolist()), offset)
        found.append((at, f"{word} {place_in_words(offset)}"))
    return found
