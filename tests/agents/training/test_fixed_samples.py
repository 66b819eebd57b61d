import torch

from spatial_agents.training.samplers import FixedSamples
from spatial_game.config import GameConfig

GAME = GameConfig(9, window_radius=1, num_distractors=2)
CPU = torch.device("cpu")


def rows(episodes):
    """Each episode as a tuple of all its numbers."""
    return [tuple(row) for row in torch.cat([c.reshape(len(c), -1) for c in episodes], dim=1).tolist()]


def test_each_pass_has_all_of_them_in_another_order():
    samples = FixedSamples(GAME, 10, seed=3, device=CPU)
    stored = samples.batch(0, 10)
    seen = [row for step in range(5) for row in rows(samples.batch(step, 4))]  # 20 episodes, two passes
    assert len(set(rows(stored))) == 10
    assert set(seen[:10]) == set(seen[10:]) == set(rows(stored))
    assert seen[:10] != seen[10:]


def test_a_step_has_the_same_episodes_whatever_was_before_it():
    [first, second] = (FixedSamples(GAME, 10, seed=3, device=CPU) for _ in range(2))
    for step in range(7):
        first.batch(step, 4)
    assert rows(first.batch(7, 4)) == rows(second.batch(7, 4))
    assert rows(first.batch(7, 4)) != rows(FixedSamples(GAME, 10, seed=4, device=CPU).batch(7, 4))


def test_a_batch_may_be_larger_than_the_set():
    assert len(rows(FixedSamples(GAME, 3, seed=0, device=CPU).batch(2, 8))) == 8
