"""The commands, by name."""

from __future__ import annotations

from spatial_game.cli.analyse import Analyse
from spatial_game.cli.arguments import Command
from spatial_game.cli.completion import Completion
from spatial_game.cli.convert import Export, Import
from spatial_game.cli.demo import Demo
from spatial_game.cli.doctor import Doctor
from spatial_game.cli.measures import Measures
from spatial_game.cli.play import Play
from spatial_game.cli.probe import Probe
from spatial_game.cli.record import Record
from spatial_game.cli.reproduce import Reproduce
from spatial_game.cli.train import Evaluate, Train

COMMANDS: dict[str, type[Command]] = {
    "demo": Demo,
    "play": Play,
    "record": Record,
    "train": Train,
    "evaluate": Evaluate,
    "analyse": Analyse,
    "measures": Measures,
    "probe": Probe,
    "reproduce": Reproduce,
    "import": Import,
    "export": Export,
    "doctor": Doctor,
    "completion": Completion,
}
