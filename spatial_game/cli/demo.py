"""`spatial-game demo`: the whole loop, from the environment to the dictionary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from cyclopts.types import Directory, PositiveInt

from spatial_game import referential_v0
from spatial_game.agents import load_agents
from spatial_game.cli.options import AgentsCommand, GameFlags, require_writable
from spatial_game.cli.play import Played
from spatial_game.cli.record import write_recording
from spatial_game.cli.report import Report
from spatial_game.game.rules import SENDER
from spatial_game.game.seeds import random_stream


@dataclass(frozen=True, kw_only=True)
class Demo(AgentsCommand):
    """The options of `spatial-game demo`."""

    out: Directory = Path("spatial-game-demo")
    """Folder for the recording and the dictionary; files of an earlier demo are replaced."""
    episodes: PositiveInt = 20_000
    """Episodes to play and record."""
    seed: int = 0
    """Root of the random streams."""

    def execute(self) -> Iterator[Report]:
        """Play, record, analyse and show."""
        require_writable(self.out)
        started, agents = time.monotonic(), load_agents(self.agents, seed=self.seed)
        recording, dictionary_file = self.out / "recording.parquet", self.out / "dictionary.json"
        env = referential_v0.env(**agents.config.to_dict())
        env.reset(seed=int(random_stream(self.seed, "environment").generate_state(1)[0]))
        episode = Played(env, agents)
        report = Report(agents=self.agents)
        report.heading(f"1  One episode of spatial_game/referential-v0, played by {self.agents}")
        yield report
        yield from episode.turns()
        won = write_recording(agents, self.episodes, self.seed, recording)
        report = Report(accuracy=won.accuracy, episodes=won.trials)
        report.heading("2  How well they understand each other")
        report.lines("", f"  {won}; chance is {1 / agents.config.num_candidates:.0%}")
        yield report
        yield what_messages_mean(recording, dictionary_file, episode.actions[SENDER])
        report = Report(recording=str(recording), dictionary=str(dictionary_file))
        report.heading("4  Files")
        report.lines("", f"  recording   {recording}", f"  dictionary  {dictionary_file}")
        report.lines("", "The language on one page:")
        report.lines(f"  spatial-game describe {recording} --out page.html")
        seconds = time.monotonic() - started
        report.lines(f"Finished in {seconds:.0f} s. Next: spatial-game --help")
        yield report


def what_messages_mean(recording: Path, dictionary_file: Path, message: list[int]) -> Report:
    """Read the language of a recording, write its dictionary, and report it in a few sentences."""
    from spatial_game.cli.analyse import add_bits
    from spatial_game.cli.read import add_meaning
    from spatial_game.cli.read_language import read_language
    from spatial_game.language import write_dictionary
    from spatial_game.language.dictionary.interpreter import interpreter

    with read_language([str(recording)], GameFlags(), None, 0) as language:
        dictionary = language.dictionary()
    write_dictionary(dictionary, dictionary_file)
    report = Report(bits=asdict(dictionary.bits))
    add_bits(report, "3  What their messages mean, from the recording alone", dictionary)
    report.lines()
    first = f"The message of the first episode, {message}, means: {{}}."
    add_meaning(report, interpreter(dictionary), np.array(message), first)
    return report
