"""The stream of episodes that a pair was trained on, drawn again: to ask what it can have memorised."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import torch

from spatial_agents.pairs.policy import Pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.trainer import Trainer
from spatial_game.game.episodes import Episodes


def training_episodes(pair: Pair, number: int) -> Iterator[Episodes]:
    """The first `number` episodes of a pair's training, in batches: drawn as the training draws them.

    They are of the seed and recipe on the pair's card, with the fixed samples or without the held-out
    combinations that it names. A training on the CPU without curriculum had these very episodes; with one,
    the same generator gave shorter sequences at first, which here have the game's length throughout.
    Raises `ValueError` for a pair whose card does not say how it was trained.
    """
    try:
        recipe = Recipe.from_dict(pair.card["recipe"])
        seed = int(pair.card["streams"]["training"]["entropy"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"card must say how the pair was trained, recipe and streams; {error!r}") from None
    whole = dataclasses.replace(recipe, start_length=0)
    trainer = Trainer(TrainOptions(pair.config, whole, seed=seed), torch.device("cpu"))
    while number > 0:
        batch = Episodes(*(field.to(torch.int16).numpy() for field in trainer.draw()))
        trainer.counters.step += 1
        yield batch[:number]
        number -= len(batch)
