"""`spatial-game record`: let two agents play, and record the episodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from spatial_game.cli.files import Writes, require_writable
from spatial_game.cli.options import AgentsGame, GameOptions, Where, require_at_least
from spatial_game.cli.players import AgentsCommand, Players
from spatial_game.cli.terminal import Output, by_steps, progress
from spatial_game.game.episodes import draw_batches
from spatial_game.game.evaluation import Proportion
from spatial_game.game.seeds import stream
from spatial_game.units import Place, Unit, run_units, words_of

BLOCK = 1 << 17
"""Episodes that are played and written at a time, which limits memory."""


@dataclass(frozen=True, kw_only=True)
class Record(AgentsCommand):
    """The options of `spatial-game record`."""

    out: Annotated[Path, Writes("either")]
    """The file to write; an older one is replaced when the new one is complete. With --parts, a folder."""
    game: AgentsGame = field(default_factory=GameOptions)
    episodes: int = 200_000
    """Episodes to play."""
    seed: int = 0
    """Root of the random streams of episodes and of random agents."""
    device: str = "cpu"
    """Where a trained pair plays: auto, cpu or cuda."""

    parts: int = 1
    """Number of files to write at the same time: OUT/part-000.parquet and so on. Each has its own random
    stream, so the episodes differ from those in a single file."""
    part: Annotated[str, Parameter(show=False)] = ""
    """Write one of the parts, such as 0/8: the first of eight. Does nothing if the file exists."""
    where: Where = field(default_factory=Place)

    def execute(self, output: Output) -> dict[str, Any]:
        """Play and write."""
        require_at_least(1, episodes=self.episodes, parts=self.parts)
        require_writable("out", self.out, folder=self.parts > 1)
        if self.where.on != "local" or self.parts > 1:
            return self._in_units(output)
        part, parts = numbered_part(self.part or "0/1")
        number = (part,) if parts > 1 else ()
        players = self.players(self.seed, self.game, self.device)
        expected = players.provenance(self.seed, "recording", *number)
        if self.part and _is_recording(self.out, expected, self.episodes):
            return {"episodes": self.episodes, "recording": str(self.out)}
        won = write_recording(players, self.episodes, self.seed, self.out, *number)
        output.say(f"accuracy   {won}", f"recording  {self.out}")
        return {**won.to_dict(), "episodes": won.trials, "recording": str(self.out)}

    def _in_units(self, output: Output) -> dict[str, Any]:
        """Let a unit write each part that is missing."""
        if self.agents == "random":  # their messages would be the same in all parts
            raise ValueError("agents must be a pair or oracle in units of work; got random")
        several = self.parts > 1
        folder = self.out / "units" if several else Path(f"{self.out}.units")
        files = [self.out / f"part-{i:03d}.parquet" for i in range(self.parts)] if several else [self.out]
        players = self.players(self.seed, self.game, self.device)
        units = [self._unit(players, i, file) for i, file in enumerate(files)]
        with progress("playing", self.episodes) as advance:
            run_units(units, folder, self.where, by_steps(advance))
        output.say(f"recording  {self.out}")
        return {"episodes": self.episodes, "recordings": [str(file) for file in files]}

    def _unit(self, players: Players, i: int, file: Path) -> Unit:
        number = (i,) if self.parts > 1 else ()
        episodes = self.episodes * (i + 1) // self.parts - self.episodes * i // self.parts
        values = {"agents": self.named, "seed": self.seed, "device": self.device}
        values |= {**self.game.given, "episodes": episodes, "out": file.resolve()}
        values |= {"part": f"{i}/{self.parts}"}
        expected = players.provenance(self.seed, "recording", *number)
        return Unit(file.stem, ("record", *words_of(values)), done=_is_recording(file, expected, episodes))


def numbered_part(part: str) -> tuple[int, int]:
    """Return the number of a part and the number of parts, from text such as 0/8. Raises `ValueError`."""
    number, _, parts = part.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and int(number) < int(parts)):
        raise ValueError(f"part must be NUMBER/PARTS, such as 0/8 for the first of eight; got {part}")
    return int(number), int(parts)


def _is_recording(file: Path, provenance: dict[str, Any], episodes: int) -> bool:
    """Return whether a file holds this number of episodes of this provenance."""
    from spatial_game.recording import RecordingError, recording_parts

    try:
        [found] = recording_parts(file)
    except RecordingError:
        return False
    return (dict(found.provenance), found.num_rows) == (provenance, episodes)


def write_recording(players: Players, num_episodes: int, seed: int, out: Path, *part: int) -> Proportion:
    """Play episodes of the seed's recording stream into a file, and return how many were won.

    `part`: the number of the part, if the file is one of several; each part has its own stream.
    """
    from spatial_game.recording import RecordingWriter, record

    require_at_least(1, episodes=num_episodes)
    rng = np.random.default_rng(stream(seed, "recording", *part))
    won = 0
    with (
        RecordingWriter(out, players.config, players.provenance(seed, "recording", *part)) as writer,
        progress("playing", num_episodes) as advance,
    ):
        for episodes in draw_batches(players.config, num_episodes, rng, BLOCK):
            block = record(players.sender, players.receiver, episodes, players.config)
            won += int(np.count_nonzero(block.choice == block.target_index))
            writer.write(block)
            advance(len(episodes))
    return Proportion(won, num_episodes)
