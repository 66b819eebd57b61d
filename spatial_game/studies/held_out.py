"""Generalisation to held-out combinations: integers at offsets that training never showed.

`held_out` chooses combinations such as *22 at -1*. Training then uses only episodes whose window shows none
of them, but it still sees every integer and every offset. `held_out_study` tests episodes whose windows show
a given number of these combinations, up to all of their cells.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from spatial_game.game.episodes import HIDDEN, Episodes, arrange, draw_batches
from spatial_game.game.evaluation import AgentPair, Proportion, won_by
from spatial_game.game.held_out import HeldOut, held_out
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import stream
from spatial_game.game.windows import window_cells
from spatial_game.json_text import plain
from spatial_game.studies.study import Study, accuracy_cells
from spatial_game.tables import Table


def held_out_study(
    pair: AgentPair, fraction: float, training_seed: int, num_episodes: int = 20_000, seed: int = 0
) -> Study:
    """Let a pair play windows with 0, 1, 2, ... combinations of `held_out(config, fraction, seed)`.

    `training_seed` is the seed of the training that left them out. The control uses the same number of other
    combinations: it measures the effect of changing the episodes, without anything new in them.
    """
    never = held_out(pair.config, fraction, training_seed)
    seen = held_out(pair.config, fraction, training_seed, apart_from=never)
    numbers = range(pair.config.num_shown + 1)
    of_never, of_seen = (
        [_played(pair, chosen, never, number, num_episodes, seed) for number in numbers]
        for chosen in (never, seen)
    )
    heading = (
        "Cells of the window from the set :d | Never seen in training :.2% | 95% interval | "
        "Control: seen in training :.2% | 95% interval (control)"
    )
    pairs = enumerate(zip(of_never, of_seen, strict=True))
    table = Table.of(heading, ((number, *accuracy_cells(a), *accuracy_cells(b)) for number, (a, b) in pairs))
    results = {
        "fraction": fraction,
        "combinations": int(never.cells.sum()),
        "held_out": plain(of_never),
        "control": plain(of_seen),
    }
    return Study(pair.config, f"held out {fraction:g} | n{of_never[0].trials}", seed, table, results)


def _played(
    pair: AgentPair, chosen: HeldOut, never: HeldOut, number: int, num_episodes: int, seed: int
) -> Proportion:
    seeds = stream(seed, "held-out study").spawn(2)
    drawn, placing = (np.random.default_rng(each) for each in seeds)
    wins = plays = 0
    others = dataclasses.replace(chosen, cells=~(chosen.cells | never.cells))
    for ordinary in draw_batches(pair.config, num_episodes, drawn):
        episodes = show_combinations(ordinary, chosen, others, number, placing)
        messages = ask_sender(pair.sender, episodes.window, pair.config)
        wins += int(won_by(pair.receiver, messages, episodes).sum())
        plays += len(episodes)
    return Proportion(wins, plays)


def show_combinations(
    episodes: Episodes, chosen: HeldOut, others: HeldOut, number: int, rng: np.random.Generator
) -> Episodes:
    """Return episodes whose windows show `number` combinations from `chosen` in random visible cells.

    All other cells show combinations from `others`. Integers change places; the target and the candidates'
    places stay the same. An episode is dropped if no integer is left for one of its cells, which is rare
    unless there are few integers.
    """
    config = chosen.config
    size, width = episodes.window.shape
    rows, mask = np.arange(size), episodes.mask_column.astype(np.intp)
    rank = rng.random((size, width)) + (episodes.window == HIDDEN)
    rank[rows, mask] = np.inf
    from_chosen = rank.argsort(axis=1).argsort(axis=1) < number
    tables = np.stack([others.by_mask_column, chosen.by_mask_column])
    free = np.ones((size, config.num_integers), dtype=bool)
    free[rows, episodes.target] = False
    found = np.ones(size, dtype=bool)
    # The cells of the chosen combinations come first: if these are few, their integers must be free.
    cells = rank.argsort(axis=1)[:, : width - 1]
    values = np.empty_like(cells)
    for i, cell in enumerate(cells.T):
        fitting = tables[from_chosen[rows, cell].astype(np.intp), mask, cell] & free
        found &= fitting.any(axis=1)
        values[:, i] = np.where(fitting, rng.random(fitting.shape), -1.0).argmax(axis=1)
        free[rows, values[:, i]] = False
    places = np.take_along_axis(window_cells(config)[episodes.target_position], cells, axis=1)
    return arrange(config, episodes[found], places[found], values[found])
