"""`spatial-game browse` and `spatial-game look`: a language as a page, and one message in the terminal."""

import json
import webbrowser
from pathlib import Path

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


# --- browse ---------------------------------------------------------------------------------------------


def test_without_a_display_browse_prints_where_the_page_is(files, monkeypatch, capsys):
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(webbrowser, "open", lambda url: pytest.fail("there is no display"))
    capsys.readouterr()
    assert main(["browse", files[0], "--lexicon", files[1]]) == 0
    said = capsys.readouterr().out
    assert "(open it in a browser)" in said
    page = Path(said.split("page")[1].split("(")[0].strip())
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("opens", [True, False])
def test_browse_opens_the_page(files, monkeypatch, capsys, opens):
    opened = []
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or opens)
    said = result(capsys, "browse", files[0], "--lexicon", files[1])
    assert opened == [Path(said["page"]).as_uri()]
    assert said["opened"] is opens


def test_browse_writes_the_file_that_is_asked_for(files, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, "open", lambda url: pytest.fail("out was given"))
    out = tmp_path / "language.html"
    said = result(capsys, "browse", *files[:1], "--lexicon", files[1], "--out", str(out))
    assert said["page"] == str(out)
    assert said["bytes"] == out.stat().st_size
    assert (said["opened"], said["episodes"], said["sampled"]) == (False, 4000, 4000)
    assert "The language of oracle" in out.read_text()


def test_browse_makes_the_dictionary_where_none_is_given(files, tmp_path, capsys):
    out = tmp_path / "language.html"
    said = result(capsys, "browse", files[0], "--out", str(out))
    assert said["entries"] == len(json.loads(Path(files[1]).read_text())["entries"])
    assert "The dictionary was made from this recording." in out.read_text()


def test_control_characters_in_a_name_do_not_reach_the_page(files, tmp_path, capsys):
    named, out = tmp_path / "\x1b[31m<b>\n.parquet", tmp_path / "language.html"
    named.symlink_to(files[0])
    assert main(["browse", str(named), "--lexicon", files[1], "--out", str(out)]) == 0
    assert r"Recording: \x1b[31m&lt;b&gt;\n.parquet, 4,000" in out.read_text()


def test_browse_samples_large_recordings_and_says_so(files, tmp_path, capsys):
    out = tmp_path / "language.html"
    assert main(["browse", files[0], "--lexicon", files[1], "--most", "100", "--out", str(out)]) == 0
    assert "an even sample of 100 of 4,000" in capsys.readouterr().out
    assert "This page shows an even sample of 100 of them." in out.read_text()


def test_lexicons_of_others_are_refused_by_name(files, tmp_path, capsys):
    other = str(tmp_path / "other.parquet")
    assert main(["record", "--agents", "oracle", "--episodes", "50", "--out", other]) == 0
    told = "lexicon must be of the recording's game, L60 w2 c5 | v26x3; {} is of L20 w2 c5 | v26x3"
    for command in (["browse", other], ["look", other, "1", "2", "3"]):
        assert error(capsys, *command, "--lexicon", files[1]) == "spatial-game: error: " + told.format(
            files[1]
        )
    game = ["--sequence-length", "20"]
    assert main(["record", "--agents", "random", "--episodes", "50", "--out", other, *game]) == 0
    told = f"lexicon must be of the agents of the recording; {files[1]} was made for oracle, not random"
    assert told in error(capsys, "browse", other, "--lexicon", files[1])


def test_recordings_without_episodes_are_refused(files, tmp_path, capsys):
    found = read_recording(files[0])
    empty = tmp_path / "empty.parquet"
    Recording(found.config, found.window[:0], found.message[:0]).write(empty)
    out = tmp_path / "out"
    for line in (
        "browse FILE",
        "look FILE 1 2 3",
        "analyse FILE",
        "measures FILE",
        "export FILE --format csv",
    ):
        command = [str(empty) if word == "FILE" else word for word in line.split()]
        command += ["--out", str(out)] if command[0] == "export" else []
        assert f"recording must have at least one episode; got none in {empty}" in error(capsys, *command)
    assert not out.exists()


def test_messages_are_needed_for_measures(tmp_path, capsys):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    assert f"{empty}: there must be at least one message; got none" in error(capsys, "measures", str(empty))


def test_browse_needs_room_for_an_episode(files, capsys):
    assert "most must be at least 1; got 0" in error(capsys, "browse", files[0], "--most", "0")


# --- look -----------------------------------------------------------------------------------------------


def test_look_at_a_message(files, capsys):
    recording = read_recording(files[0])
    message = recording.message[0]
    words = list(map(str, message))
    said = result(capsys, "look", files[0], *words, "--lexicon", files[1])
    rows = np.flatnonzero((recording.message == message).all(axis=1))
    assert said["message"] == message.tolist()
    assert said["rows"] == rows.tolist()
    assert (said["sent"], said["episodes"]) == (len(rows), 4000)
    for other in said["alike"]:
        symbols = np.array(other["message"].split(), dtype=int)
        assert (symbols != message).sum() == 1
        assert other["episodes"] == (recording.message == symbols).all(axis=1).sum()
    capsys.readouterr()
    assert main(["look", files[0], *words, "--lexicon", files[1]]) == 0
    text = capsys.readouterr().out
    assert f"in {len(rows)} of 4,000 episodes; the receiver was right in 100.0%" in text
    assert text.count("all that the sender sees") == 2
    assert f"Episode {rows[0] + 1}" in text


def test_look_at_a_message_that_was_never_sent(files, capsys):
    said = result(capsys, "look", files[0], "25", "24", "25", "--lexicon", files[1])
    assert (said["sent"], said["counts_say"], said["rows"]) == (0, None, [])
    assert said["dictionary"] == "the dictionary does not say"


def test_look_at_a_recording_of_windows_and_messages_alone(files, tmp_path, capsys):
    found = read_recording(files[0])
    bare = tmp_path / "bare.parquet"
    Recording(found.config, found.window, found.message).write(bare)
    assert main(["look", str(bare), *map(str, found.message[0]), "--lexicon", files[1]]) == 0
    text = capsys.readouterr().out
    assert "What stands where" in text
    assert "the receiver was right" not in text
    assert "Episode" not in text.replace("Episodes", "")


def test_look_refuses_what_is_no_message(files, capsys):
    assert "message must have 3 symbols; got 2" in error(capsys, "look", files[0], "1", "2")
    assert "symbols must be in 0..25; got 26" in error(capsys, "look", files[0], "1", "2", "26")
    assert "episodes must be at least 0; got -1" in error(
        capsys, "look", files[0], "1", "2", "3", "--episodes=-1"
    )
