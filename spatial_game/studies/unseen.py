"""New combinations: do pairs understand integers at offsets that training never showed?

`spatial_game.game.combinations` chooses combinations such as *22 at -1*, and training then shows none of
them. The test has two candidates. Both show only such combinations in the cells that the sender sees, so the
target does not differ from the distractor by being new.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.combinations import Combinations, draw_combinations
from spatial_game.game.episodes import (
    Episodes,
    IntArray,
    arrange,
    bytes_of_episode,
    concatenate,
    derive,
    draw_batches,
    draw_episodes,
)
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Agents
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.game.windows import window_cells, window_tables
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import distinct_windows
from spatial_game.memory import require_memory
from spatial_game.studies.study import CANNOT_SAY, Study, share_by_window, understood
from spatial_game.tables import Table, Value
from spatial_game.text import between

FEWEST_EPISODES, FEWEST_WINDOWS = 100, 10
"""With fewer episodes or different windows, the study says nothing about a set of combinations."""


def of_card(agents: Agents, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Test agents as `unseen_study` does, on the combinations that their card names."""
    return unseen_study(agents, *left_out_of(agents), num_episodes, seed)


def left_out_of(agents: Agents) -> tuple[float, int]:
    """Return the share of combinations that a pair's training left out, and the seed of the choice.

    Raises `ValueError` for a pair whose training left nothing out, and for another game than in training.
    """
    fraction, seed = agents.card.get("recipe", {}).get("unseen", 0.0), agents.card.get("seed")
    if not isinstance(fraction, float) or not fraction or not isinstance(seed, int):
        raise UserError(
            f"the study unseen needs a pair whose training left combinations out (--unseen); got {fraction}"
        )
    trained = GameConfig.from_dict(agents.card.get("game", agents.config.to_dict()))
    rule = f"the study unseen needs the game of the training, {trained.signature}"
    require(agents.config == trained, rule, agents.config.signature)
    return fraction, seed


@dataclass(frozen=True)
class Played:
    """How often a receiver finds targets that show only chosen combinations.

    Accuracies are None if fewer than `FEWEST_EPISODES` can be arranged so, or if these have fewer than
    `FEWEST_WINDOWS` different windows.
    """

    n: int
    windows: int
    accuracy: float | None = None
    low: float = 0.0
    high: float = 1.0
    """The 95% interval, in which windows are the trials: see `share_by_window`."""
    shuffled: float | None = None
    """With messages of other episodes of the test."""
    elsewhere: float | None = None
    """With messages about ordinary windows."""

    @property
    def cells(self) -> tuple[Value, ...]:
        """The cells of a row."""
        interval = CANNOT_SAY if self.accuracy is None else between((self.low, self.high), ".1%")
        return self.n, self.windows, self.accuracy, interval, self.shuffled, self.elsewhere


def unseen_study(
    agents: Agents, fraction: float, training_seed: int, num_episodes: int = 20_000, seed: int = 0
) -> Study:
    """Let agents choose between two candidates that show only combinations of `draw_combinations`.

    `training_seed` is the seed of the training that left them out. The control has the same number of other
    combinations, which training has shown. The results have the fields of `Played` for both. The accuracies
    with messages of other episodes are near 50% unless the windows of the test are few.
    """
    never = draw_combinations(agents.config, fraction, training_seed)
    seen = draw_combinations(agents.config, fraction, training_seed, apart_from=never)
    parts = {
        "never_seen": _played(agents, never, num_episodes, seed),
        "seen": _played(agents, seen, num_episodes, seed),
    }
    heading = (
        "Combinations | Episodes :, | Windows :, | Accuracy :.1% | 95% interval, by window | "
        "Messages shuffled :.1% | Messages of other windows :.1%"
    )
    names = {"never_seen": "never seen in training", "seen": "control: seen in training"}
    table = Table.of(heading, ((names[name], *part.cells) for name, part in parts.items()))
    results: dict[str, Any] = {"fraction": fraction, "combinations": int(never.cells.sum()), "candidates": 2}
    results |= {name: asdict(part) for name, part in parts.items()}
    unsaid = " and for ".join(f'"{names[name]}"' for name, part in parts.items() if part.accuracy is None)
    summary = "There are two candidates: chance is 50%."
    if unsaid:
        fewest = f"{FEWEST_EPISODES} episodes, or {FEWEST_WINDOWS} different windows"
        summary = f"{CANNOT_SAY}: fewer than {fewest}, have two fitting candidates for {unsaid}"
    played = agents.config.changed(num_distractors=1)
    return Study(played, f"unseen {fraction:g} | n{num_episodes}", seed, table, results, summary)


def _played(agents: Agents, chosen: Combinations, num_episodes: int, seed: int) -> Played:
    """Let a receiver find targets that show only chosen combinations."""
    config, rng = agents.config, np.random.default_rng(random_stream(seed, "held-out study"))
    # Six numbers of 8 bytes for each cell and integer: keys, their order, positions and what is free.
    needed = num_episodes * (bytes_of_episode(config) + 48 * config.num_integers)
    require_memory("num_episodes", num_episodes, needed, "play fewer")
    drawn = concatenate([*draw_batches(config, num_episodes, rng)])
    episodes = two_that_show(chosen, drawn.sequence, rng)
    different, window = distinct_windows(episodes.window)
    size, windows = len(episodes), len(different)
    ordinary = drawn.window[drawn.mask_column == columns_of(config).middle]
    if size < FEWEST_EPISODES or windows < FEWEST_WINDOWS or not len(ordinary):
        return Played(size, windows)
    message = ask_sender(agents.sender, episodes.window, config)
    others = {
        "shuffled": rng.permutation(message),
        "elsewhere": ask_sender(agents.sender, ordinary[rng.integers(len(ordinary), size=size)], config),
    }
    shares = {name: understood(agents.receiver, other, episodes).accuracy for name, other in others.items()}
    accuracy, low, high = share_by_window(won_by(agents.receiver, message, episodes), window)
    return Played(size, windows, accuracy, low, high, **shares)


def two_that_show(chosen: Combinations, sequence: IntArray, rng: np.random.Generator) -> Episodes:
    """Return episodes with two candidates that show only combinations from `chosen` where the sender sees.

    The windows of both have their mask in the middle. The sender sees the same offsets of the target as are
    arranged beside the distractor. Integers of the sequences (B, L) are exchanged for this. A sequence is
    dropped if the two windows overlap, or if no integer is left for one of the cells.
    """
    config, middle = chosen.config.changed(num_distractors=1), columns_of(chosen.config).middle
    size, width = len(sequence), config.window_size
    central = np.flatnonzero(window_tables(config).mask_column == middle)
    if len(central) < 2:
        return draw_episodes(config, 0, rng)
    positions = central[rng.random((size, len(central))).argsort(axis=1)[:, :2]]
    order = rng.random((size, width - 1)).argsort(axis=1)
    shown, hidden = order[:, : config.num_shown], order[:, config.num_shown :]
    columns = shown + (shown >= middle)
    cells = np.take_along_axis(window_cells(config)[positions], columns[:, None], axis=2).reshape(size, -1)
    used = np.sort(np.concatenate([cells, positions], axis=1), axis=1)
    possible = (np.diff(used) > 0).all(axis=1)
    combinations = chosen.by_mask_column[middle]
    # Each cell gets a random integer that makes a chosen combination there, and stands in no earlier cell.
    integers, free = np.empty_like(cells), np.ones((size, config.num_integers), dtype=bool)
    for i, column in enumerate(np.tile(columns, 2).T):
        fitting = combinations[column] & free
        possible &= fitting.any(axis=1)
        integers[:, i] = np.where(fitting, rng.random(fitting.shape), -1.0).argmax(axis=1)
        free[np.arange(size), integers[:, i]] = False
    ordinary = derive(config, sequence, positions, rng.integers(2, size=size), hidden)
    kept = np.flatnonzero(possible)
    return arrange(config, ordinary[kept], cells[kept], integers[kept])
