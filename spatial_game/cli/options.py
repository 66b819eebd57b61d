"""Options that several commands share."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from spatial_game.config import GameConfig

OwnUnlessGiven = Annotated[int | None, tyro.conf.arg(help_behavior_hint="(default: the game's own)")]


@dataclass(frozen=True)
class GameOptions:
    """The fields of `GameConfig`, each optional: what is not given is as in the game of agents or files."""

    sequence_length: OwnUnlessGiven = None
    """Integers in the hidden sequence (L)."""
    num_integers: OwnUnlessGiven = None
    """A sequence is a random choice of the integers 0..num_integers-1."""
    window_radius: OwnUnlessGiven = None
    """Cells that the sender sees on each side of the target (r)."""
    num_distractors: OwnUnlessGiven = None
    """Wrong candidates beside the target."""
    vocab_size: OwnUnlessGiven = None
    """Number of symbols (V)."""
    message_length: OwnUnlessGiven = None
    """Symbols in each message (T)."""

    @property
    def given(self) -> dict[str, int]:
        """The options that were given."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    def config(self, own: GameConfig | None = None) -> GameConfig:
        """The game with these options; the others as in `own` (default: the paper's full game)."""
        if own is None:
            return GameConfig(**self.given)
        return dataclasses.replace(own, **self.given)


def require_writable(name: str, path: Path, *, folder: bool = False) -> None:
    """Raise `ValueError` if the option `name` says to write a file, or a folder of them, where none can be.

    It makes nothing: missing folders are made where the file is written.
    """
    if not folder and path.is_dir():
        raise ValueError(f"{name} must be a file; got {path}, which is a folder")
    place = path if folder else path.parent
    there = next(each for each in (place, *place.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"{name} must be in a folder that can be written to; got {path}")
