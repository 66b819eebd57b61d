"""Joined messages: does a receiver follow the integer of one message and the offset of another?

For each sequence the sender speaks about two targets. One message names integer k at offset o, the other k'
at o'. The joined message has the integer's slots from the second and the offset's slots from the first, so it
names k' at o.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, derive
from spatial_game.game.evaluation import AgentPair, share_of
from spatial_game.game.policies import Sender
from spatial_game.game.rules import ask_receiver, ask_sender
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.probing import exchange
from spatial_game.studies.alignment import Aligned
from spatial_game.studies.splitting import divisions

_SEQUENCES, _FEWEST = 20_000, 100
"""The most sequences that are used, and the fewest trials that say something."""


def join_messages(
    pair: AgentPair, aligned: Aligned, sequence: IntArray, rng: np.random.Generator
) -> dict[str, Any] | None:
    """Join two messages of the sender about each sequence (B, L), and ask the receiver.

    The four places where k or k' stands at o or o' are among the candidates. None if too few sequences have
    two such messages.

    `integer_slots`: the division with the best effects in half of the trials; the figures come from the other
    half. `own`: trials in which the first message, unchanged, leads to k at o. `followed`: the joined message
    leads to k' at o. `integer`: how much more often it leads to a place with k' than with k, 1 for a receiver
    that composes. `offset`: how much more often to a place with o than with o'. `shuffled`: the same three
    figures, with each joined message in another trial.
    """
    first, second, sequence, candidates, place = _draw_trials(
        pair.sender, aligned, sequence[:_SEQUENCES], rng
    )
    size, half = len(first), len(first) // 2
    if size < _FEWEST:
        return None

    def chosen_places(integer_slots: Sequence[int], order: Any = slice(None)) -> Numbers:
        message = exchange(first, second, integer_slots)[order]
        choice = ask_receiver(pair.receiver, message, sequence, candidates)
        return np.asarray(place[np.arange(size), choice])

    chosen = {slots: chosen_places(slots) for slots, _ in divisions(first.shape[1])}
    best = max(chosen, key=lambda slots: min(_effects(chosen[slots][:half])))
    joined, own = chosen[best][half:], chosen_places(())[half:]
    luck = chosen_places(best, rng.permutation(size))[half:]
    (integer, offset), (integer_luck, offset_luck) = _effects(joined), _effects(luck)
    by_chance = {"followed": float((luck == 1).mean()), "integer": integer_luck, "offset": offset_luck}
    return {
        "integer_slots": list(best),
        "own": share_of(own == 0).to_dict(),
        "followed": share_of(joined == 1).to_dict(),
        "integer": integer,
        "offset": offset,
        "shuffled": by_chance,
    }


def _effects(place: Numbers) -> tuple[float, float]:
    """Return how much more often chosen places (n,) have k' than k, and o than o'."""
    share = [float((place == number).mean()) for number in range(4)]
    return share[1] + share[3] - share[0] - share[2], share[0] + share[1] - share[2] - share[3]


def _draw_trials(
    sender: Sender, aligned: Aligned, sequence: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray, IntArray, Numbers]:
    """Draw two targets in each sequence (B, L), and let the sender speak about both.

    Sequences are kept if the messages name two visible cells that differ in integer and offset, and if all
    four places exist. Returns their two messages (n, T), the sequences (n, L), candidates (n, C), and the
    places of these (n, C). Places 0 to 3 are k at o, k' at o, k at o' and k' at o'; the others follow.
    """
    config = aligned.config
    central = window_tables(config).mask_column == columns_of(config).middle
    targets = rng.choice(np.flatnonzero(central), (2, len(sequence)))
    spoken = [_spoken(sender, aligned, sequence, target, rng) for target in targets]
    messages, offsets, integers = map(np.stack, zip(*spoken, strict=True))
    differ = (offsets >= 0).all(axis=0) & (offsets[0] != offsets[1]) & (integers[0] != integers[1])
    rows = np.flatnonzero(differ)
    cells = _four_cells(config, targets[:, rows], offsets[:, rows])
    valid = np.append(central, False)[cells].all(axis=1)
    valid &= (np.diff(np.sort(cells, axis=1)) > 0).all(axis=1)
    rows, cells = rows[valid], cells[valid]
    # The four cells come first, then others at random; all stand in a random order.
    keys = rng.random((len(rows), len(central)))
    np.put_along_axis(keys, cells, -np.arange(4, 0, -1), axis=1)
    cells = keys.argsort(axis=1)[:, : config.num_candidates]
    place = rng.random(cells.shape).argsort(axis=1)
    candidates = np.take_along_axis(sequence[rows], np.take_along_axis(cells, place, axis=1), axis=1)
    first, second = messages[:, rows]
    return first, second, sequence[rows], candidates, place


def _spoken(
    sender: Sender, aligned: Aligned, sequence: IntArray, target: Numbers, rng: np.random.Generator
) -> tuple[IntArray, Numbers, Numbers]:
    """Return what the sender says (n, T) of targets (n,), and the offset and integer (n,) that it names."""
    config, size = aligned.config, len(sequence)
    hidden = rng.random((size, config.window_size - 1)).argsort(axis=1)[:, : config.num_hidden]
    window = derive(config, sequence, target[:, None], np.zeros(size, dtype=np.int64), hidden).window
    message = ask_sender(sender, window, config)
    return message, *aligned.name(window, message)


def _four_cells(config: GameConfig, targets: Numbers, offsets: Numbers) -> Numbers:
    """Return (n, 4), the cells from which k is at o, k' at o, k at o' and k' at o'; L beyond the border.

    k is at offset o of the first of two targets (2, n), k' at o' of the second. `offsets` (2, n): o and o'.
    """
    cells, last = cells_at_offsets(config), len(config.offsets) - 1
    of_k, of_other = cells[targets, offsets]
    # A cell that stands at an offset of a target has the target at the opposite offset.
    opposite, other_opposite = last - offsets
    return np.column_stack([targets[0], cells[of_other, opposite], cells[of_k, other_opposite], targets[1]])
