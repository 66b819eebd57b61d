"""Speaking with a description: the message that is most probable for a window.

A message consists of *pieces*: the forms of a description at slots of a message, and words with a word for
their offset beside them. How probable a piece is for a window follows from what it says, and how often it was
sent.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.columns import Columns, blocks
from spatial_game.language.counting.forms import ANY
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.players.evidence import Evidence

OPEN = -1
"""A slot of a piece in which any symbol may stand."""
_CELLS = 1 << 22  # of tables that are made at a time
_ANY_SLOTS = 10  # in longer messages only pieces of neighbouring slots are put together

Symbols = npt.NDArray[np.int16]


class Chooser:
    """Chooses messages by the evidence of a description. `fillers` (T,) stand where no piece does."""

    def __init__(self, evidence: Evidence, fillers: Symbols) -> None:
        self.evidence, self.fillers = evidence, fillers
        self.symbols, episodes = _pieces(evidence)
        self._said = evidence.of_messages(self.symbols)
        closed = self.symbols != OPEN
        slots = closed @ (1 << np.arange(len(fillers)))
        self._patterns = {int(mask): np.flatnonzero(slots == mask) for mask in np.unique(slots)}
        total = max((float(episodes[rows].sum()) for rows in self._patterns.values()), default=1.0)
        self._prior = np.log2(np.maximum(episodes, 1) / max(total, 1)).astype(np.float32)
        self._masks = self._reachable()
        self._free = -np.log2(max(evidence.config.vocab_size, 1))

    def choose(
        self, columns: Columns, rng: np.random.Generator | None = None
    ) -> tuple[Symbols, Mask, FloatArray]:
        """Return messages (B, T) for windows, `columns` (B, W), which slots are fillers, and evidence (B,).

        The most probable ones or, with `rng`, each as often as it is probable.
        """
        message = np.tile(self.fillers, (len(columns), 1))
        filled = np.ones(message.shape, dtype=bool)
        block = max(1, _CELLS // max(1, self._said.shape[0], self._said.shape[1]))
        for rows in blocks(len(columns), block):
            score = self.evidence.of_windows(self._said, columns[rows]) + self._prior
            if rng is not None:
                score += rng.gumbel(size=score.shape) / np.log(2)
            for at, piece in self._put_together(score.astype(np.float64)):
                symbols, here = self.symbols[piece], at + rows.start
                message[here] = np.where(symbols != OPEN, symbols, message[here])
                filled[here] &= symbols == OPEN
        return message, filled, self._checked(message, columns)

    def _checked(self, message: Symbols, columns: Columns) -> FloatArray:
        """Return (B,), the evidence of whole messages for the windows that they are said of."""
        distinct, which = distinct_rows(message)
        said = self.evidence.of_messages(distinct)
        found = np.zeros(len(message))
        for rows in blocks(len(message)):
            found[rows] = self.evidence.of_candidates(said[which[rows]], columns[rows, None])[:, 0]
        return found

    def _put_together(self, score: FloatArray) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield (rows, pieces): the pieces that share no slot and, together with free slots, score most."""
        at, whole = np.arange(len(score)), self._masks[-1]
        best = {mask: rows[score[:, rows].argmax(axis=1)] for mask, rows in self._patterns.items()}
        total, step = {0: np.zeros(len(score))}, {}
        for mask in self._masks[1:]:
            lowest = mask & -mask
            total[mask], step[mask] = total[mask ^ lowest] + self._free, np.zeros(len(score), dtype=np.int64)
            for used in self._covering(mask):
                found = total[mask ^ used] + score[at, best[used]]
                step[mask] = np.where(found > total[mask], used, step[mask])
                total[mask] = np.maximum(found, total[mask])
        left = np.full(len(score), whole)
        for mask in self._masks[:0:-1]:
            here = np.flatnonzero(left == mask)
            chosen = step[mask][here]
            for used in np.unique(chosen).tolist():
                rows = here[chosen == used]
                left[rows] ^= used or mask & -mask
                if used:
                    yield rows, best[used][rows]

    def _covering(self, mask: int) -> list[int]:
        """Return the patterns in a set of slots that have its first slot."""
        return [used for used in self._patterns if used & mask & -mask and not used & ~mask]

    def _reachable(self) -> list[int]:
        """Return the sets of slots that may be left where pieces are chosen from the first slot on."""
        found, left = {0}, [(1 << len(self.fillers)) - 1]
        while left:
            mask = left.pop()
            if mask not in found:
                found.add(mask)
                left += [mask ^ (mask & -mask), *(mask ^ used for used in self._covering(mask))]
        return sorted(found)


def _pieces(evidence: Evidence) -> tuple[Symbols, FloatArray]:
    """Return the distinct pieces (P, T), `OPEN` where any symbol may stand, and the episodes of each (P,)."""
    rows, episodes = [], []
    for statement in evidence.statements:
        ways = list(_written(evidence, statement.entries))
        rows += ways
        episodes += [statement.episodes / max(len(ways), 1)] * len(ways)
    length = evidence.config.message_length
    symbols, which = distinct_rows(np.array(rows, dtype=np.int64).reshape(-1, length) - OPEN)
    most = np.zeros(len(symbols))
    np.maximum.at(most, which, episodes)
    pieces = (symbols + OPEN).astype(np.int16)
    kept = (length <= _ANY_SLOTS) | _connected(pieces != OPEN)
    return pieces[kept], most[kept]


def _written(evidence: Evidence, entries: tuple[int, ...]) -> Iterator[list[int]]:
    """Yield the ways to write the forms of entries into a message, so that they do not share a slot."""
    forms, length = evidence.forms, evidence.config.message_length
    starts = [
        range(length - int(forms.length[e]) + 1) if forms.slot[e] == ANY else [int(forms.slot[e])]
        for e in entries
    ]
    for slots in itertools.product(*starts):
        message = [OPEN] * length
        spans = [range(slot, slot + int(forms.length[e])) for e, slot in zip(entries, slots, strict=True)]
        if len({slot for span in spans for slot in span}) < sum(map(len, spans)):
            continue
        for entry, span in zip(entries, spans, strict=True):
            message[span.start : span.stop] = forms.symbols[entry, : len(span)].tolist()
        yield message


def _connected(closed: Mask) -> Mask:
    """Return which pieces have all their symbols side by side."""
    edges = np.abs(np.diff(closed.astype(int), axis=1, prepend=0, append=0)).sum(axis=1)
    return np.asarray(edges == 2)
