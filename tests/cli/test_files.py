"""No command destroys what it reads, waits for what never ends, or lets a file speak to the terminal."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from quick_processes import quick_run

from spatial_agents.pairs.card import finished, read_json
from spatial_agents.pairs.names import PRETRAINED
from spatial_game.cli import main
from spatial_game.cli.errors import report_errors
from spatial_game.cli.help import Help

PIPES = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes and signals")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recording, its lexicon, its CSV and a run."""
    folder = tmp_path_factory.mktemp("made")
    play, lexicon, csv = (str(folder / name) for name in ("play.parquet", "lexicon.json", "play.csv"))
    assert main(["record", "--agents", "oracle", "--episodes", "5000", "--out", play]) == 0
    assert main(["analyse", play, "--out", lexicon]) == 0
    assert main(["export", play, "--format", "csv", "--out", csv]) == 0
    run = folder / "run"
    run.mkdir()
    (run / "pair.safetensors").write_bytes(b"weights")
    for end in (".lexicon.json", ".lexicon.json.gz"):
        (run / f"pair{end}").write_bytes(b"lexicon")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, in which the test runs."""
    subprocess.run(["cp", "-r", *map(str, made.iterdir()), str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# A command line that reads a file, with an option that would write to OUT.
READ_AND_WRITE = {
    "analyse play.parquet --out OUT": "play.parquet",
    "analyse *.parquet --out OUT": "play.parquet",
    "export play.parquet --format csv --out OUT": "play.parquet",
    "import play.csv --format csv --out OUT": "play.csv",
    "play --agents oracle --lexicon lexicon.json --gif OUT": "lexicon.json",
    "play --agents run --gif OUT": "run/pair.safetensors",
    "record --agents run/pair.safetensors --out OUT": "run/pair.safetensors",
    "play --agents run/pair.safetensors --gif OUT": "run/pair.lexicon.json.gz",
    "play --agents run --gif OUT ": "run/pair.lexicon.json.gz",
    "record --agents run --out OUT": "run/pair.safetensors",
    "record --agents run/0 --out OUT": "run/pair.safetensors",
}


@pytest.mark.parametrize("way", ["itself", "symbolic link", "hard link"])
@pytest.mark.parametrize("line", READ_AND_WRITE)
def test_output_never_replaces_input(
    line: str, way: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder / READ_AND_WRITE[line]
    before, out = source.read_bytes(), folder / ("out.gif" if "--gif" in line else "out")
    if way == "itself":
        if "--gif" in line:
            pytest.skip("a GIF has a name of its own")
        out = source
    elif way == "symbolic link":
        out.symlink_to(source)
    else:
        os.link(source, out)
    assert main(line.replace("OUT", str(out)).split()) == 1
    option = next(name for name in ("gif", "out") if f"--{name}" in line)
    assert capsys.readouterr().err.endswith(f": {option} must not be a file that is read; got {out}\n")
    assert source.read_bytes() == before


def test_what_a_command_wrote_into_a_run_folder_may_be_replaced(folder: Path) -> None:
    shutil.copy(PRETRAINED / "paper-20" / "00.safetensors", folder / "run" / "pair.safetensors")
    for _ in range(2):
        assert main(["record", "--agents", "run", "--episodes", "5", "--out", "run/play.parquet"]) == 0


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("import MISSING --format csv --out out", "file"),
        ("play --agents oracle --lexicon MISSING", "lexicon"),
        ("probe oracle --lexicon lexicon.json --recording MISSING", "recording"),
    ],
)
def test_a_file_that_does_not_exist_is_named_with_its_option(
    line: str, option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.replace("MISSING", "none.parquet").split()) == 1
    assert f"error: {option} must name a file that exists; got none.parquet\n" in capsys.readouterr().err
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    "line",
    [
        "analyse PIPE",
        "analyse play.parquet PIPE",
        "analyse PIPE --measures",
        "export PIPE --format csv --out out",
        "import PIPE --format csv --out out",
        "play --agents oracle --lexicon PIPE",
        "play --agents PIPE",
        "probe oracle --lexicon PIPE",
        "probe oracle --lexicon lexicon.json --recording PIPE",
        "evaluate PIPE",
        "reproduce --pairs PIPE --out out",
    ],
)
@PIPES
def test_a_pipe_or_a_device_is_refused_at_once(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(folder / "pipe")
    for path in ("pipe", "/dev/zero"):
        assert main(line.replace("PIPE", path).split()) == 1
        assert f"must be a regular file; got {path}, which is a pipe or a device\n" in capsys.readouterr().err
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    "line",
    [
        "record --agents oracle --out none/play.parquet",
        "analyse play.parquet --out none/lexicon.json",
        "export play.parquet --format csv --out none/play.csv",
        "import play.csv --format csv --out none/play.parquet",
        "play --agents oracle --gif none/play.gif",
    ],
)
def test_a_folder_that_is_missing_is_not_made_for_a_file(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 1
    assert "must be in a folder that exists; got none/" in capsys.readouterr().err
    assert not (folder / "none").exists()


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
def test_a_device_can_be_written(folder: Path) -> None:
    words = [sys.executable, "-m", "spatial_game.cli", "export", "play.parquet", "--format", "csv"]
    done = quick_run([*words, "--out", "/dev/stdout"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1 + 5_000 + 2


def test_control_characters_do_not_reach_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "\x1b]0;title\x07\x9b31m\r\u202efile.parquet"
    assert main(["analyse", name]) == 1
    (folder / "lexicon.json").write_text('{"format_version": "\\u001b[2J"}')
    assert main(["play", "--agents", "oracle", "--lexicon", "lexicon.json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 2
    assert all(char.isprintable() or char == "\n" for char in err)
    assert r"\x1b]0;title\x07\x9b31m" in err


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory"),
        type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory"),  # as torch's
        MemoryError(),
    ],
)
def test_no_memory_is_one_line(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with report_errors() as outcome:
        raise error
    assert outcome.status == 1
    assert capsys.readouterr().err == "spatial-game: error: there is not enough memory for this\n"


def test_a_bug_that_speaks_of_memory_keeps_its_traceback() -> None:
    with pytest.raises(RuntimeError, match="shared memory"), report_errors():
        raise RuntimeError("the shared memory was closed")


@PIPES
@pytest.mark.parametrize("line", ["--help", "analyse play.parquet", "play --agents oracle --episodes 100000"])
def test_control_c_in_the_first_second_is_one_line(line: str, folder: Path) -> None:
    code = "import sys; print(flush=True); from spatial_game_program import main; sys.exit(main())"
    waits = random.Random(line)
    for _ in range(2):
        words = [sys.executable, "-c", code, *line.split()]
        running = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_interruptible
        )
        assert running.stdout is not None
        running.stdout.readline()  # Python itself has started
        time.sleep(waits.uniform(0.02, 1))
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        assert (running.returncode, errors) in {(130, "spatial-game: interrupted\n"), (0, "")}


def test_control_c_while_the_help_is_printed_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Help, "__call__", interrupted)
    assert main(["--help"]) == 130
    assert capsys.readouterr().err == "spatial-game: interrupted\n"


@PIPES
def test_control_c_after_a_command_changes_nothing() -> None:
    code = """
import atexit, os, signal, sys
from spatial_game_program import main
signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@PIPES
def test_a_pipe_in_a_run_folder_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "run" / "card.json")
    assert not finished(folder / "run")
    with pytest.raises(FileNotFoundError, match=r"card\.json: a regular file is needed"):
        read_json(folder / "run" / "card.json")
