"""Composition: do messages name an integer and its offset separately, and do new combinations work?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, derive, draw_episodes
from spatial_game.game.evaluation import AgentPair, Proportion
from spatial_game.game.policies import Sender
from spatial_game.game.seeds import stream
from spatial_game.game.windows import window_tables
from spatial_game.language.counting.columns import middle_column
from spatial_game.language.counting.rows import Numbers
from spatial_game.studies.alignment import Aligned, align, divisions
from spatial_game.studies.study import Study, require_episodes
from spatial_game.tables import Table

_SHUFFLES = 5
_SEQUENCES, _FEWEST = 20_000, 100


@dataclass(frozen=True)
class Joined:
    """The receiver's choices after messages that are joined from the parts of two.

    One message names integer k at offset o, the other k' at o'. The joined message has the integer's slots
    from the second and the offset's slots from the first. The four places where k or k' stands at o or o' are
    among the candidates.
    """

    integer_slots: tuple[int, ...]
    """The slots of the integer: the division with the best effects in half of the trials. The figures come
    from the other half."""
    own: Proportion
    """Trials in which the first message, unchanged, leads to k at o."""
    followed: Proportion
    """Trials in which the joined message leads to k' at o."""
    integer: float
    """How much more often it leads to a place with k' than with k: 1 for a receiver that composes."""
    offset: float
    """How much more often it leads to a place with o than with o'."""

    def to_dict(self) -> dict[str, Any]:
        """Return all results for JSON."""
        return {
            "integer_slots": list(self.integer_slots),
            "own": self.own.to_dict(),
            "followed": self.followed.to_dict(),
            "integer": self.integer,
            "offset": self.offset,
        }


@dataclass(frozen=True)
class CompositionStudy(Study):
    """To what extent the language of a pair composes. Windows have their mask in the middle."""

    config: GameConfig
    episodes: int
    messages: int
    message_bits: float
    integer_bits: float
    """Information about the integer that the message names, at most log2(num_integers) bits."""
    offset_bits: float
    """Information about the offset of that integer."""
    bits_by_chance: tuple[float, float]
    """Both estimates with the messages shuffled among the windows: the level of chance."""
    split: float
    """Share of the episodes whose message splits into an integer and an offset; see `Aligned.split_share`."""
    split_by_chance: float
    joined: Joined | None
    """None if too few sequences have two messages that name different integers at different offsets."""
    seed: int

    @property
    def size(self) -> str:
        """The number of episodes."""
        return f"n{self.episodes}"

    @property
    def table(self) -> Table:
        """A row for each figure, and its value in a language that composes."""
        most = (math.log2(len(self.config.integers)), math.log2(self.config.window_size - 1))
        bits = zip((self.integer_bits, self.offset_bits), self.bits_by_chance, most, strict=True)
        rows = [
            (f"bits about the {name}", *(f"{value:.2f}" for value in values))
            for name, values in zip(("integer", "offset"), bits, strict=True)
        ]
        shares = {"messages that split into integer and offset": (self.split, self.split_by_chance)}
        if self.joined:
            shares["joined messages followed"] = (self.joined.followed.accuracy, self.chance)
            shares["effect of the integer's slots"] = (self.joined.integer, 0.0)
            shares["effect of the offset's slots"] = (self.joined.offset, 0.0)
        rows += [(name, f"{share:.1%}", f"{chance:.1%}", "100%") for name, (share, chance) in shares.items()]
        return Table.of("Figure | This pair | By chance | A language that composes", rows)

    def results(self) -> dict[str, Any]:
        """The figures; `joined` is null if no messages can be joined."""
        names = "messages message_bits integer_bits offset_bits bits_by_chance split split_by_chance"
        figures = {name: getattr(self, name) for name in names.split()}
        return {**figures, "joined": self.joined.to_dict() if self.joined else None}


def composition(pair: AgentPair, num_episodes: int = 20_000, seed: int = 0) -> CompositionStudy:
    """Align the messages of fresh episodes with the cells that they name, and join parts of messages.

    Raises `ValueError` for a game with fewer than four candidates or fewer than two symbols in a message.
    """
    require_episodes(num_episodes)
    config = pair.config
    if config.num_candidates < 4 or config.message_length < 2:
        raise ValueError(
            "config must have num_distractors >= 3 and message_length >= 2 for a study of composition; "
            f"got {config.num_distractors} and {config.message_length}"
        )
    rng = np.random.default_rng(stream(seed, "composition"))
    episodes = draw_episodes(config, num_episodes, rng)
    message = pair.sender.send(episodes.window)
    aligned = align(config, episodes.window, message, rng)
    shuffled = align(config, episodes.window, rng.permutation(message), rng)
    return CompositionStudy(
        config=config,
        episodes=num_episodes,
        messages=len(aligned.messages),
        message_bits=aligned.message_bits,
        integer_bits=aligned.integer_bits,
        offset_bits=aligned.offset_bits,
        bits_by_chance=(shuffled.integer_bits, shuffled.offset_bits),
        split=aligned.split_share(),
        split_by_chance=float(np.mean([aligned.split_share(rng) for _ in range(_SHUFFLES)])),
        joined=join_messages(pair, aligned, episodes.sequence, rng),
        seed=seed,
    )


def join_messages(
    pair: AgentPair, aligned: Aligned, sequence: IntArray, rng: np.random.Generator
) -> Joined | None:
    """Join parts of two messages of the sender about each sequence (B, L), and ask the receiver."""
    config = aligned.config
    trials = _Trials.draw(pair.sender, aligned, sequence[:_SEQUENCES], rng)
    if len(trials.first) < _FEWEST:
        return None
    half = len(trials.first) // 2
    chosen = {tuple(of): trials.joined(pair, of) for of, _ in divisions(config.message_length)}
    best = max(chosen, key=lambda slots: min(effects(chosen[slots][:half])))
    integer, offset = effects(chosen[best][half:])
    own = trials.chosen(pair, trials.first)[half:]
    return Joined(
        integer_slots=best,
        own=Proportion(int((own == 0).sum()), len(own)),
        followed=Proportion(int((chosen[best][half:] == 1).sum()), len(own)),
        integer=integer,
        offset=offset,
    )


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
    places: Numbers  # (n, C)
    order: Numbers  # (n, C), the candidates as the receiver gets them

    @classmethod
    def draw(cls, sender: Sender, aligned: Aligned, sequence: IntArray, rng: np.random.Generator) -> _Trials:
        """Draw two targets in each sequence; keep those whose messages name different cells, truly."""
        config = aligned.config
        central = window_tables(config).mask_column == middle_column(config)
        targets = rng.choice(np.flatnonzero(central), (2, len(sequence)))
        said = [_Said.of(sender, aligned, sequence, target, rng) for target in targets]
        first, second = targets
        steps = np.delete(window_tables(config).places, middle_column(config))
        # The cell that a message names is at target + step, so the target is one step back from it.
        move = steps[said[1].place] - steps[said[0].place]
        places = np.column_stack([first, second + move, first - move, second])
        valid = (said[0].place >= 0) & (said[1].place >= 0) & (said[0].place != said[1].place)
        valid &= said[0].integer != said[1].integer
        valid &= ((places >= 0) & (places < len(central))).all(axis=1)
        valid &= central[places.clip(0, len(central) - 1)].all(axis=1) & _different(places)
        rows = np.flatnonzero(valid)
        others = rng.random((len(rows), len(central)))
        np.put_along_axis(others, places[rows], -np.arange(4, 0, -1), axis=1)
        places = others.argsort(axis=1)[:, : config.num_candidates]
        order = rng.random(places.shape).argsort(axis=1)
        return cls(said[0].message[rows], said[1].message[rows], sequence[rows], places, order)

    def joined(self, pair: AgentPair, integer_slots: list[int]) -> Numbers:
        """Return the numbers of the places that joined messages lead to, (n,)."""
        message = self.first.copy()
        message[:, integer_slots] = self.second[:, integer_slots]
        return self.chosen(pair, message)

    def chosen(self, pair: AgentPair, message: IntArray) -> Numbers:
        """Return the numbers of the places that the receiver chooses, (n,)."""
        there = np.take_along_axis(self.places, self.order, axis=1)
        candidates = np.take_along_axis(self.sequence, there, axis=1)
        choice = np.asarray(pair.receiver.choose(message, self.sequence, candidates), dtype=np.int64)
        return np.asarray(self.order[np.arange(len(choice)), choice])


@dataclass(frozen=True)
class _Said:
    """What the sender says about targets in B sequences."""

    message: IntArray  # (B, T)
    place: Numbers  # (B,), the place of the cell that it names, without the mask; -1 for none
    integer: Numbers  # (B,), what stands there

    @classmethod
    def of(
        cls, sender: Sender, aligned: Aligned, sequence: IntArray, target: Numbers, rng: np.random.Generator
    ) -> _Said:
        """Send the windows around these targets (B,)."""
        config, size = aligned.config, len(sequence)
        hidden = rng.random((size, config.window_size - 1)).argsort(axis=1)[:, : config.num_hidden]
        zeros = np.zeros(size, dtype=np.int64)
        window = derive(config, sequence, target[:, None], zeros, hidden).window
        message = sender.send(window)
        return cls(message, *aligned.name(window, message))


def _different(places: Numbers) -> npt.NDArray[np.bool_]:
    """Return whether all places of each row differ."""
    ordered = np.sort(places, axis=1)
    return np.asarray((ordered[:, 1:] != ordered[:, :-1]).all(axis=1))
