"""Samplers of one's own, as their user would use them."""

import numpy as np
import pytest
import torch
from helpers.tiny_pairs import TINY

from spatial_agents import load_pair
from spatial_agents.training.folders import options_of
from spatial_agents.training.own_code import OwnCode
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import Trainer
from spatial_game import MASK, GameConfig, draw_episodes
from spatial_game.errors import TrainingFailed


def at_the_left_end(n, rng):
    """Episodes whose target is the first integer, which no other candidate can be taken for."""
    many = draw_episodes(TINY, 40 * n, rng)
    return many[np.flatnonzero(many.target_position == 0)[:n]]


def reaching_out(n, rng, *, progress=1.0):
    """Targets at the left end first, then at all places."""
    many = draw_episodes(TINY, 40 * n, rng)
    return many[np.flatnonzero(many.target_position <= 6 * progress)[:n]]


def fewer_and_fewer(n, rng):
    return draw_episodes(TINY, n - (n > 2), rng)


def too_few(n, rng):
    return draw_episodes(TINY, 1, rng)


def nothing(n, rng):
    return None


def of_another_game(n, rng):
    return draw_episodes(GameConfig.tiny(), n, rng)


def of_another_generator(n, rng):
    return draw_episodes(TINY, n, np.random.default_rng())


def with_an_option(n, rng, *, reach=2, progress=1.0): ...


def swapped(rng, n): ...


@pytest.mark.usefixtures("often_logged")
@pytest.mark.parametrize("recipe", ["local", "curriculum"])
def test_a_sampler_draws_the_episodes_of_a_training(own_options, train_and_kill, recipe):
    changes = {"recipe": recipe, "steps": 6, "batch_size": 7}
    [whole] = train(own_options("whole", **changes), sampler=at_the_left_end)
    cut = own_options("cut", checkpoint_seconds=0.0, **changes)
    train_and_kill(5, cut, sampler=at_the_left_end)
    [again] = train(options_of(cut.out), sampler=at_the_left_end)
    assert (whole / "pair.safetensors").read_bytes() == (again / "pair.safetensors").read_bytes()
    card = load_pair(whole).card
    assert card["sampler"]["name"] == f"{__name__}:at_the_left_end"
    assert not {"every_target", "unseen"} & card["recipe"].keys()
    assert card["episodes_seen"] == 6 * 7
    trainer = Trainer(cut, torch.device("cpu"), OwnCode(sampler=at_the_left_end))
    window = trainer.draw().window
    assert window.shape == (7, 3)
    assert (window[:, 0] == MASK).all()
    with pytest.raises(ValueError, match=r"with its sampler, .*:at_the_left_end; got the game's"):
        train(cut)


def test_what_a_sampler_returns_is_checked_in_each_step(own_options):
    with pytest.raises(TrainingFailed, match=r"what sampler\(7, rng\) returns must be a batch of 7; got 6"):
        train(own_options(batch_size=7), sampler=fewer_and_fewer)


def test_a_sampler_knows_the_progress_of_the_training(own_options):
    trainer = Trainer(own_options(batch_size=7), torch.device("cpu"), OwnCode(sampler=reaching_out))
    ends = []
    for trainer.step_number in range(6):
        window = trainer.draw().window
        ends.append((window[:, 0] == MASK).float().mean())
    assert ends[0] == 1
    assert ends[5] < 0.8


RETURNED = r"what sampler\(2, rng\) returns must be"


@pytest.mark.parametrize(
    ("sampler", "changes", "fault"),
    [
        (swapped, {}, r"sampler must take \(n, rng\); got \(rng, n\)"),
        (too_few, {}, f"{RETURNED} a batch of 2; got 1"),
        (nothing, {}, f"{RETURNED} Episodes; got NoneType"),
        (of_another_game, {}, f"{RETURNED} of the game, whose sequence_length is 6"),
        (
            of_another_generator,
            {},
            "sampler must return the same episodes for the same generator, or a resu",
        ),
        (with_an_option, {}, "sampler must have no keyword-only parameter but progress; got reach, progress"),
        (GameConfig, {}, "sampler must be a function made with def, by which its run and card know it; got"),
        (at_the_left_end, {"unseen": 0.2}, "unseen must be left out with your own sampler; got 0.2"),
    ],
)
def test_what_is_no_sampler_makes_no_folder(own_options, sampler, changes, fault):
    options = own_options(**changes)
    with pytest.raises(ValueError, match=fault):
        train(options, sampler=sampler)
    assert not options.out.exists()
