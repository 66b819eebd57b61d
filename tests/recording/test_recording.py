"""Recordings: round trips, other tools' files, and every way in which a file can be bad."""

import json
import os
import re
import shutil
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spatial_game import GameConfig, OracleReceiver, OracleSender, RandomReceiver, RandomSender, draw_episodes
from spatial_game.errors import GameAssumed, UserError
from spatial_game.language import count
from spatial_game.recording import (
    Recording,
    RecordingError,
    RecordingWriter,
    files,
    join,
    read_recording,
    record,
    recording_parts,
    stream,
    symbol_names,
)
from spatial_game.recording.format import METADATA_KEY
from spatial_game.recording.recording import ROW_GROUP

CONFIG = GameConfig(sequence_length=12, num_distractors=3, vocab_size=13)
GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=3, num_visible=3)


def recorded(config=CONFIG, num_episodes=50, seed=0):
    rng = np.random.default_rng(seed)
    episodes, origin = draw_episodes(config, num_episodes, rng), {"seed": seed, "agents": "random"}
    return record((RandomSender(config, rng), RandomReceiver(config, rng)), episodes, config, origin)


@pytest.fixture
def path(tmp_path):
    """A file with a recording."""
    recorded().write(tmp_path / "play.parquet")
    return tmp_path / "play.parquet"


def same(one, other):
    assert one.config == other.config
    assert one.columns().keys() == other.columns().keys()
    for name, column in one.columns().items():
        np.testing.assert_array_equal(column, other.columns()[name])


def write(path, columns, header=None):
    """Write a file as another tool would."""
    table = pa.table(columns)
    if header is not None:
        content = header if isinstance(header, bytes) else json.dumps(header).encode()
        table = table.replace_schema_metadata({METADATA_KEY: content})
    pq.write_table(table, path)
    return path


def refused(path, words, read=read_recording, **options):
    with pytest.raises(RecordingError, match=re.escape(words)) as caught:
        read(path, **options)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


# --- What was played -------------------------------------------------------------------------------------


def test_the_game_is_that_of_the_agents_where_none_is_given():
    episodes = draw_episodes(CONFIG, 5, np.random.default_rng(0))
    assert record((OracleSender(CONFIG), None), episodes).config == CONFIG
    fault = "config must be given for agents without a config"
    with pytest.warns(GameAssumed), pytest.raises(ValueError, match=fault):
        record((SimpleNamespace(send=OracleSender(CONFIG).send), None), episodes)


def test_agents_are_recorded_in_each_form_that_load_agents_takes():
    episodes = draw_episodes(CONFIG, 5, np.random.default_rng(0))
    oracles = OracleSender(CONFIG), OracleReceiver(CONFIG)
    both = SimpleNamespace(sender=oracles[0], receiver=oracles[1])
    for agents in (oracles, both, "oracle", (OracleSender, "oracle")):
        recording = record(agents, episodes, CONFIG)
        assert recording.accuracy == 1
        np.testing.assert_array_equal(recording.message, record((oracles[0], None), episodes).message)
    with pytest.raises(ValueError, match="agents must be "):
        record(oracles[0], episodes)


def test_recordings_and_episodes_are_equal_if_what_they_hold_is():
    one = recorded()
    assert one == recorded()
    assert one == replace(one, rows=one.rows + 7)
    assert one != recorded(seed=1)
    assert one != recorded(num_episodes=49)
    assert one != replace(one, choice=None)
    assert one != replace(one, provenance={})
    assert one != "a recording"
    first, second = (draw_episodes(CONFIG, 50, np.random.default_rng(seed)) for seed in (0, 1))
    assert first == first[:]
    assert first != second
    assert first != first[:49]
    assert first != one


def test_accuracy_needs_choices():
    recording = recorded()
    with pytest.raises(RecordingError, match="accuracy needs episodes with the columns choice"):
        _ = Recording(CONFIG, window=recording.window, message=recording.message).accuracy
    with pytest.raises(RecordingError, match="accuracy needs episodes"):
        _ = recorded(num_episodes=0).accuracy
    alone = record((OracleSender(CONFIG), None), draw_episodes(CONFIG, 5, np.random.default_rng(1)), CONFIG)
    assert set(alone.choice.tolist()) == {-1}
    in_part = replace(recording, choice=np.where(np.arange(50) < 49, recording.choice, np.int16(-1)))
    for unanswered in (alone, in_part):
        with pytest.raises(RecordingError, match="episodes in which someone chose; got a choice of -1"):
            _ = unanswered.accuracy


# --- Files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "left_out", [(), ("sequence", "target_position"), ("target_position",), ("candidates", "choice")], ids=str
)
@pytest.mark.parametrize("num_episodes", [0, 40])
@pytest.mark.parametrize("game", ["sequence", "grid"])
def test_what_is_written_is_read(tmp_path, monkeypatch, game, num_episodes, left_out):
    monkeypatch.chdir(tmp_path)
    config = CONFIG if game == "sequence" else GRID
    columns = recorded(config, num_episodes).columns()
    kept = {name: column for name, column in columns.items() if name not in left_out}
    recording = Recording(config, **kept, provenance={"seed": 3, "note": "é"})
    recording.write("s3:play.parquet")
    back = read_recording("s3:play.parquet")
    same(recording, back)
    assert back.provenance == recording.provenance


def test_the_same_recording_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        recorded().write(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_blocks_make_one_file_and_come_back_in_order(path):
    whole = recorded(num_episodes=100)
    with RecordingWriter(path, CONFIG, {"seed": 1}) as writer:
        for block in whole.blocks(batch_size=7):
            writer.write(block)
    same(read_recording(path), whole)
    blocks = list(stream(path, batch_size=40))
    assert [len(block) for block in blocks] == [40, 40, 20]
    assert [block.rows[0] for block in blocks] == [0, 40, 80]
    assert [block.rows[0] for block in blocks[1].blocks(batch_size=15)] == [40, 55, 70]


def test_blocks_wait_in_memory_until_they_fill_a_group_of_rows(path, monkeypatch):
    monkeypatch.setattr("spatial_game.recording.recording.ROW_GROUP", 20)
    sizes = []
    with RecordingWriter(path, CONFIG) as writer:
        for block in recorded(num_episodes=50).blocks(batch_size=10):
            writer.write(block)
            sizes.append(sum(file.stat().st_size for file in path.parent.iterdir() if file != path))
    assert 0 == sizes[0] < sizes[1] == sizes[2] < sizes[3] == sizes[4]


def test_several_files_are_read_as_one(tmp_path):
    parts = [recorded(seed=seed) for seed in range(3)]
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    for part, path in zip(parts, paths, strict=True):
        part.write(path)
    whole = read_recording(paths, columns=["choice"])
    assert list(whole.columns()) == ["window", "message", "choice"]
    np.testing.assert_array_equal(whole.message, np.concatenate([p.message for p in parts]))
    assert whole.provenance == {"agents": "random"}
    assert whole.rows.tolist() == [*range(50)] * 3
    assert [(block.rows[0], len(block)) for block in whole.blocks(batch_size=40)] == [
        *[(0, 40), (40, 40)],
        *[(30, 40), (20, 30)],
    ]
    assert [block.rows.tolist() for block in whole.blocks(batch_size=40)][1] == [*range(40, 50), *range(30)]
    os.link(paths[0], tmp_path / "link.parquet")
    shutil.copyfile(paths[0], tmp_path / "copy.parquet")
    for twice in (paths[0], tmp_path / "link.parquet", tmp_path / "copy.parquet"):
        with pytest.raises(RecordingError, match=rf"counts once; got .*0\.parquet and .*{twice}"):
            read_recording([*paths, twice])
    recorded(GameConfig()).write(paths[0])
    with pytest.raises(
        RecordingError, match=r"1\.parquet: .* of one game; got L12 .* beside L60 .*0\.parquet"
    ):
        read_recording(paths)
    with pytest.raises(RecordingError, match="recordings must be of one game"):
        join([parts[0], recorded(GameConfig())])
    for nothing in (read_recording, join):
        with pytest.raises(RecordingError, match="at least one recording"):
            nothing([])


def test_symbols_have_the_names_that_the_recordings_give_them():
    named = {"symbols": ["ba", "do"]}
    assert symbol_names(GameConfig(vocab_size=3), [{}]) == symbol_names(GameConfig(vocab_size=3), [])
    assert symbol_names(GameConfig(vocab_size=3), [named, {**named, "seed": 1}]) == ("ba", "do", "2")
    for symbols in (["b", "b"], [1, 2], "ba", ["a", "b", "c", "d"]):
        with pytest.raises(
            RecordingError, match="symbols in the provenance must be at most 3 different texts"
        ):
            symbol_names(GameConfig(vocab_size=3), [{"symbols": symbols}])
    one, other = recorded(), replace(recorded(), provenance=named)
    for together in (join, count):
        with pytest.raises(RecordingError, match=re.escape("symbols alike: import it from one file; got []")):
            together([one, other])


def test_a_folder_stands_for_the_recordings_in_it(tmp_path):
    for seed in (1, 0):
        recorded(num_episodes=5, seed=seed).write(tmp_path / f"{seed}.parquet")
    (tmp_path / "notes.txt").write_text("none")
    both = join([recorded(num_episodes=5, seed=seed) for seed in (0, 1)])
    same(read_recording(tmp_path), both)
    with pytest.raises(RecordingError, match=r"counts once; got .*0\.parquet and .*0\.parquet"):
        read_recording([tmp_path, tmp_path / "0.parquet"])
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "must be a regular file; got a folder")


def test_what_a_file_of_another_program_does_not_tell_must_be_given(path):
    table = pa.table({"window": [[1, -1, 2]], "message": [[3, 4]], "choice": pa.nulls(1)})
    pq.write_table(table, path)
    lacking = "the file does not tell its game: give "
    refused(path, f"{lacking}sequence_length and vocab_size")
    refused(path, f"{lacking}sequence_length", config={"vocab_size": 8})
    refused(path, f"{lacking}vocab_size", config={"shape": (3, 3)})
    read = read_recording(path, config={"vocab_size": 8, "sequence_length": 9})
    assert read.config == GameConfig(9, window_radius=1, vocab_size=8, message_length=2)
    assert set(read.columns()) == {"window", "message"}
    read.write(path)
    assert len(read_recording(path, config={"vocab_size": 8})) == 1
    refused(path, "vocab_size must be 26, as given; got 8", config={"vocab_size": 26})


def test_a_file_without_its_game_tells_the_numbers_of_its_cells(path):
    write(path, {name: column.tolist() for name, column in recorded(GRID).columns().items()})
    same(read_recording(path, config={"shape": [3, 4], "vocab_size": 26, "num_visible": 3}), recorded(GRID))


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"vocabsize": 26}, r"config: GameConfig fields .*; got 'vocabsize' \(did you mean"),
        ({"window_size": 5}, "config: GameConfig fields must be .*; got 'window_size'"),
        ({"game": "small"}, "config: GameConfig fields must be .*; got 'game'"),
        ("small", "config must be a GameConfig, or a dict of some of its fields; got 'small'"),
        ({"shape": 5}, "config: shape must hold whole numbers"),
    ],
)
def test_a_config_with_unknown_fields_is_refused(path, config, words, told):
    if not told:
        write(path, {"window": [[1, -1, 2]], "message": [[3, 4]]})
    with pytest.raises(UserError, match=words):
        read_recording(path, config=config)


def test_a_pipe_is_no_file_of_a_recording(path):
    os.mkfifo(path.parent / "pipe")
    with pytest.raises(
        RecordingError, match=r"must be written to a file, and no pipe or device; got .*pipe$"
    ):
        RecordingWriter(path.parent / "pipe", CONFIG)
    recorded().write(os.devnull)


def test_a_writer_writes_one_file_once_within_its_block_also_an_empty_one(path):
    writer, outside = RecordingWriter(path, CONFIG), r"writes within: with RecordingWriter"
    with pytest.raises(RuntimeError, match=outside):
        writer.write(recorded())
    with writer:
        pass
    assert len(read_recording(path)) == 0
    with pytest.raises(RuntimeError, match=outside):
        writer.write(recorded())
    with pytest.raises(RuntimeError, match="writes one file once"), writer:
        pass


@pytest.mark.parametrize("row_group", [1, ROW_GROUP])
def test_a_failed_write_leaves_what_was_there(row_group, path, monkeypatch):
    # Of 1: a block is written before the next is wrong.
    monkeypatch.setattr("spatial_game.recording.recording.ROW_GROUP", row_group)
    before, whole = path.read_bytes(), recorded(num_episodes=10)
    part = Recording(CONFIG, window=whole.window, message=whole.message)
    for wrong, words in ((recorded(GameConfig()), "be of the game"), (part, "have the columns")):
        with (
            pytest.raises(RecordingError, match=f"a block must {words}"),
            RecordingWriter(path, CONFIG) as writer,
        ):
            writer.write(whole)
            writer.write(wrong)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize(
    ("provenance", "words"),
    [
        ({"format_version": 2}, "provenance must leave format_version to the format; got 2"),
        ({"config": {}}, "provenance must leave config to the format; got {}"),
        ({"rate": float("nan")}, "provenance must be JSON; Out of range float"),
    ],
)
def test_a_provenance_that_cannot_be_stored_is_refused_before_anything_is_played(path, provenance, words):
    with pytest.raises(RecordingError, match=words):
        RecordingWriter(path, CONFIG, provenance)


# --- Files of other tools --------------------------------------------------------------------------------

GOOD_WINDOW, GOOD_MESSAGE = [1, 2, -1, 4, 5], [1, 2, 3]


@pytest.mark.parametrize("kind", [pa.list_(pa.int16()), pa.list_(pa.int8(), 2)])
def test_a_part_of_a_column_is_that_part(kind):
    whole = pa.array([[1, 2], [3, 4], [5, 6]], kind)
    assert files._numpy(whole.slice(1, 1), "message", 0).tolist() == [[3, 4]]


@pytest.mark.parametrize("kind", [pa.large_list(pa.int32()), pa.list_(pa.int8(), 5)])
def test_other_list_and_integer_types_are_read(path, kind):
    windows = [GOOD_WINDOW, [6, -1, 8, 9, 10]]
    columns = {"window": pa.array(windows, kind), "message": [[1, 2, 3], [0, 0, 1]], "remark": ["x", "y"]}
    recording = read_recording(write(path, columns), config=CONFIG)
    assert recording.window.tolist() == windows
    assert recording.message.dtype == np.int16


# --- Bad files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("window", [1, 2, 3, 4, 5], "column window must have one mask (-1); got 0 in row 250"),
        ("window", [1, 2, -1, 4, 1], "window must hold different integers; got [1, 2, -1, 4, 1] in row 250"),
        ("window", [1, 2, -1, 4, 12], "column window must be in -1..11; got 12 in row 250"),
        ("window", [1, 2, -2, 4, 5], "column window must be in -1..11; got -2 in row 250"),
        ("message", [1, 2, 70000], "column message must be in 0..12; got 70000 in row 250"),
        ("message", [1, 2], "column message must have lists as long as the first, 3; got 2 in row 250"),
        ("message", [1, 2, 3, 4], "column message must have lists as long as the first, 3; got 4 in row 250"),
        ("message", [1, None, 2], "column message must have no nulls; got one in row 250"),
        ("choice", 9, "column choice must be in -1..3; got 9 in row 250"),
    ],
)
def test_a_bad_row_is_named(path, column, value, words):
    rows = {"window": [GOOD_WINDOW] * 251, "message": [GOOD_MESSAGE] * 251, "choice": [0] * 251}
    rows[column][250] = value
    pq.write_table(pa.table(rows), path, row_group_size=100)
    refused(path, words, config=CONFIG)
    refused(path, words, lambda path, **options: [*stream(path, batch_size=90, **options)], config=CONFIG)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"message": None}, "a recording must have the column message"),
        ({"window": [[0.5, -1.0, 2.0, 3.0, 4.0]]}, "column window must hold integers; got double"),
        ({"window": [[1, -1, 2]]}, "column window must have shape (1, 5); got (1, 3)"),
        (
            {"message": pa.array([None], pa.list_(pa.int8()))},
            "column message must have no nulls; got one in row 0",
        ),
    ],
)
def test_bad_columns_are_named(path, columns, words):
    given = {"window": [GOOD_WINDOW], "message": [GOOD_MESSAGE]} | columns
    write(path, {name: column for name, column in given.items() if column is not None})
    refused(path, words, config=CONFIG)


def test_a_column_twice_is_refused(path):
    columns = [[GOOD_WINDOW], [GOOD_MESSAGE], [GOOD_MESSAGE]]
    pq.write_table(pa.table([*map(pa.array, columns)], names=["window", "message", "message"]), path)
    refused(path, "must have the column message once; got ['window', 'message', 'message']", config=CONFIG)


@pytest.mark.parametrize("rows", [7, 70])
def test_a_file_that_changed_after_it_was_opened_is_refused(path, rows):
    [opened] = recording_parts(path)
    recorded(num_episodes=rows).write(path)
    with pytest.raises(RecordingError, match=f"the file must have 50 rows; got {rows}"):
        list(opened.blocks())


@pytest.mark.parametrize("config", [CONFIG, GRID], ids=["sequence", "grid"])
@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("sequence", lambda column: np.roll(column, 1, axis=1), "window must show the sequence"),
        ("target_position", lambda column: (column + 1) % 12, "window must show the sequence"),
        (
            "candidates",
            lambda column: column * 0,
            "candidates must hold different integers; got [0, 0",
        ),
        ("target_index", lambda column: (column + 1) % 4, "target_index must be the target's index in cand"),
    ],
)
def test_columns_that_contradict_each_other_are_refused(config, name, wrong, words):
    columns = recorded(config).columns()
    with pytest.raises(RecordingError, match=re.escape(words)) as caught:
        Recording(config, **columns | {name: wrong(columns[name])})
    assert "in row 0" in str(caught.value)


def test_of_many_candidates_none_stands_twice():
    config = GameConfig(sequence_length=60, num_distractors=49)
    columns = recorded(config).columns()
    candidates = columns["candidates"].copy()
    Recording(config, **columns)
    candidates[7, 0] = candidates[7, 49]
    with pytest.raises(RecordingError, match=r"candidates must hold different integers; got .* in row 7$"):
        Recording(config, **columns | {"candidates": candidates})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["window"].__setitem__((1, c["window"][1] >= 0), -2), "hide 5 cells (-2); got 8"),
        (lambda c: c.update(window=c["window"][:, :5]), "must have shape (50, 9); got (50, 5)"),
    ],
)
def test_windows_that_do_not_fit_the_shape_are_refused(change, words):
    columns = {name: column.copy() for name, column in recorded(GRID).columns().items()}
    change(columns)
    with pytest.raises(RecordingError, match=re.escape(words)):
        Recording(GRID, **columns)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b"{", "the metadata spatial_game: not whole JSON"),
        ([1], "the metadata spatial_game: the header must be a JSON object; got [1]"),
        ({"format_version": 3, "config": {}}, "format_version must be 1; got 3"),
        ({"format_version": 1, "config": 3}, "config must be a JSON object; got 3"),
        ({"format_version": 1, "config": {"window_radius": 9}}, "must have shape (1, 19); got (1, 5)"),
        ({"format_version": 1, "config": {"size": 3}}, "got 'size'"),
    ],
)
def test_a_bad_header_is_named(path, header, words):
    refused(write(path, {"window": [GOOD_WINDOW], "message": [GOOD_MESSAGE]}, header), words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1; got 0"),
        ({"columns": ["choise"]}, "got 'choise' (did you mean \"choice\"?)"),
    ],
)
def test_a_mistake_of_the_caller_is_not_blamed_on_the_file(path, options, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        list(recorded().blocks(**options))
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        list(stream(path, **options))
    assert str(path) not in str(caught.value)


def test_a_missing_truncated_or_foreign_file(path):
    refused(path, "sequence_length must be 60, as given; got 12", config=GameConfig())
    whole = path.read_bytes()
    for content in (*(whole[:size] for size in (0, 3, 100, len(whole) // 2, -1)), b"PAR1 this is text PAR1"):
        path.write_bytes(content)
        refused(path, "must be a whole Parquet file")
    for content, kind in (
        (
            b"window_0\tmessage_0\n1\t2\n",
            f"a table as text (CSV, TSV). Import it: spatial-game import {path}",
        ),
        (b'{"exchange_0": 1}', "JSON, such as the paper's code writes. Import it: spatial-game import"),
        (b"PK\x03\x04[Content_Types].xml xl/workbook.xml", "a workbook, to be saved as CSV. Import it"),
        (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "a workbook, to be saved"),
    ):
        path.write_bytes(content)
        refused(path, f"must be a whole Parquet file; this looks like {kind}")
    refused(path.parent / "none.parquet", "there is no such file")
    if sys.platform != "win32":
        os.mkfifo(path.parent / "pipe")
        refused(path.parent / "pipe", "must be a regular file; got a device or pipe")


# --- Integrity -------------------------------------------------------------------------------------------


def test_a_flipped_bit_is_refused_or_changes_nothing(path):
    Recording(CONFIG, **recorded(num_episodes=200).columns(), provenance={"note": "x" * 40}).write(path)
    whole, good = path.read_bytes(), read_recording(path)
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    rng, refusals = np.random.default_rng(4), 0
    for begin, end in ((0, footer), (footer, len(whole))):
        for place in rng.choice(np.arange(begin, end), 80, replace=False).tolist():
            changed = bytearray(whole)
            changed[place] ^= 1 << int(rng.integers(8))
            path.write_bytes(changed)
            try:
                found = read_recording(path)
                same(found, good)
                assert found.provenance == good.provenance
            except RecordingError:
                refusals += 1
    assert refusals > 80


def test_the_hash_of_the_footer_is_for_our_own_files(path):
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 10), path)  # as other programs write
    assert len(read_recording(path)) == 10
    wrong = {**table.schema.metadata, b"spatial_game_hash": b"0" * 64}
    pq.write_table(table.replace_schema_metadata(wrong), path)
    refused(path, "the footer does not match its hash")


def test_a_changed_recording_keeps_the_rows_of_its_files():
    joined = join([recorded(), recorded(seed=1)])
    assert replace(joined, provenance={}).rows.tolist() == [*range(50)] * 2
    for rows in (np.arange(7), [3]):
        with pytest.raises(RecordingError, match=rf"rows must have shape \(50,\); got \({len(rows)},\)"):
            replace(recorded(), rows=rows)
