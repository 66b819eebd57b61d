"""`spatial-game play`: episodes shown turn by turn, through the PettingZoo environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
                raise ValueError("as must be given without --json and --gif, as a person plays")
            from spatial_game.cli.human import Person

            return Person(self.as_, players, lexicon, output).play(self.episodes, self.seed)
        require_writable(self.gif, [*players.files, path])
        env = referential_v0.env(**players.config.to_dict())
        played: Iterable[PlayedEpisode] = (
            play_episode(env, players, self.seed if number == 0 else None) for number in range(self.episodes)
        )
        if self.gif is not None:  # before anything is shown, as a pipe may be closed
            played = list(played)
            self._draw(played, self.gif, lexicon)
        results = []
        for number, episode in enumerate(played, 1):
            output.heading(f"Episode {number} of {self.episodes}")
            show_episode(episode, output, lexicon)
            results.append({**episode.actions, "reward": episode.reward})
        won = int(sum(result["reward"] for result in results))
        output.say("", f"won {won} of {self.episodes}")
        if self.gif is not None:
            output.say(f"gif {self.gif}")
        drawn = {} if self.gif is None else {"gif": str(self.gif)}
        return {"agents": self.agents, "won": won, "episodes": results, **drawn}

    def _draw(self, played: Sequence[PlayedEpisode], path: Path, lexicon: Lexicon | None) -> None:
        """Write the turns of episodes as an animated picture."""
        from spatial_game.rendering.picture import image, write_gif

        frames = [
            image(scene, lexicon=lexicon, caption=f"episode {number} of {self.episodes}")
            for number, episode in enumerate(played, 1)
            for scene in episode.scenes
        ]
        write_gif(path, frames, SECONDS * self.episodes)


@dataclass(frozen=True)
class PlayedEpisode:
    """An episode that agents played."""

    scenes: Sequence[Scene]
    """What was to be seen at its beginning, and after each turn."""
    actions: Mapping[str, Any]
    """The action of each agent, in the order of their turns."""
    reward: float


def act(env: Any, players: Players) -> Any:
    """Return the action of the agent whose turn it is, from its observation alone."""
    agent = env.agent_selection
    views = env.observe(agent)[None]
    if agent == SENDER:
        window, _ = rules.split_sender_view(players.config, views)
        return rules.ask_sender(players.sender, window, players.config)[0]
    return rules.ask_receiver(players.receiver, *rules.split_receiver_view(players.config, views))[0]


def play_episode(env: Any, players: Players, seed: int | None) -> PlayedEpisode:
    """Let two agents play an episode; `seed` is for `env.reset`."""
    env.reset(seed=seed)
    scenes, actions = [env.unwrapped.scene()], {}
    while not env.terminations[SENDER]:
        agent, action = env.agent_selection, act(env, players)
        env.step(action)
        actions[agent] = np.asarray(action).tolist()
        scenes.append(env.unwrapped.scene())
    return PlayedEpisode(scenes, actions, float(env.rewards[SENDER]))


def show_episode(episode: PlayedEpisode, output: Output, lexicon: Lexicon | None = None) -> None:
    """Show an episode turn by turn: of each, the lines of the text that have changed."""
    shown: list[str] = []
    turns = (f"{agent} has acted: {action}" for agent, action in episode.actions.items())
    for title, scene in zip(["the episode begins", *turns], episode.scenes, strict=True):
        picture = ansi(scene, colour=output.colour, width=output.width - 4, lexicon=lexicon).splitlines()
        output.say(f"  {title}", style="bold cyan")
        output.say(*(Text.from_ansi(f"    {line}") for line in picture if line not in shown))
        shown = picture
