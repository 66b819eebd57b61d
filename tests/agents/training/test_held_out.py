"""Training draws that leave combinations out."""

import dataclasses

import numpy as np
import pytest
import torch

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.data import UNUSED, draw_device_episodes
from spatial_agents.training.runs import train
from spatial_agents.training.samplers import Allowed, Sampler
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK
from spatial_game.game.held_out import held_out

CONFIG = GameConfig(12, num_integers=20)


@pytest.mark.parametrize("fraction", [0.1, 0.4])
def test_no_window_shows_what_is_held_out(fraction):
    held = held_out(CONFIG, fraction, 3)
    allowed = Allowed(held, torch.device("cpu"))
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        episodes = allowed.draw(CONFIG, 256, generator)
        assert episodes.window.shape == (256, 5)
        assert not held.shows(episodes.window.numpy()).any()


def test_windows_of_every_target_that_show_it_do_not_count():
    game = GameConfig(shape=(4, 5), window_radius=1, num_visible=3)
    held = held_out(game, 0.2, 3)
    options = TrainOptions(game, Recipe("local", hold_out=0.2), seed=3)
    episodes = Sampler(options, torch.device("cpu")).draw(game, 0)
    whole = Sampler(dataclasses.replace(options, recipe=Recipe("local")), torch.device("cpu")).draw(game, 0)
    shows = held.shows(whole.window.numpy())
    assert 0.1 < shows.mean() < 0.9
    assert not held.shows(episodes.window.numpy()).any()
    assert ((episodes.target_index == UNUSED).numpy() == shows).all()
    assert torch.equal(episodes.window[~shows], whole.window[~shows])


def test_what_does_not_count_changes_nothing():
    recipe = Recipe("local", hold_out=0.2, hidden_size=8, entropy_bonus=0.0)
    options = TrainOptions(GameConfig(shape=(3, 4), window_radius=1), recipe)
    weights = []
    for window in (MASK, 3):  # what stands in the windows that do not count
        trainer = Trainer(options, torch.device("cpu"))
        drawn = trainer.draw()
        unused = (drawn.target_index == UNUSED).unsqueeze(1)
        assert unused.any()
        episodes = drawn._replace(window=drawn.window.masked_fill(unused, window))
        trainer.draw = lambda episodes=episodes: episodes
        trainer.step()
        weights.append(trainer.pair.state_dict())
    for name, weight in weights[0].items():
        torch.testing.assert_close(weight, weights[1][name])


def test_few_integers_leave_fewer_windows_than_their_shares_say():
    game = GameConfig(8, num_integers=10, num_distractors=2)
    held = held_out(game, 0.5, 12)
    allowed, generator = Allowed(held, torch.device("cpu")), torch.Generator().manual_seed(0)
    assert 0.02 < allowed.share < 0.5**4
    assert not held.shows(allowed.draw(game, 2048, generator).window.numpy()).any()


def test_what_is_shown_is_what_numpy_says_and_the_order_stays():
    held = held_out(CONFIG, 0.2, 3)
    allowed = Allowed(held, torch.device("cpu"))
    episodes = draw_device_episodes(CONFIG, int(100 / allowed.share) + 64, torch.Generator().manual_seed(1))
    shows = held.shows(episodes.window.numpy())
    assert np.array_equal(allowed.shows(episodes).numpy(), shows)
    drawn = allowed.draw(CONFIG, 100, torch.Generator().manual_seed(1))
    for field, whole in zip(drawn, episodes, strict=True):
        assert np.array_equal(field.numpy(), whole.numpy()[~shows][:100])


def test_every_integer_and_every_offset_is_still_seen():
    held = held_out(CONFIG, 0.3, 3)
    episodes = Allowed(held, torch.device("cpu")).draw(CONFIG, 5_000, torch.Generator().manual_seed(2))
    window, mask = episodes.window.numpy(), episodes.mask_column.numpy()
    seen = {
        (int(value), cell - int(column))
        for row, column in zip(window, mask, strict=True)
        for cell, value in enumerate(row)
        if value >= 0
    }
    assert len({value for value, _ in seen}) == 20
    assert len({offset for _, offset in seen}) == 8
    assert len(seen) == 8 * 20 - held.cells.sum()


def test_a_trainer_draws_nothing_that_is_held_out():
    recipe = Recipe(inputs="embedding", hidden_size=8, batch_size=64, steps=4, hold_out=0.2)
    options = TrainOptions(CONFIG, recipe, seed=6, out=None)
    held = held_out(CONFIG, 0.2, 6)
    trainer = Trainer(options, torch.device("cpu"))
    windows = [trainer.draw().window.numpy() for _ in range(5)]
    assert all(len(window) == 64 for window in windows)
    assert not any(held.shows(window).any() for window in windows)
    ordinary = Trainer(dataclasses.replace(options, recipe=Recipe(batch_size=64)), torch.device("cpu"))
    assert held.shows(ordinary.draw().window.numpy()).any()


def test_what_can_be_held_out():
    with pytest.raises(ValueError, match=r"hold_out must be in \[0, 1\); got 1"):
        Recipe(hold_out=1)
    with pytest.raises(ValueError, match=r"fixed_samples must be 0 with hold_out; got 100"):
        Recipe("paper", hold_out=0.1, fixed_samples=100)
    options = TrainOptions(CONFIG, Recipe(hold_out=0.01), out=None)
    with pytest.raises(ValueError, match="fraction must be above 0 and below 1"):
        Trainer(options, torch.device("cpu"))
    with pytest.raises(ValueError, match=r"hold_out must leave at least 2% of the windows for training; got"):
        Allowed(held_out(GameConfig(60), 0.7, 0), torch.device("cpu"))


def test_what_cannot_be_held_out_leaves_no_folder(tmp_path):
    options = TrainOptions(GameConfig(8), Recipe(hold_out=0.9), out=tmp_path / "run")
    with pytest.raises(ValueError, match="fraction must"):
        train(options)
    assert not (tmp_path / "run").exists()
