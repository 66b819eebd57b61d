"""`spatial-game play`: episodes shown turn by turn, through the PettingZoo environment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt
from cyclopts.validators import Path as PathRule
from rich.text import Text

from spatial_game import referential_v0
from spatial_game.agents import load_agents
from spatial_game.cli.options import AgentsCommand, GameFlags, ShownGame, require_writable
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import has_colour, stdout_console
from spatial_game.errors import UserError
from spatial_game.game import rules
from spatial_game.game.policies import Agents
from spatial_game.game.rules import SENDER
from spatial_game.game.scene import Scene
from spatial_game.rendering.text import ansi

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary

SECONDS = (2.0, 2.5, 3.5)
"""The time for which a GIF shows each turn of an episode."""


@dataclass(frozen=True, kw_only=True)
class Play(AgentsCommand):
    """The options of `spatial-game play`."""

    game: ShownGame = field(default_factory=GameFlags)
    episodes: PositiveInt = 3
    """Episodes to show."""
    seed: NonNegativeInt = 0
    """Seed of the episodes; a person plays others than those that are watched."""
    as_: Annotated[Literal["receiver", "sender"] | None, Parameter(name="--as")] = None
    """Play this role yourself. The dictionary helps you, and your score is compared with the agent's."""
    dictionary: Path | None = None
    """A dictionary (JSON, as analyse writes it) to show messages in words. Default: the pair's own."""
    gif: Annotated[Path | None, Parameter(validator=PathRule(dir_okay=False, ext="gif"))] = None
    """Also write the episodes that you watch as an animated picture (.gif)."""

    def execute(self) -> Iterator[Report]:
        """Play and show."""
        from spatial_game.cli.origin import read_dictionary

        agents = load_agents(self.agents, seed=self.seed, **self.game.given)
        path = self.dictionary or agents.dictionary_file
        dictionary = read_dictionary(path, agents.config, agents.identity) if path else None
        if self.as_ is not None:
            if self.json or self.gif is not None:
                raise UserError("as must be given without --json and --gif, as a person plays")
            from spatial_game.cli.human import Person

            yield Report(**Person(self.as_, agents, dictionary).play(self.episodes, self.seed))
        elif self.gif is None:
            yield from self._watch(agents, dictionary, [])
        else:
            require_writable(self.gif, [*agents.paths, path])
            scenes: list[Scene] = []
            shown = list(self._watch(agents, dictionary, scenes))
            self._write_gif(self.gif, scenes, dictionary)  # first, in case nobody reads the output
            yield from shown
            report = Report(gif=str(self.gif))
            report.lines(f"gif {self.gif}")
            yield report

    def _write_gif(self, path: Path, scenes: list[Scene], dictionary: Dictionary | None) -> None:
        from spatial_game.rendering.picture import image, write_gif

        frames = [
            image(scene, dictionary=dictionary, caption=f"episode {i // len(SECONDS) + 1} of {self.episodes}")
            for i, scene in enumerate(scenes)
        ]
        write_gif(path, frames, SECONDS * self.episodes)

    def _watch(self, agents: Agents, dictionary: Dictionary | None, scenes: list[Scene]) -> Iterator[Report]:
        """Let the agents play; yield each turn, then the result. The scenes of all turns are added."""
        env = referential_v0.env(**agents.config.to_dict())
        episodes = []
        for number in range(self.episodes):
            report = Report()
            report.heading(f"Episode {number + 1} of {self.episodes}")
            yield report
            env.reset(seed=self.seed if number == 0 else None)
            episode = Played(env, agents, dictionary)
            yield from episode.turns()
            scenes += episode.scenes
            episodes.append({**episode.actions, "reward": episode.reward})
        won = sum(episode["reward"] for episode in episodes)
        report = Report(agents=self.agents, won=int(won), episodes=episodes)
        report.lines("", f"won {won:.0f} of {self.episodes}")
        yield report


def act(env: Any, agents: Agents) -> Any:
    """Return the action of the agent whose turn it is, from its observation alone."""
    agent = env.agent_selection
    observation = env.observe(agent)[None]
    if agent == SENDER:
        window, _ = rules.split_sender_observation(agents.config, observation)
        return rules.ask_sender(agents.sender, window, agents.config)[0]
    return rules.ask_receiver(agents.receiver, *rules.split_receiver_observation(agents.config, observation))[
        0
    ]


class Played:
    """One episode that agents play in an environment, and what is shown of it."""

    def __init__(self, env: Any, agents: Agents, dictionary: Dictionary | None = None) -> None:
        self.env, self.agents, self.dictionary = env, agents, dictionary
        self.actions: dict[str, Any] = {}
        self.scenes: list[Scene] = []
        """What is shown before and after each turn."""

    @property
    def reward(self) -> float:
        """The reward of both agents, after the last turn."""
        return float(self.env.rewards[SENDER])

    def turns(self) -> Iterator[Report]:
        """Play; before and after each turn, yield the lines of the text that have changed."""
        env, title, shown = self.env, "the episode begins", list[str]()
        while True:
            self.scenes.append(env.unwrapped.scene())
            report, picture = Report(), self._picture()
            report.lines(Text(f"  {title}", "bold cyan", no_wrap=True, overflow="ignore"))
            report.lines(*(Text.from_ansi(f"    {line}") for line in picture if line not in shown))
            yield report
            if env.terminations[SENDER]:
                return
            agent, action, shown = env.agent_selection, act(env, self.agents), picture
            env.step(action)
            self.actions[agent] = np.asarray(action).tolist()
            title = f"{agent} has acted: {self.actions[agent]}"

    def _picture(self) -> list[str]:
        console = stdout_console()
        colour, width = has_colour(console), console.width - 4
        return ansi(self.scenes[-1], colour=colour, width=width, dictionary=self.dictionary).splitlines()
