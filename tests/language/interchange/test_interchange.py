"""Other people's files: round trips, the published code's own shapes, and one-line errors for bad ones."""

import json
import pickle
import zipfile

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomReceiver, RandomSender
from spatial_game.language.interchange import (
    InterchangeError,
    csv_game,
    export_csv,
    export_tensors,
    read_csv,
    read_interactions,
    read_tensors,
)
from spatial_game.recording import Recording, record, recording_parts

GAME = GameConfig(9, window_radius=2, num_distractors=3, vocab_size=26, message_length=3)


def recorded(config=GAME, size=40, seed=0):
    rng = np.random.default_rng(seed)
    episodes = draw_episodes(config, size, rng)
    return record(RandomSender(config, rng), RandomReceiver(config, rng), episodes, config)


def of_two_columns(recording):
    return Recording(recording.config, recording.window, recording.message)


def same(one, other):
    columns = one.columns()
    assert one.config == other.config
    assert columns.keys() == other.columns().keys()
    for name, column in columns.items():
        assert np.array_equal(column, other.columns()[name]), name


def on_disk(recording, path):
    """The recording as a file with several row groups."""
    recording.write(path)
    return recording_parts(path)[0]


# ------------------------------------------------------------------------------------------ interactions


def exchanges(recording):
    """What the published code would have written of these episodes."""
    return {
        f"exchange_{i}": {
            "sequence": [[int(k)] for k in recording.sequence[i]],
            "cut_inputs": recording.window[i].tolist(),
            "tds": recording.candidates[i].tolist(),
            "message": recording.message[i].tolist(),
            "guess": int(recording.choice[i]),
            "target": [int(recording.candidates[i, recording.target_index[i]])],
            "target_id": [int(recording.target_index[i])],
        }
        for i in range(len(recording))
    }


def write_json(path, content, **options):
    path.write_text(json.dumps(content, **options))
    return path


@pytest.mark.parametrize("layout", [{}, {"indent": 3}, {"separators": (",", ":")}])
def test_interactions_become_a_recording(tmp_path, layout):
    recording = recorded()
    path = write_json(tmp_path / "interactions.json", exchanges(recording), **layout)
    read = read_interactions(path)
    same(recording, read)
    assert read.provenance["imported_from"] == "interactions.json"


def test_numbers_may_be_wrapped_in_lists_or_not(tmp_path):
    recording = recorded(size=5)
    content = exchanges(recording)
    for exchange in content.values():
        exchange["cut_inputs"] = [[k] for k in exchange["cut_inputs"]]
        exchange["tds"] = [[k] for k in exchange["tds"]]
        exchange["sequence"] = [k for [k] in exchange["sequence"]]
        exchange["guess"] = [exchange["guess"]]
        exchange["target"], exchange["target_id"] = exchange["target"][0], exchange["target_id"][0]
    same(recording, read_interactions(write_json(tmp_path / "i.json", content)))


def test_the_vocabulary_and_the_integers_can_be_given(tmp_path):
    config = GameConfig(9, num_integers=12, num_distractors=3, vocab_size=40)
    recording = recorded(config)
    path = write_json(tmp_path / "i.json", exchanges(recording))
    same(recording, read_interactions(path, vocab_size=40, num_integers=12))
    with pytest.raises(InterchangeError, match=r"exchange_\d+, message: values must be in 0..25; got"):
        read_interactions(path, num_integers=12)


def changed(field, value):
    def change(content):
        content["exchange_7"][field] = value

    return change


def removed(field):
    def change(content):
        del content["exchange_7"][field]

    return change


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (removed("tds"), r"exchange_7: an exchange must be an object with the field tds; got"),
        (changed("message", [1, 2]), "exchange_7, message: there must be 3; got"),
        (changed("message", [1, 2, "x"]), "exchange_7, message: values must be whole numbers; got 'x'"),
        (changed("message", [1, 2, 3.0]), "exchange_7, message: values must be whole numbers; got 3.0"),
        (changed("message", [1, 2, True]), "exchange_7, message: values must be whole numbers; got True"),
        (changed("message", [1, 2, 26]), r"exchange_7, message: values must be in 0\.\.25; got 26"),
        (changed("cut_inputs", [1, 2, 3, 4, 5]), r"exchange_7, cut_inputs: a window must have one mask"),
        (changed("guess", 4), r"exchange_7, guess: values must be in -1\.\.3; got 4"),
        (changed("target_id", [0, 1]), r"exchange_7, target_id: there must be 1; got \[0, 1\]"),
        (changed("target", [77]), "exchange_7, target: must stand in the sequence; got 77"),
        (changed("sequence", list(range(9))), "exchange_7, cut_inputs: must be the window around the target"),
        (
            lambda c: c.update(exchange_7=[1]),
            r"exchange_7: an exchange must be an object with the field cut_inputs; got \[1\]",
        ),
    ],
)
def test_a_bad_exchange_is_named(tmp_path, change, error):
    content = exchanges(recorded(size=10))
    change(content)
    path = write_json(tmp_path / "i.json", content)
    with pytest.raises(InterchangeError, match=error) as caught:
        read_interactions(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_target_that_is_not_at_target_id_is_named(tmp_path):
    recording = recorded(size=10)
    content = exchanges(recording)
    content["exchange_7"]["target_id"] = [(int(recording.target_index[7]) + 1) % 4]
    path = write_json(tmp_path / "i.json", content)
    with pytest.raises(InterchangeError, match="exchange_7, target: must stand in tds at target_id"):
        read_interactions(path)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", r"the file must be whole JSON \(truncated\?\); Expecting value"),
        ("[1]", r"the file must hold one JSON object with at least one exchange; got \[1\]"),
        ("{}", "at least one exchange; got {}"),
        ('{"exchange_0": {"sequence": [1, 2', r"whole JSON \(truncated\?\); Expecting ',' delimiter"),
        ('{"exchange_0": {"tds": 1}, "exchange_1": {}}', "object with the field cut_inputs"),
        ("{3: 4}", "whole JSON"),
        ("\x80", "not UTF-8"),
        ('{"a": ' + "9" * 5000 + "}", "JSON of whole numbers; Exceeds the limit"),
        ("{" + '"a": ' + "[" * 100_000, "nested at most 100 deep"),
    ],
)
def test_text_that_is_no_interactions_is_refused(tmp_path, text, error):
    path = tmp_path / "i.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InterchangeError, match=error):
        read_interactions(path)


def test_an_exchange_that_is_there_twice_is_refused(tmp_path):
    text = json.dumps(exchanges(recorded(size=2))).replace("exchange_1", "exchange_0")
    (tmp_path / "i.json").write_text(text)
    with pytest.raises(InterchangeError, match="exchange_0: names must differ; got it twice"):
        read_interactions(tmp_path / "i.json")


def test_names_from_a_file_reach_an_error_in_one_line_without_control_characters(tmp_path):
    path = write_json(tmp_path / "i.json", {"a\nb\x1b[31m\ud800": 3})
    with pytest.raises(InterchangeError) as caught:
        read_interactions(path)
    assert (
        str(caught.value)
        == rf"{path}: a\nb\x1b[31m\ud800: an exchange must be an object with the field cut_inputs; got 3"
    )


def test_what_follows_the_object_is_refused(tmp_path):
    path = tmp_path / "i.json"
    path.write_text(json.dumps(exchanges(recorded(size=2))) + " x")
    with pytest.raises(InterchangeError, match="Extra data"):
        read_interactions(path)


@pytest.mark.parametrize("read", [read_interactions, lambda p: read_csv(p, GAME), read_tensors])
def test_missing_files_and_folders_are_named(tmp_path, read):
    with pytest.raises(InterchangeError, match=r"nothing.here: there is no such file"):
        read(tmp_path / "nothing.here")
    with pytest.raises(InterchangeError, match="a file is needed; this is a folder"):
        read(tmp_path)


# --------------------------------------------------------------------------------------------------- CSV


@pytest.mark.parametrize("size", [1, 40])
@pytest.mark.parametrize("columns", [lambda r: r, of_two_columns])
def test_csv_comes_back(tmp_path, size, columns):
    recording = columns(recorded(size=size))
    path = tmp_path / "r.csv"
    assert export_csv(recording, path) == size
    same(recording, read_csv(path, GAME))


def test_csv_from_disk_equals_csv_from_memory(tmp_path):
    recording = recorded()
    export_csv(recording, tmp_path / "a.csv")
    export_csv(on_disk(recording, tmp_path / "r.parquet"), tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    header, first = (tmp_path / "a.csv").read_text().splitlines()[:2]
    assert header.startswith("window_0,window_1,window_2,window_3,window_4,message_0,")
    assert first.startswith(",".join(map(str, recording.window[0])))


def test_columns_of_a_csv_may_stand_in_any_order_beside_others(tmp_path):
    (tmp_path / "r.csv").write_text(
        "who,message_2,message_1,message_0,window_0,window_1,window_2,window_3,window_4\nme,3,2,1,-1,0,1,2,3\n"
    )
    read = read_csv(tmp_path / "r.csv", GAME)
    assert read.message.tolist() == [[1, 2, 3]]
    assert read.window.tolist() == [[-1, 0, 1, 2, 3]]


def test_other_columns_of_a_csv_may_hold_anything(tmp_path):
    """The first million bytes of `note` look as if it were empty, and later it is text."""
    row = "-1,0,1,2,3,1,2,3,"
    lines = [HEADER + ",note", *[row] * 80_000, row + "at last a word"]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    assert len(read_csv(tmp_path / "r.csv", GAME)) == 80_001


def test_the_columns_of_a_csv_tell_its_game(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("window_0,window_1,window_2,message_0,message_1\n3,-1,4,1,2\n")
    assert csv_game(path) == GameConfig(window_radius=1, message_length=2)
    assert csv_game(path, vocab_size=5, sequence_length=9) == GameConfig(
        9, window_radius=1, message_length=2, vocab_size=5
    )
    assert csv_game(path, window_radius=2).window_radius == 2  # what is given holds
    recording = recorded()
    export_csv(recording, path)
    assert csv_game(path) == recording.config
    path.write_text(",".join(f"message_{i}" for i in range(1001)) + "\n")
    with pytest.raises(InterchangeError, match=r"r.csv: message_length must be at most 1000; got 1001"):
        csv_game(path)


HEADER = "window_0,window_1,window_2,window_3,window_4,message_0,message_1,message_2"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "not a CSV of whole numbers; Empty CSV file"),
        (HEADER.replace("message_1", "word") + "\n", "there must be a column message_1; got"),
        (HEADER + ",message_3\n", "column message_3: the game has 3 columns message_..."),
        (HEADER + ",message_1\n-1,0,1,2,3,1,2,3,2\n", "column message_1: names must differ; got it 2 times"),
        (HEADER + ",sequence_0,sequence_2\n", "there must be a column sequence_1; got"),
        (HEADER + ",choice_0\n", "there must be at least one episode; got none"),
        (HEADER + "\n-1,0,1,2,3,1,2,3\n-1,0,1,2,3,1,2,x\n", "message_2|#7.*'x'"),
        (
            HEADER + "\n-1,0,1,2,3,1,2,3\n-1,0,1,2,3,1,2,\n",
            "row 1, column message_2: values must not be empty",
        ),
        (
            HEADER + "\n-1,0,1,2,3,1,2,3\n-1,0,1,2,3,1,2,26\n",
            r"row 1, column message: values must be in 0\.\.25",
        ),
        (
            HEADER + "\n-1,0,1,2,3,1,2,3\n4,0,1,2,3,1,2,3\n",
            "row 1, column window: a window must have one mask",
        ),
        (HEADER + "\n-1,0,1,2,3\n", "Expected 8 columns, got 5"),
        (HEADER + "\n-1,0,1,2,3,1,2,1.5\n", "1.5"),
    ],
)
def test_a_bad_csv_is_named(tmp_path, text, error):
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(InterchangeError, match=error) as caught:
        read_csv(path, GAME)
    assert "\n" not in str(caught.value)


# ----------------------------------------------------------------------------------------------- tensors


@pytest.mark.parametrize("columns", [lambda r: r, of_two_columns])
def test_tensors_come_back(tmp_path, columns):
    recording = columns(recorded())
    path = tmp_path / "r.npz"
    assert export_tensors(recording, path) == 40
    same(recording, read_tensors(path))


def test_tensors_have_eggs_names_and_no_pickle(tmp_path):
    recording = recorded()
    export_tensors(on_disk(recording, tmp_path / "r.parquet"), tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["sender_input"], recording.window)
        assert np.array_equal(archive["labels"], recording.target_index)
        assert archive["message_length"].tolist() == [3] * 40
        assert archive["message"].dtype == np.int64
        assert set(archive.files) == {
            "sender_input",
            "receiver_input",
            "labels",
            "message",
            "receiver_output",
            "message_length",
            "aux_input.sequence",
            "aux_input.target_position",
            "aux.config",
        }


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def test_an_npz_with_a_pickle_is_refused_and_not_run(tmp_path):
    path = tmp_path / "r.npz"
    np.savez(path, sender_input=np.array([Trap()], dtype=object), message=np.zeros((1, 3)))
    with pytest.raises(InterchangeError, match="not an npz of plain arrays") as caught:
        read_tensors(path)
    assert "allow_pickle" not in str(caught.value)  # numpy's advice, which nobody should follow
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InterchangeError, match="not an npz of plain arrays"):
        read_tensors(path)


def test_bad_tensors_are_named(tmp_path):
    path = tmp_path / "r.npz"
    recording = recorded()
    arrays = {"sender_input": recording.window, "message": recording.message}
    np.savez(path, **arrays)
    same(of_two_columns(recording), read_tensors(path, GAME))
    with pytest.raises(InterchangeError, match="the game must be given"):
        read_tensors(path)
    np.savez(path, sender_input=recording.window)
    with pytest.raises(InterchangeError, match=r"there must be an array message; got \['sender_input'\]"):
        read_tensors(path, GAME)
    np.savez(path, **{**arrays, "message": recording.message + 0.5})
    with pytest.raises(InterchangeError, match="column message must hold integers"):
        read_tensors(path, GAME)
    np.savez(path, **arrays, **{"aux.config": np.array("[1]")})
    with pytest.raises(InterchangeError, match=r"aux.config: must be a game as JSON"):
        read_tensors(path)
    export_tensors(recording, path)
    with pytest.raises(InterchangeError, match="the game must be L60"):
        read_tensors(path, GameConfig())
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InterchangeError, match="not an npz of plain arrays"):
        read_tensors(path)
    with path.open("wb") as file:
        np.save(file, recording.window)
    with pytest.raises(InterchangeError, match="not an npz of plain arrays"):
        read_tensors(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sender_input.npy", "nonsense")
    with pytest.raises(InterchangeError, match=r"not an npz of plain arrays|must be an array"):
        read_tensors(path, GAME)


def npy(header):
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin-1")


@pytest.mark.parametrize(
    "header",
    ["{'descr': '<i8', 'fortran_order': False, 'shape': (3,", "(" * 5_000, "{'descr': '<i8'}", "\x00", "1 +",
     "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "'" + "\n",
     "{'descr': '<i8', 'fortran_order': False, 'shape': (10**15,)}",
     "{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000000,)}"],
)  # fmt: skip
def test_crafted_headers_of_arrays_are_refused(tmp_path, header):
    path = tmp_path / "r.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sender_input.npy", npy(header))
    with pytest.raises(InterchangeError, match=r"^[^\n]*not an npz of plain arrays[^\n]*$"):
        read_tensors(path, GAME)


def test_a_game_that_is_nested_too_deeply_and_arrays_that_are_too_large_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "r.npz"
    export_tensors(recorded(), path)
    with monkeypatch.context() as context:
        context.setattr("spatial_game.language.interchange.tables.LARGEST_NPZ", 1_000)
        with pytest.raises(InterchangeError, match="the arrays must have at most 1000 bytes; got"):
            read_tensors(path)
    np.savez(path, **{"aux.config": np.array("[" * 100_000)})
    with pytest.raises(InterchangeError, match=r"aux.config: must be a game as JSON"):
        read_tensors(path)


@pytest.mark.parametrize(
    ("export", "read"),
    [
        (export_csv, lambda path: read_csv(path, GAME)),
        (export_tensors, read_tensors),
    ],
)
def test_an_import_without_episodes_is_refused(tmp_path, export, read):
    path = tmp_path / "r"
    assert export(recorded(size=0), path) == 0
    with pytest.raises(InterchangeError, match="there must be at least one episode; got none"):
        read(path)


# ------------------------------------------------------------------------------------------------ writing


@pytest.mark.parametrize("export", [export_csv, export_tensors])
def test_a_failed_export_leaves_what_was_there(tmp_path, export):
    class Breaking:
        config, num_rows = GAME, 80

        def blocks(self, *, columns=None):
            yield recorded()
            raise OSError("the disk is full")

    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(OSError, match="the disk is full"):
        export(Breaking(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
