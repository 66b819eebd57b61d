"""How commands end: errors in one line, Ctrl-C, closed or full streams, and missing libraries."""

import errno
import io
import os
import signal
import subprocess
import sys

import pytest

from spatial_game.cli import main, report_error

RECORD = ["record", "oracle", "--episodes", "10", "--out", "play.parquet"]


def test_debug_shows_the_traceback(monkeypatch):
    monkeypatch.setenv("SPATIAL_GAME_DEBUG", "1")
    with pytest.raises(ValueError, match="orcale"):
        main(["play", "orcale"])


READING = {
    "recording.files.read_header": "analyse play.parquet",
    "language.dictionary.file._dictionary": "probe oracle --dictionary dictionary.json",
    "language.interchange.csv.imported": "import play.csv --format csv --out other.parquet --vocab-size 26",
}
"""Functions that read files, with commands that call them."""


@pytest.mark.parametrize(
    "fault",
    [
        ValueError("not enough values to unpack"),
        TypeError("takes 0 positional arguments but 1 was given"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        KeyError("config"),
        OSError("could not get source code"),
        OSError(errno.EBADF, "Bad file descriptor"),
    ],
)
def test_a_mistake_of_ours_keeps_its_traceback_also_while_a_file_is_read(fault, files, monkeypatch):
    def fails(*_, **__):
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr("spatial_game.cli.commands.play.load_agents", fails)
        with pytest.raises(type(fault)):
            main(["play"])
    if not isinstance(fault, OSError):
        for inner, command in READING.items():
            with monkeypatch.context() as patch:
                patch.setattr(f"spatial_game.{inner}", fails)
                with pytest.raises(type(fault)):
                    main(command.split())


def test_an_error_that_a_user_can_fix_is_one_line(files, error):
    assert error("play oracle --vocab-size 1") == (
        "spatial-game: error: vocab_size must be in 2..32767; got 1\n"
    )
    dictionary = files / "dictionary.json"
    dictionary.write_bytes(b'{"kind": "\xff"}')
    assert error("probe oracle --dictionary dictionary.json") == (
        "spatial-game: error: dictionary.json: not UTF-8 text; invalid start byte at byte 10\n"
    )
    dictionary.unlink()
    dictionary.mkdir()
    said = error("probe oracle --dictionary dictionary.json")
    assert "dictionary.json: must be a regular file; got a folder" in said


@pytest.mark.parametrize(
    "fault",
    [
        MemoryError(),
        type("OutOfMemoryError", (RuntimeError,), {})(),  # torch's, on a GPU and on a CPU
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory"
        ),
    ],
)
def test_no_memory_is_one_line(fault, capsys):
    assert report_error(fault) == 1
    assert capsys.readouterr().err == "spatial-game: error: there is not enough memory for this\n"


# --- Ctrl-C, and streams that cannot be written ---------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_ctrl_c_ends_a_command_and_leaves_nothing(folder, monkeypatch, capsys):
    def interrupted(path):
        assert list(folder.iterdir()) == [path]  # nearly written
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("spatial_game.recording.recording.write_checksum", interrupted)
    assert main(RECORD) == 130
    assert capsys.readouterr().err == "spatial-game: interrupted\n"
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_one_line(monkeypatch, capsys):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert main(["play", "oracle"]) == 1
    assert capsys.readouterr().err == "spatial-game: error: standard output: the disk is full\n"


def test_a_reader_that_leaves_gets_no_message():
    words = [sys.executable, "-m", "spatial_game", "play", "oracle", "--episodes", "100"]
    writing = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    writing.stdout.close()
    assert writing.wait(timeout=60) == 1
    assert writing.stderr.read() == ""


def test_closed_streams_are_no_error(folder, monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)  # as Python has it after `<&- >&- 2>&-`
    assert main(["play", "oracle", "--as", "receiver"]) == 0  # nobody answers
    assert main(RECORD) == 0
    assert os.listdir(folder) == ["play.parquet"]


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is used cannot be removed")
def test_a_current_folder_that_was_removed_is_said_in_one_line(folder, error):
    folder.rmdir()
    assert error("--version") == (
        "spatial-game: error: the current folder was removed; change to another one\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files must be text")
def test_names_of_files_need_not_be_text_nor_fit_the_encoding_of_stdout(folder, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", stream)
    name = "d\u00e9\udce9"
    for line in (
        "record oracle --episodes 10 --out NAME.parquet",
        "export NAME.parquet --format csv --out NAME.csv",
        "import NAME.csv --format csv --vocab-size 26 --out NAME.parquet",
    ):
        assert main(line.replace("NAME", name).split()) == 0
    assert b"d\\xe9\\udce9.csv\n" in stream.buffer.getvalue()
    assert sorted(os.listdir(folder)) == [f"{name}.csv", f"{name}.parquet"]
