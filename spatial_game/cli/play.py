"""`spatial-game play`: episodes shown turn by turn, through the PettingZoo environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter
from rich.text import Text

from spatial_game import referential_v0
from spatial_game.cli.files import require_writable
from spatial_game.cli.options import (
    AgentsGame,
    GameOptions,
    require_at_least,
)
from spatial_game.cli.players import AgentsCommand, Players
from spatial_game.cli.terminal import Output
from spatial_game.config import GameConfig
from spatial_game.envs.turns import SENDER
from spatial_game.game import rules
from spatial_game.game.scene import Scene
from spatial_game.rendering.text import ansi
from spatial_game.rendering.viewer import Window, display_problem

if TYPE_CHECKING:
    from PIL.Image import Image

    from spatial_game.language.dictionary.lexicon import Lexicon

ENVIRONMENT = "spatial_game/referential-v0"


@dataclass(frozen=True, kw_only=True)
class Play(AgentsCommand):
    """The options of `spatial-game play`."""

    game: AgentsGame = field(default_factory=GameOptions)
    episodes: int = 3
    """Episodes to show."""
    seed: int = 0
    """Seed of the environment's episodes."""
    as_: Annotated[Literal["receiver", "sender"] | None, Parameter(name="--as")] = None
    """Play this role yourself. The lexicon helps you, and your score is compared with the agent's."""
    lexicon: Path | None = None
    """A lexicon (JSON, as analyse writes it) to show messages in words. Default: the pair's own."""
    gif: Path | None = None
    """Also write the episodes as an animated picture (.gif)."""
    window: bool = False
    """Also show the episodes in a window, one second for each turn; a key or a click continues at once."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Play and show."""
        require_at_least(1, episodes=self.episodes)
        if self.gif is not None and self.gif.suffix.lower() != ".gif":
            raise ValueError(f"gif must be a file whose name ends in .gif; got {self.gif}")
        if self.as_ is not None and self.json:
            raise ValueError("json must be left out where a person plays; got --json with --as")
        players = self.players(self.seed, self.game)
        lexicon = read_lexicon(self.lexicon or players.lexicon, players)
        require_writable("gif", self.gif)
        audience = Audience(lexicon, self.gif, self.window, self.episodes)
        if self.as_ is None:
            result = self._watch(players, lexicon, output, audience.see)
        else:
            from spatial_game.cli.human import Person

            person = Person(self.as_, players, lexicon, output)
            result = person.play(self.episodes, self.seed, audience.see)
        if audience.leave():
            output.say(f"gif {self.gif}")
            result["gif"] = str(self.gif)
        return result

    def _watch(
        self, players: Players, lexicon: Lexicon | None, output: Output, see: Callable[[Scene], None]
    ) -> dict[str, Any]:
        env = make_env(players.config)
        turns = []
        for number in range(self.episodes):
            output.heading(f"Episode {number + 1} of {self.episodes}")
            env.reset(seed=self.seed if number == 0 else None)
            turns.append(show_episode(env, players, output, lexicon, see))
        won = sum(turn["reward"] for turn in turns)
        output.say("", f"won {won:.0f} of {self.episodes}")
        return {"agents": self.agents, "won": int(won), "episodes": turns}


class Audience:
    """A GIF and a window, which get the pictures of each episode."""

    SECONDS = (2.0, 2.5, 3.5)
    """The time for which a GIF shows each turn of an episode."""
    MOST_EPISODES = 50
    """The most episodes in a GIF. Each takes about 70 kB in the file, and 10 MB of memory."""

    def __init__(self, lexicon: Lexicon | None, gif: Path | None, window: bool, num_episodes: int) -> None:
        if gif is not None and num_episodes > self.MOST_EPISODES:
            raise ValueError(f"episodes must be at most {self.MOST_EPISODES} in a GIF; got {num_episodes}")
        if window and (problem := display_problem()):
            raise ValueError(f"window must have a display to be shown on; {problem}")
        self._lexicon, self._gif, self._num_episodes = lexicon, gif, num_episodes
        self._frames: list[Image] = []
        self._seen = 0
        self._window = Window(fps=1) if window else None

    def see(self, scene: Scene) -> None:
        """Add the current state of the episode."""
        if self._gif is None and self._window is None:
            return
        from spatial_game.rendering.picture import image

        caption = f"episode {self._seen // len(self.SECONDS) + 1} of {self._num_episodes}"
        picture = image(scene, lexicon=self._lexicon, caption=caption)
        self._seen += 1
        if self._gif is not None:
            self._frames.append(picture)
        if self._window is not None:
            self._window.show(np.array(picture))

    def leave(self) -> bool:
        """Close the window, and write the GIF if it has any frames; return whether it was written."""
        if self._window is not None:
            self._window.close()
        if self._gif is not None and self._frames:
            from spatial_game.rendering.picture import write_gif

            episodes = len(self._frames) // len(self.SECONDS)
            write_gif(self._gif, self._frames, self.SECONDS * episodes)
            return True
        return False


def read_lexicon(path: Path | None, players: Players) -> Lexicon | None:
    """Return the lexicon of a file. Raises `ValueError` for one of other agents or of another game."""
    if path is None:
        return None
    from spatial_game.language.dictionary.lexicon import Lexicon
    from spatial_game.language.probing.origin import stranger

    lexicon = Lexicon.read(path)
    found = stranger(lexicon, players.identity, players.config)
    if found is not None:
        raise ValueError(f"lexicon must be of the agents that play; {path} was {found}")
    fault = lexicon.config.incompatibility(players.config)
    if fault is not None:
        raise ValueError(f"lexicon must be of the game that is played: its {fault}")
    return lexicon


def make_env(config: GameConfig) -> Any:
    """Return the environment from PettingZoo's registry, or from our module if there is no registry."""
    try:
        from pettingzoo import make
    except ImportError:
        return referential_v0.env(**config.to_dict())
    return make("aec", ENVIRONMENT, **config.to_dict())


def act(env: Any, players: Players) -> Any:
    """Return the action of the agent whose turn it is, from its observation alone."""
    agent = env.agent_selection
    views = env.observe(agent)[None]
    if agent == SENDER:
        window, _ = rules.split_sender_view(players.config, views)
        return players.sender.send(window)[0]
    return players.receiver.choose(*rules.split_receiver_view(players.config, views))[0]


def play_episode(env: Any, players: Players) -> float:
    """Play an environment from its reset to the end of the episode; return what both agents earned."""
    while not env.terminations[SENDER]:
        env.step(act(env, players))
    return float(env.rewards[SENDER])


def show_episode(
    env: Any,
    players: Players,
    output: Output,
    lexicon: Lexicon | None = None,
    see: Callable[[Scene], None] = lambda scene: None,
) -> dict[str, Any]:
    """Play one episode, and after each turn show the lines of the text that have changed.

    `see` is called with the scene of each turn.
    """
    actions: dict[str, Any] = {}
    shown: list[str] = []
    for title in turns_of(env, players, actions):
        scene, width = env.unwrapped.scene(), output.width - 4
        picture = ansi(scene, colour=output.colour, width=width, lexicon=lexicon).splitlines()
        output.say(f"  {title}", style="bold cyan")
        output.say(*(Text.from_ansi(f"    {line}") for line in picture if line not in shown))
        shown = picture
        see(scene)
    return {**actions, "reward": float(env.rewards[SENDER])}


def turns_of(env: Any, players: Players, actions: dict[str, Any]) -> Iterator[str]:
    """Step to the end; before the first step and after each step, yield what has happened."""
    yield "the episode begins"
    while not env.terminations[SENDER]:
        agent, action = env.agent_selection, act(env, players)
        env.step(action)
        actions[agent] = np.asarray(action).tolist()
        yield f"{agent} has acted: {actions[agent]}"
