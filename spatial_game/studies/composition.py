"""Composition: do messages name an integer and its offset separately, and do new combinations work?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray, draw_episodes, mask_columns
from spatial_game.game.evaluation import AgentPair
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.columns import columns_of
from spatial_game.recording import Recording
from spatial_game.studies.alignment import align
from spatial_game.studies.joined_messages import join_messages
from spatial_game.studies.splitting import split_share
from spatial_game.studies.study import CANNOT_SAY, MOST, Study, answer
from spatial_game.tables import Table

MOST_SLOTS = 12
"""The longest messages that are studied: they have 4,094 divisions."""
_LANGUAGES = ("own", "shuffled", "composing")


def composition(pair: AgentPair, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Align the messages of fresh episodes with the cells that they name, and join parts of messages.

    The results are those of `composition_of`, and `joined` (`joined_messages.join_messages`). Does the
    receiver follow both parts? `receiver_follows` is "yes" if the smaller effect is above 50%, "no" if it is
    below 10%, otherwise "in part"; it is "cannot say" if the effect is within two standard errors of one of
    these, or without joined messages.

    Raises `ValueError` for a game with fewer than four candidates, or with messages of fewer than two or more
    than `MOST_SLOTS` symbols.
    """
    config = pair.config
    if config.num_candidates < 4 or config.message_length < 2:
        raise UserError(
            "config must have num_distractors >= 3 and message_length >= 2 for a study of composition; "
            f"got {config.num_distractors} and {config.message_length}"
        )
    _require_short(config)
    rng = np.random.default_rng(random_stream(seed, "composition"))
    episodes = draw_episodes(config, num_episodes, rng)
    message = ask_sender(pair.sender, episodes.window, config)
    aligned = align(config, episodes.window, message, rng)
    joined, follows = join_messages(pair, aligned, episodes.sequence, rng), CANNOT_SAY
    if joined:
        effect, error = min(joined["integer"], joined["offset"]), 2 / math.sqrt(joined["own"]["n"])
        follows = answer(effect - error, effect + error)
    return _study(config, episodes.window, message, seed, {"joined": joined, "receiver_follows": follows})


def composition_of(recording: Recording, seed: int = 0) -> Study:
    """Align the messages of a recording with the cells that they name. No receiver is asked.

    Only windows with their mask in the middle count. The results: for the messages as they are (`own`),
    `shuffled` among the windows, and in a `composing` language that names the same cells, the bits about the
    integer and the offset that are named, and the share of the episodes whose message `split`s into both
    (`splitting.split_share`).

    Do messages have two parts? Of the way from `shuffled` to `composing`, the split share goes over 50%
    ("yes"), less than 10% ("no"), or between ("in part"). It is "cannot say" if the composing language itself
    splits in less than half of the episodes, or if a quarter of the episodes gives another answer. A part is
    one only if it is true in 80% of its uses, so a language whose symbols are often wrong (15% of them, say)
    can get "no" although it composes.
    """
    _require_short(recording.config)
    return _study(recording.config, recording.window, recording.message, seed, {})


def _require_short(config: GameConfig) -> None:
    """Raise `UserError` for messages with too many divisions."""
    rule = f"message_length must be at most {MOST_SLOTS}: every division of the slots in two is tried"
    require(config.message_length <= MOST_SLOTS, rule, config.message_length)


def _study(
    config: GameConfig, window: IntArray, message: IntArray, seed: int, of_receiver: dict[str, Any]
) -> Study:
    """Return the study of messages (B, T) about windows (B, W), and of what a receiver makes of them."""
    rng = np.random.default_rng(random_stream(seed, "composition: messages"))
    central = mask_columns(window) == columns_of(config).middle
    named, said = window[central], message[central]
    quarters = (slice(first, None, 4) for first in range(min(4, len(named))))
    figures, *of_quarters = (
        _figures(config, named[rows], said[rows], rng) for rows in (slice(None), *quarters)
    )
    parts = answer(*map(_way_to_composing, (figures, *of_quarters)))
    results = {**figures, "messages_have_parts": parts, **of_receiver}
    why = ""
    if parts == CANNOT_SAY:
        why = " (not all quarters of the episodes say the same)"
        if _way_to_composing(figures) is None:
            split = figures["composing"]["split"]
            why = f" (a language that composes would split in only {split:.1%} of the episodes)"
    summary = f"Messages have a part for the integer and one for the offset: {parts}{why}."
    if of_receiver:
        summary += f" The receiver follows both parts of joined messages: {of_receiver['receiver_follows']}."
    return Study(config, f"n{len(window)}", seed, _table(results), results, summary)


def _figures(
    config: GameConfig, window: IntArray, message: IntArray, rng: np.random.Generator
) -> dict[str, dict[str, float]]:
    """Return the bits and the split share of messages, and of the two languages to compare them with.

    All windows have their mask in the middle.
    """
    own = align(config, window, message, rng)
    shuffled = align(config, window, rng.permutation(message), rng)
    offset, integer = columns_of(config).decode(own.named)
    composing = align(config, window, np.column_stack([integer, offset]), rng)
    return {
        name: {
            "integer_bits": each.integer_bits,
            "offset_bits": each.offset_bits,
            "split": split_share(each),
        }
        for name, each in zip(_LANGUAGES, (own, shuffled, composing), strict=True)
    }


def _way_to_composing(figures: dict[str, dict[str, float]]) -> float | None:
    """Return how far the split share is on the way from shuffled messages to a composing language.

    None if this way is short.
    """
    own, shuffled, composing = (figures[name]["split"] for name in _LANGUAGES)
    return (own - shuffled) / (composing - shuffled) if composing - shuffled >= MOST else None


def _table(results: dict[str, Any]) -> Table:
    """Return a row for each figure, beside that of shuffled messages and of a language that composes."""
    languages = [results[name] for name in _LANGUAGES]
    names = {"integer_bits": "bits about the integer", "offset_bits": "bits about the offset"}
    rows = [(text, *(f"{each[name]:.2f}" for each in languages)) for name, text in names.items()]
    shares = {"messages that split into integer and offset": [each["split"] for each in languages]}
    if joined := results.get("joined"):
        luck = joined["shuffled"]
        followed = f"joined messages followed, of {joined['own']['n']:,}"
        shares[followed] = [joined["followed"]["accuracy"], luck["followed"], 1.0]
        shares["effect of the integer's slots"] = [joined["integer"], luck["integer"], 1.0]
        shares["effect of the offset's slots"] = [joined["offset"], luck["offset"], 1.0]
    rows += [(text, *(f"{share:.1%}" for share in three)) for text, three in shares.items()]
    return Table.of("Figure | These messages | Messages shuffled | A language that composes", rows)
