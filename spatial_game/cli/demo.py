"""`spatial-game demo`: the whole loop, from the environment to the dictionary."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

from spatial_game.cli.analyse import analyse, count_with_progress, show_dictionary
from spatial_game.cli.options import GameOptions
from spatial_game.cli.play import ENVIRONMENT, make_env, play_episode, show_episode
from spatial_game.cli.players import Players, load_players
from spatial_game.cli.record import write_recording
from spatial_game.cli.terminal import Output, progress
from spatial_game.envs.turns import SENDER
from spatial_game.game.evaluation import Proportion
from spatial_game.game.seeds import stream
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.settings import Settings

BEST = 6
"""Entries of each type that the demo shows."""


@dataclass(frozen=True)
class Demo:
    """See a trained pair play the game, and read its language: the whole loop in under two minutes.

    It plays the PettingZoo environment, records fresh episodes, analyses the recording and prints the
    dictionary. Recording and lexicon stay in a folder.
    """

    out: Path = Path("spatial-game-demo")
    """Folder for the recording and the lexicon; files of an earlier demo are replaced."""
    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file), oracle or random."""
    index: int = 0
    """Which pair, where a name or a run has several."""
    env_episodes: int = 1_000
    """Episodes played one by one through the environment."""
    episodes: int = 20_000
    """Episodes played in batches and recorded."""
    seed: int = 0
    """Root of the random streams."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Play, record, analyse and show."""
        if self.env_episodes < 1:
            raise ValueError(f"env_episodes must be at least 1; got {self.env_episodes}")
        started = time.monotonic()
        output = Output(self.json)
        players = load_players(self.agents, self.index, GameOptions(), self.seed)
        output.heading(f"1  One episode of {ENVIRONMENT}, played by {self.agents}")
        message, won_env = self._play_environment(players, output)
        recording, lexicon_path = self.out / "recording.parquet", self.out / "lexicon.json"
        won = write_recording(players, self.episodes, self.seed, recording)
        output.heading("2  How well they understand each other")
        output.say(
            "",
            f"  in the environment   {won_env}",
            f"  in batches           {won}",
            f"  by chance            {1 / players.config.num_candidates:.2%}",
            f"  {agreement(won_env, won)}",
        )
        counts = count_with_progress([str(recording)], None, workers=1)
        admitted, lexicon = analyse(counts, Settings())
        lexicon.write(lexicon_path)
        output.heading("3  What their messages mean, read from the recording alone")
        show_dictionary(output, lexicon, admitted, BEST)
        output.say(f"By it, the message of the first episode, {message}, means: {reading(lexicon, message)}.")
        output.heading("4  Files")
        output.say("", f"  recording  {recording}", f"  lexicon    {lexicon_path}")
        output.say("", f"All in {time.monotonic() - started:.0f} seconds. Next: spatial-game --help")
        output.result(
            {
                "accuracy": won.accuracy,
                "accuracy_env": won_env.accuracy,
                "episodes": won.trials,
                "episodes_env": won_env.trials,
                "lexicon_entries": len(lexicon),
                "listed_entries": len(lexicon.listed),
                "coverage": lexicon.coverage,
                "recording": str(recording),
                "lexicon": str(lexicon_path),
                "agents": self.agents,
                "seed": self.seed,
                "signature": lexicon.signature,
            }
        )

    def _play_environment(self, players: Players, output: Output) -> tuple[list[int], Proportion]:
        """Show one episode of the environment, and play the others quietly; the message that was shown."""
        env = make_env(players.config)
        env.reset(seed=int(stream(self.seed, "environment").generate_state(1)[0]))
        shown = show_episode(env, players, output)
        won = shown["reward"]
        with progress("playing the environment", self.env_episodes) as advance:
            advance(1)
            for _ in range(self.env_episodes - 1):
                env.reset()
                won += play_episode(env, players)
                advance(1)
        return shown[SENDER], Proportion(int(won), self.env_episodes)


def reading(lexicon: Lexicon, message: list[int]) -> str:
    """What the listed entries say of a message, in words."""
    found = []
    for entry in lexicon.listed:
        size = len(entry.form.symbols)
        slots = range(len(message) - size + 1) if entry.form.slot is None else [entry.form.slot]
        if any(tuple(message[slot : slot + size]) == entry.form.symbols for slot in slots):
            found.append(str(entry.referent))
    return "; ".join(found) or "nothing that it knows"


def agreement(one: Proportion, other: Proportion) -> str:
    """Whether two accuracies differ by more than chance explains (a z-test of two proportions, 1% level)."""
    pooled = (one.successes + other.successes) / (one.trials + other.trials)
    error = math.sqrt(pooled * (1 - pooled) * (1 / one.trials + 1 / other.trials))
    difference = abs(one.accuracy - other.accuracy)
    agree = difference <= 2.5758 * error
    verdict = "within" if agree else "more than"
    return f"the two differ by {difference:.2%}: {verdict} what sampling explains"
