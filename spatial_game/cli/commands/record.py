"""`spatial-game record`: let two agents play, and record the episodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cyclopts.types import File, NonNegativeInt, PositiveInt

from spatial_game.agents import load_agents
from spatial_game.cli.options import AgentsName, GameCommand, SamplerName, require_writable
from spatial_game.cli.playing import write_recording
from spatial_game.cli.report import Report


@dataclass(frozen=True, kw_only=True)
class Record(GameCommand):
    """The options of `spatial-game record`."""

    agents: AgentsName = field(default="embed-60", kw_only=False)
    out: File
    """The file to write; an older one is replaced when the new one is complete."""
    episodes: PositiveInt = 200_000
    """Episodes to play."""
    seed: NonNegativeInt = 0
    """Root of the random streams of episodes and of random agents."""
    sampler: SamplerName = None

    def execute(self) -> Iterator[Report]:
        """Play and write."""
        agents = load_agents(self.agents, seed=self.seed, **self.game)
        require_writable(self.out, agents.paths)
        won = write_recording(agents, self.episodes, self.seed, self.out, sampler=self.sampler)
        report = Report(**won.to_dict(), episodes=won.trials)
        report.facts(accuracy=won)
        report.written(self.out)
        yield report
