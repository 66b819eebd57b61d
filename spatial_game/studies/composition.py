"""Composition: do messages name an integer and its offset separately, and do new combinations work?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import IntArray, derive, draw_episodes
from spatial_game.game.evaluation import AgentPair, share_of
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import ask_receiver, ask_sender
from spatial_game.game.seeds import stream
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.places import middle_column
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.probing import exchange
from spatial_game.studies.alignment import Aligned, align, divisions
from spatial_game.studies.study import Study
from spatial_game.tables import Table

_SHUFFLES = 5
_SEQUENCES, _FEWEST = 20_000, 100


def composition(pair: AgentPair, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Align the messages of fresh episodes with the cells that they name, and join parts of messages.

    Windows have their mask in the middle. The results: bits of a message, and about the integer and the
    offset that it names, also with messages shuffled among the windows (`bits_by_chance`); the share of the
    episodes whose message splits into both (`Aligned.split_share`), also by chance; and `joined`
    (`join_messages`).

    Raises `ValueError` for a game with fewer than four candidates or fewer than two symbols in a message.
    """
    config = pair.config
    if config.num_candidates < 4 or config.message_length < 2:
        raise ValueError(
            "config must have num_distractors >= 3 and message_length >= 2 for a study of composition; "
            f"got {config.num_distractors} and {config.message_length}"
        )
    rng = np.random.default_rng(stream(seed, "composition"))
    episodes = draw_episodes(config, num_episodes, rng)
    message = ask_sender(pair.sender, episodes.window, config)
    aligned = align(config, episodes.window, message, rng)
    shuffled = align(config, episodes.window, rng.permutation(message), rng)
    results = {
        "messages": len(aligned.messages),
        "message_bits": aligned.message_bits,
        "integer_bits": aligned.integer_bits,
        "offset_bits": aligned.offset_bits,
        "bits_by_chance": (shuffled.integer_bits, shuffled.offset_bits),
        "split": aligned.split_share(),
        "split_by_chance": float(np.mean([aligned.split_share(rng) for _ in range(_SHUFFLES)])),
        "joined": join_messages(pair, aligned, episodes.sequence, rng),
    }
    most = (math.log2(config.num_integers), math.log2(config.window_size - 1))
    return Study(config, f"n{num_episodes}", seed, _table(results, most, 1 / config.num_candidates), results)


def _table(found: dict[str, Any], most: tuple[float, float], chance: float) -> Table:
    """Return a row for each figure, with its value in a language that composes."""
    told = (found["integer_bits"], found["offset_bits"])
    bits = zip(("integer", "offset"), told, found["bits_by_chance"], most, strict=True)
    rows = [(f"bits about the {name}", *(f"{value:.2f}" for value in values)) for name, *values in bits]
    shares = {"messages that split into integer and offset": (found["split"], found["split_by_chance"])}
    if joined := found["joined"]:
        shares["joined messages followed"] = (joined["followed"]["accuracy"], chance)
        shares["effect of the integer's slots"] = (joined["integer"], 0.0)
        shares["effect of the offset's slots"] = (joined["offset"], 0.0)
    rows += [(name, f"{share:.1%}", f"{luck:.1%}", "100%") for name, (share, luck) in shares.items()]
    return Table.of("Figure | This pair | By chance | A language that composes", rows)


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
    that composes. `offset`: how much more often to a place with o than with o'.
    """
    trials = _Trials.draw(pair.sender, aligned, sequence[:_SEQUENCES], rng)
    if len(trials.first) < _FEWEST:
        return None
    half = len(trials.first) // 2
    chosen = {of: trials.joined(pair.receiver, of) for of, _ in divisions(aligned.config.message_length)}
    best = max(chosen, key=lambda slots: min(effects(chosen[slots][:half])))
    integer, offset = effects(chosen[best][half:])
    own, followed = trials.joined(pair.receiver, ())[half:] == 0, chosen[best][half:] == 1
    return {
        "integer_slots": list(best),
        "own": share_of(own).to_dict(),
        "followed": share_of(followed).to_dict(),
        "integer": integer,
        "offset": offset,
    }


def effects(chosen: Numbers) -> tuple[float, float]:
    """Return how much more often choices (n,) have k' than k, and o than o' (places as in `_Trials`)."""
    share = [float((chosen == place).mean()) for place in range(4)]
    return share[1] + share[3] - share[0] - share[2], share[0] + share[1] - share[2] - share[3]


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
        (first, offset, integer), (second, other_offset, other_integer) = (
            _said(sender, aligned, sequence, target, rng) for target in targets
        )
        differ = (offset >= 0) & (other_offset >= 0) & (offset != other_offset) & (integer != other_integer)
        rows = np.flatnonzero(differ)
        (target, other_target), one, other = targets[:, rows], offset[rows], other_offset[rows]
        # A cell that stands at an offset of a target has the target at the opposite offset.
        cells, last = cells_at_offsets(config), len(config.offsets) - 1
        moved = cells[cells[target, one], last - other]
        other_moved = cells[cells[other_target, other], last - one]
        places = np.column_stack([target, other_moved, moved, other_target])
        ordered = np.sort(places, axis=1)
        valid = np.append(central, False)[places].all(axis=1) & (np.diff(ordered) > 0).all(axis=1)
        rows, places = rows[valid], places[valid]
        others = rng.random((len(rows), len(central)))
        np.put_along_axis(others, places, -np.arange(4, 0, -1), axis=1)
        places = others.argsort(axis=1)[:, : config.num_candidates]
        order = rng.random(places.shape).argsort(axis=1)
        shown = np.take_along_axis(places, order, axis=1)
        candidates = np.take_along_axis(sequence[rows], shown, axis=1)
        return cls(first[rows], second[rows], sequence[rows], candidates, order)

    def joined(self, receiver: Receiver, integer_slots: Sequence[int]) -> Numbers:
        """Return the numbers of the places that joined messages lead to, (n,)."""
        message = exchange(self.first, self.second, integer_slots)
        choice = ask_receiver(receiver, message, self.sequence, self.candidates)
        return np.asarray(self.place[np.arange(len(choice)), choice])


def _said(
    sender: Sender, aligned: Aligned, sequence: IntArray, target: Numbers, rng: np.random.Generator
) -> tuple[IntArray, Numbers, Numbers]:
    """Return what the sender says about targets (B,), and the offset and integer that it names."""
    config, size = aligned.config, len(sequence)
    hidden = rng.random((size, config.window_size - 1)).argsort(axis=1)[:, : config.num_hidden]
    window = derive(config, sequence, target[:, None], np.zeros(size, dtype=np.int64), hidden).window
    message = ask_sender(sender, window, config)
    return message, *aligned.name(window, message)
