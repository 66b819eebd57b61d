"""The episodes of a training, drawn again."""

import dataclasses

import numpy as np
import pytest
import torch

from spatial_agents.pairs.loading import load_pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training import loop
from spatial_agents.training.runs import train
from spatial_agents.training.samplers import training_episodes
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK


@pytest.mark.parametrize(
    "changes",
    [{}, {"hold_out": 0.2}, {"recipe": "paper", "fixed_samples": 50}],
    ids=["fresh", "held out", "fixed"],
)
def test_they_are_those_that_the_pair_was_trained_on(tiny_options, monkeypatch, changes):
    seen = []

    class Watched(Trainer):
        def draw(self):
            seen.append(super().draw())
            return seen[-1]

    monkeypatch.setattr(loop, "Trainer", Watched)
    [folder] = train(tiny_options(steps=5, start_length=0, seed=3, **changes))
    monkeypatch.undo()
    found = list(training_episodes(load_pair(folder), 3 * 32 + 7))
    assert [len(batch) for batch in found] == [32, 32, 32, 7]
    for batch, drawn in zip(found, seen, strict=False):
        for name, field in zip(drawn._fields, drawn, strict=True):
            np.testing.assert_array_equal(getattr(batch, name), field.numpy()[: len(batch)])


def test_a_curriculum_is_drawn_at_full_length(tiny_options):
    options = tiny_options(steps=5, start_length=3)
    [folder] = train(options)
    [batch] = training_episodes(load_pair(folder), 10)
    assert batch.sequence.shape == (10, options.game.sequence_length)


def test_windows_show_more_from_step_to_step(tmp_path):
    game = GameConfig(shape=(3, 3), window_radius=1, num_distractors=2, vocab_size=4, message_length=2)
    recipe = Recipe("landmark", steps=10, batch_size=9, start_visible=1)
    options = TrainOptions(game, recipe, out=tmp_path / "run", evaluation_episodes=10)
    trainer = Trainer([options], torch.device("cpu"))
    seen = []
    while not trainer.finished:
        window = trainer.draw().window
        assert ((window == MASK).sum(dim=1) == 1).all()
        seen += set((window >= 0).sum(dim=1).tolist())
        trainer.step()
    assert seen == [1, 1, 2, 3, 4, 6, 8, 8, 8, 8]
    [folder] = train(options)
    [batch] = training_episodes(load_pair(folder), 9)
    assert (batch.window != HIDDEN).all()


def test_a_card_must_say_how(tiny_options):
    pair = load_pair("paper-20")
    for card in ({}, {"recipe": {"steps": 3}}, {"recipe": 7, "streams": {"training": {"entropy": 1}}}):
        with pytest.raises(ValueError, match="card must say how the pair was trained"):
            next(training_episodes(dataclasses.replace(pair, card=card), 10))
