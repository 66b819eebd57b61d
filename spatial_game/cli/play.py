"""`spatial-game play`: episodes shown turn by turn, through the PettingZoo environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt
from cyclopts.validators import Path as PathRule
from rich.text import Text

from spatial_game import referential_v0
from spatial_game.cli.agents import AgentsCommand, Players, load_players
from spatial_game.cli.options import GameFlags, ShownGame, require_writable
from spatial_game.cli.terminal import Output
from spatial_game.envs.game import SENDER
from spatial_game.errors import UserError
from spatial_game.game import rules
from spatial_game.game.scene import Scene
from spatial_game.rendering.text import ansi

if TYPE_CHECKING:
    from spatial_game.language.dictionary.lexicon import Lexicon

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
    """Play this role yourself. The lexicon helps you, and your score is compared with the agent's."""
    lexicon: Path | None = None
    """A lexicon (JSON, as analyse writes it) to show messages in words. Default: the pair's own."""
    gif: Annotated[Path | None, Parameter(validator=PathRule(dir_okay=False, ext="gif"))] = None
    """Also write the episodes that you watch as an animated picture (.gif)."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Play and show."""
        from spatial_game.cli.origin import read_lexicon

        players = load_players(self.agents, self.game, self.seed)
        path = self.lexicon or players.lexicon
        lexicon = read_lexicon(path, players.config, players.identity) if path else None
        if self.as_ is not None:
            if self.json or self.gif is not None:
                raise UserError("as must be given without --json and --gif, as a person plays")
            from spatial_game.cli.human import Person

            return Person(self.as_, players, lexicon, output).play(self.episodes, self.seed)
        if self.gif is None:
            return self._watch(players, lexicon, output)[0]
        require_writable(self.gif, [*players.files, path])
        with output.held():
            result, scenes = self._watch(players, lexicon, output)
            self._write_gif(self.gif, scenes, lexicon)
        output.say(f"gif {self.gif}")
        return {**result, "gif": str(self.gif)}

    def _write_gif(self, path: Path, scenes: list[Scene], lexicon: Lexicon | None) -> None:
        from spatial_game.rendering.picture import image, write_gif

        frames = [
            image(scene, lexicon=lexicon, caption=f"episode {i // len(SECONDS) + 1} of {self.episodes}")
            for i, scene in enumerate(scenes)
        ]
        write_gif(path, frames, SECONDS * self.episodes)

    def _watch(
        self, players: Players, lexicon: Lexicon | None, output: Output
    ) -> tuple[dict[str, Any], list[Scene]]:
        """Let the players play; return the result, and the scenes of all turns."""
        env = referential_v0.env(**players.config.to_dict())
        turns, scenes = [], list[Scene]()
        for number in range(self.episodes):
            output.heading(f"Episode {number + 1} of {self.episodes}")
            env.reset(seed=self.seed if number == 0 else None)
            turn, of_episode = show_episode(env, players, output, lexicon)
            turns.append(turn)
            scenes += of_episode
        won = sum(turn["reward"] for turn in turns)
        output.say("", f"won {won:.0f} of {self.episodes}")
        return {"agents": self.agents, "won": int(won), "episodes": turns}, scenes


def act(env: Any, players: Players) -> Any:
    """Return the action of the agent whose turn it is, from its observation alone."""
    agent = env.agent_selection
    views = env.observe(agent)[None]
    if agent == SENDER:
        window, _ = rules.split_sender_view(players.config, views)
        return rules.ask_sender(players.sender, window, players.config)[0]
    return rules.ask_receiver(players.receiver, *rules.split_receiver_view(players.config, views))[0]


def show_episode(
    env: Any, players: Players, output: Output, lexicon: Lexicon | None = None
) -> tuple[dict[str, Any], list[Scene]]:
    """Play one episode, and before and after each turn show the lines of the text that have changed.

    Return the actions and the reward, and the scenes that were shown.
    """
    actions: dict[str, Any] = {}
    scenes, shown, title = list[Scene](), list[str](), "the episode begins"
    while True:
        scenes.append(env.unwrapped.scene())
        colour, width = output.colour, output.width - 4
        picture = ansi(scenes[-1], colour=colour, width=width, lexicon=lexicon).splitlines()
        output.say(f"  {title}", style="bold cyan")
        output.say(*(Text.from_ansi(f"    {line}") for line in picture if line not in shown))
        if env.terminations[SENDER]:
            return {**actions, "reward": float(env.rewards[SENDER])}, scenes
        agent, action, shown = env.agent_selection, act(env, players), picture
        env.step(action)
        actions[agent] = np.asarray(action).tolist()
        title = f"{agent} has acted: {actions[agent]}"
