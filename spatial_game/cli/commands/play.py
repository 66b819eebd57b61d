"""`spatial-game play`: episodes shown turn by turn, through the PettingZoo environment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt
from cyclopts.validators import Path as PathRule

from spatial_game import referential_v0
from spatial_game.agents import load_agents
from spatial_game.cli.options import AgentsName, GameCommand, require_writable
from spatial_game.cli.playing import ShownEpisode
from spatial_game.cli.report import Report
from spatial_game.errors import UserError
from spatial_game.game.policies import Agents
from spatial_game.game.scene import Scene

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary

Role = Literal["receiver", "sender"]
SECONDS = (2.0, 2.5, 3.5)
"""The time for which a GIF shows each turn of an episode."""


@dataclass(frozen=True, kw_only=True)
class Play(GameCommand):
    """The options of `spatial-game play`."""

    agents: AgentsName = field(default="embed-60", kw_only=False)
    episodes: PositiveInt = 3
    """Episodes to show."""
    seed: NonNegativeInt = 0
    """Seed of the episodes; a person plays others than those that are watched."""
    as_: Annotated[Role | None, Parameter(name="--as")] = None
    """Play this role yourself. The dictionary helps you, and your score is compared with the agent's."""
    dictionary: Path | None = None
    """A dictionary (JSON, as analyse writes it) to show messages in words. Default: the pair's own."""
    gif: Annotated[Path | None, Parameter(validator=PathRule(dir_okay=False, ext="gif"))] = None
    """Also write the episodes that you watch as an animated picture (.gif)."""

    def execute(self) -> Iterator[Report]:
        """Play and show."""
        from spatial_game.cli.origin import read_dictionary

        agents = load_agents(self.agents, seed=self.seed, **self.game)
        path = self.dictionary or agents.dictionary_file
        dictionary = read_dictionary(path, agents.config, agents.identity) if path else None
        if self.as_ is not None:
            yield from self._take_part(self.as_, agents, dictionary)
        elif self.gif is None:
            yield from self._watch(agents, dictionary, [])
        else:
            require_writable(self.gif, [*agents.paths, path])
            scenes: list[Scene] = []
            shown = list(self._watch(agents, dictionary, scenes))
            self._write_gif(self.gif, scenes, dictionary)  # first, in case nobody reads the output
            shown[-1].written(self.gif)
            yield from shown

    def _take_part(self, role: Role, agents: Agents, dictionary: Dictionary | None) -> Iterator[Report]:
        """Let the person who runs the command play one role."""
        from spatial_game.cli.human import Person

        if self.json or self.gif is not None:
            raise UserError("--as must be given without --json and --gif, as a person plays")
        return Person(role, agents, dictionary).play(self.episodes, self.seed)

    def _watch(self, agents: Agents, dictionary: Dictionary | None, scenes: list[Scene]) -> Iterator[Report]:
        """Let the agents play; yield each turn, then the result. The scenes of all turns are added."""
        env = referential_v0.env(**agents.config.to_dict())
        episodes = []
        for number in range(self.episodes):
            report = Report()
            report.heading(f"Episode {number + 1} of {self.episodes}")
            yield report
            env.reset(seed=self.seed if number == 0 else None)
            episode = ShownEpisode(env, agents, dictionary)
            yield from episode.turns()
            scenes += episode.scenes
            episodes.append({**episode.actions, "reward": episode.reward})
        won = sum(episode["reward"] for episode in episodes)
        report = Report(agents=self.agents, won=int(won), episodes=episodes)
        report.lines("", f"won {won:.0f} of {self.episodes}")
        yield report

    def _write_gif(self, path: Path, scenes: list[Scene], dictionary: Dictionary | None) -> None:
        from spatial_game.rendering.picture import image, write_gif

        frames = [
            image(scene, dictionary=dictionary, caption=f"episode {i // len(SECONDS) + 1} of {self.episodes}")
            for i, scene in enumerate(scenes)
        ]
        write_gif(path, frames, SECONDS * self.episodes)
