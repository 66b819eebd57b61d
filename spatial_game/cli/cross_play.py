"""Cross-play in units of work: each lets some of the senders play with all receivers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from spatial_game.cli.files import OutFile
from spatial_game.cli.options import AgentsGame, Command, GameOptions, positional
from spatial_game.cli.place import numbered_part
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.units import Place, Unit, run_units

if TYPE_CHECKING:
    from spatial_agents import Pair
    from spatial_game.studies.cross_play import CrossPlay


@positional
@dataclass(frozen=True, kw_only=True)
class CrossPlayPart(Command):
    """The options of the unit of work of `evaluate --cross-play`."""

    pair: Annotated[tuple[str, ...], Parameter(name="PAIR...")] = field(kw_only=False)
    """All pairs."""
    out: OutFile
    """The file to write (JSON)."""
    part: str
    """Which of several parts of the senders play, such as 0/8."""
    episodes: int
    """New episodes for each number."""
    seed: int
    """Root of the random streams of episodes."""
    device: str
    """Where the pairs play."""
    game: AgentsGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Play, and write the rows."""
        from spatial_game.cli.players import load_trained, named_pairs
        from spatial_game.studies.cross_play import count_rows

        named = named_pairs(self.pair)
        pairs = {label: load_trained(name, index, self.device) for label, name, index in named}
        part, parts = numbered_part(self.part)
        senders = slice(len(pairs) * part // parts, len(pairs) * (part + 1) // parts)
        with progress("cross-play"):
            rows = count_rows(pairs, self.episodes, self.seed, self.game.config(), senders)
        content = {"won": rows[0], "same": rows[1]}
        write_text(self.out, json.dumps(content) + "\n")
        return content


def cross_play_in_units(
    pairs: Mapping[str, Pair], config: GameConfig, options: Mapping[str, Any], place: Place, folder: Path
) -> CrossPlay:
    """Let units play all senders with all receivers; their files in this folder are used again.

    `options`: `episodes`, `seed` and `device`.
    """
    from spatial_game.studies.cross_play import assembled

    parts = min(place.jobs or len(pairs), len(pairs))
    given = {**options, **{name: value for name, value in config.to_dict().items() if value is not None}}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    key = {"pairs": {name: pair.weights_hash for name, pair in pairs.items()}, "options": given}
    files = [folder / f"senders-{_hash(key)}-{i}-of-{parts}.json" for i in range(parts)]
    units = [
        Unit(
            file.stem,
            ("cross-play", *pairs, *words, f"--part={i}/{parts}", f"--out={file.resolve()}"),
            file.exists(),
        )
        for i, file in enumerate(files)
    ]
    run_units(units, folder, place)
    found = [json.loads(file.read_text("utf-8")) for file in files]
    won, same = ([row for each in found for row in each[name]] for name in ("won", "same"))
    return assembled(list(pairs), config, options["episodes"], options["seed"], won, same)


def _hash(key: Mapping[str, Any]) -> str:
    import hashlib

    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:12]
