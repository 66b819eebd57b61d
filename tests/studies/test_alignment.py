"""Alignment of messages with cells, on languages whose words are known and against an obvious twin."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes, mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.studies.alignment import _ROUNDS, TOLD, _probabilities, align, divisions, visible_cells

SIZES = {"vocab_size": 64, "message_length": 2}
SEEN = GameConfig(20, num_visible=1, **SIZES)
FULL = GameConfig(20, **SIZES)
GRID = GameConfig(shape=(5, 5), window_radius=1, num_visible=2, **SIZES)


def named(config, number):
    """Windows, and of a visible cell that their sum chooses the integer and the number of its offset."""
    window = draw_episodes(config, number, np.random.default_rng(1)).window
    cells = np.flatnonzero
    chosen = np.array([cells(row >= 0)[row.sum() % (row >= 0).sum()] for row in window])
    offset = offset_numbers(config)[mask_columns(window), chosen]
    return window, window[np.arange(number), chosen].astype(np.int64), offset


def compositional(integer, offset):
    return np.column_stack([integer, offset])


def of_any_order(integer, offset):
    """Words for offsets are other symbols than words for integers."""
    return np.where(
        (integer % 2 == 0)[:, None],
        *(np.column_stack(p) for p in ((integer, 40 + offset), (40 + offset, integer))),
    )


def holistic(integer, offset):
    code = np.random.default_rng(0).permutation(64 * 64)[integer * 64 + offset]
    return np.column_stack([code // 64, code % 64])


@pytest.mark.parametrize("config", [SEEN, FULL, GRID], ids=["seen", "full", "grid"])
@pytest.mark.parametrize(("language", "share"), [(compositional, 1), (of_any_order, 1), (holistic, 0)])
def test_known_languages_tell_everything_and_split_as_they_are_made(language, share, config):
    window, integer, offset = named(config, 20_000)
    found = align(config, window, language(integer, offset), np.random.default_rng(2))
    assert found.integer_bits == pytest.approx(np.log2(config.num_integers), abs=0.01)
    assert found.offset_bits == pytest.approx(np.log2(config.window_size - 1), abs=0.01)
    assert found.split_share == pytest.approx(share, abs=0.02)
    assert found.message_bits >= found.integer_bits + found.offset_bits - 0.05


@pytest.mark.parametrize(("config", "what"), [(SEEN, "integer"), (FULL, "left neighbour")])
def test_a_language_that_tells_no_offset_does_not_split(config, what):
    """It has no words for offsets, or it always names the left neighbour."""
    window = draw_episodes(config, 20_000, np.random.default_rng(1)).window
    named = window.max(axis=1) if what == "integer" else window[:, 1].clip(0)
    found = align(config, window, np.repeat(named[:, None], 3, axis=1), np.random.default_rng(2))
    assert found.integer_bits == pytest.approx(np.log2(20), abs=0.05)
    assert found.offset_bits < 0.02
    assert found.split_share == 0


@pytest.mark.parametrize("seed", range(8))
def test_the_share_that_splits_is_that_of_an_obvious_twin(seed):
    """Few symbols and a language with some parts of its own, so that all cases occur."""
    rng = np.random.default_rng(seed)
    config = GameConfig(8, num_visible=1, vocab_size=5, message_length=3)
    window = draw_episodes(config, 3_000, rng).window
    integer, place = window.max(axis=1), np.argmax(window >= 0, axis=1)
    message = np.column_stack([integer // 2, integer % 2 + 2 * (integer == 3), place])
    odd = rng.random((8, 5)) < 0.3
    table = rng.integers(0, 5, (8, 5, 3))
    message = np.where(odd[integer, place][:, None], table[integer, place], message)
    found = align(config, window, message, rng)
    assert found.split_share == pytest.approx(slow_split_share(found))


def slow_split_share(found):
    size = found.config.num_integers
    episodes = np.column_stack([found.number, found.named % size, found.named // size]).tolist()
    uses = {m: ({}, {}) for m in range(len(found.messages))}
    for message, integer, offset in episodes:
        for counts, value in zip(uses[message], (integer, offset), strict=True):
            counts[value] = counts.get(value, 0) + 1
    usual = {m: (int(code) % size, int(code) // size) for m, code in enumerate(found.usual)}

    def tells(message, slots, which):
        counts = uses[message][which]
        own = {value for value, often in counts.items() if 2 * often >= max(counts.values())}
        anyway = sum(sum(c[which].get(value, 0) for value in own) for c in uses.values())
        if 2 * anyway > len(episodes):
            return False
        group = [m for m in uses if all(found.messages[m][s] == found.messages[message][s] for s in slots)]
        for others in (group, [m for m in group if usual[m][1 - which] != usual[message][1 - which]]):
            total = sum(sum(uses[m][which].values()) for m in others)
            agreeing = sum(uses[m][which].get(value, 0) for m in others for value in own)
            if not agreeing or agreeing < TOLD * total:
                return False
        return True

    splits = {m: any(tells(m, one, 0) and tells(m, other, 1) for one, other in divisions(3)) for m in uses}
    return np.mean([splits[message] for message, _, _ in episodes])


def test_the_alignment_is_that_of_an_obvious_twin():
    rng = np.random.default_rng(5)
    config = GameConfig(6, window_radius=1, vocab_size=4, message_length=2)
    window = draw_episodes(config, 300, rng).window
    message = rng.integers(0, 2, (300, 2)) + (window[:, :1] > 2)
    central = window[:, 1] == MASK
    cells = np.delete(window[central], 1, axis=1).astype(int)
    said = [tuple(row) for row in message[central].tolist()]
    number = np.unique(message[central], axis=0, return_inverse=True)[1].reshape(-1)
    share = np.full(cells.shape, 0.5)
    propensity = [1.0, 1.0]
    for _ in range(_ROUNDS):
        often, total = {}, {}
        for row, (seen, word) in enumerate(zip(cells.tolist(), said, strict=True)):
            for place, integer in enumerate(seen):
                often[place, integer, word] = often.get((place, integer, word), 0) + share[row, place]
                total[place, integer] = total.get((place, integer), 0) + share[row, place]
        chance = len(said) / sum(propensity)
        propensity = [share[:, place].sum() / chance for place in range(2)]
        for row, (seen, word) in enumerate(zip(cells.tolist(), said, strict=True)):
            for place, k in enumerate(seen):
                share[row, place] = propensity[place] * often[place, k, word] / total[place, k]
            share[row] /= share[row].sum()
    columns = visible_cells(config, window[central])
    assert (columns % 6 == cells).all()
    np.testing.assert_allclose(_probabilities(columns, number, config), share)


def test_windows_need_one_with_the_mask_in_the_middle():
    window = draw_episodes(SEEN, 2_000, np.random.default_rng(1)).window
    at_border = window[window[:, 0] == MASK]
    with pytest.raises(ValueError, match="windows must include some with the mask in the middle; got none"):
        align(SEEN, at_border, np.zeros((len(at_border), 3), int), np.random.default_rng(2))
