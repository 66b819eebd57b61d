"""`spatial-game record`: let two agents play, and keep what happened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import Players, load_players
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.episodes import draw_batches
from spatial_game.game.evaluation import Proportion
from spatial_game.game.seeds import stream
from spatial_game.recording import RecordingWriter, record

BLOCK = 1 << 17
"""Episodes that are played and written at a time: memory stays flat."""


@dataclass(frozen=True)
class Record:
    """Let two agents play fresh episodes and write what happened to a recording (Parquet).

    spatial-game record --agents embed-60 --episodes 200000 --out play.parquet
    """

    out: Path
    """The file to write; an older one is replaced once the new one is whole."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """Where the game differs from the agents' own."""
    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file), oracle or random."""
    index: int = 0
    """Which pair, where a name or a run has several."""
    episodes: int = 200_000
    """Episodes to play."""
    seed: int = 0
    """Root of the random streams of episodes and of random agents."""
    device: str = "cpu"
    """Where a trained pair plays: auto, cpu or cuda."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Play and write."""
        output = Output(self.json)
        players = load_players(self.agents, self.index, self.game, self.seed, self.device)
        won = write_recording(players, self.episodes, self.seed, self.out)
        output.say(f"accuracy   {won}", f"recording  {self.out}")
        output.result({**won.to_dict(), "episodes": won.trials, "recording": str(self.out)})


def write_recording(players: Players, num_episodes: int, seed: int, out: Path) -> Proportion:
    """Play episodes of the seed's recording stream into a file, in flat memory; how many were won."""
    if num_episodes < 1:
        raise ValueError(f"episodes must be at least 1; got {num_episodes}")
    rng = np.random.default_rng(stream(seed, "recording"))
    won = 0
    with (
        RecordingWriter(out, players.config, players.provenance(seed, "recording")) as writer,
        progress("playing", num_episodes) as advance,
    ):
        for episodes in draw_batches(players.config, num_episodes, rng, BLOCK):
            block = record(players.sender, players.receiver, episodes, players.config)
            won += int(np.count_nonzero(block.choice == block.target_index))
            writer.write(block)
            advance(len(episodes))
    return Proportion(won, num_episodes)
