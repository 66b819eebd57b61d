"""`spatial-game analyse --message`: one message in the terminal."""

import json

import numpy as np
import pytest

from spatial_game.cli import main
from spatial_game.recording import Recording, read_recording


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browse")
    play, lexicon = str(folder / "play.parquet"), str(folder / "lexicon.json")
    game = ["--sequence-length", "20"]
    assert main(["record", "--agents", "oracle", "--episodes", "4000", "--out", play, *game]) == 0
    assert main(["analyse", play, "--out", lexicon]) == 0
    return play, lexicon


def result(capsys, *arguments):
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def error(capsys, *arguments):
    capsys.readouterr()
    assert main([*arguments]) == 1
    return capsys.readouterr().err.strip()


def test_recordings_without_episodes_are_refused(files, tmp_path, capsys):
    found = read_recording(files[0])
    empty = tmp_path / "empty.parquet"
    Recording(found.config, found.window[:0], found.message[:0]).write(empty)
    out = tmp_path / "out"
    for line in (
        "analyse FILE --message 1 2 3",
        "analyse FILE",
        "analyse FILE --measures",
        "export FILE --format csv",
    ):
        command = [str(empty) if word == "FILE" else word for word in line.split()]
        command += ["--out", str(out)] if command[0] == "export" else []
        assert f"recording must have at least one episode; got none in {empty}" in error(capsys, *command)
    assert not out.exists()


def test_show_a_message(files, capsys):
    recording = read_recording(files[0])
    message = recording.message[0]
    words = list(map(str, message))
    said = result(capsys, "analyse", files[0], "--message", *words)
    rows = np.flatnonzero((recording.message == message).all(axis=1))
    assert said["message"] == message.tolist()
    assert said["rows"] == rows.tolist()
    assert (said["sent"], said["episodes"]) == (len(rows), 4000)
    for other in said["alike"]:
        symbols = np.array(other["message"].split(), dtype=int)
        assert (symbols != message).sum() == 1
        assert other["episodes"] == (recording.message == symbols).all(axis=1).sum()
    capsys.readouterr()
    assert main(["analyse", files[0], "--message", *words]) == 0
    text = capsys.readouterr().out
    assert f"in {len(rows)} of 4,000 episodes; the receiver was right in 100.0%" in text
    assert text.count("all that the sender sees") == 2
    assert f"Episode {rows[0] + 1}" in text


def test_show_a_message_that_was_never_sent(files, capsys):
    said = result(capsys, "analyse", files[0], "--message", "25", "24", "25")
    assert (said["sent"], said["rows"]) == (0, [])
    assert said["means"] == "the dictionary does not say"


def test_show_a_recording_of_windows_and_messages_alone(files, tmp_path, capsys):
    found = read_recording(files[0])
    bare = tmp_path / "bare.parquet"
    Recording(found.config, found.window, found.message).write(bare)
    assert main(["analyse", str(bare), "--message", *map(str, found.message[0])]) == 0
    text = capsys.readouterr().out
    assert "Words in it" in text
    assert "the receiver was right" not in text
    assert "Episode" not in text.replace("Episodes", "")


def test_what_is_no_message_is_refused(files, capsys):
    assert "message must have 3 symbols; got 2" in error(capsys, "analyse", files[0], "--message", "1", "2")
    wrong = error(capsys, "analyse", files[0], "--message", "1", "2", "26")
    assert "message must have symbols in 0..25; got 26" in wrong
