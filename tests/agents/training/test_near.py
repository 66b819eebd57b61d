"""Near distractors, against loops over cells."""

import pytest
import torch

from spatial_agents.recipes import Recipe
from spatial_agents.training.data import draw_device_episodes, draw_every_target
from spatial_agents.training.near import log_weights, near_cells, nearer
from spatial_agents.training.samplers import TrainingSampler
from spatial_agents.training.schedules import one_factor_share
from spatial_game.config import GameConfig
from spatial_game.game.windows import window_cells

GAMES = {
    "sequence": GameConfig(9, window_radius=1, num_distractors=3, num_visible=1),
    "all visible": GameConfig(9, window_radius=1, num_distractors=3),
    "grid": GameConfig(shape=(4, 4), window_radius=1, num_distractors=3, num_visible=2),
}


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def slow_near_cells(episodes, game):
    """A cell is near if an integer that is visible stands in a place that is also at an offset from it."""
    cells, found = window_cells(game), []
    coordinates = [divmod(cell, game.shape[-1]) for cell in range(game.sequence_length)]
    offsets = {tuple(offset) if isinstance(offset, tuple) else (0, offset) for offset in game.offsets}
    if len(game.shape) == 1:
        coordinates = [(0, cell) for cell in range(game.sequence_length)]
    for target, window in zip(episodes.target_position.tolist(), episodes.window.tolist(), strict=True):
        row = [False] * game.sequence_length
        for place, integer in enumerate(window):
            if integer < 0:
                continue
            stands = coordinates[cells[target, place]]
            for cell, at in enumerate(coordinates):
                row[cell] |= (stands[0] - at[0], stands[1] - at[1]) in offsets
        found.append(row)
    return torch.tensor(found)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_near_cells(game):
    episodes = draw_device_episodes(game, 60, generator())
    near = near_cells(episodes, game)
    assert torch.equal(near, slow_near_cells(episodes, game))
    assert near.gather(1, episodes.target_position[:, None]).all()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_share_of_near_distractors(game):
    episodes = draw_device_episodes(game, 2000, generator())
    near = near_cells(episodes, game)
    others = (near.sum(dim=1) - 1).clamp(max=game.num_distractors)
    shares = []
    for share in (0.0, 0.5, 1.0):
        moved = nearer(episodes, game, share, generator(1))
        found = moved.candidates.gather(1, episodes.target_index[:, None])[:, 0]
        target = episodes.sequence.gather(1, episodes.target_position[:, None])[:, 0]
        assert torch.equal(found, target)
        assert (moved.candidates.sort(dim=1).values.diff(dim=1) > 0).all()  # all different
        assert torch.equal(moved.candidates, nearer(episodes, game, share, generator(1)).candidates)
        cells = (moved.candidates.unsqueeze(-1) == episodes.sequence.unsqueeze(1)).long().argmax(dim=-1)
        number = near.gather(1, cells).sum(dim=1) - 1
        shares.append(float(number.sum() / others.sum()))
    assert torch.equal(number, others)  # as many as there are
    assert shares == sorted(shares)
    by_chance = (near.sum(dim=1) - 1).float().mean() / (game.sequence_length - 1)
    assert shares[0] * float(others.sum()) / near[:, : game.num_distractors].numel() == pytest.approx(
        float(by_chance), abs=0.03
    )


def test_weights_of_all_cells_as_candidates():
    game = GAMES["sequence"]
    episodes = draw_every_target(game, 4, generator())
    near = slow_near_cells(episodes, game)
    weights = log_weights(episodes, game, 0.75).exp()
    for row, target, own in zip(
        near.tolist(), episodes.target_position.tolist(), weights.tolist(), strict=True
    ):
        assert own[target] == 1
        own[target] = 0.0
        near_ones = sum(value for value, is_near in zip(own, row, strict=True) if is_near)
        assert near_ones == pytest.approx(0.75 * (game.sequence_length - 1), rel=1e-5)
        assert sum(own) == pytest.approx(game.sequence_length - 1, rel=1e-5)
    assert torch.isfinite(log_weights(episodes, game, 1.0)).all()


def test_near_distractors_in_training(tiny_options):
    def candidates(step, **changes):
        options = tiny_options(start_length=0, **changes)
        return TrainingSampler(options, torch.device("cpu")).draw(options.game, step).candidates

    plain = candidates(0)
    assert not torch.equal(candidates(0, one_factor=1.0), plain)
    assert torch.equal(candidates(0, one_factor=1.0, one_factor_start=0.0), plain)
    assert not torch.equal(candidates(39, one_factor=1.0, one_factor_start=0.0), plain)


def test_the_share_moves_in_a_straight_line():
    growing = Recipe(steps=101, one_factor=0.8, one_factor_start=0.2)
    assert [one_factor_share(growing, step) for step in (0, 50, 100)] == pytest.approx([0.2, 0.5, 0.8])
    assert [one_factor_share(Recipe(steps=9, one_factor=0.3), step) for step in (0, 8)] == [0.3, 0.3]
