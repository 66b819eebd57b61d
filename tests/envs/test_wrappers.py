"""Other forms of the environments: accepted by PettingZoo's tests, and the same game."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.envs import wrappers

Form = Callable[[Any], Any]
SMALL = {"sequence_length": 9, "num_distractors": 2, "vocab_size": 7}


def masked_dict(env: Any) -> Any:
    return wrappers.mask_in_observation(wrappers.dict_observations(env))


def masked_equal(env: Any) -> Any:
    return wrappers.mask_in_observation(wrappers.equal_spaces(env))


ANY = [wrappers.dict_observations, wrappers.one_hot, wrappers.mask_in_observation, masked_dict]
CASES = [(referential_v0, form) for form in ANY]
CASES += [(referential_symbol_v0, form) for form in (*ANY, wrappers.equal_spaces, masked_equal)]
each_case = pytest.mark.parametrize(("module", "form"), CASES, ids=lambda x: x.__name__.split(".")[-1])


@pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="the tests of older ones know fewer kinds of observations"
)
@each_case
def test_pettingzoo_accepts_every_form(module: Any, form: Form) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(form(module.env(**SMALL)), num_cycles=200)
        parallel_api_test(form(module.parallel_env(**SMALL)), num_cycles=200)
        seed_test(lambda: form(module.env(**SMALL)))
        parallel_seed_test(lambda: form(module.parallel_env(**SMALL)))


@each_case
def test_observations_are_in_their_space_at_every_time(module: Any, form: Form) -> None:
    env = form(module.env(**SMALL))
    env.reset(seed=3)
    for agent in env.agent_iter():
        for each in env.possible_agents:
            assert env.observation_space(each).contains(env.observe(each))
        info, gone = env.infos[agent], env.terminations[agent]
        env.step(None if gone else env.action_space(agent).sample(info["action_mask"]))
    for each in env.possible_agents:
        assert env.observation_space(each).contains(env.observe(each))


@pytest.mark.parametrize("form", [wrappers.mask_in_observation, masked_equal], ids=lambda x: x.__name__)
@pytest.mark.parametrize("infos_read", [False, True])
def test_the_mask_after_the_end_is_that_of_the_end(form: Form, infos_read: bool) -> None:
    env = form(referential_symbol_v0.env(**SMALL))
    env.reset(seed=3)
    if infos_read:
        assert env.infos["sender_0"]["action_mask"].all()
    for action in (0, 0, 0, 0, None, None):
        env.step(action)
    assert env.agents == []
    late = form(env.env if form is wrappers.mask_in_observation else env.env.env)  # put on after the end
    for worn in (env, late):
        for agent in env.possible_agents:
            seen = worn.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].tolist() == [1] + [0] * (len(seen["action_mask"]) - 1)
    env.reset(seed=3)
    assert env.observe("sender_0")["action_mask"].all()


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])
@pytest.mark.parametrize("form", ANY, ids=lambda x: x.__name__)
def test_gymnasium_accepts_every_form_of_a_role(role: str, form: Form) -> None:
    env = form(gym.make(f"spatial_game/{role}-v0", **SMALL).unwrapped)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env, skip_render_check=True)
    both = form((referential_symbol_v0 if "Symbol" in role else referential_v0).env(**SMALL))
    both.reset(seed=3)
    agent = env.unwrapped.agent
    assert env.observation_space == both.observation_space(agent)
    if agent == "sender_0":
        _assert_equal(env.reset(seed=3)[0], both.observe(agent))
    assert env.action_masks().all()


def _assert_equal(one: Any, other: Any) -> None:
    """Arrays, or dicts and tuples of them, nested."""
    if isinstance(one, (dict, tuple)):
        assert len(one) == len(other)
        for key in one if isinstance(one, dict) else range(len(one)):
            _assert_equal(one[key], other[key])
    else:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_stable_baselines3_takes_a_role_in_fields() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    for form in (wrappers.dict_observations, wrappers.one_hot):
        checker.check_env(form(gym.make("spatial_game/Receiver-v0", **SMALL)))


def test_a_dict_holds_the_fields() -> None:
    flat, formed = referential_v0.parallel_env(**SMALL), referential_v0.parallel_env(**SMALL)
    formed = wrappers.dict_observations(formed)
    (seen, _), (fields, _) = flat.reset(seed=1), formed.reset(seed=1)
    assert list(fields["receiver_0"]) == ["message", "sequence", "candidates"]
    assert {field.dtype for field in fields["receiver_0"].values()} == {np.dtype(np.int64)}
    np.testing.assert_array_equal(np.concatenate(list(fields["receiver_0"].values())), seen["receiver_0"])
    assert list(fields["sender_0"]) == ["window"]
    symbols = wrappers.dict_observations(referential_symbol_v0.parallel_env(**SMALL))
    assert list(symbols.reset(seed=1)[0]["sender_0"]) == ["window", "message"]


def test_one_hot_has_one_place_for_each_value() -> None:
    env = wrappers.one_hot(referential_v0.parallel_env(sequence_length=3, window_radius=1, num_distractors=1))
    flat = referential_v0.parallel_env(sequence_length=3, window_radius=1, num_distractors=1)
    seen, window = env.reset(seed=5)[0]["sender_0"], flat.reset(seed=5)[0]["sender_0"]
    by_hand = np.zeros((3, 4))
    for cell, value in enumerate(window):
        by_hand[cell, int(value) + 1] = 1
    np.testing.assert_array_equal(seen, by_hand.ravel())
    heard = env.reset(seed=5)[0]["receiver_0"]
    assert heard.shape == (3 * 27 + 3 * 3 + 2 * 3,)
    assert heard.sum() == 3 + 3 + 2
    assert heard[[0, 27, 54]].all()  # nothing has been sent


def test_equal_spaces_are_equal_and_wrap_actions_around() -> None:
    env = wrappers.equal_spaces(referential_symbol_v0.parallel_env(**SMALL))
    assert env.observation_space("sender_0") == env.observation_space("receiver_0")
    assert env.action_space("sender_0") == env.action_space("receiver_0") == spaces.Discrete(7)
    env.reset(seed=2)
    right = int(env.unwrapped.scene().episode.target_index[0])
    for symbol in (6, 5, 0):
        _, _, _, _, infos = env.step({"sender_0": symbol, "receiver_0": 0})
    assert env.unwrapped.scene().message.tolist() == [6, 5, 0]
    assert infos["receiver_0"]["action_mask"].tolist() == [1, 1, 1, 0, 0, 0, 0]
    _, rewards, _, _, _ = env.step({"sender_0": 0, "receiver_0": right + 3})
    assert rewards == {"sender_0": 1.0, "receiver_0": 1.0}


def test_equal_spaces_leave_none_off_turn_alone() -> None:
    env = wrappers.equal_spaces(referential_symbol_v0.parallel_env(**SMALL))
    env.reset(seed=2)
    for symbol in (6, 5, 0):
        env.step({"sender_0": symbol, "receiver_0": None})
    with pytest.raises(TypeError, match="choice must be an integer; got None"):
        env.step({"sender_0": None, "receiver_0": None})
    assert env.step({"sender_0": None, "receiver_0": 3})[2] == {"sender_0": True, "receiver_0": True}
    assert env.unwrapped.scene().message.tolist() == [6, 5, 0]


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match=r"equal_spaces needs Discrete actions .*; got MultiDiscrete"):
        wrappers.equal_spaces(referential_v0.env())
    with pytest.raises(ValueError, match="must be the first of those that change observations"):
        wrappers.one_hot(wrappers.dict_observations(referential_v0.env()))
    for other in (object(), gym.make("CartPole-v1"), gym.make_vec("spatial_game/Receiver-v0", num_envs=2)):
        with pytest.raises(TypeError, match="env must be a referential game of spatial_game, not a batch"):
            wrappers.one_hot(other)
    with pytest.raises(ValueError, match="equal_spaces needs an environment of both agents; got one of one"):
        wrappers.equal_spaces(gym.make("spatial_game/SenderSymbol-v0"))
    with pytest.raises(ValueError, match="must be the first of those that change observations"):
        wrappers.one_hot(wrappers.dict_observations(gym.make("spatial_game/Receiver-v0")))
    env = wrappers.equal_spaces(referential_symbol_v0.env(**SMALL))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"action must be in 0\.\.6; got 7"):
        env.form.action("sender_0", 7)
