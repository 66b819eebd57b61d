"""The program: its help, the options that commands share, and mistakes on the command line."""

import re
from dataclasses import fields

import pytest

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.cli.app import COMMANDS, app
from spatial_game.cli.commands.train import Train
from spatial_game.cli.options import sizes_of
from spatial_game.config import GameConfig


def options_of(name):
    """The options of a command."""
    arguments = app[name].assemble_argument_collection(parse_docstring=True)
    return [argument for argument in arguments if argument.parse and not argument.children]


# --- Help -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains_every_option(name, text):
    shown = text(f"{name} --help")
    for option in options_of(name):
        assert option.name in shown
        assert re.match(r"(?!See )\S+ .*[.?]\s*$", option.parameter.help, re.DOTALL), option.name
    assert "default: None" not in shown
    assert "()" not in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_train_lists_no_option_that_it_does_not_take():
    taken = {
        field.name
        for kind in (Train, TrainOptions, Recipe, GameConfig)
        for field in fields(kind)
        if field.init
    }
    listed = {option.name.removeprefix("--").replace("-", "_") for option in options_of("train")}
    assert listed == taken - {"options", "config"}


def test_help_names_the_commands(text):
    shown = text("--help")
    assert all(name in shown for name in COMMANDS)


# --- Mistakes -------------------------------------------------------------------------------------------

MISTAKES = {
    "recrod": 'Unknown command "recrod". Did you mean "record"? Available commands: demo, play, record, ',
    "foo": "reproduce, import, export; see spatial-game --help",
    "record --out x --sequence-lenght 6": "--sequence-lenght. Did you mean --sequence-length?",
    "record --ouy x": "Unknown option: --ouy. Did you mean --out?; see spatial-game record --help",
    "record --out x --episodes many": 'Invalid value for --episodes: unable to convert "many" into int',
    "record oracle --out x --episodes 0": 'Invalid value "0" for --episodes. Must be > 0',
    "record oracle --out .": 'Invalid value "." for --out',
    "record oracle --out x --seed 1.5": "--seed must be a whole number; got 1.5",
    "play oracle --shape 4.6 4.4": "--shape must be a whole number; got 4.6",
    "play oracle --seed 8x8": 'Invalid value for --seed: unable to convert "8x8" into int',
    "train --out x --hidden-size 8x8": 'Invalid value for --hidden-size: unable to convert "8x8" into int',
    "play embed-60 9": "Unused Tokens: ['9']",
    "play oracle --gif foo.mp4": '"foo.mp4" must have extension "gif"',
    "evaluate embed-60 --study noises": 'Invalid value "noises" for --study. Choose from: "lengths", ',
    "import x --format cvs --out y": 'Did you mean "csv"?',
    "analyse": "--language requires an argument",
    "read embed-60": "--message requires an argument",
    "compare embed-60": "--other requires an argument",
}
FAULTS = {
    "record orcale --out x": 'module:Class; got "orcale" (did you mean "oracle"?)',
    "record embed-60 --shape 8 8 --out x": "agents must suit the game: shape must be (60,)",
    "record oracle --out text.parquet/x": "text.parquet/x must be a place that can be written to",
    "play --gif text.parquet/x.gif": "text.parquet/x.gif must be a place that can be written to",
    "play oracle --as sender --json": "--as must be given without --json and --gif",
    "probe play.parquet": "agents must be a pair or other agents, not a recording of them; got",
    "evaluate os:getpid": "or have a method send() to play the sender; got ",
    "evaluate embed-60 --study unseen": "the study unseen needs a pair whose training left ",
    "analyse missing.parquet": "recording must name a file that exists, or a trained pair; got",
    "analyse text.parquet --json --format csv": "--format must be given without --json; got csv",
    "describe oracle --out text.parquet/x": "text.parquet/x must be a place that can be written to",
    "import text.parquet --format interactions --out x": "text.parquet: ",
    "import text.parquet --format interactions --out x --first-symbol 1": "--first-symbol needs --format csv",
    "export text.parquet --format csv --out x": "text.parquet: ",
    "reproduce --out x --pairs grid-8x8/0": "pairs must play on sequences, as the paper's do; got grid-8x8/0",
    "train": "out must name a folder for the run; got none",
}
"""Faults that a command finds, with the words; those of other modules are asserted where they are found."""


@pytest.mark.parametrize("line", [*MISTAKES, *FAULTS])
def test_a_mistake_is_one_line(line, folder, error, monkeypatch):
    for module in ("demo", "record"):  # nothing is played
        monkeypatch.setattr(f"spatial_game.cli.commands.{module}.write_recording", None)
    (folder / "text.parquet").write_text("not Parquet")
    assert (MISTAKES | FAULTS)[line] in error(line, 2 if line in MISTAKES else 1)
    assert [path.name for path in folder.iterdir()] == ["text.parquet"]


def test_a_named_game_has_all_of_its_sizes():
    seen_in_part = GameConfig(12, num_visible=1)
    assert seen_in_part.changed(**sizes_of({"game": "small"})) == GameConfig.small()
