"""The commands, by name; each is imported when it is used, so that help and mistakes come at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import NamedTuple, cast

from spatial_game.cli.arguments import Command


class Entry(NamedTuple):
    """Where a command is, and what it does: the first line of its docstring."""

    module: str
    name: str
    about: str


ENTRIES = {
    "demo": Entry(
        "demo",
        "Demo",
        "See a trained pair play the game, and read its language: the whole loop in under two minutes.",
    ),
    "play": Entry("play", "Play", "Watch two agents play the PettingZoo environment, turn by turn."),
    "record": Entry(
        "record",
        "Record",
        "Let two agents play fresh episodes and write what happened to a recording (Parquet).",
    ),
    "train": Entry(
        "train",
        "Train",
        "Train pairs of agents into a run folder; kill it at any moment, and continue with --resume.",
    ),
    "evaluate": Entry(
        "evaluate",
        "Evaluate",
        "Let trained pairs play fresh episodes: their accuracy, with 95% intervals, by observation type.",
    ),
    "sweep": Entry(
        "sweep",
        "Sweep",
        "Train pairs that differ in one thing, and evaluate them; kill it at any moment, and start it again.",
    ),
    "analyse": Entry(
        "analyse",
        "Analyse",
        "Read the language of recordings: which message, or part of one, means what.",
    ),
    "measures": Entry(
        "measures",
        "Measures",
        "Measure a language: entropies, information, disentanglement, topographic similarity, "
        "segments, Zipf.",
    ),
    "probe": Entry(
        "probe",
        "Probe",
        "Ask a receiver with messages made from a lexicon: does it understand what we say?",
    ),
    "reproduce": Entry(
        "reproduce",
        "Reproduce",
        "Measure everything that the paper reports on trained pairs, into one report; "
        "resumes where it stopped.",
    ),
    "import": Entry("convert", "Import", "Turn what another tool wrote into a recording."),
    "export": Entry("convert", "Export", "Write a recording in a form that another tool reads."),
    "doctor": Entry(
        "doctor",
        "Doctor",
        "Say what is installed and works here, and what each missing extra would add.",
    ),
    "completion": Entry(
        "completion",
        "Completion",
        "Print a script with which a shell completes commands, options, trained pairs and files.",
    ),
}
"""The commands, in the order of the help."""


class Commands(Mapping[str, type[Command]]):
    """The class of each command, imported when it is asked for."""

    def __getitem__(self, name: str) -> type[Command]:
        entry = ENTRIES[name]
        return cast("type[Command]", getattr(import_module(f"spatial_game.cli.{entry.module}"), entry.name))

    def __iter__(self) -> Iterator[str]:
        return iter(ENTRIES)

    def __len__(self) -> int:
        return len(ENTRIES)

    def __contains__(self, name: object) -> bool:
        return name in ENTRIES  # without importing it


COMMANDS = Commands()
"""What `spatial-game` can do."""
ABOUT = {name: entry.about for name, entry in ENTRIES.items()}
"""What each command is for, known without importing it."""
