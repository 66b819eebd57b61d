"""The environments: PettingZoo's own tests, the rules against the batch functions, and every misuse."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import re
import threading
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel
from strategies import configs, seeds

from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.config import GameConfig
from spatial_game.game.episodes import derive, draw_episodes
from spatial_game.rendering import viewer
from spatial_game.rendering.text import ansi

MODULES = {"referential_v0": referential_v0, "referential_symbol_v0": referential_symbol_v0}
CONFIGS: list[dict[str, Any]] = [
    {},
    {"sequence_length": 3, "window_radius": 1, "num_distractors": 1},
    {"window_radius": 3, "num_integers": 300},
    {"message_length": 1, "vocab_size": 2, "num_distractors": 59},
]
# What PettingZoo says of any game whose agents differ, and of MultiDiscrete actions.
EXPECTED_WARNINGS = {
    "Observations are different shapes",
    "Agents have different observation space sizes",
    "Action space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "\x1b[33mWARN: no window: there is no display; printing text instead\x1b[0m",
}
each_module = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)


def actions_of(module: ModuleType, message: list[int], choice: int) -> list[Any]:
    """The actions of an episode, in order."""
    sender = message if module is referential_symbol_v0 else [np.array(message)]
    return [*sender, choice]


# PettingZoo's own tests, and its registry


@each_module
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_pettingzoo_accepts_every_form(
    module: ModuleType, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "display_problem", lambda: "there is no display")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(module.env(**config), num_cycles=500)
        api_test(module.raw_env(**config), num_cycles=500)
        seed_test(lambda: module.env(**config))
        render_test(lambda **options: module.env(**config, **options))
        parallel_api_test(module.parallel_env(**config), num_cycles=500)
        parallel_seed_test(lambda: module.parallel_env(**config))
    assert {str(warning.message) for warning in caught} <= EXPECTED_WARNINGS


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize("name", ["referential", "referential_symbol"])
@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_the_environments_are_registered(name: str, kind: Any) -> None:
    env: Any = pettingzoo.make(kind, f"spatial_game/{name}-v0", sequence_length=20, render_mode="ansi")
    assert str(env) == env.metadata["name"] == f"{name}_v0"
    assert env.unwrapped.config == GameConfig(sequence_length=20)
    small: Any = pettingzoo.make(kind, f"spatial_game/{name}-small-v0", observations="dict")
    assert small.observation_space("receiver_0")["sequence"].shape == (8,)


def test_metadata_and_the_way_to_the_parallel_form() -> None:
    for name, module in MODULES.items():
        for env in (module.env(), module.raw_env(), module.parallel_env()):
            assert env.metadata["name"] == str(env) == name
            assert set(env.metadata["render_modes"]) == {"human", "ansi", "rgb_array"}
            assert env.metadata["render_fps"] > 0
        with pytest.raises(AssertionError, match="parallel"):  # the agents take turns
            aec_to_parallel(module.env())


# Spaces, observations, infos


@each_module
@settings(max_examples=40)
@given(config=configs(), seed=seeds)
def test_spaces_are_as_documented_and_hold_what_is_seen_at_every_time(
    module: ModuleType, config: GameConfig, seed: int
) -> None:
    env = module.raw_env(**config.to_dict())
    symbol = module is referential_symbol_v0
    width, length, vocabulary = config.window_size, config.message_length, config.vocab_size
    sends = spaces.Discrete(vocabulary) if symbol else spaces.MultiDiscrete([vocabulary] * length)
    assert env.possible_agents == ["sender_0", "receiver_0"]
    assert env.action_space("sender_0") == sends
    assert env.action_space("receiver_0") == spaces.Discrete(config.num_candidates)
    shapes = {
        "sender_0": (width + length,) if symbol else (width,),
        "receiver_0": (length + config.sequence_length + config.num_candidates,),
    }
    env.reset(seed=seed)
    message = np.random.default_rng(seed).integers(0, vocabulary, length).tolist()
    for action in [None, *actions_of(module, message, 0)]:
        if action is not None:
            env.step(action)
        for agent, shape in shapes.items():
            space = env.observation_space(agent)
            assert space is env.observation_space(agent)  # PettingZoo asks for the same object
            assert (space.shape, space.dtype) == (shape, np.float32)
            assert space.contains(env.observe(agent))
        views = [env.observe(agent) for agent in env.possible_agents]
        np.testing.assert_array_equal(env.state(), np.concatenate(views))
        assert env.state_space.contains(env.state())


def slots(mask: Any) -> tuple[Any, ...]:
    """The masks of the slots of an action: one, unless it is MultiDiscrete."""
    return mask if isinstance(mask, tuple) else (mask,)


@each_module
def test_masks_allow_what_may_be_done(module: ModuleType) -> None:
    aec, parallel = module.env(), module.parallel_env()
    aec.reset(seed=1)
    _, infos = parallel.reset(seed=1)
    off, on = ([1], [26]) if module is referential_symbol_v0 else ([1] * 3, [26] * 3)
    turns = [(on, [1])] * (3 if module is referential_symbol_v0 else 1) + [(off, [5]), (off, [1])]
    for turn, action in zip(turns, [*actions_of(module, [1, 2, 3], 4), None], strict=True):
        for found in (aec.infos, infos):
            for agent, allowed in zip(aec.possible_agents, turn, strict=True):
                masks = slots(found[agent]["action_mask"])
                assert [int(mask.sum()) for mask in masks] == allowed
                assert all(mask.dtype == np.int8 and mask[0] == 1 for mask in masks)
                space = aec.action_space(agent)
                assert space.contains(space.sample(found[agent]["action_mask"]))
        if action is not None:
            _, _, _, _, infos = parallel.step({"sender_0": action, "receiver_0": action})
            aec.step(action)


@each_module
def test_changing_what_was_given_changes_nothing(module: ModuleType) -> None:
    env = module.raw_env()
    env.reset(seed=1)
    before = env.state()
    env.observe("sender_0")[:] = 9
    env.state()[:] = 9
    for info in env.infos.values():
        for mask in slots(info["action_mask"]):
            with pytest.raises(ValueError, match="read-only"):
                mask[:] = 0
    np.testing.assert_array_equal(env.state(), before)
    message = np.array([1, 2, 3])
    for action in message if module is referential_symbol_v0 else [message]:
        env.step(action)
    message[:] = 0
    assert env.observe("receiver_0")[:3].tolist() == [1, 2, 3]


def test_infos_never_tell_the_target() -> None:
    """Two episodes that differ in the target alone give the receiver the same views and infos."""
    config = GameConfig(sequence_length=10)
    for seed in range(10):
        drawn = draw_episodes(config, 1, np.random.default_rng(seed))
        places = [drawn.sequence[0].tolist().index(candidate) for candidate in drawn.candidates[0].tolist()]
        seen = []
        for target_index in (0, 1):
            env = referential_v0.env(sequence_length=10)
            env.reset(options={"episode": derive(config, drawn.sequence, [places], [target_index])})
            env.step([1, 2, 3])
            info = env.infos["receiver_0"]
            seen.append((env.observe("receiver_0").tolist(), info.keys(), info["action_mask"].tolist()))
        assert seen[0] == seen[1]


# What both earn, and the last step


def test_both_earn_the_same_once() -> None:
    env = referential_v0.env()
    env.reset(seed=5)
    env.step([0, 0, 0])
    assert env.rewards == {"sender_0": 0.0, "receiver_0": 0.0}
    env.step(int(env.unwrapped.turns.episodes.target_index[0]))
    assert env.rewards == {"sender_0": 1.0, "receiver_0": 1.0}
    for _ in range(2):
        assert env.last()[1:4] == (1.0, True, False)
        env.step(None)
    assert env.agents == []


@each_module
def test_the_last_step_is_the_same_with_and_without_checks(module: ModuleType) -> None:
    checked, bare = module.env(), module.raw_env()
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        checked.last()
    for env in (checked, bare):
        env.reset(seed=3)
    for agent in checked.agent_iter():
        one, other = checked.last(), bare.last()
        np.testing.assert_array_equal(one[0], other[0])
        assert one[1:4] == other[1:4]
        assert checked.last(observe=False)[0] is None
        action = None if one[2] else checked.action_space(agent).sample()
        checked.step(action)
        bare.step(action)


# Seeds and episodes


@pytest.mark.parametrize("maker", ["raw_env", "parallel_env"])
def test_wrappers_may_draw_from_a_generator_of_the_seed(maker: str) -> None:
    env = getattr(referential_v0, maker)()
    for seed in (1, 2):
        same = getattr(referential_v0, maker)()
        env.reset(seed=np.int64(seed))
        same.reset(seed=seed)
        np.testing.assert_array_equal(env.state(), same.state())
        drawn = env.np_random.integers(0, 2**32, 5)
        env.reset()
        np.testing.assert_array_equal(drawn, same.np_random.integers(0, 2**32, 5))
        assert not np.array_equal(drawn, np.random.default_rng(seed).integers(0, 2**32, 5))


def sha256_of_play(module: ModuleType, config: GameConfig, seed: int, num_episodes: int) -> str:
    """Every observation, reward and mask of a fixed pair's play."""
    digest = hashlib.sha256()
    env = module.env(**config.to_dict())
    code = np.arange(config.message_length) % config.vocab_size
    for row in range(num_episodes):
        env.reset(seed=seed if row == 0 else None)
        for agent in env.agent_iter():
            view, reward, terminated, _, info = env.last()
            digest.update(view.astype("<f4").tobytes() + np.array(reward, "<f4").tobytes())
            digest.update(b"".join(mask.tobytes() for mask in slots(info["action_mask"])))
            discrete = isinstance(env.action_space(agent), spaces.Discrete)
            env.step(None if terminated else 1 if discrete else code)
    return digest.hexdigest()


@pytest.mark.parametrize("pinned", json.loads((Path(__file__).parents[1] / "golden/env.json").read_text()))
def test_the_bytes_are_pinned(pinned: dict[str, Any]) -> None:
    """Changing these needs a new version of the environment."""
    config = GameConfig.from_dict(pinned["config"])
    digest = sha256_of_play(MODULES[pinned["env"]], config, pinned["seed"], pinned["num_episodes"])
    assert digest == pinned["sha256"]


@each_module
def test_a_given_episode_is_replayed_between_those_drawn(module: ModuleType) -> None:
    config = GameConfig(sequence_length=20)
    episodes = draw_episodes(config, 8, np.random.default_rng(9))
    env, undisturbed = module.env(sequence_length=20), module.env(sequence_length=20)
    undisturbed.reset(seed=4)
    env.reset(seed=4, options={"episode": episodes[5:6]})
    assert env.observe("sender_0")[:5].tolist() == episodes.window[5].tolist()
    for action in actions_of(module, [1, 2, 3], int(episodes.target_index[5])):
        env.step(action)
    assert env.rewards["sender_0"] == 1.0
    env.reset()
    np.testing.assert_array_equal(env.state(), undisturbed.state())
    parallel = module.parallel_env(sequence_length=20)
    views, _ = parallel.reset(options={"episode": episodes[2:3], "something else": 1})
    assert views["sender_0"][:5].tolist() == episodes.window[2].tolist()


DRAWN = draw_episodes(GameConfig(), 5, np.random.default_rng(0))
WRONG_RESETS = [
    ({"options": {"episode": 1}}, 'options["episode"] must be Episodes; got int'),
    ({"options": {"episode": DRAWN[0:2]}}, 'options["episode"] must be a batch of one episode; got 2'),
    (
        {"options": {"episode": draw_episodes(GameConfig(20), 1, np.random.default_rng(0))}},
        "sequence must have shape (1, 60); got (1, 20)",
    ),
    (
        {"options": {"epsiode": DRAWN[:1]}},
        'options of reset() must be episode; got "epsiode" (did you mean "episode"?)',
    ),
    ({"options": 5}, "options must be a dict or None; got int"),
    *(
        ({"seed": seed}, f"seed must be a whole number of at least 0; got {seed!r}")
        for seed in (-1, 1.5, True)
    ),
]


@pytest.mark.parametrize(("arguments", "text"), WRONG_RESETS, ids=[text for _, text in WRONG_RESETS])
def test_wrong_resets_are_refused_and_change_nothing(arguments: dict[str, Any], text: str) -> None:
    for env in (referential_v0.env(), referential_symbol_v0.parallel_env()):
        env.reset(seed=0)
        before = env.state()
        with pytest.raises((TypeError, ValueError), match=f"^{re.escape(text)}$"):
            env.reset(**{"seed": 1, **arguments})
        np.testing.assert_array_equal(env.state(), before)


# Actions: what is taken, what is refused, in which order


SENDERS_TURN, RECEIVERS_TURN = [], [[1, 2, 3]]
WRONG_ACTIONS = [
    *((referential_v0, SENDERS_TURN, wrong) for wrong in ([1, 2, 26], [1, -1, 2], [1, 2], 4, "abc", None)),
    *((referential_v0, SENDERS_TURN, wrong) for wrong in (np.zeros((1, 3), int), np.zeros(3))),
    *((referential_v0, RECEIVERS_TURN, wrong) for wrong in (5, -1, 2**70, [1, 2], np.array([1]), 1.0, True)),
    *((referential_symbol_v0, SENDERS_TURN, wrong) for wrong in (26, -1, [1, 2, 3], 1.0, True, None)),
]


@pytest.mark.parametrize(("module", "before", "wrong"), WRONG_ACTIONS, ids=str)
def test_wrong_actions_are_refused_and_change_nothing(module: ModuleType, before: Any, wrong: Any) -> None:
    name, agent = ("choice", "receiver_0") if before else ("message|symbol", "sender_0")
    for env in (module.raw_env(), module.env(), module.parallel_env()):
        parallel = isinstance(env, pettingzoo.ParallelEnv)
        env.reset(seed=0)
        for action in [*before, wrong]:
            step = {"sender_0": action, "receiver_0": action} if parallel else action
            if action is not wrong:
                env.step(step)
                continue
            state = env.state()
            rule = rf"^({name}) must .* \(it is the turn of {agent}\)$"
            with pytest.raises((TypeError, ValueError), match=rule):
                env.step(step)
            np.testing.assert_array_equal(env.state(), state)
            assert parallel or env.agent_selection == agent


def test_acting_before_reset() -> None:
    for env in (referential_v0.raw_env(), referential_v0.parallel_env()):
        for call in (lambda env=env: env.step([1, 2, 3]), env.state):
            with pytest.raises(RuntimeError, match=r"^there is no episode yet: call reset\(\) first$"):
                call()
    with pytest.raises(AttributeError, match="before reset"):
        _ = referential_v0.env().agents


@each_module
def test_acting_after_the_end(module: ModuleType) -> None:
    raw, env, parallel = module.raw_env(), module.env(), module.parallel_env()
    for form in (raw, env):
        form.reset(seed=0)
        for action in actions_of(module, [1, 2, 3], 0):
            form.step(action)
        with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
            form.step(actions_of(module, [1, 2, 3], 0)[0])
        form.step(None)
        form.step(None)
        assert form.agents == []
        assert form.observe("receiver_0").shape == (68,)
    with pytest.raises(RuntimeError, match=r"^the episode is over: call reset\(\) before the next step\(\)$"):
        raw.step(0)
    parallel.reset(seed=0)
    for action in actions_of(module, [1, 2, 3], 0):
        parallel.step({"sender_0": action, "receiver_0": action})
    for actions in ({}, {"sender_0": 0, "receiver_0": 0}):
        assert parallel.step(actions) == ({}, {}, {}, {}, {})  # as in PettingZoo's own


@pytest.mark.parametrize("steps_taken", range(4))
def test_a_reset_in_the_middle_begins_anew(steps_taken: int) -> None:
    """Also between the two farewell steps, where PettingZoo remembers whom to skip."""
    env = referential_v0.env()
    env.reset(seed=0)
    for action in [np.array([1, 2, 3]), 0, None][:steps_taken]:
        env.step(action)
    env.reset(seed=1)
    turns = []
    for agent in env.agent_iter():
        turns.append(agent)
        _, _, terminated, _, info = env.last()
        env.step(None if terminated else env.action_space(agent).sample(info["action_mask"]))
    assert turns == ["sender_0", "receiver_0"] * 2


def test_unknown_agents_and_missing_actions_are_refused() -> None:
    for env in (referential_v0.raw_env(), referential_v0.parallel_env()):
        env.reset(seed=0)
        for call in (env.observe, env.action_space, env.observation_space, env.info):
            with pytest.raises(ValueError, match=r"^agent must be 'sender_0' or 'receiver_0'; got 'sender'$"):
                call("sender")
    for actions in ({"sender_0": [1, 2, 3]}, [1, 2]):
        with pytest.raises((TypeError, ValueError), match=r"actions must be .* sender_0 and receiver_0; got"):
            env.step(actions)


# Construction, copies and rendering


each_duplicate = pytest.mark.parametrize(
    "duplicate",
    [
        lambda env: pickle.loads(pickle.dumps(env)),
        lambda env: cloudpickle.loads(cloudpickle.dumps(env)),
        copy.deepcopy,
    ],
    ids=["pickle", "cloudpickle", "deepcopy"],
)


@each_module
@each_duplicate
@pytest.mark.parametrize("form", ["env", "raw_env", "parallel_env"])
def test_copies_go_on_in_the_middle_of_an_episode(module: ModuleType, form: str, duplicate: Any) -> None:
    env = getattr(module, form)(sequence_length=20, render_mode="ansi")
    env.reset(seed=3)
    steps = actions_of(module, [1, 2, 3], 4)
    if form == "parallel_env":
        steps = [{"sender_0": action, "receiver_0": action} for action in steps]
    for step in steps[:-1]:
        env.step(step)
    twin = duplicate(env)
    env.step(steps[-1])  # of the original alone
    assert twin.render() != env.render()
    twin.step(steps[-1])
    assert twin.unwrapped.config == env.unwrapped.config
    for seed in (None, None, 4):
        np.testing.assert_array_equal(twin.state(), env.state())
        assert twin.render() == env.render()
        assert not any(mask.flags.writeable for mask in slots(twin.info("sender_0")["action_mask"]))
        env.reset(seed=seed)
        twin.reset(seed=seed)


@each_duplicate
def test_copies_have_no_window_and_are_not_recorded(duplicate: Any) -> None:
    env = referential_v0.env()
    env.reset(seed=0)
    env.unwrapped.viewer._window = window = threading.Lock()  # which cannot be copied, just as a window
    env.unwrapped.turns.on_end.append(window)
    twin = duplicate(env)
    assert twin.unwrapped.viewer._window is None
    assert twin.unwrapped.turns.on_end == []
    assert env.unwrapped.viewer._window is window


@each_module
def test_rendering(module: ModuleType) -> None:
    env = module.env(render_mode="ansi")
    env.reset(options={"episode": DRAWN[:1]})
    assert "to choose" in env.render()
    for action in actions_of(module, [1, 2, 3], int(DRAWN.target_index[0])):
        env.step(action)
    assert env.scene().won
    assert env.render() == ansi(env.scene())
    silent = module.raw_env()
    silent.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert silent.render() is None
