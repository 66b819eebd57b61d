"""The language that a command reads: recordings, or agents that play first."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cyclopts.types import PositiveInt

from spatial_agents.pairs.names import bundled_names, is_pair
from spatial_game.agents import OWN, load_agents
from spatial_game.checks import did_you_mean
from spatial_game.cli.options import Command, GameFlags, UnlistedGame
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.policies import SCRIPTED, Agents, name_of

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.dictionary import Dictionary
    from spatial_game.recording import RecordingFile

EPISODES = 200_000
"""Episodes that agents play where no number is given."""


@dataclass(frozen=True)
class Language:
    """Recordings of one language, which are made and counted when the counts are first used."""

    files: Sequence[str | Path]
    """The recordings, or the files of the pair that played."""
    config: GameConfig
    open: Callable[[], Sequence[RecordingFile]]
    """Opens the recordings; agents play first."""
    find_speakers: Callable[[], Agents | None]
    """Returns the agents that speak it: those that play, or the bundled pair of the recordings."""

    @cached_property
    def agents(self) -> Agents | None:
        """The agents that speak it, if they are known; loaded when they are first used."""
        return self.find_speakers()

    @cached_property
    def counts(self) -> Counts:
        """The recordings, counted, with a clock on stderr."""
        from spatial_game.language.counting.counts import count

        recordings = self.open()
        with progress("counting"):
            return count(recordings)

    @property
    def senders(self) -> list[str]:
        """The names of the different senders that the recordings name."""
        senders = [source.provenance.get("sender") for source in self.counts.sources]
        named = [sender for sender in senders if isinstance(sender, dict)]
        return [name_of(sender) for i, sender in enumerate(named) if sender not in named[:i]]

    @property
    def name(self) -> str:
        """The agents that speak it, if the recordings name them; otherwise the name of the first file."""
        return ", ".join(dict.fromkeys(self.senders)) or Path(self.files[0]).name

    def dictionary(self) -> Dictionary:
        """Return the dictionary of the recordings."""
        from spatial_game.language.dictionary.build import build_dictionary

        with progress("describing"):
            return build_dictionary(self.counts)


@dataclass(frozen=True, kw_only=True)
class LanguageCommand(Command):
    """A command about one language."""

    recordings: tuple[str, ...] = field(kw_only=False)
    """Recordings of one game and language, a folder of them, or one trained pair, such as embed-60/0, which
    then plays."""
    game: UnlistedGame = field(default_factory=GameFlags)
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams: of the episodes that a pair plays, of resampling and of shuffling."""

    @contextlib.contextmanager
    def language(self) -> Iterator[Language]:
        """Yield the language of the options; a pair's recording is there until the block ends."""
        with read_language(self.recordings, self.game, self.episodes, self.seed) as language:
            require_agents(self.episodes, self.recordings)
            yield language


@contextlib.contextmanager
def read_language(
    names: Sequence[str], game: GameFlags, episodes: int | None, seed: int
) -> Iterator[Language]:
    """Yield the language of recordings, or of agents, whose episodes are in a temporary file.

    `episodes` is the number that agents play. Raises `ValueError` for recordings that are missing or without
    episodes.
    """
    if not are_agents(names):
        recordings = open_recordings(names, game.given)
        files = [recording.path for recording in recordings]
        config = recordings[0].config
        yield Language(files, config, lambda: recordings, lambda: _bundled_speakers(recordings))
        return
    with language_of(load_agents(names[0], seed=seed, **game.given), episodes, seed) as language:
        yield language


@contextlib.contextmanager
def language_of(agents: Agents, episodes: int | None, seed: int) -> Iterator[Language]:
    """Yield the language of agents, whose episodes are in a temporary file."""
    from spatial_game.cli.record import write_recording

    with tempfile.TemporaryDirectory(prefix="spatial-game-") as folder:

        def play() -> Sequence[RecordingFile]:
            recording = Path(folder) / "play.parquet"
            write_recording(agents, episodes or EPISODES, seed, recording, choose=False)
            return open_recordings([recording])

        yield Language(agents.paths, agents.config, play, lambda: agents)


def require_agents(episodes: int | None, *languages: Sequence[str]) -> None:
    """Raise `ValueError` for a number of episodes where agents speak none of the languages."""
    if episodes is not None and not any(map(are_agents, languages)):
        raise UserError(f"episodes needs a pair that plays, such as embed-60/0; got {episodes}")


def warn_of_several(report: Report, senders: Sequence[str]) -> None:
    """Add a warning to a report of recordings of more than one sender."""
    if len(senders) > 1:
        several = f"these recordings have {len(senders)} senders ({', '.join(senders)})"
        report.lines()
        report.paragraphs([f"Warning: {several}. Their languages may differ: read them one by one."])


def are_agents(names: Sequence[str]) -> bool:
    """Return whether the names mean a trained pair or other agents, and not recordings."""
    first, *others = names
    if others or any(Path(first).glob("*.parquet")):  # a folder of recordings is no run folder
        return False
    return first in SCRIPTED or OWN.fullmatch(first) is not None or is_pair(first)


def open_recordings(
    files: Sequence[str | Path], sizes: Mapping[str, Any] = MappingProxyType({})
) -> list[RecordingFile]:
    """Open recordings of one game: their headers only. `sizes` are those that are given for the game.

    Raises `ValueError` for a file that does not exist, and for recordings without episodes.
    """
    from spatial_game.recording import recording_parts

    for path in map(Path, files):
        if not path.exists():
            near = did_you_mean(str(path), [*SCRIPTED, *bundled_names()])
            raise UserError(f"recording must name a file that exists, or a trained pair; got {path}{near}")
    parts = recording_parts(files, config=sizes)
    if not any(part.num_rows for part in parts):
        raise UserError(f"recording must have at least one episode; got none in {files[0]}")
    return parts


def _bundled_speakers(recordings: Sequence[RecordingFile]) -> Agents | None:
    """Return the bundled pair that played all of the recordings; None for other agents."""
    sender, *others = [part.provenance.get("sender") for part in recordings]
    if not isinstance(sender, dict) or sender.get("name") not in bundled_names():
        return None
    with contextlib.suppress(UserError, ImportError):  # it cannot play here
        agents = load_agents(f"{sender['name']}/{sender.get('index')}")
        is_of_all = all(identity == agents.identity for identity in (sender, *others))
        return agents if is_of_all and agents.config == recordings[0].config else None
    return None
