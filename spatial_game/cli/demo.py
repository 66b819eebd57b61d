"""`spatial-game demo`: the whole loop, from the environment to the dictionary."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spatial_game.cli.options import require_at_least, require_writable
from spatial_game.cli.play import ENVIRONMENT, make_env, play_episode, show_episode
from spatial_game.cli.players import AgentsCommand, Players
from spatial_game.cli.record import write_recording
from spatial_game.cli.terminal import Output, progress
from spatial_game.envs.turns import SENDER
from spatial_game.game.evaluation import Proportion
from spatial_game.game.seeds import stream


@dataclass(frozen=True, kw_only=True)
class Demo(AgentsCommand):
    """The options of `spatial-game demo`."""

    out: Path = Path("spatial-game-demo")
    """Folder for the recording and the lexicon; files of an earlier demo are replaced."""
    env_episodes: int = 1_000
    """Episodes played one by one through the environment."""
    episodes: int = 20_000
    """Episodes played in batches and recorded."""
    seed: int = 0
    """Root of the random streams."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Play, record, analyse and show."""
        from spatial_game.cli import dictionary, languages
        from spatial_game.language.page import sketch
        from spatial_game.language.page.sentences import first_lines
        from spatial_game.language.players.reading import in_words

        require_at_least(1, env_episodes=self.env_episodes, episodes=self.episodes)
        require_writable("out", self.out, folder=True)
        started = time.monotonic()
        players = self.players(self.seed)
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
        )
        counts = languages.count_with_progress(languages.open_recordings([recording]))
        lexicon = dictionary.analyse(counts).lexicon
        lexicon.write(lexicon_path)
        output.heading("3  What their messages mean, from the recording alone")
        with progress("describing"):
            described = sketch(counts, lexicon, name=players.name)
        output.say("")
        output.paragraphs(first_lines(described))
        output.say("", f"The message of the first episode, {message}, means: {in_words(lexicon, message)}.")
        output.heading("4  Files")
        output.say("", f"  recording  {recording}", f"  lexicon    {lexicon_path}")
        seconds = round(time.monotonic() - started)
        took = f"{seconds} second{'' if seconds == 1 else 's'}"
        output.say("", f"The language on one page: spatial-game describe {recording} --out page.html")
        output.say(f"Finished in {took}. Next: spatial-game --help")
        return {
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

    def _play_environment(self, players: Players, output: Output) -> tuple[list[int], Proportion]:
        """Show one episode of the environment, and play the others; return the message and the wins."""
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
