"""The language that a command reads: recordings, or agents that play first."""

from __future__ import annotations

import contextlib
import glob
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spatial_game.cli.options import GameOptions, require_at_least
from spatial_game.cli.players import OWN, Players, load_players, named_pairs
from spatial_game.cli.terminal import progress
from spatial_game.config import GameConfig, did_you_mean

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.lexicon import Lexicon
    from spatial_game.recording import Recording, RecordingFile

EPISODES = 200_000
"""Episodes that agents play where no number is given."""
FOREIGN = {".csv": "csv", ".json": "interactions", ".npz": "tensors"}
"""The format in which `import` reads files of other tools, by the ends of their names."""
PARQUET = b"PAR1"
"""The first bytes of a recording."""


@dataclass(frozen=True)
class Language:
    """Recordings of one language, counted."""

    files: Sequence[str]
    counts: Counts
    players: Players | None = None
    """The agents that speak it: those that played, or the bundled pair of the recording."""

    @property
    def senders(self) -> list[str]:
        """The names of the different senders that the recordings name."""
        from spatial_game.language.probing.origin import name_of

        found = _senders(self.counts)
        return [name_of(agents) for i, agents in enumerate(found) if agents not in found[:i]]

    @property
    def name(self) -> str:
        """The agents that speak it, if the recordings name them; otherwise the name of the first file."""
        return ", ".join(dict.fromkeys(self.senders)) or Path(self.files[0]).name

    def lexicon(self, path: Path | None = None) -> Lexicon:
        """Return the lexicon of a file; without one, make a dictionary from the recordings.

        Raises `ValueError` for a lexicon of other agents or of another game.
        """
        from spatial_game.cli import dictionary
        from spatial_game.language.dictionary.lexicon import Lexicon
        from spatial_game.language.probing.origin import stranger

        if path is None:
            return dictionary.analyse(self.counts).lexicon
        lexicon, config = Lexicon.read(path), self.counts.config
        if lexicon.config != config:
            raise ValueError(
                f"lexicon must be of the recording's game, {config.signature}; "
                f"{path} is of {lexicon.config.signature}"
            )
        for agents in _senders(self.counts):
            found = stranger(lexicon, agents, config)
            if found is not None:
                raise ValueError(f"lexicon must be of the agents of the recording; {path} was {found}")
        return lexicon


@contextlib.contextmanager
def read_language(
    given: Sequence[str], game: GameOptions, episodes: int | None, seed: int
) -> Iterator[Language]:
    """Yield the language of recordings, or of agents that play into a file that exists until the end.

    Raises `ValueError` for recordings that are missing or without episodes, and for `episodes` where
    nobody plays.
    """
    if not is_pair(given):
        _check_recordings(given, episodes)
        files = expand(given)
        counts = count_with_progress(files, game.of_files)
        yield Language(files, counts, speakers(counts))
        return
    from spatial_game.cli.record import write_recording

    episodes = EPISODES if episodes is None else episodes
    require_at_least(1, episodes=episodes)
    players = load_players(given[0], game, seed)
    with tempfile.TemporaryDirectory(prefix="spatial-game-") as folder:
        recording = Path(folder) / "play.parquet"
        write_recording(players, episodes, seed, recording)
        yield Language([str(recording)], count_with_progress([str(recording)], None), players)


def is_pair(given: Sequence[str]) -> bool:
    """Return whether a trained pair or a scripted agent is meant, and not recordings."""
    from spatial_agents.pairs.names import pair_names

    first, *others = given
    path = Path(first)
    if others or path.is_file():
        return not others and path.suffix == ".safetensors"
    return (
        path.is_dir()
        or first in ("oracle", "random")
        or OWN.fullmatch(first) is not None
        or first.partition("/")[0] in pair_names()
        or named_pairs([first])[0][1] != first
    )


def _check_recordings(given: Sequence[str], episodes: int | None) -> None:
    """Raise `ValueError` for a recording that does not exist, and for episodes that nobody plays."""
    from spatial_agents.pairs.names import pair_names

    for name in given:
        if not Path(name).exists() and not glob.has_magic(name):
            near = did_you_mean(name, ["oracle", "random", *pair_names()])
            rule = "recording must name a file that exists, or a trained pair"
            raise ValueError(f"{rule}; got {name}{near}")
    if episodes is not None:
        raise ValueError(f"episodes needs a pair that plays, such as embed-60/0; got {episodes}")


def expand(patterns: Sequence[str | Path]) -> list[str]:
    """Return the named files, with quoted patterns expanded.

    Raises `ValueError` for a pattern without a match, for a file of another tool (the error has the command
    that converts it), and for a file that is named twice, even by different paths.
    """
    files: list[str] = []
    for pattern in map(str, patterns):
        found = [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
        if not found and glob.has_magic(pattern):
            raise ValueError(f"files must match at least one recording; got {pattern}")
        files += found or [pattern]
    for path in map(Path, files):
        form = FOREIGN.get(path.suffix)
        if form and path.is_file() and not _begins_with(path, PARQUET):
            words = ["spatial-game", "import", str(path), "--format", form, "--out", f"{path.stem}.parquet"]
            raise ValueError(f"files must be recordings; got {path} (convert it: {shlex.join(words)})")
    real = [os.path.realpath(file) for file in files]
    twice = next((file for i, file in enumerate(files) if real[i] in real[:i]), None)
    if twice is not None:
        raise ValueError(f"files must be different, or their episodes would count twice; got {twice} twice")
    return files


def _begins_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def open_recordings(files: Sequence[str | Path], config: GameConfig | None) -> list[RecordingFile]:
    """Open recordings of one game: their headers only.

    Raises `ValueError` if they have no episode, because no command could say anything about them.
    """
    from spatial_game.recording import recording_parts

    parts = recording_parts(files, config=config)
    if not any(part.num_rows for part in parts):
        raise ValueError(f"recording must have at least one episode; got none in {files[0]}")
    return parts


def count_with_progress(files: Sequence[str], config: GameConfig | None) -> Counts:
    """Count recordings, with a progress bar. Raises `ValueError` if they have no episode."""
    from spatial_game.language.counting.counts import count

    parts = open_recordings(files, config)
    with progress("counting", sum(part.num_rows for part in parts)) as advance:
        counts = count([_Watched(part, advance) for part in parts])
    return replace(counts, sources=tuple(parts))


@dataclass(frozen=True)
class _Watched:
    """A recording that reports how far it has been read."""

    file: RecordingFile
    advance: Callable[[int], None]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def blocks(self, *, columns: Sequence[str] | None = None) -> Iterator[Recording]:
        for block in self.file.blocks(columns=columns):
            yield block
            self.advance(len(block))


def _senders(counts: Counts) -> list[dict[str, Any]]:
    """Return the senders that the recordings name."""
    named = [source.provenance.get("sender") for source in counts.sources]
    return [agents for agents in named if isinstance(agents, dict)]


def speakers(counts: Counts) -> Players | None:
    """Return the bundled pair that played the recordings; None for other agents."""
    from spatial_agents.pairs.names import pair_names

    one, *others = [source.provenance.get("sender") for source in counts.sources]
    if not isinstance(one, dict) or any(other != one for other in others):
        return None
    if one.get("name") not in pair_names() or not isinstance(one.get("index"), int):
        return None
    try:
        players = load_players(f"{one['name']}/{one['index']}", GameOptions(), 0)
    except (ValueError, ImportError):  # it cannot play here
        return None
    return players if players.identity == one and players.config == counts.config else None
