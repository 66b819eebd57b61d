"""One message of a language, for `analyse --message`: what it means, and when it was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.text import Text

from spatial_game.cli.terminal import Output
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, mask_columns
from spatial_game.game.scene import Scene
from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players import reading
from spatial_game.language.tables import dictionary
from spatial_game.recording import NOBODY, Recording
from spatial_game.recording.recording import join
from spatial_game.rendering.text import ansi
from spatial_game.tables import Table

MOST_ALIKE = 10
"""Messages with one different symbol that are shown."""
EPISODES = 2
"""Episodes that are shown, lost ones first."""


def show_message(output: Output, counts: Counts, lexicon: Lexicon, message: Sequence[int]) -> dict[str, Any]:
    """Show a message, and return what is shown, for JSON. Raises `ValueError` unless the game allows it."""
    asked = message_of(message, counts.config)
    rows, sent = sent_with(counts, asked)
    words, near = reading.in_words(lexicon, asked), alike(counts, lexicon, asked)
    has = dictionary(replace(lexicon, entries=reading.entries_in(lexicon.listed, asked)))
    output.heading(f"Message {' '.join(map(str, message))}")
    output.say("", f"  sent   in {len(rows):,} of {counts.total:,} episodes{won(sent)}")
    output.say(f"  means  {words}", *(f"         {line}" for line in reading.legend(lexicon, words)))
    output.table("Words in it", has)
    output.table("Messages with one different symbol", near)
    for row, scene in scenes(rows, sent, EPISODES):
        output.heading(f"Episode {row + 1:,}")
        picture = ansi(scene, colour=output.colour, width=output.width - 2, lexicon=lexicon)
        output.say("", *(Text.from_ansi(f"  {line}") for line in picture.splitlines()))
    return {
        "message": list(message),
        "sent": len(rows),
        "episodes": counts.total,
        "means": words,
        "words": has.records(),
        "alike": near.records(),
        "rows": rows.tolist(),
    }


def message_of(symbols: Sequence[int], config: GameConfig) -> IntArray:
    """Return a message (T,). Raises `ValueError` unless the game allows it."""
    if len(symbols) != config.message_length:
        raise ValueError(f"message must have {config.message_length} symbols; got {len(symbols)}")
    wrong = [symbol for symbol in symbols if not 0 <= symbol < config.vocab_size]
    if wrong:
        raise ValueError(f"message must have symbols in 0..{config.vocab_size - 1}; got {wrong[0]}")
    return np.array(symbols, dtype=np.int16)


def sent_with(counts: Counts, message: IntArray) -> tuple[npt.NDArray[np.int64], Recording]:
    """Return the episodes in which this message (T,) was sent, and their rows in all files together."""
    rows, kept, start = [], [], 0
    for source in counts.sources:
        for block in source.blocks():
            inside = np.flatnonzero((block.message == message).all(axis=1))
            columns: dict[str, Any] = {name: column[inside] for name, column in block.columns().items()}
            rows.append(inside + start)
            kept.append(Recording(block.config, **columns))
            start += len(block)
    return np.concatenate(rows), join(kept)


def won(sent: Recording) -> str:
    """Return how often the receiver was right, as text; "" if the recording has no choices."""
    if sent.choice is None or sent.target_index is None:
        return ""
    chosen = sent.choice != NOBODY
    right = (sent.choice == sent.target_index)[chosen]
    return f"; the receiver was right in {right.mean():.1%}" if len(right) else ""


def alike(counts: Counts, lexicon: Lexicon, message: IntArray) -> Table:
    """Return the messages that differ in one symbol and are sent most, with what the dictionary says."""
    near = np.flatnonzero((counts.messages != message).sum(axis=1) == 1)
    rows = near[np.argsort(-counts.message_totals[near], kind="stable")][:MOST_ALIKE]
    written = [" ".join(map(str, one)) for one in counts.messages[rows].tolist()]
    reads = reading.read_in_words(lexicon, counts.messages[rows])
    episodes = counts.message_totals[rows].tolist()
    return Table.of("Message | Meaning | Episodes :,", zip(written, reads, episodes, strict=True))


def scenes(rows: npt.NDArray[np.int64], sent: Recording, number: int) -> Iterator[tuple[int, Scene]]:
    """Yield `number` episodes and their rows, lost ones first; none if a column for pictures is missing."""
    if sent.sequence is None or sent.candidates is None or sent.target_index is None:
        return
    lost = np.zeros(len(rows), bool) if sent.choice is None else sent.choice != sent.target_index
    for i in np.argsort(~lost, kind="stable")[:number].tolist():
        target = sent.candidates[i, sent.target_index[i]]
        fields = {
            "sequence": sent.sequence[i],
            "target_position": np.argmax(sent.sequence[i] == target),
            "window": sent.window[i],
            "mask_column": mask_columns(sent.window[i]),
            "candidates": sent.candidates[i],
            "target_index": sent.target_index[i],
        }
        episode = Episodes(**{name: np.asarray(column)[None] for name, column in fields.items()})
        choice = NOBODY if sent.choice is None else int(sent.choice[i])
        yield int(rows[i]), Scene(sent.config, episode, sent.message[i], None if choice == NOBODY else choice)
