"""What needs more memory than is free is refused in one line, before it is gone."""

import gymnasium as gym
import numpy as np
import pytest

import spatial_game
from spatial_game import GameConfig, RandomSender, UserError, draw_episodes, memory, read_recording, record
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.envs.roles import ReceiverVectorEnv, SenderSymbolVectorEnv
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game import windows
from spatial_game.game.policies import scripted_agents
from spatial_game.language import NpmiSettings, Reader, Speaker, build_dictionary, count, npmi_table
from spatial_game.language.counting.ngrams import ngrams
from spatial_game.memory import AT_ONCE, UNCHECKED, chunks, free_bytes, require_memory
from spatial_game.recording import stream
from spatial_game.studies.unseen import unseen_study

CONFIG, RNG = GameConfig(), np.random.default_rng(0)
EPISODES, SENDER = draw_episodes(CONFIG, 200, RNG), RandomSender(CONFIG, RNG)
RECORDING = record((SENDER, None), EPISODES)
COUNTS = count(RECORDING)
OF_SYMBOLS = GameConfig(message_length=1)
COUNTS_OF_SYMBOLS = count(record((RandomSender(OF_SYMBOLS, RNG), None), EPISODES))


@pytest.mark.parametrize(
    ("bytes_per_row", "ends"),
    [
        (AT_ONCE // 4, [(0, 4), (4, 8), (8, 10)]),
        (1, [(0, 10)]),
        (0, [(0, 10)]),
        (AT_ONCE // 9, [(0, 9), (9, 10)]),
    ],
)
def test_chunks_are_all_rows_in_order(bytes_per_row, ends):
    assert [(rows.start, rows.stop) for rows in chunks(10, bytes_per_row)] == ends
    assert [*chunks(0, bytes_per_row)] == []
    assert [*chunks(2, 2 * AT_ONCE)] == [slice(0, 1), slice(1, 2)]


def test_work_in_many_chunks_has_the_same_result(monkeypatch):
    oracle = spatial_game.OracleSender(GameConfig.small())
    episodes = draw_episodes(oracle.config, 2_000, RNG)
    recording = record((oracle, None), episodes)

    def results():
        counts = count(recording)
        dictionary = build_dictionary(counts)
        said = Speaker(dictionary).send(episodes.window[:50])
        rows = episodes.sequence[:50], episodes.candidates[:50]
        table = npmi_table(counts, NpmiSettings(top_n=2, min_count=5))
        return [said.tolist(), Reader(dictionary).bits(said, *rows).tolist(), table.to_dict()]

    whole = results()
    monkeypatch.setattr(memory, "AT_ONCE", 3_000)
    assert results() == whole


@pytest.mark.parametrize("number", [2**31, 2**63, 10**30])
@pytest.mark.parametrize(
    ("field", "make"),
    [
        ("num_envs", ParallelVectorEnv),
        ("num_envs", ReceiverVectorEnv),
        ("num_envs", SenderSymbolVectorEnv),
        ("num_envs", lambda number: gym.make_vec("spatial_game/Receiver-v0", num_envs=number)),
        ("num_episodes", lambda number: draw_episodes(CONFIG, number, RNG)),
    ],
)
def test_no_machine_has_the_memory_for_this(field, make, number):
    with pytest.raises(UserError, match=rf"^{field} must fit into the free .* GiB; got {number}, .*: .+"):
        make(number)


@pytest.mark.parametrize("number", [2**31, 2**63])
def test_a_large_batch_size_is_the_whole_recording(tmp_path, number):
    episodes = draw_episodes(CONFIG, 10, RNG)
    recording = record((spatial_game.OracleSender(CONFIG), None), episodes)
    recording.write(tmp_path / "a.parquet")
    assert [len(block) for block in stream(tmp_path / "a.parquet", batch_size=number)] == [10]
    assert [len(block) for block in recording.blocks(batch_size=number)] == [10]


def test_any_seed_is_a_seed():
    first, second = (ParallelVectorEnv(2) for _ in range(2))
    first.reset(seed=2**63)
    second.reset(seed=checked_seeds(2**63, 2))
    np.testing.assert_array_equal(first.game.episodes.sequence, second.game.episodes.sequence)


def test_the_least_of_what_the_system_allows_counts(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text(f"{2**32}\n")
    (tmp_path / "memory.stat").write_text(f"anon {2**31}\nfile 7\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert free_bytes() <= 2**31
    (tmp_path / "memory.max").write_text("max\n")
    assert free_bytes() > 0
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**30)
    require_memory("n", 1, 2**30, "less")
    with pytest.raises(UserError, match=r"^n must fit into .* 1.0 GiB; got 9, which needs 2 G"):
        require_memory("n", 9, 2**31, "less")
    monkeypatch.setattr(memory, "free_bytes", lambda: pytest.fail("small values do not ask the system"))
    require_memory("n", 1, UNCHECKED, "less")


@pytest.mark.parametrize(
    ("field", "use"),
    [
        ("num_envs", lambda: ParallelVectorEnv(3)),
        ("num_envs", lambda: ReceiverVectorEnv(3)),
        ("num_episodes", lambda: draw_episodes(CONFIG, 3, RNG)),
        ("num_episodes", lambda: unseen_study(scripted_agents("oracle", CONFIG), 0.3, 0, 300)),
        ("window_radius", lambda: windows.window_cells(CONFIG)),
        ("window_radius", lambda: windows.offset_numbers(CONFIG)),
        ("window_radius", lambda: windows.cells_at_offsets(CONFIG)),
        ("paths", lambda: read_recording("a.parquet")),
        ("messages", lambda: COUNTS + COUNTS),
        ("config", lambda: build_dictionary(COUNTS)),
        ("message_length", lambda: ngrams(COUNTS.messages)),
        ("messages", lambda: npmi_table(COUNTS_OF_SYMBOLS)),
    ],
)
def test_each_says_what_does_not_fit(monkeypatch, tmp_path, field, use):
    RECORDING.write(tmp_path / "a.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "UNCHECKED", 0)
    monkeypatch.setattr(memory, "free_bytes", lambda: 0)
    with pytest.raises(UserError, match=rf"^{field} must fit into the free memory of 0.0 GiB; got .*: \w+"):
        use()


def test_a_recording_is_read_if_its_blocks_and_the_whole_fit(monkeypatch, tmp_path):
    RECORDING.write(tmp_path / "a.parquet")
    held = sum(column.nbytes for column in [*RECORDING.columns().values(), RECORDING.rows])
    monkeypatch.setattr(memory, "UNCHECKED", 0)
    monkeypatch.setattr(memory, "free_bytes", lambda: 2 * held)
    assert read_recording(tmp_path / "a.parquet") == RECORDING
    monkeypatch.setattr(memory, "free_bytes", lambda: 2 * held - 1)
    with pytest.raises(UserError, match=r"^paths must fit into the free memory"):
        read_recording(tmp_path / "a.parquet")


@pytest.mark.parametrize("make", [ParallelVectorEnv, ReceiverVectorEnv])
def test_the_memory_of_games_counts_what_they_show(make, monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**30)
    make(4096, sequence_length=60)
    for large in ({"observations": "one_hot", "sequence_length": 400}, {"shape": (100, 100)}):
        with pytest.raises(UserError, match=r"num_envs must fit into the free memory of 1.0 GiB; got 4096"):
            make(4096, **large)


def test_a_window_of_too_many_cells_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**32)
    with pytest.raises(UserError, match=r"window_radius must fit into the free memory of 4.0 GiB; got 6"):
        gym.make("spatial_game/Receiver-v0", shape=(13,) * 4, window_radius=6, vocab_size=30000).reset()
