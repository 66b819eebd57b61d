"""`spatial-game look`: what one message of a recording means, and when it was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.text import Text

from spatial_game.cli.files import InFile
from spatial_game.cli.options import Command, FilesGame, GameOptions, positional, require_at_least
from spatial_game.cli.terminal import Output
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, mask_columns
from spatial_game.game.scene import Scene
from spatial_game.rendering.text import ansi
from spatial_game.tables import Table

if TYPE_CHECKING:
    from spatial_game.cli.language_files import RecordedLanguage
    from spatial_game.cli.said import Sample
    from spatial_game.language.dictionary.lexicon import Lexicon

MOST_ALIKE = 10
"""Messages with one different symbol that are shown."""


@positional
@dataclass(frozen=True, kw_only=True)
class Look(Command):
    """The options of `spatial-game look`."""

    recording: InFile = field(kw_only=False)
    """The recording."""
    message: Annotated[tuple[int, ...], Parameter(name="SYMBOL...")] = field(kw_only=False)
    """The symbols of the message."""
    lexicon: InFile | None = None
    """The lexicon of the language (JSON, as analyse writes it). Default: made from the recording."""
    episodes: int = 2
    """Episodes to show, lost ones first."""
    game: FilesGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read, count and show."""
        from spatial_game.cli.language_files import read_language
        from spatial_game.cli.said import sent_with
        from spatial_game.language.players import reading

        require_at_least(0, episodes=self.episodes)
        language = read_language([Path(self.recording)], self.lexicon, self.game)
        message = message_of(self.message, language.counts.config)
        said = sent_with(language.counts.sources, message)
        words = reading.in_words(language.lexicon, message)
        output.heading(f"Message {' '.join(map(str, self.message))}")
        output.say("", f"  sent            in {len(said.row):,} of {said.total:,} episodes{won(said)}")
        output.say(f"  the dictionary  {words}")
        output.say(*(f"                  {line}" for line in reading.legend(language.lexicon, words)))
        output.table("Words in it", words_in(language.lexicon, message))
        output.table("Messages with one different symbol", alike(language, message))
        for row, scene in scenes(said, self.episodes):
            output.heading(f"Episode {row + 1:,}")
            picture = ansi(scene, colour=output.colour, width=output.width - 2, lexicon=language.lexicon)
            output.say("", *(Text.from_ansi(f"  {line}") for line in picture.splitlines()))
        return {
            "message": list(self.message),
            "sent": len(said.row),
            "episodes": said.total,
            "dictionary": words,
            "words": words_in(language.lexicon, message).records(),
            "alike": alike(language, message).records(),
            "rows": said.row.tolist(),
        }


def message_of(symbols: Sequence[int], config: GameConfig) -> IntArray:
    """Return a message (T,). Raises `ValueError` unless the game allows it."""
    if len(symbols) != config.message_length:
        raise ValueError(f"message must have {config.message_length} symbols; got {len(symbols)}")
    wrong = [symbol for symbol in symbols if not 0 <= symbol < config.vocab_size]
    if wrong:
        raise ValueError(f"symbols must be in 0..{config.vocab_size - 1}; got {wrong[0]}")
    return np.array(symbols, dtype=np.int16)


def won(said: Sample) -> str:
    """Return how often the receiver was right, as text; "" if the recording has no choices."""
    from spatial_game.cli.said import LOST, WON

    right, wrong = (int((said.outcome == ending).sum()) for ending in (WON, LOST))
    return f"; the receiver was right in {right / (right + wrong):.1%}" if right + wrong else ""


def words_in(lexicon: Lexicon, message: IntArray) -> Table:
    """Return the entries whose forms a message has."""
    from spatial_game.language.players.reading import entries_in
    from spatial_game.language.tables import dictionary

    return dictionary(replace(lexicon, entries=entries_in(lexicon.listed, message)))


def alike(language: RecordedLanguage, message: IntArray) -> Table:
    """Return the messages that differ in one symbol and are sent most, with what the dictionary says."""
    from spatial_game.language.players.reading import read_in_words

    counts = language.counts
    near = np.flatnonzero((counts.messages != message).sum(axis=1) == 1)
    rows = near[np.argsort(-counts.message_totals[near], kind="stable")][:MOST_ALIKE]
    written = [" ".join(map(str, one)) for one in counts.messages[rows].tolist()]
    reads = read_in_words(language.lexicon, counts.messages[rows])
    episodes = counts.message_totals[rows].tolist()
    return Table.of("Message | The dictionary says | Episodes :,", zip(written, reads, episodes, strict=True))


def scenes(said: Sample, number: int) -> Iterator[tuple[int, Scene]]:
    """Yield `number` episodes and their rows, lost ones first; none if a column for pictures is missing."""
    from spatial_game.cli.said import LOST
    from spatial_game.recording import NOBODY

    found = said.episodes
    if found.sequence is None or found.candidates is None or found.target_index is None:
        return
    for i in np.argsort(said.outcome != LOST, kind="stable")[:number].tolist():
        target = found.candidates[i, found.target_index[i]]
        fields = {
            "sequence": found.sequence[i],
            "target_position": np.argmax(found.sequence[i] == target),
            "window": found.window[i],
            "mask_column": mask_columns(found.window[i]),
            "candidates": found.candidates[i],
            "target_index": found.target_index[i],
        }
        episode = Episodes(**{name: np.asarray(column)[None] for name, column in fields.items()})
        choice = NOBODY if found.choice is None else int(found.choice[i])
        yield (
            int(said.row[i]),
            Scene(found.config, episode, found.message[i], None if choice == NOBODY else choice),
        )
