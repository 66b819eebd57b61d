"""Cross-play in units of work: each unit plays some of the senders with all receivers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spatial_game.cli.place import numbered_part
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.units import Place, Unit, run_units, words_of

if TYPE_CHECKING:
    from spatial_agents import Pair
    from spatial_game.studies.cross_play import CrossPlay


def cross_play_in_units(
    pairs: Mapping[str, Pair], config: GameConfig, options: Mapping[str, Any], place: Place, folder: Path
) -> CrossPlay:
    """Play all senders with all receivers in units; existing files in this folder are reused.

    `options`: `episodes`, `seed` and `device`.
    """
    from spatial_game.studies.cross_play import assembled

    number = min(place.jobs or len(pairs), len(pairs))
    words = words_of({**options, **config.to_dict()})
    key = hashlib.sha256(json.dumps([words, *(pair.weights_hash for pair in pairs.values())]).encode())
    parts = {f"{i}/{number}": f"senders-{key.hexdigest()[:12]}-{i}-of-{number}" for i in range(number)}
    files = [folder / f"{name}.json" for name in parts.values()]
    command = ("evaluate", *pairs, "--cross-play", *words)
    units = [
        Unit(file.stem, (*command, f"--part={part}", f"--part-out={file.resolve()}"), file.exists())
        for part, file in zip(parts, files, strict=True)
    ]
    run_units(units, folder, place)
    found = [json.loads(file.read_text("utf-8")) for file in files]
    won, same = ([row for each in found for row in each[name]] for name in ("won", "same"))
    return assembled(list(pairs), config, options["episodes"], options["seed"], won, same)


def write_part(
    pairs: Mapping[str, Pair], config: GameConfig, episodes: int, seed: int, part: str, out: Path
) -> dict[str, Any]:
    """Play one of several parts of the senders; write and return their rows, unless the file exists."""
    from spatial_game.studies.cross_play import count_rows

    if out.exists():
        return dict(json.loads(out.read_text("utf-8")))
    number, parts = numbered_part(part)
    senders = slice(len(pairs) * number // parts, len(pairs) * (number + 1) // parts)
    content = dict(zip(("won", "same"), count_rows(pairs, episodes, seed, config, senders), strict=True))
    write_text(out, json.dumps(content) + "\n")
    return content
