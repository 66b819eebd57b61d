"""Let agents play: many episodes for a recording, or one that is shown turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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
    choices: int | None = None,
    sampler: str | None = None,
) -> Proportion:
    """Play episodes of the seed's recording stream into a file, and return how many were won.

    `choices`: the receiver chooses only in this number of episodes, the first ones, and the file has no other
    columns than windows, messages, targets and choices. `sampler` names a function of the user's own that
    draws episodes, module:function.
    """
    from spatial_game.recording import NOBODY, RecordingWriter, record

    stream, num_correct, most = "recording", 0, num_episodes if choices is None else choices
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
            block, asked = record((agents.sender, None), episodes, agents.config), min(most, len(episodes))
            choice = np.full(len(episodes), NOBODY, dtype=np.int16)
            if asked:
                heard = block.message[:asked], episodes.sequence[:asked], episodes.candidates[:asked]
                choice[:asked] = rules.ask_receiver(agents.receiver, *heard)
            most -= asked
            num_correct += int(np.count_nonzero(rules.won(episodes.target_index, choice)))
            block = replace(block, choice=choice)
            if choices is not None:
                block = replace(block, candidates=None, target_position=None, sequence=None)
            writer.write(block)
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
