"""The episodes of training: those of the game, from fixed sets, and without held-out combinations."""

import dataclasses

import numpy as np
import pytest
import torch
from held_out_windows import number_shown
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, grids

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.episodes import (
    UNUSED,
    Allowed,
    DeviceEpisodes,
    FixedSamples,
    TrainingEpisodes,
    device_episodes_from_keys,
    draw_device_episodes,
    draw_device_keys,
    draw_every_target,
)
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, draw_keys, episodes_from_keys
from spatial_game.game.held_out import held_out
from spatial_game.game.rules import check_episodes

CPU = torch.device("cpu")


def as_device_keys(keys):
    """The same keys as torch can sort them: signed, with the top bit flipped."""
    signed = np.int32 if keys.itemsize == 4 else np.int64
    top_bit = keys.dtype.type(1 << (8 * keys.itemsize - 1))
    return torch.from_numpy((keys ^ top_bit).view(signed).copy())


def assert_same(config, keys):
    drawn = device_episodes_from_keys(config, as_device_keys(keys))
    expected = episodes_from_keys(config, keys.copy())
    for name in DeviceEpisodes._fields:
        np.testing.assert_array_equal(getattr(drawn, name).numpy(), getattr(expected, name), err_msg=name)


@given(configs() | grids(), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_same_keys_make_the_same_episodes_as_numpy(config, seed):
    assert_same(config, draw_keys(config, 20, np.random.default_rng(seed)))


@pytest.mark.parametrize("num_integers", [60, 400])
def test_extreme_and_equal_keys_too(num_integers):
    config = GameConfig(12, num_integers)
    keys = draw_keys(config, 3, np.random.default_rng(0))
    keys[0], keys[1] = 0, np.iinfo(keys.dtype).max
    assert_same(config, keys)


@given(grids(), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_every_target_is_an_episode_of_the_game_in_which_all_are_candidates(config, seed):
    config = dataclasses.replace(config, num_distractors=config.sequence_length - 1)
    drawn = draw_every_target(config, 3, torch.Generator().manual_seed(seed))
    whole = [part.repeat_interleave(len(drawn.window) // len(part), dim=0).numpy() for part in drawn]
    episodes = check_episodes(config, Episodes(*whole))
    assert (episodes.target_position.reshape(3, -1) == np.arange(config.sequence_length)).all()


def test_every_cell_is_hidden_equally_often():
    config = GameConfig(shape=(3, 3), window_radius=1, num_visible=2, num_distractors=2)
    window = draw_every_target(config, 2000, torch.Generator().manual_seed(0)).window
    shares = (window >= 0).double().mean(dim=0) * 9 / 8
    torch.testing.assert_close(shares, torch.full((9,), 0.25).double(), atol=0.01, rtol=0)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_makes_the_same_episodes_of_the_same_keys():
    config = GameConfig(20, 60)
    keys = draw_device_keys(config, 500, torch.Generator("cuda").manual_seed(0))
    there = device_episodes_from_keys(config, keys)
    here = device_episodes_from_keys(config, keys.cpu())
    assert all(torch.equal(a.cpu(), b) for a, b in zip(there, here, strict=True))


# --------------------------------------------------------------------------------------- fixed samples

NINE = GameConfig(9, window_radius=1, num_distractors=2)


def rows(episodes):
    """Each episode as a tuple of all its numbers."""
    return [tuple(row) for row in torch.cat([c.reshape(len(c), -1) for c in episodes], dim=1).tolist()]


def test_each_pass_has_all_of_them_in_another_order():
    samples = FixedSamples(NINE, 10, seed=3, device=CPU)
    stored = samples.batch(0, 10)
    seen = [row for step in range(5) for row in rows(samples.batch(step, 4))]  # 20 episodes, two passes
    assert len(set(rows(stored))) == 10
    assert set(seen[:10]) == set(seen[10:]) == set(rows(stored))
    assert seen[:10] != seen[10:]


# ------------------------------------------------------------------------------------ held-out combinations

TWENTY = GameConfig(12, num_integers=20)


def test_windows_of_every_target_that_show_it_do_not_count():
    game = GameConfig(shape=(4, 5), window_radius=1, num_visible=3)
    held = held_out(game, 0.2, 3)
    options = TrainOptions(game, Recipe("local", hold_out=0.2), seed=3)
    episodes = TrainingEpisodes(options, CPU).draw(game, 0)
    whole = TrainingEpisodes(dataclasses.replace(options, recipe=Recipe("local")), CPU).draw(game, 0)
    shows = number_shown(held, whole.window.numpy()) > 0
    assert 0.1 < shows.mean() < 0.9
    assert not number_shown(held, episodes.window.numpy()).any()
    assert ((episodes.target_index == UNUSED).numpy() == shows).all()
    assert torch.equal(episodes.window[~shows], whole.window[~shows])


def test_what_is_shown_is_what_numpy_says_and_the_order_stays():
    held = held_out(TWENTY, 0.2, 3)
    allowed = Allowed(held, CPU)
    episodes = draw_device_episodes(TWENTY, int(100 / allowed.share) + 64, torch.Generator().manual_seed(1))
    shows = number_shown(held, episodes.window.numpy()) > 0
    assert np.array_equal(allowed.shows(episodes).numpy(), shows)
    drawn = allowed.draw(TWENTY, 100, torch.Generator().manual_seed(1))
    for field, whole in zip(drawn, episodes, strict=True):
        assert np.array_equal(field.numpy(), whole.numpy()[~shows][:100])


def test_what_leaves_hardly_a_window_is_refused():
    with pytest.raises(ValueError, match="hold_out must leave at least 2% of the windows for training; got"):
        Allowed(held_out(GameConfig(60), 0.7, 0), CPU)
