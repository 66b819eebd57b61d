"""Let agents play: many episodes for a recording, or one that is shown turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

import spatial_game
from spatial_game.agents.own import own_function
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import has_colour, progress, stdout_console
from spatial_game.game import rules
from spatial_game.game.checking import checked_sampler
from spatial_game.game.episodes import draw_batches
from spatial_game.game.policies import Agents
from spatial_game.game.rules import SENDER
from spatial_game.game.scene import Scene
from spatial_game.game.seeds import random_stream
from spatial_game.proportions import Proportion
from spatial_game.rendering.text import ansi

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary


def write_recording(
    agents: Agents,
    num_episodes: int,
    seed: int,
    out: Path,
    *,
    choose: bool = True,
    sampler: str | None = None,
) -> Proportion:
    """Play episodes of the seed's recording stream into a file, and return how many were won.

    Unless the receiver is to `choose`, only the sender plays, none are won, and the file has no other columns
    than windows and messages. `sampler` names a function of the user's own that draws them, module:function.
    """
    from spatial_game.recording import Recording, RecordingWriter, record

    stream, num_correct = "recording", 0
    provenance = {
        "spatial_game_version": spatial_game.__version__,
        "seed": seed,
        "stream": stream,
        "sender": agents.identity,
        "receiver": agents.identity,
    }
    draw = checked_sampler(own_function(sampler, "sampler"), agents.config) if sampler else None
    provenance |= {"sampler": sampler} if sampler else {}
    rng = np.random.default_rng(random_stream(seed, stream))
    with (
        RecordingWriter(out, agents.config, provenance) as writer,
        progress("playing", num_episodes) as advance,
    ):
        for episodes in draw_batches(agents.config, num_episodes, rng, sampler=draw):
            block = record(agents if choose else (agents.sender, None), episodes, agents.config)
            num_correct += int(np.count_nonzero(block.won)) if choose else 0
            writer.write(block if choose else Recording(block.config, block.window, block.message))
            advance(len(episodes))
    return Proportion(num_correct, num_episodes)


class ShownEpisode:
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
            agent, action, shown = env.agent_selection, self._act(), picture
            env.step(action)
            self.actions[agent] = np.asarray(action).tolist()
            title = f"{agent} has acted: {self.actions[agent]}"

    def _act(self) -> Any:
        """Return the action of the agent whose turn it is, from its observation alone."""
        agents, config, agent = self.agents, self.agents.config, self.env.agent_selection
        observation = self.env.observe(agent)[None]
        if agent == SENDER:
            window, _ = rules.split_sender_observation(config, observation)
            return rules.ask_sender(agents.sender, window, config)[0]
        seen = rules.split_receiver_observation(config, observation)
        return rules.ask_receiver(agents.receiver, *seen)[0]

    def _picture(self) -> list[str]:
        console = stdout_console()
        colour, width = has_colour(console), console.width - 4
        return ansi(self.scenes[-1], colour=colour, width=width, dictionary=self.dictionary).splitlines()
