"""No command destroys what it reads, waits for what never ends, or lets a file speak to the terminal."""

import os
import shutil
import sys

import pytest

from spatial_agents.pairs.loading import finished, read_json
from spatial_agents.pairs.names import PRETRAINED
from spatial_game.cli import main
from spatial_game.cli.errors import report

PIPES = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")


@pytest.fixture
def run(files):
    """A run folder with a trained pair, beside the other files."""
    (files / "run").mkdir()
    shutil.copy(PRETRAINED / "paper-20" / "00.safetensors", files / "run" / "pair.safetensors")
    return files


READ_AND_WRITE = {
    "analyse play.parquet --select npmi --out OUT": "play.parquet",
    "export play.parquet --format csv --out OUT": "play.parquet",
    "import play.csv --format csv --out OUT": "play.csv",
    "play --agents oracle --lexicon lexicon.json --gif OUT": "lexicon.json",
    "record --agents run --episodes 5 --out OUT": "run/pair.safetensors",
}
"""Command lines that read a file, with an option that would write to OUT."""


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("line", READ_AND_WRITE)
def test_output_never_replaces_input(line, link, run, error):
    source = run / READ_AND_WRITE[line]
    before = source.read_bytes()
    link(source, "out.gif")
    assert error(line.replace("OUT", "out.gif")).endswith(" must not be written: it is a file that is read\n")
    assert source.read_bytes() == before


@pytest.mark.parametrize("line", [line for line in READ_AND_WRITE if "--gif" not in line])
def test_a_link_stays_and_its_target_is_written(line, run):
    os.symlink("target", "link")
    for _ in range(2):  # the target is missing, then there
        assert main(line.replace("OUT", "link").split()) == 0
        assert os.path.islink("link")
        assert os.path.getsize("target") > 0


def test_what_a_command_wrote_into_a_run_folder_may_be_replaced(run):
    for _ in range(2):
        assert main(["record", "--agents", "run", "--episodes", "5", "--out", "run/play.parquet"]) == 0


@PIPES
@pytest.mark.parametrize(
    "line",
    [
        "analyse play.parquet FILE",
        "export FILE --format csv --out out",
        "import FILE --format csv --out out",
        "play --agents oracle --lexicon FILE",
        "play --agents FILE",
        "probe oracle --lexicon FILE",
        "evaluate FILE",
        "reproduce --pairs FILE --out out",
    ],
)
def test_what_is_no_file_is_refused_at_once(line, files, error):
    os.mkfifo("pipe")
    for path in ("missing.parquet", "pipe", "/dev/zero"):
        assert path in error(line.replace("FILE", path))
    assert not os.path.exists("out")


@PIPES
def test_a_pipe_in_a_run_folder_is_not_waited_for(run):
    os.mkfifo("run/card.json")
    assert not finished(run / "run")
    with pytest.raises(FileNotFoundError, match=r"card\.json: a regular file is needed"):
        read_json(run / "run" / "card.json")


@pytest.mark.parametrize(
    ("card", "rule"),
    [
        ("3", "must hold a JSON object; got int"),
        ('{"recipe": true}', "recipe must be a JSON object; got True"),
        ('{"recipe": {"hold_out": "a"}}', "hold_out must be a number; got 'a'"),
        ('{"recipe": {"scalar_reach": "a"}}', "scalar_reach must be a number; got 'a'"),
    ],
)
@pytest.mark.parametrize("line", ["evaluate run --episodes 10 --held-out", "reproduce --pairs run --out out"])
def test_a_card_that_no_training_wrote_is_refused(line, card, rule, run, error):
    (run / "run" / "card.json").write_text(card)
    assert rule in error(line)


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
def test_a_device_can_be_written(files, program):
    done = program("export play.parquet --format csv --out /dev/stdout")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1 + 5_000 + 2


def test_a_file_of_another_kind_is_named(files, error):
    assert "play.parquet: a lexicon is needed; this is a recording" in error(
        "play --agents oracle --lexicon play.parquet"
    )
    assert "play.csv, which spatial-game import --format csv converts" in error("analyse play.csv")


def test_control_characters_do_not_reach_the_terminal(capsys):
    report(ValueError("\x1b]0;title\x07\x9b31m\r\u202efile.parquet"))
    said = capsys.readouterr().err
    assert all(char.isprintable() or char == "\n" for char in said)
    assert r"\x1b]0;title\x07\x9b31m" in said
