"""The program: its help, the options that commands share, and mistakes on the command line."""

import subprocess
import sys

import pytest

from spatial_game.cli import main
from spatial_game.cli.app import COMMANDS, app

# --- Help -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains_every_option(name, text):
    shown = text(f"{name} --help")
    for argument in app[name].assemble_argument_collection(parse_docstring=True):
        assert argument.children or (argument.parameter.help and argument.name in shown), argument.name
    assert "default: None" not in shown
    assert "()" not in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_help_names_the_commands_and_loads_nothing_that_analyses():
    code = """
import sys
from spatial_game.cli import main
for line in ("--help", "--version", "record --help"):
    main(line.split())
heavy = {"scipy", "pyarrow", "torch", "PIL", "spatial_game.language"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in COMMANDS)


def test_a_shell_learns_the_commands(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    script = folder / "spatial-game.fish"
    assert main(["--install-completion", "--shell", "fish", "--output", str(script)]) == 0
    assert all(name in script.read_text() for name in COMMANDS)


# --- Mistakes -------------------------------------------------------------------------------------------

MISTAKES = {
    "recrod": 'Unknown command "recrod". Did you mean "record"?',
    "record --out x --sequence-lenght 6": "--sequence-lenght. Did you mean --sequence-length?",
    "record --ouy x": "Did you mean --out instead of --ouy?; see spatial-game record --help",
    "record --out x --episodes many": 'Invalid value for --episodes: unable to convert "many" into int',
    "play embed-60": "embed-60",
    "analyse": "RECORDING... requires an argument",
}
FAULTS = {
    "record --agents oracle --out x --episodes 0": "episodes must be at least 1; got 0",
    "record --agents orcale --out x": 'a run folder or a weights file; got "orcale" (did you mean "oracle"?)',
    "record --agents embed-60 --shape 8 8 --out x": "agents must suit the game: shape must be (60,)",
    "record --agents oracle --out .": "out must be a file; got ., which is a folder",
    "record --agents oracle --out none/x": "out must be in a folder that exists; got none/x (run: mkdir",
    "demo --agents oracle --episodes 0": "episodes must be at least 1; got 0",
    "demo --agents oracle --out text.parquet/x": "out must be in a folder that can be written to; got",
    "play --agents oracle --episodes 0": "episodes must be at least 1; got 0",
    "play --agents oracle --seed -1": "seed must be at least 0; got -1",
    "play --agents oracle --as sender --json": "json must be left out where a person plays",
    "play --agents oracle --gif foo.mp4": "gif must be a file whose name ends in .gif; got foo.mp4",
    "play --agents oracle --gif x.gif --episodes 51": "episodes must be at most 50 in a GIF; got 51",
    "evaluate no_module:Pair": "agents must be a class that can be imported; got no_module:Pair",
    "evaluate embed-60/²": 'a run folder or a weights file; got "embed-60/²"',
    "evaluate embed-60 --held-out": "held_out needs a pair whose training held combinations out",
    "analyse missing.parquet": "recording must name a file that exists, or a trained pair; got",
    "analyse text.parquet ./text.parquet": "files must be different",
    "analyse text.parquet --threshold 0.3": "threshold needs select npmi; got 0.3",
    "analyse text.parquet --measures --message 1": "measures must be given without --message",
    "analyse text.parquet --measures --out x": "out must be given without --message and --measures",
    "describe embed-61 --episodes 10": 'got embed-61 (did you mean "embed-60"?)',
    "probe oracle --episodes 0": "episodes must be at least 1; got 0",
    "import text.parquet --format interactions --out x": "text.parquet: ",
    "export text.parquet --format csv --out x": "text.parquet: ",
    "reproduce --out x --jobs -1": "jobs must be at least 0; got -1",
    "reproduce --out text.parquet": "out must be in a folder that can be written to; got",
    "reproduce --pairs grid-8x8/0 --out x": "pairs must play on sequences, as the paper's do; got grid-8x8/0",
    "train": "out must name a folder for the run; got none",
}
"""Faults that a command finds, with the words; those of other modules are asserted where they are found."""


@pytest.mark.parametrize("line", [*MISTAKES, *FAULTS])
def test_a_mistake_is_one_line(line, folder, error):
    (folder / "text.parquet").write_text("not Parquet")
    assert (MISTAKES | FAULTS)[line] in error(line, 2 if line in MISTAKES else 1)
    assert [path.name for path in folder.iterdir()] == ["text.parquet"]
