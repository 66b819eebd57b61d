"""`spatial-game record`: let two agents play, and record the episodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from cyclopts.types import File, PositiveInt

import spatial_game
from spatial_game.agents import load_agents
from spatial_game.cli.options import AgentsCommand, GameFlags, ShownGame, require_writable
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.episodes import draw_batches
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Agents
from spatial_game.game.seeds import random_stream


@dataclass(frozen=True, kw_only=True)
class Record(AgentsCommand):
    """The options of `spatial-game record`."""

    out: File
    """The file to write; an older one is replaced when the new one is complete."""
    game: ShownGame = field(default_factory=GameFlags)
    episodes: PositiveInt = 200_000
    """Episodes to play."""
    seed: int = 0
    """Root of the random streams of episodes and of random agents."""

    def execute(self) -> Iterator[Report]:
        """Play and write."""
        agents = load_agents(self.agents, seed=self.seed, **self.game.given)
        require_writable(self.out, agents.paths)
        won = write_recording(agents, self.episodes, self.seed, self.out)
        report = Report(**won.to_dict(), episodes=won.trials, recording=str(self.out))
        report.lines(f"accuracy   {won}", f"recording  {self.out}")
        yield report


def write_recording(
    agents: Agents, num_episodes: int, seed: int, out: Path, *, choose: bool = True
) -> Proportion:
    """Play episodes of the seed's recording stream into a file, and return how many were won.

    Unless the receiver is to `choose`, only the sender plays, and none are won.
    """
    from spatial_game.recording import RecordingWriter, record

    stream, num_correct = "recording", 0
    provenance = {
        "spatial_game_version": spatial_game.__version__,
        "seed": seed,
        "stream": stream,
        "sender": agents.identity,
        "receiver": agents.identity,
    }
    rng = np.random.default_rng(random_stream(seed, stream))
    with (
        RecordingWriter(out, agents.config, provenance) as writer,
        progress("playing", num_episodes) as advance,
    ):
        for episodes in draw_batches(agents.config, num_episodes, rng):
            block = record(agents.sender, agents.receiver if choose else None, episodes, agents.config)
            num_correct += int(np.count_nonzero(block.won)) if choose else 0
            writer.write(block)
            advance(len(episodes))
    return Proportion(num_correct, num_episodes)
