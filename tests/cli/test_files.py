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

PIPES = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes and signals")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recording, its lexicon, its CSV and a run."""
    folder = tmp_path_factory.mktemp("made")
    play, lexicon, csv = (str(folder / name) for name in ("play.parquet", "lexicon.json", "play.csv"))
    assert main(["record", "--agents", "oracle", "--episodes", "5000", "--out", play]) == 0
    assert main(["analyse", play, "--select", "npmi", "--out", lexicon]) == 0
    assert main(["export", play, "--format", "csv", "--out", csv]) == 0
    (folder / "run").mkdir()
    shutil.copy(PRETRAINED / "paper-20" / "00.safetensors", folder / "run" / "pair.safetensors")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, in which the test runs."""
    subprocess.run(["cp", "-r", *map(str, made.iterdir()), str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


READ_AND_WRITE = {
    "analyse play.parquet --select npmi --out OUT": "play.parquet",
    "export play.parquet --format csv --out OUT": "play.parquet",
    "import play.csv --format csv --out OUT": "play.csv",
    "play --agents oracle --lexicon lexicon.json --gif OUT": "lexicon.json",
    "record --agents run/pair.safetensors --episodes 5 --out OUT": "run/pair.safetensors",
    "record --agents run --episodes 5 --out OUT": "run/pair.safetensors",
}
"""Command lines that read a file, with an option that would write to OUT."""


@pytest.mark.parametrize("way", ["itself", "symbolic link", "hard link"])
@pytest.mark.parametrize("line", READ_AND_WRITE)
def test_output_never_replaces_input(
    line: str, way: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder / READ_AND_WRITE[line]
    before, out = source.read_bytes(), folder / "out.gif"
    if way == "itself":
        if "--gif" in line:
            pytest.skip("a GIF has a name of its own")
        out = source
    elif way == "symbolic link":
        out.symlink_to(source)
    else:
        os.link(source, out)
    assert main(line.replace("OUT", str(out)).split()) == 1
    assert capsys.readouterr().err.endswith(" must not be written: it is a file that is read\n")
    assert source.read_bytes() == before


@pytest.mark.parametrize(
    "line",
    [
        "record --agents oracle --episodes 5 --out LINK",
        "analyse play.parquet --select npmi --out LINK",
        "export play.parquet --format csv --out LINK",
        "import play.csv --format csv --out LINK",
    ],
)
def test_a_link_stays_and_its_target_is_written(line: str, folder: Path) -> None:
    (folder / "link").symlink_to(folder / "target")
    for _ in range(2):  # the target is missing, then there
        assert main(line.replace("LINK", "link").split()) == 0
        assert (folder / "link").is_symlink()
        assert (folder / "target").stat().st_size > 0


def test_what_a_command_wrote_into_a_run_folder_may_be_replaced(folder: Path) -> None:
    for _ in range(2):
        assert main(["record", "--agents", "run", "--episodes", "5", "--out", "run/play.parquet"]) == 0


READERS = [
    "analyse FILE",
    "analyse play.parquet FILE",
    "export FILE --format csv --out out",
    "import FILE --format csv --out out",
    "play --agents oracle --lexicon FILE",
    "play --agents FILE",
    "probe oracle --lexicon FILE",
    "probe oracle --lexicon lexicon.json --recording FILE",
    "evaluate FILE",
    "reproduce --pairs FILE --out out",
]


@PIPES
@pytest.mark.parametrize("line", READERS)
def test_what_is_no_file_is_refused_at_once(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(folder / "pipe")
    for path in ("missing.parquet", "pipe", "/dev/zero"):
        assert main(line.replace("FILE", path).split()) == 1
        error = capsys.readouterr().err
        assert path in error
        assert error.count("\n") == 1
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
@pytest.mark.parametrize("line", ["analyse play.parquet", "play --agents oracle --episodes 100000"])
def test_control_c_is_one_line(line: str, folder: Path) -> None:
    begin = "import sys; from spatial_game.cli import main; print(flush=True); sys.exit(main(sys.argv[1:]))"
    running = subprocess.Popen(
        [sys.executable, "-c", begin, *line.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_interruptible,
    )
    assert running.stdout is not None
    running.stdout.readline()  # imported: before that, Ctrl-C gives Python's traceback
    time.sleep(random.Random(line).uniform(0.2, 1))
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) in {(130, "spatial-game: interrupted\n"), (0, "")}


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@PIPES
def test_a_pipe_in_a_run_folder_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "run" / "card.json")
    assert not finished(folder / "run")
    with pytest.raises(FileNotFoundError, match=r"card\.json: a regular file is needed"):
        read_json(folder / "run" / "card.json")
