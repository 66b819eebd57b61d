import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import grids

from spatial_agents.training.data import (
    DeviceEpisodes,
    device_episodes_from_keys,
    draw_device_episodes,
    draw_device_keys,
    draw_every_target,
)
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, check_episodes, draw_keys, episodes_from_keys


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


@st.composite
def configs(draw):
    radius = draw(st.integers(1, 4))
    length = draw(st.integers(2 * radius + 1, 40))
    integers = draw(st.integers(length, 300))
    return GameConfig(length, integers, radius, draw(st.integers(1, length - 1)))


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


def test_the_generator_decides_alone():
    config = GameConfig(10, 20)
    first, again, other = (
        draw_device_episodes(config, 50, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first.sequence, other.sequence)


def test_keys_are_uniform_over_their_type():
    keys = draw_device_keys(GameConfig(60), 2000, torch.Generator().manual_seed(0)).double() / 2**31
    assert abs(keys.mean()) < 0.01
    assert abs(keys.var() - 1 / 3) < 0.01
    assert keys.min() < -0.999
    assert keys.max() > 0.999


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_makes_the_same_episodes_of_the_same_keys():
    config = GameConfig(20, 60)
    keys = draw_device_keys(config, 500, torch.Generator("cuda").manual_seed(0))
    there = device_episodes_from_keys(config, keys)
    here = device_episodes_from_keys(config, keys.cpu())
    assert all(torch.equal(a.cpu(), b) for a, b in zip(there, here, strict=True))
