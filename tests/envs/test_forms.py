"""Forms of observations: accepted by PettingZoo and Gymnasium, and the same game."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.envs.forms import FORMS, ROLE_FORMS
from spatial_game.envs.vector import ParallelVectorEnv

SMALL: dict[str, Any] = {"sequence_length": 9, "num_distractors": 2, "vocab_size": 7}
GRID: dict[str, Any] = {"shape": (3, 4), "window_radius": 1, "num_visible": 3, "vocab_size": 8}
each_game = pytest.mark.parametrize("game", [SMALL, GRID], ids=["sequence", "grid"])

CASES = [
    (module, {"observations": form, "mask_in_observation": masked})
    for module in (referential_v0, referential_symbol_v0)
    for form in FORMS
    for masked in (False, True)
    if form != "equal" or module is referential_symbol_v0
]
each_case = pytest.mark.parametrize(("module", "form"), CASES, ids=str)


@pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="the tests of older ones know fewer kinds of observations"
)
@each_game
@each_case
def test_pettingzoo_accepts_every_form(module: Any, form: dict[str, Any], game: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(module.env(**form, **game), num_cycles=200)
        parallel_api_test(module.parallel_env(**form, **game), num_cycles=200)
        seed_test(lambda: module.env(**form, **game))
        parallel_seed_test(lambda: module.parallel_env(**form, **game))


@each_game
@each_case
def test_observations_are_in_their_space_at_every_time(
    module: Any, form: dict[str, Any], game: dict[str, Any]
) -> None:
    env = module.env(**form, **game)
    env.reset(seed=3)
    for agent in env.agent_iter():
        for each in env.possible_agents:
            assert env.observation_space(each).contains(env.observe(each))
        info, gone = env.infos[agent], env.terminations[agent]
        env.step(None if gone else env.action_space(agent).sample(info["action_mask"]))
    for each in env.possible_agents:
        assert env.observation_space(each).contains(env.observe(each))


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="older ones have no registry")
@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_a_form_is_chosen_in_make(kind: str) -> None:
    env_id = "spatial_game/referential_symbol-v0"
    env: Any = pettingzoo.make(kind, env_id, observations="equal", mask_in_observation=True, **SMALL)  # type: ignore[arg-type]
    senders, receivers = map(env.observation_space, env.possible_agents)
    assert senders == receivers
    assert set(senders.spaces) == {"observation", "action_mask"}
    env.reset(seed=1)
    small: Any = pettingzoo.make(kind, "spatial_game/referential-small-v0", observations="dict")  # type: ignore[arg-type]
    assert small.observation_space("receiver_0")["sequence"].shape == (8,)


def test_an_env_is_pickled_with_its_form() -> None:
    env = referential_symbol_v0.parallel_env(observations="equal", mask_in_observation=True, **SMALL)
    again = pickle.loads(pickle.dumps(env))
    assert again.observation_space("sender_0") == env.observation_space("sender_0")


def test_the_mask_after_the_end_is_that_of_the_end() -> None:
    for form in ("flat", "equal"):
        env = referential_symbol_v0.env(observations=form, mask_in_observation=True, **SMALL)
        env.reset(seed=3)
        assert env.infos["sender_0"]["action_mask"].all()
        for action in (0, 0, 0, 0, None, None):
            env.step(action)
        assert env.agents == []
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].tolist() == [1] + [0] * (len(seen["action_mask"]) - 1)
        env.reset(seed=3)
        assert env.observe("sender_0")["action_mask"].all()


ROLE_CASES = [(form, masked) for form in ROLE_FORMS for masked in (False, True)]


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])
@pytest.mark.parametrize(("form", "masked"), ROLE_CASES)
@each_game
def test_gymnasium_accepts_every_form_of_a_role(
    role: str, form: str, masked: bool, game: dict[str, Any]
) -> None:
    kind: dict[str, Any] = {"observations": form, "mask_in_observation": masked, **game}
    env = gym.make(f"spatial_game/{role}-v0", **kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped, skip_render_check=True)
    both = (referential_symbol_v0 if "Symbol" in role else referential_v0).env(**kind)
    both.reset(seed=3)
    agent = env.unwrapped.agent  # type: ignore[attr-defined]
    assert env.observation_space == both.observation_space(agent)
    if agent == "sender_0":
        _assert_equal(env.reset(seed=3)[0], both.observe(agent))


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])
@pytest.mark.parametrize(("form", "masked"), ROLE_CASES)
@each_game
def test_a_batch_sees_what_single_environments_see(
    role: str, form: str, masked: bool, game: dict[str, Any]
) -> None:
    kind: dict[str, Any] = {"observations": form, "mask_in_observation": masked, **game}
    envs = gym.make_vec(f"spatial_game/{role}-v0", num_envs=3, **kind)
    alone = [gym.make(f"spatial_game/{role}-v0", **kind) for _ in range(3)]
    seen, _ = envs.reset(seed=5)
    assert envs.observation_space.contains(seen)
    each = list(gym.vector.utils.iterate(envs.observation_space, seen))
    for game, env in enumerate(alone):
        _assert_equal(each[game], env.reset(seed=5 + game)[0])
    actions = envs.action_space.sample()
    seen, *_, infos = envs.step(actions)
    assert envs.observation_space.contains(seen)
    last = list(gym.vector.utils.iterate(envs.observation_space, infos.get("final_obs", seen)))
    for game, env in enumerate(alone):
        _assert_equal(last[game], env.step(actions[game])[0])


@each_game
@each_case
def test_a_batch_of_both_agents_sees_what_single_environments_see(
    module: Any, form: dict[str, Any], game: dict[str, Any]
) -> None:
    by_symbol = module is referential_symbol_v0
    envs = ParallelVectorEnv(3, symbol_per_turn=by_symbol, autoreset=False, **form, **game)
    alone = [module.parallel_env(**form, **game) for _ in range(3)]
    seen, _ = envs.reset(seed=5)
    each = [env.reset(seed=5 + i)[0] for i, env in enumerate(alone)]
    over = False
    while True:
        for agent in envs.agents:
            assert envs.observation_space(agent).contains(seen[agent])
            rows = gym.vector.utils.iterate(envs.observation_space(agent), seen[agent])
            for row, single in zip(rows, each, strict=True):
                _assert_equal(row, single[agent])
        if over:
            break
        actions = {agent: envs.action_space(agent).sample() for agent in envs.agents}
        seen, rewards, ended, _, _ = envs.step(actions)
        stepped = [env.step({a: actions[a][i] for a in actions}) for i, env in enumerate(alone)]
        each, over = [step[0] for step in stepped], bool(ended["sender_0"].all())
        assert rewards["sender_0"].tolist() == [step[1]["sender_0"] for step in stepped]


@each_game
@pytest.mark.parametrize("form", FORMS)
def test_both_agents_as_one_gymnasium_environment(form: str, game: dict[str, Any]) -> None:
    """As EPyMARL uses it: it wraps, pads and sums, but first asks for these spaces and tuples."""
    env = gym.make("spatial_game/Both-v0", observations=form, **game)
    alone = referential_symbol_v0.parallel_env(observations=form, **game)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        expected, _ = alone.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(seen)
            _assert_equal(seen, tuple(expected.values()))
            actions = env.action_space.sample()
            seen, reward, over, cut, _ = env.step(actions)
            expected, rewards, ended, _, _ = alone.step(
                dict(zip(alone.possible_agents, actions, strict=True))
            )
            assert (reward, over, cut) == (tuple(rewards.values()), ended["sender_0"], False)
    assert env.unwrapped.n_agents == 2  # type: ignore[attr-defined]
    assert gym.make("spatial_game/Both-tiny-v0").unwrapped.config.signature == "L4 w1 c2 | v4x2"  # type: ignore[attr-defined]


def _assert_equal(one: Any, other: Any) -> None:
    """Arrays, or dicts and tuples of them, nested."""
    if isinstance(one, (dict, tuple)):
        assert len(one) == len(other)
        for key in one if isinstance(one, dict) else range(len(one)):
            _assert_equal(one[key], other[key])
    else:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_stable_baselines3_takes_a_role_in_every_form() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    for form in ("flat", "dict", "one_hot"):
        checker.check_env(gym.make("spatial_game/Receiver-v0", observations=form, **SMALL))


def test_a_dict_holds_the_fields() -> None:
    flat = referential_v0.parallel_env(**SMALL)
    formed = referential_v0.parallel_env(observations="dict", **SMALL)
    (seen, _), (fields, _) = flat.reset(seed=1), formed.reset(seed=1)
    assert list(fields["receiver_0"]) == ["message", "sequence", "candidates"]
    assert {field.dtype for field in fields["receiver_0"].values()} == {np.dtype(np.int64)}
    np.testing.assert_array_equal(np.concatenate(list(fields["receiver_0"].values())), seen["receiver_0"])
    assert list(fields["sender_0"]) == ["window"]
    symbols = referential_symbol_v0.parallel_env(observations="dict", **SMALL)
    assert list(symbols.reset(seed=1)[0]["sender_0"]) == ["window", "message"]


def test_one_hot_has_one_place_for_each_value() -> None:
    game = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1}
    env, flat = (
        referential_v0.parallel_env(observations="one_hot", **game),
        referential_v0.parallel_env(**game),
    )
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
    env = referential_symbol_v0.parallel_env(observations="equal", **SMALL)
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
    env = referential_symbol_v0.parallel_env(observations="equal", **SMALL)
    env.reset(seed=2)
    for symbol in (6, 5, 0):
        env.step({"sender_0": symbol, "receiver_0": None})
    with pytest.raises(TypeError, match="action must be an integer; got None"):
        env.step({"sender_0": None, "receiver_0": None})
    assert env.step({"sender_0": None, "receiver_0": 3})[2] == {"sender_0": True, "receiver_0": True}
    assert env.unwrapped.scene().message.tolist() == [6, 5, 0]


def test_misuse_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r'observations="equal" needs Discrete actions .*; got MultiDiscrete'
    ):
        referential_v0.env(observations="equal")
    with pytest.raises(
        ValueError, match=r'must be one of flat, dict, one_hot, equal; got .*did you mean "one_h'
    ):
        referential_v0.env(observations="onehot")
    with pytest.raises(ValueError, match=r"must be one of flat, dict, one_hot, equal; got \['dict'\]"):
        referential_v0.env(observations=["dict"])
    with pytest.raises(ValueError, match="observations must be one of flat, dict, one_hot; got 'equal'"):
        gym.make("spatial_game/SenderSymbol-v0", observations="equal")
    for make in (
        referential_v0.env,
        ParallelVectorEnv,
        lambda **form: gym.make("spatial_game/Sender-v0", **form),
    ):
        with pytest.raises(TypeError, match="mask_in_observation must be True or False; got 'no'"):
            make(mask_in_observation="no")
    env = referential_symbol_v0.raw_env(observations="equal", **SMALL)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"action must be in 0\.\.6; got 7"):
        env.step(7)
