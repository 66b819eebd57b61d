"""Counting: against one episode at a time, in memory and from disk, whole and in parts."""

from collections import Counter
from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
import scipy.sparse as sp
from helpers.columns import column_meaning
from helpers.strategies import configs, grids
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.game.windows import cells_at_offsets
from spatial_game.language.counting.counts import Counts, count, count_files, message_ids
from spatial_game.recording import NOBODY, Recording, RecordingFile, join, read_recording


def play(config, num_episodes, seed=0):
    return recorded(config, draw_episodes(config, num_episodes, np.random.default_rng(seed)), seed)


def recorded(config, episodes, seed=0):
    message = RandomSender(config, np.random.default_rng(seed)).send(episodes.window)
    return Recording(config, window=episodes.window, message=message % (config.vocab_size // 2 + 1))


def slow_counts(config, episodes, messages):
    """Counter of messages with what stands around each target: see `column_meaning`."""
    found, around = Counter(), cells_at_offsets(config)[episodes.target_position].tolist()
    for row, message in enumerate(map(tuple, messages.tolist())):
        found[message, (config.edges[episodes.mask_column[row]], None, None)] += 1
        window, sequence = episodes.window[row].tolist(), episodes.sequence[row].tolist()
        for offset, cell in zip(config.offsets, around[row], strict=True):
            if cell < len(sequence) and sequence[cell] in window:
                found[message, (None, sequence[cell], offset)] += 1
    return found


def as_counter(counts: Counts):
    cells, messages = counts.table.tocoo(), counts.messages.tolist()
    found = Counter()  # several views have one edge
    for row, column, episodes in zip(*(x.tolist() for x in (*cells.coords, cells.data)), strict=True):
        found[tuple(messages[row]), column_meaning(counts.config, column)] += episodes
    return found


@given(st.one_of(configs(12), grids()), st.integers(1, 60))
@hypothesis_settings(max_examples=25, deadline=None)
def test_counts_are_those_of_one_episode_at_a_time(config, num_episodes):
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(0))
    recording = recorded(config, episodes)
    counts = count(recording)
    assert as_counter(counts) == slow_counts(config, episodes, recording.message)
    assert counts.total == num_episodes
    distinct = sorted(set(map(tuple, recording.message.tolist())))
    assert [tuple(message) for message in counts.messages.tolist()] == distinct


@pytest.mark.parametrize("num_visible", [None, 1])
def test_counts_add(num_visible):
    config = GameConfig(9, vocab_size=4, num_visible=num_visible)
    parts = [play(config, size, seed) for seed, size in enumerate((7, 0, 30, 1))]
    window, message = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("window", "message")
    )
    added = reduce(Counts.__add__, [count(part) for part in parts])
    for counts in (added, count(parts)):
        np.testing.assert_array_equal(counts.messages, np.unique(message, axis=0))
        assert (counts.table != count(Recording(config, window, message)).table).nnz == 0
    assert sum(map(len, added.sources)) == len(message)


def test_counts_of_different_games_do_not_add():
    with pytest.raises(ValueError, match="at least one recording must be given; got none"):
        count([])
    with pytest.raises(ValueError, match="counts that add must be of one game; got L60"):
        count(play(GameConfig(), 3)) + count(play(GameConfig(sequence_length=20), 3))


def test_messages_too_many_for_64_bits():
    config = GameConfig(sequence_length=9, vocab_size=30, message_length=20)
    episodes = draw_episodes(config, 500, np.random.default_rng(0))
    recording = recorded(config, episodes)
    counts = count(recording)
    assert as_counter(counts) == slow_counts(config, episodes, recording.message)
    ids = message_ids(counts, recording.message)
    np.testing.assert_array_equal(counts.messages[ids], recording.message)
    other = (counts.messages[:5] + 1) % 30
    assert message_ids(counts, other).tolist() == [-1] * 5


@pytest.mark.parametrize("length", [1, 3])
@pytest.mark.parametrize("num_episodes", [0, 40])
def test_message_ids_find_messages_and_only_those(length, num_episodes):
    config = GameConfig(9, vocab_size=5, message_length=length)
    counts = count(play(config, num_episodes))
    asked = RandomSender(config, np.random.default_rng(7)).send(play(config, 50).window).astype(np.int64)
    strange = counts.messages.astype(np.int64)
    if length > 1:  # the same keys, but symbols outside the vocabulary
        strange[:, 0] -= 1
        strange[:, 1] += config.vocab_size
    asked = np.concatenate([asked, strange, np.full((1, length), -1)])
    known = [tuple(message) for message in counts.messages.tolist()]
    expected = [known.index(tuple(m)) if tuple(m) in known else -1 for m in asked.tolist()]
    assert message_ids(counts, asked).tolist() == expected


# --- Held-out rows ---------------------------------------------------------------------------------------


def by_message(messages, table):
    rows = sp.csr_array(table).toarray()
    return {tuple(m): row.tolist() for m, row in zip(messages.tolist(), rows, strict=True) if row.any()}


@pytest.fixture
def small_blocks(monkeypatch):
    """Row groups and blocks of several sizes, which are not multiples of ten."""
    monkeypatch.setattr("spatial_game.recording.recording.ROW_GROUP", 1104)
    for kind in (Recording, RecordingFile):
        monkeypatch.setitem(kind.blocks.__kwdefaults__, "batch_size", 703)


def on_disk(recordings, folder):
    for i, recording in enumerate(recordings):
        recording.write(folder / f"{i}.parquet")
    return sorted(folder.iterdir())


WAYS = {
    "in memory": lambda recordings, _: count(recordings),
    "in memory, joined": lambda recordings, _: count(join(recordings)),
    "from files": lambda recordings, folder: count_files(on_disk(recordings, folder)),
    "from files, as one recording": lambda recordings, folder: count(
        read_recording(on_disk(recordings, folder))
    ),
    "added": lambda recordings, _: reduce(Counts.__add__, map(count, recordings)),
}
"""The ways to count several recordings."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("small_blocks")
def test_every_tenth_row_of_each_recording_is_held_out(tmp_path, way):
    config = GameConfig(sequence_length=10, vocab_size=4, message_length=2)
    whole = [play(config, rows, seed) for seed, rows in enumerate((3001, 1704))]
    held = [Recording(config, window=each.window[9::10], message=each.message[9::10]) for each in whole]
    expected = count(held)
    counts = WAYS[way](whole, tmp_path)
    blocks = [block for source in counts.sources for block in source.blocks()]
    assert len(blocks) >= 7
    assert len({block.rows[0] % 10 for block in blocks}) > 3
    assert by_message(counts.messages, counts.held_out) == by_message(expected.messages, expected.table)
    others = [
        [np.delete(part, np.s_[9::10], axis=0) for part in (each.window, each.message)] for each in whole
    ]
    rest = count([Recording(config, *parts) for parts in others])
    assert by_message(counts.messages, counts.building) == by_message(rest.messages, rest.table)
    for _ in range(2):  # from the recordings, then from memory
        again = [*counts.episodes("this test needs")]
        read_again = count([Recording(config, window, counts.messages[ids]) for ids, window, *_ in again])
        assert by_message(read_again.messages, read_again.table) == by_message(counts.messages, counts.table)
        assert np.concatenate([held for _, _, held, _ in again]).tolist() == (
            [row % 10 == 9 for each in whole for row in range(len(each))]
        )


@pytest.mark.parametrize(("most", "reads"), [(1 << 20, 2), (0, 3)])
def test_few_episodes_are_kept_in_memory_and_many_are_read_each_time(monkeypatch, most, reads):
    blocks, began = Recording.blocks, []

    def counted(self, **options):
        began.append(options)
        return blocks(self, **options)

    monkeypatch.setattr("spatial_game.language.counting.counts.MOST_KEPT", most)
    monkeypatch.setattr(Recording, "blocks", counted)
    counts = count(play(GameConfig(9), 50))
    for _ in range(2):
        assert sum(len(ids) for ids, *_ in counts.episodes("this test needs")) == 50
    assert len(began) == reads


def test_episodes_say_whether_the_receiver_was_right_where_the_recording_does():
    rng, target = np.random.default_rng(0), np.zeros(50, dtype=int)
    one = replace(play(GameConfig(9), 50), target_index=target, choice=rng.integers(0, 2, 50))
    some = replace(one, choice=np.where(one.rows < 20, NOBODY, one.choice))
    none = replace(one, target_index=None, choice=None)
    right = [right for *_, right in count([one, some, none]).episodes("this test needs")]
    expected = one.choice == 0, np.where(one.rows < 20, NOBODY, one.choice == 0), np.full(50, NOBODY)
    assert np.concatenate(right).tolist() == np.concatenate(expected).tolist()
