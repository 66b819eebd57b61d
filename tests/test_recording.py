"""Recordings: round trips, other tools' files, and every way in which a file can be bad."""

import json
import os
import re
import stat
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from strategies import grids

from spatial_game.config import GameConfig
from spatial_game.files import replacing, write_text
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver, RandomSender
from spatial_game.recording import (
    COLUMNS,
    METADATA_KEY,
    ROW_GROUP,
    Recording,
    RecordingError,
    RecordingFile,
    RecordingWriter,
    read_recording,
    record,
    stream,
)

CONFIG = GameConfig(sequence_length=12, num_distractors=3, vocab_size=13)


def recorded(config=CONFIG, num_episodes=50, seed=0):
    rng = np.random.default_rng(seed)
    episodes = draw_episodes(config, num_episodes, rng)
    provenance = {"seed": seed}
    return record(RandomSender(config, rng), RandomReceiver(config, rng), episodes, config, provenance)


def same(one, other):
    assert one.config == other.config
    assert one.columns().keys() == other.columns().keys()
    for name, column in one.columns().items():
        np.testing.assert_array_equal(column, other.columns()[name])


def write(path, columns, header=None):
    table = pa.table(columns)
    if header is not None:
        content = header if isinstance(header, bytes) else json.dumps(header).encode()
        table = table.replace_schema_metadata({METADATA_KEY: content})
    pq.write_table(table, path)
    return path


def refused(path, words, **options):
    with pytest.raises(RecordingError, match=re.escape(words)) as caught:
        read_recording(path, **options)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


# --- What was played -------------------------------------------------------------------------------------


def test_a_recording_holds_all_that_happened():
    episodes = draw_episodes(CONFIG, 200, np.random.default_rng(1))
    recording = record(OracleSender(CONFIG), OracleReceiver(CONFIG), episodes, CONFIG)
    assert list(recording.columns()) == list(COLUMNS)
    np.testing.assert_array_equal(recording.window, episodes.window)
    np.testing.assert_array_equal(recording.sequence, episodes.sequence)
    np.testing.assert_array_equal(recording.choice, episodes.target_index)
    assert recording.accuracy == 1.0


def test_without_a_receiver_nobody_chooses():
    episodes = draw_episodes(CONFIG, 5, np.random.default_rng(1))
    recording = record(OracleSender(CONFIG), None, episodes, CONFIG)
    assert set(recording.choice.tolist()) == {-1}


def test_accuracy_needs_choices():
    recording = recorded()
    with pytest.raises(RecordingError, match="accuracy needs"):
        _ = Recording(CONFIG, window=recording.window, message=recording.message).accuracy
    alone = record(OracleSender(CONFIG), None, draw_episodes(CONFIG, 5, np.random.default_rng(1)), CONFIG)
    with pytest.raises(
        RecordingError, match="accuracy needs episodes in which someone chose; got a choice of -1"
    ):
        _ = alone.accuracy


# --- Files -----------------------------------------------------------------------------------------------


@given(
    st.builds(
        GameConfig,
        sequence_length=st.integers(7, 20),
        num_integers=st.integers(20, 40),
        window_radius=st.integers(1, 3),
        num_distractors=st.integers(1, 6),
        vocab_size=st.integers(2, 30),
        message_length=st.integers(1, 5),
    )
    | grids(),
    st.integers(0, 40),
    st.sets(st.sampled_from([c for c in COLUMNS if c not in ("window", "message")])),
)
@hypothesis_settings(max_examples=40, deadline=None)
def test_what_is_written_is_read(tmp_path_factory, config, num_episodes, left_out):
    whole = recorded(config, num_episodes)
    kept = {name: column for name, column in whole.columns().items() if name not in left_out}
    recording = Recording(config, **kept, provenance={"seed": 3, "note": "é"})
    path = tmp_path_factory.mktemp("recording") / "play.parquet"
    recording.write(path)
    back = read_recording(path)
    same(recording, back)
    assert back.provenance == recording.provenance


@pytest.mark.parametrize(
    ("game", "version"),
    [
        ({}, 1),
        ({"shape": (12,)}, 1),
        ({"num_visible": 4}, 1),
        ({"num_visible": 1}, 2),
        ({"shape": (3, 4), "window_radius": 1}, 2),
    ],
)
def test_only_grids_and_hidden_cells_need_version_2(tmp_path, game, version):
    recorded(GameConfig(**{"sequence_length": 12, "num_distractors": 3} | game)).write(tmp_path / "play")
    header = json.loads(pq.read_schema(tmp_path / "play").metadata[METADATA_KEY])
    assert header["format_version"] == version
    assert ("shape" in header["config"]) == (len(game.get("shape", ())) > 1)
    assert ("num_visible" in header["config"]) == (game.get("num_visible") == 1)


GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=3, num_visible=3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["window"].__setitem__((1, c["window"][1] >= 0), -2), "hide 5 cells (-2); got 8"),
        (
            lambda c: c.update(window=c["window"][:, :5]),
            "column window must have the shape (50, 9); got (50, 5)",
        ),
        (
            lambda c: c.update(sequence=np.roll(c["sequence"], 1, axis=1)),
            "row 0, column window: a window must show the sequence around target_position, in a game of",
        ),
        (lambda c: c.update(sequence=c["sequence"][:, :9]), "column sequence must have the shape (50, 12)"),
    ],
)
def test_windows_that_do_not_fit_the_shape_are_refused(change, words):
    columns = {name: column.copy() for name, column in recorded(GRID).columns().items()}
    change(columns)
    with pytest.raises(RecordingError, match=re.escape(words)):
        Recording(GRID, **columns)


def test_the_same_recording_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        recorded(num_episodes=3000).write(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_blocks_make_one_file_and_come_back_in_order(tmp_path):
    whole = recorded(num_episodes=1000)
    path = tmp_path / "play.parquet"
    with RecordingWriter(path, CONFIG, {"seed": 1}) as writer:
        for block in whole.blocks(batch_size=64):
            writer.write(block)
    same(read_recording(path), whole)
    blocks = list(stream(path, batch_size=100))
    assert [len(block) for block in blocks] == [100] * 10
    assert [block.first_row for block in blocks] == list(range(0, 1000, 100))


def test_several_files_are_read_as_one(tmp_path):
    parts = [recorded(seed=seed) for seed in range(3)]
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    for part, path in zip(parts, paths, strict=True):
        part.write(path)
    whole = read_recording(paths)
    np.testing.assert_array_equal(whole.message, np.concatenate([p.message for p in parts]))


def test_only_the_asked_columns_are_read(tmp_path):
    recorded().write(tmp_path / "play.parquet")
    assert list(read_recording(tmp_path / "play.parquet", columns=["choice"]).columns()) == [
        "window",
        "message",
        "choice",
    ]


def test_a_recording_without_rows(tmp_path):
    recorded(num_episodes=0).write(tmp_path / "empty.parquet")
    assert len(read_recording(tmp_path / "empty.parquet")) == 0
    with RecordingWriter(tmp_path / "nothing.parquet", CONFIG):
        pass
    assert len(read_recording(tmp_path / "nothing.parquet")) == 0


# --- Files of other tools --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.large_list(pa.int32()), pa.list_(pa.int8(), 5)])
def test_other_list_and_integer_types_are_read(tmp_path, kind):
    windows = [[1, 2, -1, 4, 5], [6, -1, 8, 9, 10]]
    path = write(
        tmp_path / "other.parquet",
        {"window": pa.array(windows, kind), "message": [[1, 2, 3], [0, 0, 1]], "remark": ["x", "y"]},
    )
    recording = read_recording(path, config=CONFIG)
    assert recording.window.tolist() == windows
    assert recording.message.dtype == np.int16


def test_a_file_without_its_game_needs_one(tmp_path):
    columns = {"window": [[1, 2, -1, 4, 5]], "message": [[1, 2, 3]]}
    refused(write(tmp_path / "other.parquet", columns), "give sequence_length and vocab_size")


def test_a_stored_game_is_not_overruled(tmp_path):
    recorded().write(tmp_path / "play.parquet")
    refused(
        tmp_path / "play.parquet", "the game must be L60 w2 c5 | v26x3; got L12 w2 c4", config=GameConfig()
    )


# --- Bad files -------------------------------------------------------------------------------------------

GOOD_WINDOW, GOOD_MESSAGE = [1, 2, -1, 4, 5], [1, 2, 3]


@pytest.mark.parametrize(
    ("window", "message", "words"),
    [
        ([1, 2, 3, 4, 5], GOOD_MESSAGE, "row 1, column window: a window must have one mask (-1); got 0"),
        ([1, -1, -1, 4, 5], GOOD_MESSAGE, "row 1, column window: a window must have one mask (-1); got 2"),
        (
            [1, 2, -1, 4, 1],
            GOOD_MESSAGE,
            "row 1, column window: integers of a window must be different; got [1, 2, -1, 4, 1]",
        ),
        ([1, 2, -1, 4, 12], GOOD_MESSAGE, "row 1, column window: values must be in -1..11; got 12"),
        ([1, 2, -2, 4, 5], GOOD_MESSAGE, "row 1, column window: values must be in -1..11; got -2"),
        (GOOD_WINDOW, [1, 2, 13], "row 1, column message: values must be in 0..12; got 13"),
        (GOOD_WINDOW, [1, 2, -1], "row 1, column message: values must be in 0..12; got -1"),
        (GOOD_WINDOW, [1, 2, 70000], "row 1, column message: values must be in 0..12; got 70000"),
        (GOOD_WINDOW, [1, 2], "row 1, column message: lists must be as long as the first, 3; got 2"),
        (GOOD_WINDOW, None, "row 1, column message: values must not be null"),
        (GOOD_WINDOW, [1, None, 2], "row 1, column message: values must not be null"),
        (None, GOOD_MESSAGE, "row 1, column window: values must not be null"),
    ],
)
def test_a_bad_row_is_named(tmp_path, window, message, words):
    columns = {"window": [GOOD_WINDOW, window], "message": [GOOD_MESSAGE, message]}
    refused(write(tmp_path / "bad.parquet", columns), words, config=CONFIG)


def test_rows_are_counted_from_the_start_of_the_file(tmp_path):
    windows = [GOOD_WINDOW] * 250 + [[1, 2, 3, 4, 5]]
    path = tmp_path / "bad.parquet"
    pq.write_table(pa.table({"window": windows, "message": [GOOD_MESSAGE] * 251}), path, row_group_size=100)
    with pytest.raises(RecordingError, match="row 250, column window"):
        list(stream(path, config=CONFIG, batch_size=30))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"window": [GOOD_WINDOW]}, "a recording must have the column message"),
        ({"message": [GOOD_MESSAGE]}, "a recording must have the column window"),
        (
            {"window": [[0.5, -1.0, 2.0, 3.0, 4.0]], "message": [GOOD_MESSAGE]},
            "column window must hold integers; got double",
        ),
        ({"window": [3], "message": [GOOD_MESSAGE]}, "column window must have the shape (1, 5); got (1,)"),
        (
            {"window": [[1, -1, 2]], "message": [GOOD_MESSAGE]},
            "column window must have the shape (1, 5); got (1, 3)",
        ),
        (
            {"window": [GOOD_WINDOW], "message": [GOOD_MESSAGE], "choice": [9]},
            "row 0, column choice: values must be in -1..3; got 9",
        ),
    ],
)
def test_bad_columns_are_named(tmp_path, columns, words):
    refused(write(tmp_path / "bad.parquet", columns), words, config=CONFIG)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b"{", "the metadata spatial_game must be JSON"),
        ([1], "the metadata spatial_game must be a JSON object; got [1]"),
        ({"format_version": 3, "config": {}}, "format_version must be 1 or 2; got 3"),
        ({"format_version": 1}, "must have a config"),
        ({"format_version": 1, "config": {"window_radius": 9}}, None),
        (
            {"format_version": 1, "config": {"sequence_length": 3}},
            "2*radius+1 <= sequence_length; got 2 and 3",
        ),
        ({"format_version": 1, "config": {"size": 3}}, "got 'size'"),
    ],
)
def test_a_bad_header_is_named(tmp_path, header, words):
    columns = {"window": [GOOD_WINDOW], "message": [GOOD_MESSAGE]}
    path = write(tmp_path / "bad.parquet", columns, header)
    refused(path, words or "column window must have the shape (1, 19); got (1, 5)")


def test_a_missing_truncated_or_foreign_file(tmp_path):
    recorded(num_episodes=2000).write(tmp_path / "play.parquet")
    whole = (tmp_path / "play.parquet").read_bytes()
    for size in (0, 3, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.parquet").write_bytes(whole[:size])
        refused(tmp_path / "cut.parquet", "not a whole Parquet file")
    (tmp_path / "text.parquet").write_text("PAR1 this is text PAR1")
    refused(tmp_path / "text.parquet", "not a whole Parquet file")
    refused(tmp_path / "none.parquet", "there is no such file")
    refused(tmp_path, "this is a folder")


def test_files_of_different_games_do_not_mix(tmp_path):
    recorded().write(tmp_path / "one.parquet")
    recorded(GameConfig()).write(tmp_path / "two.parquet")
    with pytest.raises(RecordingError, match="recordings must be of one game"):
        read_recording([tmp_path / "one.parquet", tmp_path / "two.parquet"])
    with pytest.raises(RecordingError, match="at least one recording"):
        read_recording([])


# --- Nothing is lost -------------------------------------------------------------------------------------


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "play.parquet"
    recorded(seed=1).write(path)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), RecordingWriter(path, CONFIG) as writer:
        writer.write(recorded(num_episodes=ROW_GROUP, seed=2))
        raise KeyboardInterrupt
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["play.parquet"]


def test_blocks_of_another_game_or_with_other_columns_are_refused(tmp_path):
    with (
        pytest.raises(RecordingError, match="a block must be of the game"),
        RecordingWriter(tmp_path / "play.parquet", CONFIG) as writer,
    ):
        writer.write(recorded(GameConfig()))
    for size in (10, ROW_GROUP):
        whole = recorded(num_episodes=size)
        part = Recording(CONFIG, window=whole.window, message=whole.message)
        with (
            pytest.raises(RecordingError, match="a block must have the columns"),
            RecordingWriter(tmp_path / "play.parquet", CONFIG) as writer,
        ):
            writer.write(whole)
            writer.write(part)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("provenance", "words"),
    [
        ({"config": {"lr": 1e-3}}, "provenance must leave config to the format; got"),
        ({"format_version": 2}, "provenance must leave format_version to the format; got 2"),
        ({"seed": np.int64(3)}, "provenance must be JSON; Object of type int64"),
        ({"rate": float("nan")}, "provenance must be JSON; Out of range float"),
    ],
)
def test_a_provenance_that_cannot_be_stored_is_refused_before_anything_is_played(tmp_path, provenance, words):
    with pytest.raises(RecordingError, match=words):
        RecordingWriter(tmp_path / "play.parquet", CONFIG, provenance)


def test_a_column_that_is_there_twice_is_named(tmp_path):
    recorded().write(tmp_path / "play.parquet")
    table = pq.read_table(tmp_path / "play.parquet")
    pq.write_table(table.append_column("window", table["window"]), tmp_path / "twice.parquet")
    with pytest.raises(RecordingError, match="must have the column window once"):
        read_recording(tmp_path / "twice.parquet")


@pytest.mark.skipif(sys.platform == "win32", reason="no such names, links and pipes there")
def test_names_links_and_devices(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recorded().write("s3:play.parquet")
    assert len(read_recording("s3:play.parquet")) == len(recorded())
    (tmp_path / "folder").mkdir()
    os.symlink("folder/play.parquet", "link.parquet")
    recorded().write("link.parquet")
    assert os.path.islink("link.parquet")
    assert len(read_recording("folder/play.parquet")) == len(recorded())
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_text("pipe", "said")
    assert os.read(reader, 10) == b"said"
    os.close(reader)
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="limits on file size are POSIX")
def test_a_full_disk_leaves_what_was_there(tmp_path):
    path = tmp_path / "play.parquet"
    recorded(seed=1).write(path)
    before = path.read_bytes()
    script = f"""
        import resource, signal, sys
        sys.path[:0] = {sys.path!r}
        from test_recording import recorded
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        try:
            recorded(num_episodes=50000).write({str(path)!r})
        except OSError as error:
            print("refused:", error.strerror or error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        cwd=os.path.dirname(__file__),
        check=False,
    )
    assert "refused: " in done.stdout, done.stderr
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["play.parquet"]


# --- Integrity -------------------------------------------------------------------------------------------


def content(path):
    found = read_recording(path)
    columns = {name: column.tolist() for name, column in found.columns().items()}
    return found.config, found.provenance, columns


def flipped(whole, bit):
    changed = bytearray(whole)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


@pytest.mark.parametrize("part", ["pages", "footer"])
@pytest.mark.parametrize("flips", [250, pytest.param(4_000, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_refused_or_changes_nothing(tmp_path, part, flips):
    path = tmp_path / "play.parquet"
    Recording(CONFIG, **recorded(num_episodes=200).columns(), provenance={"note": "x" * 40}).write(path)
    whole, good = path.read_bytes(), content(path)
    begin = 8 * (len(whole) - 8 - int.from_bytes(whole[-8:-4], "little"))
    bits = range(begin) if part == "pages" else range(begin, 8 * len(whole))
    refusals = 0
    for bit in np.random.default_rng(flips).choice(np.array(bits), flips, replace=False).tolist():
        path.write_bytes(flipped(whole, bit))
        try:
            assert content(path) == good, bit
        except RecordingError:
            refusals += 1
    assert refusals > flips / 2


def test_a_file_says_whether_it_was_verified(tmp_path):
    path = tmp_path / "play.parquet"
    recorded().write(path)
    assert RecordingFile.open(path).verified
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 10), path)  # as other programs write, and earlier versions did
    assert not RecordingFile.open(path).verified
    assert len(read_recording(path)) == 10
    old_hash = {b"spatial_game_hash": b"0" * 64}
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **old_hash}), path)
    refused(path, "the header does not match its hash")


def test_metadata_that_is_nested_too_deeply_is_refused(tmp_path):
    columns = {"window": [GOOD_WINDOW], "message": [GOOD_MESSAGE]}
    path = write(tmp_path / "deep.parquet", columns, b"[" * 100_000)
    refused(path, "the metadata spatial_game must be JSON")


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes there")
def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "a regular file is needed; this is none")


@pytest.mark.skipif(sys.platform == "win32", reason="temporary files of killed processes stay there")
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    script = f"""
        import os, signal, sys
        sys.path[:0] = {sys.path!r}
        from spatial_game.files import replacing
        with replacing({str(tmp_path / "play.parquet")!r}) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    [left] = os.listdir(tmp_path)
    assert re.fullmatch(r"\.play\.parquet\.[0-9a-f]{8}\.tmp", left)
    (tmp_path / ".other.parquet.01234567.tmp").write_text("of another file")
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))
    with replacing(tmp_path / "play.parquet") as living:
        living.write_text("not stale")
        os.utime(living, (1, 1))
        recorded().write(tmp_path / "play.parquet")
        assert living.exists()
    assert sorted(os.listdir(tmp_path)) == [".other.parquet.01234567.tmp", "play.parquet"]


def test_a_small_file_with_a_huge_row_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """Equal values take no room in the file: 300 million took 4.7 GB."""
    path, game = tmp_path / "wide.parquet", GameConfig(8, window_radius=1, num_distractors=2)
    window = pa.array([[0] * 100_000], pa.list_(pa.int16()))
    table = pa.table({"window": window, "message": pa.array([[0, 0, 0]], pa.list_(pa.int16()))})
    header = json.dumps({"format_version": 1, "config": game.to_dict()})
    pq.write_table(table.replace_schema_metadata({"spatial_game": header}), path)
    assert path.stat().st_size < 3_000
    monkeypatch.delattr(pq.ParquetFile, "iter_batches")
    rule = r"wide.parquet: column window: a row group of 1 rows must have 3 values; got 100000$"
    with pytest.raises(RecordingError, match=rule):
        read_recording(path)
