"""How commands end: errors in one line, Ctrl-C, closed or full streams, and missing libraries."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spatial_game.cli import main, report

ROOT = Path(__file__).parents[2]
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


def start(line):
    """The command line in a process of its own, while it runs."""
    words = [sys.executable, "-m", "spatial_game", *line.split()]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_debug_shows_the_traceback(monkeypatch):
    monkeypatch.setenv("SPATIAL_GAME_DEBUG", "1")
    with pytest.raises(ValueError, match="orcale"):
        main(["play", "--agents", "orcale"])


def test_a_mistake_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr("spatial_game.cli.play.load_players", lambda: None)
    with pytest.raises(TypeError):
        main(["play"])


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
    assert report(fault) == 1
    assert capsys.readouterr().err == "spatial-game: error: there is not enough memory for this\n"


# --- Ctrl-C, and streams that cannot be written ---------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_ctrl_c_ends_a_command_and_leaves_nothing(folder):
    running = start("record --agents oracle --episodes 1000000000 --out big.parquet")
    while not list(folder.iterdir()):  # until it has begun to write
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.01)
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 130
    assert running.stderr.read() == "spatial-game: interrupted\n"
    assert list(folder.iterdir()) == []


@FULL
@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("--help", 1, "spatial-game: error: standard output: the disk is full\n"),
        ("play --agents oracle", 1, "spatial-game: error: standard output: the disk is full\n"),
        ("analize", 2, 'spatial-game: error: Unknown command "analize"'),
    ],
)
def test_a_full_disk_behind_stdout_is_one_line(line, status, said, program):
    with open("/dev/full", "w") as full:
        done = program(line, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == status
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "line", ["play --agents oracle --episodes 100", "play --agents oracle --json", "--help"]
)
def test_a_reader_that_leaves_gets_no_message(line):
    writing = start(line)
    writing.stdout.close()
    assert writing.wait(timeout=60) == 1
    assert writing.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of POSIX")
@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is used cannot be removed")
def test_a_current_folder_that_was_removed_is_said_in_one_line(program, folder, tmp_path_factory):
    gone = tmp_path_factory.mktemp("gone")
    shell = f'cd "{gone}" && rmdir "{gone}" && "{sys.executable}" -m spatial_game --version'
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
    said = "spatial-game: error: the current folder was removed; change to another one\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(closed, folder):
    for line in ("--version", "record --agents oracle --episodes 10 --out play.parquet"):
        done = subprocess.run(
            f"{sys.executable} -m spatial_game {line} {closed}",
            shell=True,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(folder) == ["play.parquet"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("record --agents oracle --seed 1.5 --out out.parquet", "--seed must be a whole number; got 1.5"),
        ("play --agents oracle --shape 4.6 4.4", "--shape must be a whole number; got 4.6"),
        ("analyse play.parquet --message 1 2.0 3", "--message must be a whole number; got 2.0"),
    ],
)
def test_fractions_are_not_rounded(line, said, error):
    assert said in error(line, status=2)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files must be text")
def test_a_name_that_stdout_cannot_encode_is_no_error(folder, program):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    done = program("play --agents oracle --gif d\u00e9\udce9.gif", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gif d\\xe9\\udce9.gif\n" in done.stdout
    assert (folder / "d\u00e9\udce9.gif").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files must be text")
def test_names_of_files_need_not_be_text(folder, text):
    name = "d\udce9"
    for line in (
        "record --agents oracle --episodes 10 --out NAME.parquet",
        "export NAME.parquet --format csv --out NAME.csv",
        "import NAME.csv --format csv --vocab-size 26 --out NAME.parquet",
    ):
        text(line.replace("NAME", name))
    assert sorted(os.listdir(folder)) == ["d\udce9.csv", "d\udce9.parquet"]


# --- Libraries ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "line", "extra"),
    [
        ("torch", "train --out run", "agents"),
        ("cyclopts", "demo", "analysis"),
        ("pyarrow", "demo", "analysis"),
    ],
)
def test_without_a_library_one_line_says_what_to_install(missing, line, extra):
    code = (
        "import sys; sys.modules[sys.argv.pop(1)] = None; from spatial_game.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, missing, *line.split()], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"pip install -e '.[{extra}]'" in done.stderr
