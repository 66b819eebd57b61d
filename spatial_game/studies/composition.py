"""Composition: do messages name an integer and its offset separately, and do new combinations work?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, derive, draw_episodes, mask_columns
from spatial_game.game.evaluation import AgentPair, share_of
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import ask_receiver, ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.places import middle_column
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.probing import exchange
from spatial_game.recording import Recording
from spatial_game.studies.alignment import Aligned, align, divisions
from spatial_game.studies.study import Study
from spatial_game.tables import Table

_SEQUENCES, _FEWEST = 20_000, 100
_MOST, _HARDLY = 0.5, 0.1


def composition(pair: AgentPair, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Align the messages of fresh episodes with the cells that they name, and join parts of messages.

    The results are those of `composition_of`, and `joined` (`join_messages`). Does the receiver follow both
    parts? `receiver_follows` is "yes" if the smaller effect is above 50%, "no" if it is below 10%, otherwise
    "in part"; it is "cannot say" if the effect is too near to one of these, or without joined messages.

    Raises `ValueError` for a game with fewer than four candidates or fewer than two symbols in a message.
    """
    config = pair.config
    if config.num_candidates < 4 or config.message_length < 2:
        raise ValueError(
            "config must have num_distractors >= 3 and message_length >= 2 for a study of composition; "
            f"got {config.num_distractors} and {config.message_length}"
        )
    rng = np.random.default_rng(random_stream(seed, "composition"))
    episodes = draw_episodes(config, num_episodes, rng)
    message = ask_sender(pair.sender, episodes.window, config)
    aligned = align(config, episodes.window, message, rng)
    joined = join_messages(pair, aligned, episodes.sequence, rng)
    answer = _follows(joined) if joined else "cannot say"
    results = {"joined": joined, "receiver_follows": answer}
    return _study(config, episodes.window, message, seed, results)


def composition_of(recording: Recording, seed: int = 0) -> Study:
    """Align the messages of a recording with the cells that they name. No receiver is asked.

    Only windows with their mask in the middle count. The results: for the messages as they are (`own`),
    `shuffled` among the windows, and in a `composing` language that names the same cells, the bits about the
    integer and the offset that are named, and the share of the episodes whose message `split`s into both
    (`Aligned.split_share`).

    Do messages have two parts? Of the way from `shuffled` to `composing`, the split share goes over 50%
    ("yes"), less than 10% ("no"), or between ("in part"). It is "cannot say" if the composing language itself
    splits in less than half of the episodes, or if the two halves of the episodes give another answer.
    """
    return _study(recording.config, recording.window, recording.message, seed, {})


def _study(
    config: GameConfig, window: IntArray, message: IntArray, seed: int, of_receiver: dict[str, Any]
) -> Study:
    """Return the study of messages (B, T) about windows (B, W), and of what a receiver makes of them."""
    rng = np.random.default_rng(random_stream(seed, "composition: messages"))
    found = _figures(config, window, message, rng)
    halves = [_figures(config, window[i::2], message[i::2], rng) for i in range(2)]
    answers = {_have_parts(each) for each in (found, *halves)}
    parts = answers.pop() if len(answers) == 1 else "cannot say"
    results = {**found, "messages_have_parts": parts, **of_receiver}
    summary = f"Messages have a part for the integer and one for the offset: {parts}."
    if of_receiver:
        summary += f" The receiver follows both parts of joined messages: {results['receiver_follows']}."
    return Study(config, f"n{len(window)}", seed, _table(results), results, summary)


def _figures(
    config: GameConfig, window: IntArray, message: IntArray, rng: np.random.Generator
) -> dict[str, dict[str, float]]:
    """Return the bits and the split share of messages, and of the two languages to compare them with."""
    central = mask_columns(window) == middle_column(config)
    window, message = window[central], message[central]
    own = align(config, window, message, rng)
    offset, integer = np.divmod(own.named, config.num_integers)
    languages = {
        "own": own,
        "shuffled": align(config, window, rng.permutation(message), rng),
        "composing": align(config, window, np.column_stack([integer, offset]), rng),
    }
    return {
        name: {
            "integer_bits": each.integer_bits,
            "offset_bits": each.offset_bits,
            "split": each.split_share,
        }
        for name, each in languages.items()
    }


def _have_parts(found: dict[str, dict[str, float]]) -> str:
    """Tell whether messages have two parts, from the split shares."""
    own, shuffled, composing = (found[name]["split"] for name in ("own", "shuffled", "composing"))
    if composing - shuffled < _MOST:
        return "cannot say"
    return _in_words((own - shuffled) / (composing - shuffled))


def _follows(joined: dict[str, Any]) -> str:
    """Tell whether a receiver follows both parts, if the smaller effect says so by two standard errors."""
    effect, error = min(joined["integer"], joined["offset"]), 2 / math.sqrt(joined["own"]["n"])
    answers = {_in_words(effect - error), _in_words(effect + error)}
    return answers.pop() if len(answers) == 1 else "cannot say"


def _in_words(share: float) -> str:
    return "yes" if share > _MOST else "no" if share < _HARDLY else "in part"


def _table(found: dict[str, Any]) -> Table:
    """Return a row for each figure, beside that of shuffled messages and of a language that composes."""
    languages = [found[name] for name in ("own", "shuffled", "composing")]
    names = {"integer_bits": "bits about the integer", "offset_bits": "bits about the offset"}
    rows = [(text, *(f"{each[name]:.2f}" for each in languages)) for name, text in names.items()]
    shares = {"messages that split into integer and offset": [each["split"] for each in languages]}
    if joined := found.get("joined"):
        luck = joined["shuffled"]
        shares["joined messages followed"] = [joined["followed"]["accuracy"], luck["followed"], 1.0]
        shares["effect of the integer's slots"] = [joined["integer"], luck["integer"], 1.0]
        shares["effect of the offset's slots"] = [joined["offset"], luck["offset"], 1.0]
    rows += [(text, *(f"{share:.1%}" for share in three)) for text, three in shares.items()]
    return Table.of("Figure | These messages | Messages shuffled | A language that composes", rows)


def join_messages(
    pair: AgentPair, aligned: Aligned, sequence: IntArray, rng: np.random.Generator
) -> dict[str, Any] | None:
    """Join parts of two messages of the sender about each sequence (B, L), and ask the receiver.

    One message names integer k at offset o, the other k' at o'. The joined message has the integer's slots
    from the second and the offset's slots from the first. The four places where k or k' stands at o or o' are
    among the candidates. None if too few sequences have two such messages.

    `integer_slots`: the division with the best effects in half of the trials; the figures come from the other
    half. `own`: trials in which the first message, unchanged, leads to k at o. `followed`: the joined message
    leads to k' at o. `integer`: how much more often it leads to a place with k' than with k, 1 for a receiver
    that composes. `offset`: how much more often to a place with o than with o'. `shuffled`: the same three
    figures, with each joined message in another trial.
    """
    trials = _Trials.draw(pair.sender, aligned, sequence[:_SEQUENCES], rng)
    if len(trials.first) < _FEWEST:
        return None
    half = len(trials.first) // 2
    chosen = {of: trials.joined(pair.receiver, of) for of, _ in divisions(aligned.config.message_length)}
    best = max(chosen, key=lambda slots: min(effects(chosen[slots][:half])))
    integer, offset = effects(chosen[best][half:])
    own, followed = trials.joined(pair.receiver, ())[half:] == 0, chosen[best][half:] == 1
    luck = trials.joined(pair.receiver, best, rng.permutation(len(trials.first)))[half:]
    by_chance = dict(zip(("integer", "offset"), effects(luck), strict=True))
    return {
        "integer_slots": list(best),
        "own": share_of(own).to_dict(),
        "followed": share_of(followed).to_dict(),
        "integer": integer,
        "offset": offset,
        "shuffled": {"followed": float((luck == 1).mean()), **by_chance},
    }


def effects(chosen: Numbers) -> tuple[float, float]:
    """Return how much more often choices (n,) have k' than k, and o than o' (places as in `_Trials`)."""
    share = [float((chosen == place).mean()) for place in range(4)]
    return share[1] + share[3] - share[0] - share[2], share[0] + share[1] - share[2] - share[3]


class _Said(NamedTuple):
    """What the sender says about n targets, and the cell that each message names."""

    message: IntArray  # (n, T)
    offset: Numbers  # (n,), its number; -1 if the message names no cell
    integer: Numbers  # (n,)

    @classmethod
    def about(
        cls, target: Numbers, sender: Sender, aligned: Aligned, sequence: IntArray, rng: np.random.Generator
    ) -> _Said:
        """Ask the sender about targets (n,) in sequences (n, L)."""
        config, size = aligned.config, len(sequence)
        hidden = rng.random((size, config.window_size - 1)).argsort(axis=1)[:, : config.num_hidden]
        window = derive(config, sequence, target[:, None], np.zeros(size, dtype=np.int64), hidden).window
        message = ask_sender(sender, window, config)
        return cls(message, *aligned.name(window, message))


@dataclass(frozen=True)
class _Trials:
    """Two messages for each sequence; the places are k at o, k' at o, k at o', k' at o', then others."""

    first: IntArray  # (n, T)
    second: IntArray  # (n, T)
    sequence: IntArray  # (n, L)
    candidates: IntArray  # (n, C)
    place: Numbers  # (n, C), the number of each candidate's place

    @classmethod
    def draw(cls, sender: Sender, aligned: Aligned, sequence: IntArray, rng: np.random.Generator) -> _Trials:
        """Draw two targets in each sequence; keep those whose messages name different cells, truly."""
        config = aligned.config
        central = window_tables(config).mask_column == middle_column(config)
        targets = rng.choice(np.flatnonzero(central), (2, len(sequence)))
        one, other = (_Said.about(target, sender, aligned, sequence, rng) for target in targets)
        differ = (one.offset >= 0) & (other.offset >= 0)
        differ &= (one.offset != other.offset) & (one.integer != other.integer)
        rows = np.flatnonzero(differ)
        places = four_places(config, targets[:, rows], np.stack([one.offset, other.offset])[:, rows])
        valid = np.append(central, False)[places].all(axis=1)
        valid &= (np.diff(np.sort(places, axis=1)) > 0).all(axis=1)
        rows, places = rows[valid], places[valid]
        # The four places come first, then others at random; all stand in a random order.
        keys = rng.random((len(rows), len(central)))
        np.put_along_axis(keys, places, -np.arange(4, 0, -1), axis=1)
        places = keys.argsort(axis=1)[:, : config.num_candidates]
        order = rng.random(places.shape).argsort(axis=1)
        shown = np.take_along_axis(places, order, axis=1)
        candidates = np.take_along_axis(sequence[rows], shown, axis=1)
        return cls(one.message[rows], other.message[rows], sequence[rows], candidates, order)

    def joined(
        self, receiver: Receiver, integer_slots: Sequence[int], order: Numbers | None = None
    ) -> Numbers:
        """Return the numbers of the places that joined messages lead to, (n,), or those of other trials."""
        message = exchange(self.first, self.second, integer_slots)
        message = message if order is None else message[order]
        choice = ask_receiver(receiver, message, self.sequence, self.candidates)
        return np.asarray(self.place[np.arange(len(choice)), choice])


def four_places(config: GameConfig, targets: Numbers, offsets: Numbers) -> Numbers:
    """Return (n, 4), the places from which k is at o, k' at o, k at o' and k' at o'; L beyond the border.

    k is at offset o of the first of two targets (2, n), k' at o' of the second. `offsets` (2, n): o and o'.
    """
    cells, last = cells_at_offsets(config), len(config.offsets) - 1
    of_k, of_other = cells[targets, offsets]
    # A cell that stands at an offset of a target has the target at the opposite offset.
    opposite, other_opposite = last - offsets
    return np.column_stack([targets[0], cells[of_other, opposite], cells[of_k, other_opposite], targets[1]])
