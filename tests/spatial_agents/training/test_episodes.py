"""The episodes of training: those of the game, from fixed sets, and without held-out combinations."""

import dataclasses

import numpy as np
import pytest
import torch
from helpers.held_out_windows import number_shown
from helpers.strategies import grids
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.episodes import AllowedWindows, Batch, TrainingEpisodes, draw_every_target
from spatial_game import Episodes, GameConfig, UserError, draw_episodes, memory
from spatial_game.game.checking import check_episodes
from spatial_game.game.combinations import draw_combinations
from spatial_game.game.windows import window_tables

SMALL = GameConfig(9, window_radius=1, num_distractors=2)


def test_episodes_become_tensors_of_the_kind_that_torch_looks_up():
    episodes = draw_episodes(SMALL, 10, np.random.default_rng(0))[::-2]
    tensors, batch = episodes.to_torch("cpu"), Batch.of(episodes)
    assert tensors.keys() == vars(episodes).keys()
    for name, column in vars(episodes).items():
        assert tensors[name].dtype == torch.int64
        np.testing.assert_array_equal(tensors[name].numpy(), column)
    assert all(torch.equal(getattr(batch, name), tensors[name]) for name in Batch._fields if name in tensors)
    assert set(Batch._fields) - tensors.keys() == {"allowed", "progress"}
    assert batch.allowed.all()
    assert torch.equal(batch.cells_of(batch.target_index), tensors["target_position"])
    assert all(column.device.type == "meta" for column in episodes.to_torch("meta").values())


@given(grids(), st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_every_target_is_an_episode_of_the_game_in_which_all_are_candidates(config, seed):
    config = dataclasses.replace(config, num_distractors=config.sequence_length - 1)
    drawn = draw_every_target(config, 3, np.random.default_rng(seed))
    sequence = np.repeat(drawn.sequence.numpy(), config.sequence_length, axis=0)
    target = np.tile(np.arange(config.sequence_length), 3)
    mask_column = window_tables(config).mask_column[target]
    check_episodes(config, Episodes(sequence, target, drawn.window.numpy(), mask_column, sequence, target))
    assert torch.equal(drawn.candidates, drawn.sequence)
    assert (drawn.target_index.numpy() == target).all()
    assert (drawn.cells_of(drawn.target_index).numpy() == target).all()


def test_every_cell_is_hidden_equally_often():
    config = GameConfig(shape=(3, 3), window_radius=1, num_visible=2, num_distractors=2)
    window = draw_every_target(config, 2000, np.random.default_rng(0)).window
    shares = (window >= 0).double().mean(dim=0) * 9 / 8
    torch.testing.assert_close(shares, torch.full((9,), 0.25).double(), atol=0.01, rtol=0)


@pytest.mark.parametrize("recipe", [Recipe("paper"), Recipe("local"), Recipe("paper", fixed_samples=5000)])
def test_the_seed_and_the_step_say_which_episodes(recipe):
    options = TrainOptions(SMALL, recipe, seed=3)
    episodes, others = TrainingEpisodes(options), TrainingEpisodes(options)
    first = [episodes.draw(SMALL, step) for step in range(3)][1]
    assert all(map(torch.equal, first[:-1], others.draw(SMALL, 1)[:-1]))
    for different in (others.draw(SMALL, 2), TrainingEpisodes(TrainOptions(SMALL, recipe)).draw(SMALL, 1)):
        assert not torch.equal(first.window, different.window)


# --------------------------------------------------------------------------------------- fixed samples


def test_each_pass_has_all_of_them_in_another_order():
    options = TrainOptions(SMALL, Recipe("paper", fixed_samples=10, batch_size=4), seed=3)
    episodes = TrainingEpisodes(options)
    batches = [episodes.draw(SMALL, step) for step in range(5)]  # 20 episodes, two passes
    seen = [tuple(row) for batch in batches for row in torch.cat(batch[:3], dim=1).tolist()]
    assert len(set(seen)) == 10
    assert set(seen[:10]) == set(seen[10:])
    assert seen[:10] != seen[10:]


# ------------------------------------------------------------------------------------ held-out combinations

TWENTY = GameConfig(12, num_integers=20)


@pytest.mark.parametrize("recipe", ["paper", "curriculum"])
def test_drawn_windows_show_no_held_out_combination(recipe):
    options = TrainOptions(TWENTY, Recipe(recipe, unseen=0.2, batch_size=1000), seed=3)
    batch = TrainingEpisodes(options).draw(TWENTY.changed(shape=(7,)), 0)
    assert batch.window.shape == (1000, 5)
    assert batch.allowed.all()
    assert not number_shown(draw_combinations(TWENTY, 0.2, 3), batch.window.numpy()).any()


def test_of_every_target_the_windows_that_show_it_do_not_count():
    game = GameConfig(shape=(4, 5), window_radius=1, num_visible=3)
    options = TrainOptions(game, Recipe("local", unseen=0.2), seed=3)
    batch = TrainingEpisodes(options).draw(game, 0)
    shows = number_shown(draw_combinations(game, 0.2, 3), batch.window.numpy()) > 0
    assert 0.1 < shows.mean() < 0.9
    assert (batch.allowed.numpy() == ~shows).all()


def test_what_leaves_hardly_a_window_is_refused():
    with pytest.raises(ValueError, match="unseen must leave at least 2% of the windows for training; got"):
        AllowedWindows(draw_combinations(GameConfig(shape=(8, 8), window_radius=1), 0.5, 0))


@pytest.mark.parametrize(
    ("field", "recipe"),
    [
        ("batch_size", Recipe("local", batch_size=10**7)),
        ("batch_size", Recipe("paper", batch_size=10**7)),
        ("fixed_samples", Recipe("paper", fixed_samples=10**7)),
    ],
)
def test_more_episodes_than_fit_into_memory_are_refused(field, recipe, monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**29)
    rule = rf"^{field} must fit into the free memory of 0\.5 GiB; got 10000000, .*: use "
    with pytest.raises(UserError, match=rule):
        TrainingEpisodes(TrainOptions(GameConfig(20), recipe))
