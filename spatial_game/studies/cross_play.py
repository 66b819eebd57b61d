"""Cross-play of every sender with every receiver: do strangers understand each other?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.checking import checked_sampler
from spatial_game.game.episodes import Sampler, draw_batches
from spatial_game.game.evaluation import require_agents, won_by
from spatial_game.game.policies import Agents, incompatibility
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.proportions import Proportion
from spatial_game.studies.study import Study
from spatial_game.tables import Column, Table
from spatial_game.text import spread


def cross_play(
    pairs: Mapping[str, Agents],
    num_episodes: int = 4_000,
    seed: int = 0,
    config: GameConfig | None = None,
    sampler: Sampler | None = None,
) -> Study:
    """Let every sender (row) speak to every receiver (column), in the episodes in which a pair is evaluated.

    `sampler(n, rng)` draws n of them; default: `draw_episodes`.

    A sender or receiver of a population plays once, also if it is in several pairs. Members of one population
    are no strangers.

    `config` (default: the pairs' game, if all have the same) must suit all pairs. Raises `ValueError` without
    pairs, for pairs of different games without a config, and for a pair that cannot play it.
    """
    for pair in pairs.values():
        require_agents(pair)
    config = config or shared_game(pair.config for pair in pairs.values())
    for name, pair in pairs.items():
        fault = incompatibility(pair, config)
        if fault:
            raise UserError(f"{name} must suit the game {config.signature}: {fault}")
    senders, receivers = _members(pairs, "sender"), _members(pairs, "receiver")
    won = np.zeros((len(senders), len(receivers)), dtype=np.int64)
    draw = None if sampler is None else checked_sampler(sampler, config)
    rng = np.random.default_rng(random_stream(seed, "evaluation"))
    for episodes in draw_batches(config, num_episodes, rng, sampler=draw):
        for i, speaking in enumerate(senders.values()):
            messages = ask_sender(speaking.sender, episodes.window, config)
            for j, hearing in enumerate(receivers.values()):
                won[i, j] += np.count_nonzero(won_by(hearing.receiver, messages, episodes))
    homes = [[pair.population or name for name, pair in each.items()] for each in (senders, receivers)]
    share, together = won / num_episodes, np.array([[one == other for other in homes[1]] for one in homes[0]])
    groups = {"partners": share[together].tolist(), "strangers": share[~together].tolist()}
    means = {f"{who}_mean": fmean(values) if values else None for who, values in groups.items()}
    accuracy = [[Proportion(count, num_episodes).to_dict() for count in row] for row in won.tolist()]
    said = [f"{who} {spread(v)}" for who, v in groups.items() if v]
    columns = (Column("Sender"), *(Column(name, ".1%") for name in receivers))
    rows = tuple((name, *row) for name, row in zip(senders, share.tolist(), strict=True))
    names = {"senders": [*senders], "receivers": [*receivers]}
    results = names | {"game": config.signature, "accuracy": accuracy}
    summary = "; ".join([*said, f"chance {1 / config.num_candidates:.0%}"])
    return Study(config, f"n{num_episodes}", seed, Table(columns, rows), results | means, summary)


def _members(pairs: Mapping[str, Agents], role: str) -> dict[str, Agents]:
    """Return a pair with each "sender" or "receiver", by its name: `runs/population/sender0`."""
    return {
        f"{name.rpartition('/')[0]}/{role}{pair.card[role]}" if pair.population else name: pair
        for name, pair in pairs.items()
    }


def shared_game(configs: Iterable[GameConfig]) -> GameConfig:
    """Return the game of all these configs. Raises `ValueError` if they differ, or if there are none."""
    games = list(dict.fromkeys(configs))
    if len(games) != 1:
        found = "; ".join(game.signature for game in games) or "none"
        raise UserError(f"pairs must be of one game, or the game be given; got {found}")
    return games[0]
