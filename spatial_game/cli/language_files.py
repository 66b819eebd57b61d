"""A recording, its counts and the dictionary of its language, for `describe` and `look`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spatial_game.cli import dictionary, recordings
from spatial_game.cli.options import GameOptions
from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.settings import Settings
from spatial_game.language.probing.origin import name_of, stranger

if TYPE_CHECKING:
    from spatial_game.cli.players import Players


@dataclass(frozen=True)
class RecordedLanguage:
    """Recordings of one language, counted, and its dictionary."""

    files: Sequence[str]
    counts: Counts
    lexicon: Lexicon
    found: bool
    """Whether the dictionary was made from these recordings, because no lexicon was given."""

    @property
    def senders(self) -> list[str]:
        """The names of the different senders that the recordings name."""
        found = _senders(self.counts)
        return [name_of(agents) for i, agents in enumerate(found) if agents not in found[:i]]

    @property
    def name(self) -> str:
        """The agents that speak it, if the recordings name them; otherwise the name of the first file."""
        return ", ".join(dict.fromkeys(self.senders)) or Path(self.files[0]).name


def read_language(patterns: Sequence[Path], lexicon: Path | None, game: GameOptions) -> RecordedLanguage:
    """Count recordings, and read their lexicon or make it.

    Raises `ValueError` for recordings without episodes, and for a lexicon of other agents or of another game.
    """
    files = recordings.expand(patterns)
    counts = recordings.count_with_progress(files, game.of_files)
    if lexicon is None:
        return RecordedLanguage(files, counts, dictionary.analyse(counts, Settings()).lexicon, True)
    return RecordedLanguage(files, counts, _of_these(Lexicon.read(lexicon), lexicon, counts), False)


def _of_these(lexicon: Lexicon, path: Path, counts: Counts) -> Lexicon:
    """Return the lexicon if it can read the messages that were counted."""
    if lexicon.config != counts.config:
        raise ValueError(
            f"lexicon must be of the recording's game, {counts.config.signature}; "
            f"{path} is of {lexicon.config.signature}"
        )
    for agents in _senders(counts):
        found = stranger(lexicon, agents, counts.config)
        if found is not None:
            raise ValueError(f"lexicon must be of the agents of the recording; {path} was {found}")
    return lexicon


def _senders(counts: Counts) -> list[dict[str, Any]]:
    """Return the senders that the recordings name."""
    named = [source.provenance.get("sender") for source in counts.sources]
    return [agents for agents in named if isinstance(agents, dict)]


def speakers(counts: Counts) -> Players | None:
    """Return the bundled pair that played the recordings; None for other agents."""
    from spatial_agents.pairs.names import pair_names
    from spatial_game.cli.players import load_players

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
