"""`spatial-game demo`: the whole loop, from the environment to the dictionary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from cyclopts.types import Directory, NonNegativeInt, PositiveInt

from spatial_game import referential_v0
from spatial_game.agents import load_agents
from spatial_game.cli.language import add_bits, add_meaning, dictionary_of, language_in, open_recordings
from spatial_game.cli.options import AgentsName, Command, require_writable
from spatial_game.cli.playing import ShownEpisode, write_recording
from spatial_game.cli.report import Report
from spatial_game.game.rules import SENDER
from spatial_game.game.seeds import random_stream


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """The options of `spatial-game demo`."""

    agents: AgentsName = "embed-60"
    out: Directory = Path("spatial-game-demo")
    """Folder for the recording and the dictionary; files of an earlier demo are replaced."""
    episodes: PositiveInt = 20_000
    """Episodes to play and record."""
    seed: NonNegativeInt = 0
    """Root of the random streams."""

    def execute(self) -> Iterator[Report]:
        """Play, record, analyse and show."""
        require_writable(self.out)
        started, agents = time.monotonic(), load_agents(self.agents, seed=self.seed)
        recording, dictionary_file = self.out / "recording.parquet", self.out / "dictionary.json"
        report = Report(agents=self.agents)
        report.heading(f"1  One episode of spatial_game/referential-v0, played by {self.agents}")
        yield report
        env = referential_v0.env(**agents.config.to_dict())
        env.reset(seed=int(random_stream(self.seed, "environment").generate_state(1)[0]))
        episode = ShownEpisode(env, agents)
        yield from episode.turns()
        won = write_recording(agents, self.episodes, self.seed, recording)
        report = Report(accuracy=won.accuracy, episodes=won.trials)
        report.heading("2  How well they understand each other")
        report.lines("", f"  {won}; chance is {1 / agents.config.num_candidates:.0%}")
        yield report
        yield what_messages_mean(recording, dictionary_file, episode.actions[SENDER])
        report = Report()
        report.heading("4  Files")
        report.lines()
        report.written(recording, dictionary_file)
        report.lines("", "The language on one page:")
        report.lines(f"  spatial-game describe {recording} --out page.html")
        report.lines(f"Finished in {time.monotonic() - started:.0f} s. Next: spatial-game --help")
        yield report


def what_messages_mean(recording: Path, dictionary_file: Path, message: list[int]) -> Report:
    """Read the language of a recording, write its dictionary, and report it in a few sentences."""
    from spatial_game.language import write_dictionary
    from spatial_game.language.dictionary.interpreter import interpreter

    dictionary = dictionary_of(language_in(open_recordings([recording])).count())
    write_dictionary(dictionary, dictionary_file)
    report = Report(bits=asdict(dictionary.bits))
    add_bits(report, "3  What their messages mean, from the recording alone", dictionary)
    first = f"The message of the first episode, {message}, means: {{}}."
    add_meaning(report, interpreter(dictionary), np.array(message), first)
    return report
