"""Other people's files: round trips, the published code's own shapes, and one-line errors for bad ones."""

import contextlib
import gzip
import io
import json
import pickle
from csv import QUOTE_ALL, QUOTE_MINIMAL, writer
from dataclasses import replace
from functools import partial
from unicodedata import normalize
from zipfile import ZipFile

import numpy as np
import pytest
from helpers.published import exchanges, export_interactions
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import RandomReceiver, RandomSender
from spatial_game.language.interchange import (
    InterchangeError,
    export_csv,
    export_tensors,
    import_advice,
    read_csv,
    read_interactions,
    read_tensors,
    sheet,
)
from spatial_game.recording import Recording, record, symbol_names

GAME = GameConfig(9, window_radius=2, num_distractors=3, vocab_size=26, message_length=3)
FORMATS = {
    "interactions": (export_interactions, partial(read_interactions, vocab_size=26)),
    "csv": (export_csv, partial(read_csv, **GAME.to_dict())),
    "tensors": (export_tensors, read_tensors),
}


def recorded(config=GAME, size=40):
    rng = np.random.default_rng(0)
    episodes = draw_episodes(config, size, rng)
    return record((RandomSender(config, rng), RandomReceiver(config, rng)), episodes, config)


def of_two_columns(recording):
    return Recording(recording.config, recording.window, recording.message)


def same(one, other):
    columns = one.columns()
    assert one.config == other.config
    assert columns.keys() == other.columns().keys()
    for name, column in columns.items():
        assert np.array_equal(column, other.columns()[name]), name


def refused(read, path):
    """Return the one line in which a reader refuses a file."""
    with pytest.raises(InterchangeError) as caught:
        read(path)
    error = str(caught.value)
    assert error.startswith(f"{path}: ")
    assert error.isprintable()
    return error


# --- Every format -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "recording"),
    [
        *((format, recorded()) for format in FORMATS),
        *((format, of_two_columns(recorded())) for format in ("csv", "tensors")),
    ],
)
def test_a_recording_comes_back(tmp_path, format, recording):
    (write, read), path = FORMATS[format], tmp_path / "file"
    assert write(recording, path) == 40
    same(recording, read(path))
    assert read(path).provenance["imported_from"] == "file"


@pytest.mark.parametrize("format", ["csv", "tensors"])
def test_symbols_keep_their_names(tmp_path, format):
    (write, read), path = FORMATS[format], tmp_path / "file"
    recording = replace(recorded(), provenance={"symbols": [*"zyxwvutsrqponmlkjihgfedcba"]})
    write(recording, path)
    assert spoken(read(path)) == spoken(recording)


def spoken(recording):
    names = symbol_names(recording.config, [recording.provenance])
    return [[names[symbol] for symbol in message] for message in recording.message.tolist()]


@pytest.mark.parametrize("format", FORMATS)
def test_missing_folders_and_empty_files_are_refused(tmp_path, format):
    write, read = FORMATS[format]
    assert "there is no such file" in refused(read, tmp_path / "nothing.here")
    assert "must be a regular file; got a folder" in refused(read, tmp_path)
    write(recorded(size=0), tmp_path / "empty")
    assert "at least one e" in refused(read, tmp_path / "empty")


HEADER = "window_0,window_1,window_2,window_3,window_4,message_0,message_1,message_2"


@pytest.mark.parametrize(
    ("format", "text", "error"),
    [
        ("interactions", "", "not whole JSON"),
        ("interactions", "[1]", "the file must hold one JSON object with at least one exchange; got [1]"),
        ("interactions", "\x80", "not UTF-8"),
        ("csv", "", "there must be the column window, or window_0"),
        (
            "csv",
            "left,message\n1,a b\n",
            "once (--columns window=A,B,... names others for it); got ['left', ",
        ),
        (
            "csv",
            "window,message\n1 2,a b\n",
            "window, from column window, must have an odd number of integers in each list, one of them for "
            "the target, with ? in each row; got 2",
        ),
        ("csv", HEADER.replace("message_1", "word") + "\n", "there must be the column message_1 once; got "),
        ("csv", HEADER + ",message_3\n-1,0,1,2,3,1,2,3,4\n", "column message must have shape (1, 3); got"),
        (
            "csv",
            HEADER + "\n-1,0,1,2,3,1,2,3\n-1,0,1,2,3,1,2,\n",
            "column message_2 must have a symbol in each cell; got '' in row 3",
        ),
        ("csv", HEADER + "\n-1,0,1,2,3\n", "Expected 8 columns, got 5"),
        (
            "csv",
            HEADER + "\n-1,0,-2,2,3,1,2,3\n",
            "hidden cells (-2), and the file does not tell their game: give num",
        ),
    ],
)
def test_a_bad_text_is_refused(tmp_path, format, text, error):
    path = tmp_path / "file"
    path.write_bytes(text.encode("latin-1"))
    assert error in refused(FORMATS[format][1], path)


# --- The paper's interactions -----------------------------------------------------------------------------


def test_numbers_may_be_wrapped_in_lists_or_not_and_the_game_can_be_given(tmp_path):
    config, path = GameConfig(9, num_integers=12, num_distractors=3, vocab_size=40), tmp_path / "i"
    recording = recorded(config, 5)
    content = exchanges(recording)
    for exchange in content.values():
        exchange["cut_inputs"] = [[k] for k in exchange["cut_inputs"]]
        exchange["sequence"] = [k for [k] in exchange["sequence"]]
        exchange["guess"] = [exchange["guess"]]
        exchange["target_id"] = exchange["target_id"][0]
    path.write_text(json.dumps(content))
    same(recording, read_interactions(path, vocab_size=40, num_integers=12))


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("message", [1, 2, "x"], "exchange_7, message: there must be 3 whole numbers; got [1, 2, 'x']"),
        ("message", [1, True, 2], "exchange_7, message: there must be 3 whole numbers; got [1, True, 2]"),
        ("tds", [[1], [True], [3], [0]], "tds: there must be 4 whole numbers; got [[1], [True], [3], [0]]"),
        ("target_id", True, "exchange_7, target_id: there must be 1 whole numbers; got True"),
        ("message", [1, 2, 10**30], "exchange_7, message: there must be 3 whole numbers; got [1, 2, 1000"),
        ("message", [1, 2, 26], "column message must be in 0..25; got 26 in row 7"),
        ("cut_inputs", [0, 1, -1, 2, 3], "column window must show the sequence around"),
        ("target_id", [4], "column target_index must be in 0..3; got 4 in row 7"),
        (
            "cut_inputs",
            np.eye(5, 10, dtype=int).tolist(),
            "exchange_7, cut_inputs: there must be 5 whole numbers; got [[1, 0, 0",
        ),
    ],
)
def test_a_bad_exchange_is_named(tmp_path, field, value, error):
    content, path = exchanges(recorded(size=10)), tmp_path / "i.json"
    content["exchange_7"][field] = value
    path.write_text(json.dumps(content))
    assert error in refused(partial(read_interactions, vocab_size=26), path)


def test_fields_of_an_exchange_may_be_missing_or_unknown(tmp_path):
    content, path, sizes = exchanges(recorded(size=3)), tmp_path / "i.json", {"vocab_size": 26}
    for exchange in content.values():
        exchange["guess"] = None
        del exchange["target_id"]
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(content).encode())
    assert set(read_interactions(path, **sizes).columns()) == {"window", "message", "candidates", "sequence"}
    for exchange in content.values():
        del exchange["sequence"], exchange["tds"]
    path.write_text(json.dumps(content))
    same(
        of_two_columns(recorded(size=3)),
        read_interactions(path, sequence_length=9, num_distractors=3, **sizes),
    )
    assert "give sequence_length and vocab_size" in refused(read_interactions, path)


# --- CSV --------------------------------------------------------------------------------------------------


def test_a_csv_of_several_blocks_has_columns_in_any_order_and_all_or_none_of_their_values(tmp_path):
    path = tmp_path / "r.csv"
    read = partial(read_csv, sequence_length=8, vocab_size=3)
    header = "message_1,message_0,window_0,window_1,window_2,target_position,note"
    rows = ["2,1,-1,0,1,,1"] * 20_000
    path.write_text("\n".join([header, *rows, "2,1,-1,0,1,,at last a word"]) + "\n")
    recording = read(path)
    assert len(recording) == 20_001
    assert recording.rows.tolist() == [*range(20_001)]
    assert (recording.message[0].tolist(), recording.window[0].tolist()) == ([1, 2], [-1, 0, 1])
    path.write_text("\n".join([header, *rows, "2,1,-1,0,1,1,"]) + "\n")
    error = "column target_position must have values in all rows, or in none; got '' in row 2"
    assert error in refused(read, path)


def test_the_columns_of_a_csv_and_what_is_given_tell_its_game(tmp_path):
    path, lacking = tmp_path / "r.csv", "the file does not tell its game: give "
    path.write_text("window_0,window_1,window_2,message_0,message_1\n3,-1,4,1,2\n")
    assert f"{lacking}sequence_length and vocab_size" in refused(read_csv, path)
    assert f"{lacking}vocab_size" in refused(partial(read_csv, sequence_length=8), path)
    path.write_text("window_0,window_1,window_2,message_0,message_1\n3,-1,4,10,2\n3,?,4,2,9\n")
    asked = f"{lacking}vocab_size (--vocab-size); messages have 3 different symbols, '2' to '10'"
    assert asked in refused(partial(read_csv, sequence_length=8), path)
    path.write_text("window_0,window_1,window_2,message_0,message_1\n3,-1,4,1,2\n")
    game = GameConfig(8, window_radius=1, vocab_size=5, message_length=2)
    assert read_csv(path, sequence_length=8, vocab_size=5).config == game
    wide = {"sequence_length": 8, "vocab_size": 5, "window_radius": 2}
    assert "window must have shape" in refused(partial(read_csv, **wide), path)
    export_csv(recorded(), path)
    assert f"{lacking}vocab_size" in refused(read_csv, path)
    assert read_csv(path, vocab_size=26).config == GAME


def test_columns_may_have_names_of_their_own_and_symbols_begin_at_one(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("left,here,right,w1,w2,said\n3,?,4,1,3,2 3\n")
    columns = {"window": ["left", "here", "right"], "message": ["w1", "w2"]}
    sizes = {"first_symbol": 1, "sequence_length": 8, "vocab_size": 3}
    assert read_csv(path, columns=columns, **sizes).message.tolist() == [[0, 2]]
    assert read_csv(path, columns=columns | {"message": ["said"]}, **sizes).message.tolist() == [[1, 2]]
    path.write_text("left,here,right,w1,w2,said\n3,?,4,1,3,2 3\n3,?,4,1,0,2 3\n")
    said = "column w2 must be in 1..3, by vocab_size and the first symbol; got 0 in row 3"
    assert said in refused(partial(read_csv, columns=columns, **sizes), path)
    wrong = columns | {"window": ["left", "right"]}
    asked = (
        "window, from columns left, right, must have an odd number of columns, one of them for the target, "
    )
    assert f"{asked}with ? in each row; got 2" in refused(partial(read_csv, columns=wrong, **sizes), path)
    wrong = columns | {"message": ["w1", "w3"]}
    assert "the column w3 once" in refused(partial(read_csv, columns=wrong, **sizes), path)
    wrong = columns | {"choice": ["choice"]}
    assert "the column choice" in refused(partial(read_csv, columns=wrong, **sizes), path)
    path.write_text("window,message_0\n3 ? 4,red\n3 ? 4,blue\n")
    assert read_csv(path, sequence_length=8, vocab_size=3).message.tolist() == [[1], [0]]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("PK\x03\x04 and so on", "this is a workbook, such as .xlsx: save it as CSV"),
        ("PAR1 and so on", "this is a Parquet file, which needs no import"),
        (
            "window,message\n? 5 6,1 x\n",
            "column message must be a whole number of at most 9 digits, as other symbols are; "
            "got 'x' in row 2",
        ),
        (
            "window,message\nNA 5 6,1 2\n",
            "column window must be a whole number of at most 9 digits, or ? at the target; got 'NA' in row 2",
        ),
        (
            "window,message\n? 5 6,1 2\n? 5,1 2\n",
            "must have lists of 3, as in row 2; got '? 5' in row 3",
        ),
        (
            "window,message,target_index\n? 5 6,1 2,4\n? 5 6,1 2,\n",
            "values in all rows, or in none; got '' in row 3",
        ),
        (
            "window_0,window_1,window_2,message\n?,5,6,1 2\n?,5,-1000000000.0,1 2\n",
            "a whole number of at most 9 digits, or ? at the target; got '-1000000000.0' in row 3",
        ),
        (
            "window,message\n? 5 6,1 2\n? 5 6,1 99999999999999999999999\n",
            "column message must be a whole number of at most 9 digits, as other symbols are; "
            "got '99999999999999999999999' in row 3",
        ),
        (
            "window,message,choice\n? 5 6,1 2,0.5\n",
            "column choice must be a whole number of at most 9 digits; got '0.5' in row 2",
        ),
        ("Window,WINDOW,message\n? 5 6,? 5 6,1 2\n", "there must be the column window, or window_0"),
        (
            "window,message\n? 5 6,1 2\n\n? 5 6,1 2\n",
            "row 3 must have values, as later rows do; it is empty",
        ),
        ("window,message\n? 5 6,1 2\n? 5 6,1 9\n\n,\n", "by vocab_size and the first symbol; got 9 in row 3"),
    ],
)
def test_a_bad_sheet_is_refused_by_its_row(tmp_path, text, error):
    path = tmp_path / "r.csv"
    path.write_text(text)
    assert error in refused(partial(read_csv, sequence_length=8, vocab_size=3), path)


@pytest.mark.parametrize("written", ["1.234", "1,234", "1 234", "1'234", "1\u202f234", "1234,0", "1.234,00"])
def test_thousands_may_have_separators(tmp_path, written):
    path = tmp_path / "r.csv"
    path.write_text(f"window_0;window_1;window_2;message_0\n{written};?;4;1\n", "utf-8")
    read = read_csv(path, sequence_length=2000, vocab_size=3)
    assert read.window.tolist() == [[1234, -1, 4]]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("3.0", 3),
        ("3,0000", 3),
        ("0.000", 0),
        ("12,000.00", 12_000),
        ("3'000", 3000),
        ("3.000", "a fraction, as it may be 3 or 3000; got '3.000' in row 2"),
        ("12,000", "a fraction, as it may be 12 or 12000; got '12,000' in row 2"),
        ("0.125", "a whole number of at most 9 digits, or ? at the target; got '0.125' in row 2"),
        ("3.1415", "a whole number of at most 9 digits, or ? at the target; got '3.1415' in row 2"),
        ("1.0.0", "a whole number of at most 9 digits, or ? at the target; got '1.0.0' in row 2"),
    ],
)
def test_a_number_is_read_if_its_marks_can_mean_one_thing(written, found, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(f"window_0;window_1;window_2;message_0\n{written};?;4;1\n")
    read = partial(read_csv, sequence_length=20_000, vocab_size=3)
    if isinstance(found, str):
        assert found in refused(read, path)
    else:
        assert read(path).window[0, 0] == found


@pytest.mark.parametrize(
    ("text", "sizes", "error"),
    [
        (
            "ab\n? 5 6\tcd",
            {},
            "messages must have at most 3 different symbols, by vocab_size; got 4: ['a', 'b'",
        ),
        ("ab\n? 5 6\tabc", {}, "in a column message_0, it is one symbol); got 'abc' in row 3"),
        ("ab\n? 5 6\t1 2", {}, "a whole number of at most 9 digits, as other symbols are; got 'a' in row 2"),
        ("[b, ]\n? 5 6\t[a, b]", {}, "column message must have a symbol in each cell; got '' in row 2"),
        ("ab", {"first_symbol": 1}, "first_symbol must be 0 where symbols are words; got 1"),
    ],
)
def test_words_that_are_no_symbols_are_refused(tmp_path, text, sizes, error):
    path = tmp_path / "r.csv"
    path.write_text(f"window\tmessage\n? 5 6\t{text}\n")
    assert error in refused(partial(read_csv, sequence_length=8, vocab_size=3, **sizes), path)


@pytest.mark.parametrize("written", ["[3,0; ?; 5,0]", "3.0, ?, 5.00", "[3. -1. 5.]"])
def test_numbers_in_lists_may_have_fractions_of_zeros(tmp_path, written):
    path = tmp_path / "r.csv"
    path.write_text(f"window\tmessage\n{written}\t1 2\n")
    assert read_csv(path, sequence_length=8, vocab_size=3).window.tolist() == [[3, -1, 5]]


def test_headers_may_have_spaces_around_them(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(" Window , message_0,message_1 \n? 5 6, 1, 2\n")
    recording = read_csv(path, sequence_length=8, vocab_size=3)
    assert (recording.window.tolist(), recording.message.tolist()) == ([[-1, 5, 6]], [[1, 2]])
    path.write_text("window, window,message\n? 5 6,? 5 6,1 2\n")
    assert read_csv(path, sequence_length=8, vocab_size=3).message.tolist() == [[1, 2]]
    path.write_text("window , window,message\n? 5 6,? 5 6,1 2\n")
    assert "there must be the column window, or" in refused(partial(read_csv, vocab_size=3), path)


def test_arrays_are_no_workbook(tmp_path):
    path = tmp_path / "r.npz"
    export_tensors(recorded(), path)
    assert "a CSV is needed; this is an npz of arrays, of the format tensors" in refused(read_csv, path)
    with ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    assert "this is a workbook, such as .xlsx: save it as CSV" in refused(read_csv, path)


@pytest.mark.parametrize("rows", [1, 500])
def test_empty_rows_at_the_end_are_left_out(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(sheet, "BLOCK_BYTES", 1_000)  # several blocks of 500 rows
    path = tmp_path / "r.csv"
    path.write_text("window,message\n" + "? 5 6,1 2\n" * rows + ",\n\n" * rows)
    assert len(read_csv(path, sequence_length=8, vocab_size=3)) == rows
    with path.open("a") as file:
        file.write("? 5 6,1 2\n")
    assert f"row {rows + 2}" in refused(partial(read_csv, sequence_length=8, vocab_size=3), path)


def test_names_of_columns_in_another_encoding_are_told_apart(tmp_path):
    path = tmp_path / "r.csv"
    text = "window;message;Größe\n? 5 6;1 2;3\n"
    path.write_bytes(text.encode("latin-1"))
    assert 'save it as "CSV UTF-8"' in refused(partial(read_csv, vocab_size=3), path)
    path.write_bytes(text.encode("utf-16"))  # "Unicode text" of a spreadsheet
    assert read_csv(path, sequence_length=8, vocab_size=3).window.tolist() == [[-1, 5, 6]]


@pytest.mark.parametrize(
    ("written", "window"), [("3-?-2", [3, -1, 2]), ("-1-3-2", [-1, 3, 2]), ("3--1-2", [3, -1, 2])]
)
def test_dashes_divide_a_list_and_signs_do_not(tmp_path, written, window):
    path = tmp_path / "r.csv"
    path.write_text(f"window,message\n{written},b-a-b\n")
    read = read_csv(path, sequence_length=8, vocab_size=3)
    assert (read.window.tolist(), read.message.tolist()) == ([window], [[1, 0, 1]])
    assert read.provenance["symbols"] == ["a", "b"]


LETTERS, WORDS = ("a", "b", "d", "é", "ʃ", "Z"), ("b", "é", "ma", "1SG", "♠", "x-1")
NUMBERS = ("{}", "{}.0", "{},00", " {} ", "{}\u00a0")


def columns_of(draw, name, rows, join_row):
    """Return a column of a recording as a program may write it: a column for each cell, or one with lists."""
    if draw(st.booleans()):
        return {name: [join_row(row) for row in rows]}
    return {f"{name.title()}_{i}": column for i, column in enumerate(zip(*rows, strict=True))}


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_recording_comes_back_from_any_dialect(tmp_path_factory, data):
    """Numbers, symbols, lists, marks, quotes, line ends, byte-order mark, empty rows and compression vary."""
    path, draw = tmp_path_factory.mktemp("sheet") / "r.csv", data.draw
    one_of = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    words, first = one_of(None, LETTERS, WORDS), draw(st.integers(0, 3))
    names = words or [str(first + i) for i in range(6)]
    read = partial(read_csv, sequence_length=9, vocab_size=6, first_symbol=0 if words else first)
    game = GameConfig(9, window_radius=1, vocab_size=6, message_length=2)
    recording = of_two_columns(recorded(game, draw(st.integers(1, 5))))
    windows = [["?" if cell == MASK else str(cell) for cell in row] for row in recording.window.tolist()]
    messages = [[names[symbol] for symbol in message] for message in recording.message.tolist()]
    between, (begin, end) = one_of(" ", ",", "; "), one_of("  ", "[]", "()")
    listed = lambda row: f"{begin}{between.join(row)}{end}"  # noqa: E731
    columns = columns_of(draw, "window", windows, listed)
    if len(columns) > 1:
        mask, number = one_of("", "?", "-1"), one_of(*NUMBERS).format
        columns = {name: [mask if c == "?" else number(c) for c in cells] for name, cells in columns.items()}
    columns |= columns_of(draw, "message", messages, "".join if words == LETTERS else listed)
    columns |= {"note": ['a "note"'] * len(recording), "choice": [one_of("", "-1")] * len(recording)}
    mark, line_end = one_of(",", ";", "\t"), one_of("\n", "\r\n")
    text, quoting = io.StringIO(), one_of(QUOTE_ALL, QUOTE_MINIMAL)
    sheet = writer(text, delimiter=mark, quoting=quoting, lineterminator=line_end)
    sheet.writerows([columns, *zip(*columns.values(), strict=True)])
    text.write(one_of("", line_end, f"{mark * (len(columns) - 1)}{line_end}" * 2))
    content = normalize(one_of("NFC", "NFD"), text.getvalue()).encode(one_of("utf-8", "utf-8-sig"))
    path.write_bytes(one_of(content, gzip.compress(content)))
    found = read(path)
    assert set(found.columns()) == {"window", "message"}
    assert found.window.tolist() == recording.window.tolist()
    assert spoken(found) == messages
    export_csv(found, path)
    same(found, again := read(path))
    assert spoken(again) == messages


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.text(max_size=4), min_size=4, max_size=4), min_size=1, max_size=3))
def test_a_sheet_of_any_texts_is_read_or_refused_in_one_line(tmp_path_factory, rows):
    path, text = tmp_path_factory.mktemp("sheet") / "r.csv", io.StringIO()
    writer(text).writerows([["window_0", "window_1", "window_2", "message"], *rows])
    path.write_text(text.getvalue(), "utf-8")
    try:
        read_csv(path, sequence_length=9, vocab_size=4)
    except InterchangeError as error:
        said = str(error)
    else:
        said = f"{path}: "
    assert said.startswith(f"{path}: ")
    assert "\n" not in said
    with contextlib.suppress(InterchangeError):
        assert import_advice(path, {}, {}).startswith(("Guessed: ", "Not found: "))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('window,message\n1 ? 2,""\n', "messages must have at least one symbol; the first row has none"),
        (
            'window,message\n"",1\n1 ? 2,1\n',
            "column window must have lists of 0, as in row 2; got '1 ? 2' in row 3",
        ),
        ('window,message\n1 ? 2,""\n1 ? 2,1\n', "column message must have lists of 0, as in row 2"),
    ],
)
def test_a_first_row_without_a_list_is_refused(tmp_path, text, fault):
    (tmp_path / "r.csv").write_text(text, "utf-8")
    assert fault in refused(read_csv, tmp_path / "r.csv")


# --- Tensors ----------------------------------------------------------------------------------------------


def test_tensors_have_eggs_names_and_no_pickle(tmp_path):
    recording = recorded()
    export_tensors(recording, tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["sender_input"], recording.window)
        assert np.array_equal(archive["labels"], recording.target_index)
        assert archive["message_length"].tolist() == [3] * 40
        assert archive["message"].dtype == np.int64
        assert {*archive.files} == {
            *("sender_input", "receiver_input", "labels", "message", "receiver_output", "message_length"),
            *("aux_input.sequence", "aux_input.target_position", "aux.config"),
        }


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def test_an_npz_with_a_pickle_is_refused_and_not_run(tmp_path):
    path = tmp_path / "r.npz"
    np.savez(path, sender_input=np.array([Trap()], dtype=object), message=np.zeros((1, 3)))
    error = refused(read_tensors, path)
    assert "not an npz of plain arrays" in error
    assert "allow_pickle" not in error  # numpy's advice, which nobody should follow
    path.write_bytes(pickle.dumps(Trap()))
    assert "not an npz of plain arrays" in refused(read_tensors, path)


def test_tensors_need_a_message_and_one_game(tmp_path):
    path, recording = tmp_path / "r.npz", recorded()
    arrays = {"sender_input": recording.window, "message": recording.message}
    np.savez(path, **arrays)
    same(of_two_columns(recording), read_tensors(path, **GAME.to_dict()))
    np.savez(path, **arrays, labels=np.full(len(recording), -1))
    same(of_two_columns(recording), read_tensors(path, **GAME.to_dict()))
    np.savez(path, **arrays)
    assert "the file does not tell its game: give sequence_length and vocab_size" in refused(
        read_tensors, path
    )
    export_tensors(recording, path)
    error = refused(partial(read_tensors, vocab_size=5), path)
    assert "vocab_size must be 5, as given; got 26" in error
    np.savez(path, sender_input=recording.window, **{"aux.config": np.array(json.dumps(GAME.to_dict()))})
    assert "there must be an array message; got ['sender_input', 'aux.config']" in refused(read_tensors, path)


def test_the_shape_that_a_file_must_have_may_be_a_list(tmp_path):
    grid = recorded(GameConfig(shape=(3, 4), window_radius=1), 5)
    export_tensors(grid, tmp_path / "r.npz")
    same(grid, read_tensors(tmp_path / "r.npz", shape=[3, 4]))


def test_symbols_behind_the_end_of_a_message_are_not_read_nor_one_hot_ones(tmp_path):
    path, read = tmp_path / "r.npz", partial(read_tensors, sequence_length=9, vocab_size=9)
    arrays = {"sender_input": [[-1, 1, 2], [3, -1, 4]], "message": [[5, 0, 7], [6, 7, 8]]}
    np.savez(path, **arrays, message_length=np.array([2, 1]))
    assert read(path).message.tolist() == [[5, 0, 0], [6, 0, 0]]
    np.savez(path, **arrays, message_length=np.array([2, 4]))
    assert "message_length must be in 1..3; got 4" in refused(read, path)
    np.savez(path, **arrays, message_length=np.array([2.0, 1.0]))
    assert "message_length must be integers; got dtype float64" in refused(read, path)
    np.savez(path, **{name: np.array(array, dtype=np.float32) for name, array in arrays.items()})
    error = "sender_input must be integers, as of .long() in torch; got dtype float32"
    assert error in refused(read, path)
    np.savez(path, sender_input=[[-1, 1, 2]], message=np.eye(9)[[[5, 0, 7]]])
    said = "message must name symbols by their numbers, (episodes, slots); these look like one-hot vectors"
    assert said in refused(read, path)
