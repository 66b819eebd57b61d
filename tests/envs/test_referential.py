"""The environments: PettingZoo's own tests, the rules against the batch functions, and every misuse."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import re
import subprocess
import sys
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
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel
from strategies import configs, seeds

from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.config import GameConfig
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, IntArray, derive, draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, Receiver, Sender
from spatial_game.rendering import viewer
from spatial_game.rendering.text import ansi

MODULES = [referential_v0, referential_symbol_v0]
CONFIGS: list[dict[str, Any]] = [
    {},
    {"sequence_length": 20},
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

each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.split(".")[-1])
each_config = pytest.mark.parametrize("config", CONFIGS, ids=str)


@each_module
@pytest.mark.parametrize("maker", ["raw_env", "parallel_env"])
def test_wrappers_may_draw_from_a_generator_of_the_seed(module: ModuleType, maker: str) -> None:
    env, same = (getattr(module, maker)() for _ in range(2))
    for seed in (1, 2):
        env.reset(seed=seed)
        same.reset(seed=seed)
        assert env.np_random is env.np_random
        drawn = env.np_random.integers(0, 2**32, 5)
        env.reset()
        np.testing.assert_array_equal(drawn, same.np_random.integers(0, 2**32, 5))
        assert not np.array_equal(drawn, np.random.default_rng(seed).integers(0, 2**32, 5))


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
    assert str(checked) == str(bare)


def actions_of(module: ModuleType, message: list[int], choice: int) -> list[Any]:
    """The actions of an episode, in order."""
    sender = message if module is referential_symbol_v0 else [np.array(message)]
    return [*sender, choice]


def play_aec(env: Any, sender: Sender, receiver: Receiver) -> tuple[IntArray, IntArray, float]:
    """One episode in which policies act on what the environment shows them, and on nothing else."""
    config, sent, choice, reward = env.unwrapped.config, [], 0, 0.0
    for agent in env.agent_iter():
        view, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        elif agent == "sender_0":
            window, _ = rules.split_sender_view(config, view[None])
            message = sender.send(window)[0]
            whole = isinstance(env.action_space(agent), spaces.MultiDiscrete)
            sent += message.tolist() if whole else [int(message[len(sent)])]
            env.step(message.astype(np.int64) if whole else sent[-1])
        else:
            choice = int(receiver.choose(*rules.split_receiver_view(config, view[None]))[0])
            env.step(choice)
    return np.array(sent), np.array(choice), reward


# PettingZoo's own tests


def assert_no_new_warnings(caught: list[warnings.WarningMessage]) -> None:
    assert {str(warning.message) for warning in caught} <= EXPECTED_WARNINGS


@each_module
@each_config
def test_pettingzoo_accepts_the_aec_forms(
    module: ModuleType, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "display_problem", lambda: "there is no display")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(module.env(**config), num_cycles=1000)
        api_test(module.raw_env(**config), num_cycles=1000)
        seed_test(lambda: module.env(**config))
        render_test(lambda **options: module.env(**config, **options))
    assert_no_new_warnings(caught)


@each_module
@each_config
def test_pettingzoo_accepts_the_parallel_form(module: ModuleType, config: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parallel_api_test(module.parallel_env(**config), num_cycles=1000)
        parallel_seed_test(lambda: module.parallel_env(**config))
    assert_no_new_warnings(caught)


@settings(max_examples=15, deadline=None)
@given(configs())
def test_pettingzoo_accepts_any_game(config: GameConfig) -> None:
    for module in MODULES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            api_test(module.env(**config.to_dict()), num_cycles=10)
            parallel_api_test(module.parallel_env(**config.to_dict()), num_cycles=10)


# Registration


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize("name", ["referential", "referential_symbol"])
def test_the_environments_are_registered(name: str) -> None:
    aec = pettingzoo.make("aec", f"spatial_game/{name}-v0", sequence_length=20, render_mode="ansi")
    parallel = pettingzoo.make("parallel", f"spatial_game/{name}-v0", sequence_length=20)
    for env in (aec, parallel):
        assert str(env) == env.metadata["name"] == f"{name}_v0"
        assert env.unwrapped.config == GameConfig(sequence_length=20)
    assert pettingzoo.make("aec", f"spatial_game/{name}") is not None


def test_an_older_pettingzoo_without_registry_will_do() -> None:
    code = (
        "import pettingzoo\n"
        "for name in ('register', 'aec_registry', 'parallel_registry'):\n"
        "    vars(pettingzoo).pop(name, None)\n"
        "from spatial_game import referential_v0\n"
        "referential_v0.env().reset(seed=0)\n"
    )
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], check=True)


# Spaces, observations, infos


@each_module
@given(config=configs(), seed=seeds)
def test_spaces_are_as_documented(module: ModuleType, config: GameConfig, seed: int) -> None:
    env = module.raw_env(**config.to_dict())
    symbol = module is referential_symbol_v0
    width, length = config.window_size, config.message_length
    assert env.possible_agents == ["sender_0", "receiver_0"]
    expected = (
        spaces.Discrete(config.vocab_size) if symbol else spaces.MultiDiscrete([config.vocab_size] * length)
    )
    assert env.action_space("sender_0") == expected
    assert env.action_space("receiver_0") == spaces.Discrete(config.num_candidates)
    shapes = {
        "sender_0": (width + length,) if symbol else (width,),
        "receiver_0": (length + config.sequence_length + config.num_candidates,),
    }
    env.reset(seed=seed)
    for agent, shape in shapes.items():
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert (space.shape, space.dtype) == (shape, np.float32)
    assert env.state_space.shape == (shapes["sender_0"][0] + shapes["receiver_0"][0],)


@each_module
@given(config=configs(), seed=seeds)
def test_everything_seen_is_inside_the_spaces_at_every_time(
    module: ModuleType, config: GameConfig, seed: int
) -> None:
    env = module.raw_env(**config.to_dict())
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    message = rng.integers(0, config.vocab_size, config.message_length).tolist()
    for action in [None, *actions_of(module, message, 0)]:
        if action is not None:
            env.step(action)
        views = {agent: env.observe(agent) for agent in env.possible_agents}
        for agent, view in views.items():
            assert env.observation_space(agent).contains(view)
            assert np.array_equal(view, np.round(view))
        np.testing.assert_array_equal(env.state(), np.concatenate(list(views.values())))
        assert env.state_space.contains(env.state())


@each_module
def test_messages_appear_symbol_by_symbol(module: ModuleType) -> None:
    env = module.env()
    env.reset(seed=1)
    seen = [(env.observe("sender_0")[5:].tolist(), env.observe("receiver_0")[:3].tolist())]
    for action in actions_of(module, [7, 0, 25], 3):
        env.step(action)
        seen.append((env.observe("sender_0")[5:].tolist(), env.observe("receiver_0")[:3].tolist()))
    if module is referential_symbol_v0:
        prefixes = [[-1, -1, -1], [7, -1, -1], [7, 0, -1], [7, 0, 25], [7, 0, 25]]
        assert seen == [(prefix, prefix) for prefix in prefixes]
    else:
        assert seen == [([], [-1, -1, -1]), ([], [7, 0, 25]), ([], [7, 0, 25])]


def allowed(mask: Any) -> Any:
    """How many actions a mask allows: in each slot, for MultiDiscrete."""
    return [int(slot.sum()) for slot in mask] if isinstance(mask, tuple) else int(mask.sum())


@each_module
def test_masks_allow_what_may_be_done(module: ModuleType) -> None:
    aec, parallel = module.env(), module.parallel_env()
    aec.reset(seed=1)
    _, infos = parallel.reset(seed=1)
    symbol = module is referential_symbol_v0
    off, on = (1, 26) if symbol else ([1] * 3, [26] * 3)
    turns = [(on, 1)] * (3 if symbol else 1) + [(off, 5), (off, 1)]
    for turn, action in zip(turns, [*actions_of(module, [1, 2, 3], 4), None], strict=True):
        for found in (aec.infos, infos):
            assert found.keys() == {"sender_0", "receiver_0"}
            assert all(info.keys() == {"action_mask"} for info in found.values())
            assert tuple(allowed(info["action_mask"]) for info in found.values()) == turn
            for agent, info in found.items():
                slots = (
                    info["action_mask"] if isinstance(info["action_mask"], tuple) else [info["action_mask"]]
                )
                assert all(slot.dtype == np.int8 and slot[0] == 1 for slot in slots)
                assert aec.action_space(agent).contains(aec.action_space(agent).sample(info["action_mask"]))
        if action is not None:
            _, _, _, _, infos = parallel.step({"sender_0": action, "receiver_0": action})
            aec.step(action)


@each_module
def test_changing_what_was_given_changes_nothing(module: ModuleType) -> None:
    env = module.raw_env()
    env.reset(seed=1)
    before = env.observe("sender_0").copy()
    env.observe("sender_0")[:] = 9
    env.state()[:] = 9
    for info in env.infos.values():
        for mask in info["action_mask"] if isinstance(info["action_mask"], tuple) else [info["action_mask"]]:
            with pytest.raises(ValueError, match="read-only"):
                mask[:] = 0
    np.testing.assert_array_equal(env.observe("sender_0"), before)
    env.reset(seed=1)
    assert allowed(env.infos["sender_0"]["action_mask"]) == (
        26 if module is referential_symbol_v0 else [26] * 3
    )
    message = np.array([1, 2, 3])
    for action in message if module is referential_symbol_v0 else [message]:
        env.step(action)
    message[:] = 0
    assert env.observe("receiver_0")[:3].tolist() == [1, 2, 3]


# The rules live once


class Arbitrary:
    """Acts without reason, but always the same way on the same view; right about as often as chance."""

    def __init__(self, config: GameConfig) -> None:
        self.config = config

    def send(self, window: IntArray) -> IntArray:
        weighted = window.astype(int) @ np.arange(3, 3 + self.config.window_size)
        return (
            weighted[:, None] * np.arange(1, 1 + self.config.message_length) % self.config.vocab_size
        ).astype(int)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        return (messages.sum(axis=1) + 2 * sequence[:, 0] + candidates[:, 0]) % candidates.shape[1]


@each_module
@pytest.mark.parametrize(
    "config", [GameConfig(), GameConfig(sequence_length=9, num_integers=40, window_radius=1)]
)
@pytest.mark.parametrize("policy", ["oracle", "arbitrary"])
def test_a_thousand_episodes_are_the_same_in_the_environment_and_in_a_batch(
    module: ModuleType, config: GameConfig, policy: str
) -> None:
    arbitrary = Arbitrary(config)
    sender, receiver = {
        "oracle": (OracleSender(config), OracleReceiver(config)),
        "arbitrary": (arbitrary, arbitrary),
    }[policy]
    episodes = draw_episodes(config, 1000, np.random.default_rng(3))
    messages, choices = rules.play(sender, receiver, episodes, config)
    rewards = rules.payoff(episodes.target_index, choices)
    env = module.env(**config.to_dict())
    for row in range(1000):
        env.reset(seed=3 if row == 0 else None)
        sent, choice, reward = play_aec(env, sender, receiver)
        assert (sent.tolist(), choice, reward) == (messages[row].tolist(), choices[row], rewards[row])
    assert rewards.all() if policy == "oracle" else 0.1 < rewards.mean() < 0.4


@each_module
@given(config=configs(), seed=seeds, message_seed=seeds)
def test_the_parallel_form_plays_the_same_game(
    module: ModuleType, config: GameConfig, seed: int, message_seed: int
) -> None:
    aec, parallel = module.raw_env(**config.to_dict()), module.parallel_env(**config.to_dict())
    rng = np.random.default_rng(message_seed)
    aec.reset(seed=seed)
    views, _ = parallel.reset(seed=seed)
    message = rng.integers(0, config.vocab_size, config.message_length).tolist()
    for action in actions_of(module, message, int(rng.integers(config.num_candidates))):
        idle = "receiver_0" if aec.agent_selection == "sender_0" else "sender_0"
        joint = {aec.agent_selection: action, idle: aec.action_space(idle).sample()}
        aec.step(action)
        views, rewards, terminations, truncations, _ = parallel.step(joint)
        for agent in ("sender_0", "receiver_0"):
            np.testing.assert_array_equal(views[agent], aec.observe(agent))
        np.testing.assert_array_equal(parallel.state(), aec.state())
        assert (rewards, terminations) == (aec.rewards, aec.terminations)
        assert not any(truncations.values())
    assert parallel.agents == []
    assert all(terminations.values())


def test_both_earn_the_same_once() -> None:
    env = referential_v0.env()
    env.reset(seed=5)
    env.step([0, 0, 0])
    assert env.rewards == {"sender_0": 0.0, "receiver_0": 0.0}
    right = int(env.unwrapped.turns.episodes.target_index[0])
    env.step(right)
    assert env.rewards == {"sender_0": 1.0, "receiver_0": 1.0}
    assert env.last()[1:4] == (1.0, True, False)
    env.step(None)
    assert env.last()[1:4] == (1.0, True, False)
    env.step(None)
    assert env.agents == []


# Seeds and episodes


@each_module
@given(config=configs(max_length=12), seed=seeds)
def test_resets_play_the_drawn_episodes_in_order(module: ModuleType, config: GameConfig, seed: int) -> None:
    episodes = draw_episodes(config, 40, np.random.default_rng(seed))
    env = module.raw_env(**config.to_dict())
    for row in range(40):
        env.reset(seed=seed if row == 0 else None)
        shown = env.observe("sender_0")[: config.window_size]
        sequence = env.observe("receiver_0")[config.message_length :][: config.sequence_length]
        assert shown.tolist() == episodes.window[row].tolist()
        assert sequence.tolist() == episodes.sequence[row].tolist()


def test_unseeded_environments_differ() -> None:
    states = []
    for _ in range(2):
        env = referential_v0.raw_env()
        env.reset()
        states.append(env.state().tolist())
    assert states[0] != states[1]


def sha256_of_play(module: ModuleType, config: GameConfig, seed: int, num_episodes: int) -> str:
    """Every observation, reward and mask of a fixed pair's play."""
    digest = hashlib.sha256()
    env = module.env(**config.to_dict())
    code = np.arange(config.message_length) % config.vocab_size
    for row in range(num_episodes):
        env.reset(seed=seed if row == 0 else None)
        for agent in env.agent_iter():
            view, reward, terminated, _, info = env.last()
            masks = info["action_mask"] if isinstance(info["action_mask"], tuple) else (info["action_mask"],)
            digest.update(view.astype("<f4").tobytes() + np.array(reward, "<f4").tobytes())
            digest.update(b"".join(mask.tobytes() for mask in masks))
            discrete = isinstance(env.action_space(agent), spaces.Discrete)
            env.step(None if terminated else 1 if discrete else code)
    return digest.hexdigest()


@pytest.mark.parametrize("pinned", json.loads((Path(__file__).parents[1] / "golden/env.json").read_text()))
def test_the_bytes_are_pinned(pinned: dict[str, Any]) -> None:
    """Changing these needs a new version of the environment."""
    module = {"referential_v0": referential_v0, "referential_symbol_v0": referential_symbol_v0}[pinned["env"]]
    config = GameConfig.from_dict(pinned["config"])
    assert sha256_of_play(module, config, pinned["seed"], pinned["num_episodes"]) == pinned["sha256"]


@each_module
def test_a_given_episode_is_replayed(module: ModuleType) -> None:
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


@pytest.mark.parametrize(
    ("episode", "error", "text"),
    [
        ({"sequence": 1}, TypeError, 'options["episode"] must be Episodes; got dict'),
        (slice(0, 2), ValueError, 'options["episode"] must be a batch of one episode; got 2'),
        (slice(0, 0), ValueError, 'options["episode"] must be a batch of one episode; got 0'),
        ("other game", ValueError, "sequence must have shape (1, 60); got (1, 20)"),
    ],
)
def test_episodes_that_cannot_be_replayed_are_refused(
    episode: Any, error: type[Exception], text: str
) -> None:
    if isinstance(episode, slice):
        episode = draw_episodes(GameConfig(), 5, np.random.default_rng(0))[episode]
    elif episode == "other game":
        episode = draw_episodes(GameConfig(sequence_length=20), 1, np.random.default_rng(0))
    for env in (referential_v0.env(), referential_symbol_v0.parallel_env()):
        env.reset(seed=0)
        before = env.state()
        with pytest.raises(error, match=f"^{re.escape(text)}$"):
            env.reset(seed=1, options={"episode": episode})
        np.testing.assert_array_equal(env.state(), before)


@pytest.mark.parametrize(("given_name", "near"), [("episodes", "episode"), ("epsiode", "episode")])
def test_misspelt_options_are_refused(given_name: str, near: str) -> None:
    for env in (referential_v0.env(), referential_symbol_v0.parallel_env()):
        env.reset(seed=0)
        before = env.state()
        text = f'options of reset() must be episode; got "{given_name}" (did you mean "{near}"?)'
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            env.reset(options={given_name: 1})
        np.testing.assert_array_equal(env.state(), before)
        env.reset(options={"difficulty": 1})  # for a wrapper, say


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, [1]])
def test_seeds_that_are_none_are_refused(seed: Any) -> None:
    for env in (referential_v0.env(), referential_v0.parallel_env()):
        text = re.escape(f"seed must be a whole number of at least 0; got {seed!r}")
        with pytest.raises(ValueError, match=f"^{text}$"):
            env.reset(seed=seed)


def test_numpy_integers_are_seeds() -> None:
    env, other = referential_v0.raw_env(), referential_v0.raw_env()
    env.reset(seed=np.int64(5))
    other.reset(seed=5)
    np.testing.assert_array_equal(env.state(), other.state())


# Actions: what is taken, what is refused


@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize(
    "message",
    [
        np.array([1, 2, 25]),
        [1, 2, 25],
        (1, 2, 25),
        np.array([1, 2, 25], np.uint8),
        np.arange(3, dtype=np.int32),
    ],
)
@pytest.mark.parametrize("choice", [4, np.int64(4), np.int8(0), np.array(3)])
def test_messages_and_choices_of_many_kinds_are_taken(wrapped: bool, message: Any, choice: Any) -> None:
    env = referential_v0.env() if wrapped else referential_v0.raw_env()
    env.reset(seed=0)
    env.step(message)
    assert env.observe("receiver_0")[:3].tolist() == list(message)
    env.step(choice)
    assert all(env.terminations.values())


WRONG_MESSAGES = [
    [1, 2, 26],
    [1, -1, 2],
    [1, 2],
    np.zeros((1, 3), int),
    4,
    np.zeros(3),
    np.zeros(3, bool),
    "abc",
    None,
]
WRONG_CHOICES = [5, -1, 2**70, [1, 2], np.array([1]), 1.0, True, None]
WRONG_SYMBOLS = [26, -1, [1, 2, 3], 1.0, True, None]


@pytest.mark.parametrize("action", WRONG_MESSAGES, ids=str)
def test_wrong_messages_are_refused_and_change_nothing(action: Any) -> None:
    raw, checked, parallel = referential_v0.raw_env(), referential_v0.env(), referential_v0.parallel_env()
    both = {"sender_0": action, "receiver_0": 0}
    for env, step in ((raw, action), (checked, action), (parallel, both)):
        env.reset(seed=0)
        before = env.state()
        with pytest.raises(
            (TypeError, ValueError), match=r"^message must .* \(it is the turn of sender_0\)$"
        ):
            env.step(step)
        np.testing.assert_array_equal(env.state(), before)
    for env in (raw, checked):
        env.step([1, 2, 3])  # nothing has happened: the turn is still the sender's
        assert env.agent_selection == "receiver_0"


@pytest.mark.parametrize("action", WRONG_CHOICES, ids=str)
@each_module
def test_wrong_choices_are_refused_and_change_nothing(module: ModuleType, action: Any) -> None:
    for env in (module.raw_env(), module.env()):
        env.reset(seed=0)
        for sent in actions_of(module, [1, 2, 3], 0)[:-1]:
            env.step(sent)
        with pytest.raises((TypeError, ValueError), match=r"^choice must .*the turn of receiver_0\)$"):
            env.step(action)
        assert not any(env.terminations.values())
        env.step(0)
        assert all(env.terminations.values())


@pytest.mark.parametrize("action", WRONG_SYMBOLS, ids=str)
def test_wrong_symbols_are_refused_and_change_nothing(action: Any) -> None:
    for env in (referential_symbol_v0.raw_env(), referential_symbol_v0.env()):
        env.reset(seed=0)
        with pytest.raises((TypeError, ValueError), match=r"^symbol must .*the turn of sender_0\)$"):
            env.step(action)
        assert env.observe("sender_0")[5:].tolist() == [-1, -1, -1]


# Order


def test_acting_before_reset() -> None:
    for env in (referential_v0.raw_env(), referential_v0.parallel_env()):
        for call in (lambda env=env: env.step([1, 2, 3]), env.state):
            with pytest.raises((RuntimeError, ValueError)):
                call()
    with pytest.raises(RuntimeError, match=r"^there is no episode yet: call reset\(\) first$"):
        referential_v0.raw_env().step([1, 2, 3])
    with pytest.raises(Exception, match="reset"):
        referential_v0.env().step([1, 2, 3])
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
    for action in (None, 0):
        with pytest.raises(
            RuntimeError, match=r"^the episode is over: call reset\(\) before the next step\(\)$"
        ):
            raw.step(action)
    parallel.reset(seed=0)
    for action in actions_of(module, [1, 2, 3], 0):
        parallel.step({"sender_0": action, "receiver_0": action})
    for actions in ({}, {"sender_0": 0, "receiver_0": 0}):
        assert parallel.step(actions) == ({}, {}, {}, {}, {})  # as in PettingZoo's own


def test_a_reset_in_the_middle_begins_anew() -> None:
    """Also between the two farewell steps, where PettingZoo remembers whom to skip."""
    for steps_taken in range(4):
        env = referential_v0.env()
        env.reset(seed=0)
        for action in [np.array([1, 2, 3]), 0, None][:steps_taken]:
            env.step(action)
        env.reset(seed=1)
        assert [agent for agent in env.agent_iter() if env.step(step_for(env)) is None] == [
            "sender_0",
            "receiver_0",
            "sender_0",
            "receiver_0",
        ]


def step_for(env: Any) -> Any:
    """Something that the agent in turn may do."""
    _, _, terminated, _, info = env.last()
    return None if terminated else env.action_space(env.agent_selection).sample(info["action_mask"])


def test_unknown_agents_are_refused() -> None:
    for env in (referential_v0.raw_env(), referential_v0.parallel_env()):
        env.reset(seed=0)
        for call in (env.observe, env.action_space, env.observation_space, env.info):
            with pytest.raises(ValueError, match=r"^agent must be 'sender_0' or 'receiver_0'; got 'sender'$"):
                call("sender")


# Construction, copies and rendering


@each_module
def test_wrong_arguments_are_refused(module: ModuleType) -> None:
    for make in (module.env, module.raw_env, module.parallel_env):
        with pytest.raises(ValueError, match=r"^window_radius must satisfy .*; got 5 and 8$"):
            make(window_radius=5, sequence_length=8)
        with pytest.raises(TypeError, match="sequence_lenth"):
            make(sequence_lenth=20)
        with pytest.raises(
            ValueError, match=r"^render_mode must be None or one of human, ansi, rgb_array; got 'loud'$"
        ):
            make(render_mode="loud")
        with pytest.raises(TypeError, match="lexicon must be a Lexicon, its file or None; got 5"):
            make(lexicon=5)


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
@pytest.mark.parametrize("form", ["env", "raw_env", "parallel_env"])
@each_duplicate
def test_copies_play_the_same_game(module: ModuleType, form: str, duplicate: Any) -> None:
    env = getattr(module, form)(sequence_length=20, num_distractors=2, render_mode="ansi")
    env.reset(seed=3)
    twin = duplicate(env)
    assert twin.render_mode == "ansi"
    assert twin.unwrapped.config == env.unwrapped.config
    twin.reset(seed=3)
    np.testing.assert_array_equal(twin.state(), env.state())
    assert twin.render() == env.render()


@each_module
@each_duplicate
@pytest.mark.parametrize("form", ["env", "raw_env"])
def test_copies_go_on_in_the_middle_of_an_episode(module: ModuleType, form: str, duplicate: Any) -> None:
    env = getattr(module, form)(sequence_length=20)
    env.reset(seed=3)
    actions = actions_of(module, [1, 2, 3], 4)
    for action in actions[:-1]:
        env.step(action)
    twin = duplicate(env)
    env.step(actions[-1])  # of the original alone
    assert twin.agent_selection == "receiver_0"
    twin.step(actions[-1])
    for same in (env, twin):
        assert all(same.terminations.values())
        assert not any(mask.flags.writeable for mask in [same.infos["receiver_0"]["action_mask"]])
    for seed in (None, None, 4):
        np.testing.assert_array_equal(twin.state(), env.state())
        assert twin.rewards == env.rewards
        env.reset(seed=seed)
        twin.reset(seed=seed)


@each_module
@each_duplicate
def test_copies_of_the_parallel_form_go_on_too(module: ModuleType, duplicate: Any) -> None:
    env = module.parallel_env(sequence_length=20)
    env.reset(seed=3)
    both = {"sender_0": actions_of(module, [1, 2, 3], 4)[0], "receiver_0": 0}
    env.step(both)
    twin = duplicate(env)
    while env.agents:
        one, other = env.step(both), twin.step(both)
        np.testing.assert_array_equal(one[0]["receiver_0"], other[0]["receiver_0"])
        assert one[1:4] == other[1:4]
    assert twin.agents == []


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
def test_pettingzoo_does_not_convert_it(module: ModuleType) -> None:
    for env in (module.env(), module.raw_env()):
        with pytest.raises(AssertionError, match="parallel"):
            aec_to_parallel(env)


@each_module
def test_rendering(
    module: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = draw_episodes(GameConfig(), 1, np.random.default_rng(0))
    env = module.env(render_mode="ansi")
    env.reset(options={"episode": episode})
    first = env.render()
    for action in actions_of(module, [1, 2, 3], int(episode.target_index[0])):
        env.step(action)
    last = env.render()
    assert ansi(env.scene()) == last
    assert env.scene().won
    assert "to choose" in first
    assert "right: both agents earn 1" in last
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(viewer, "display_problem", lambda: "there is no display")
    human = module.env(render_mode="human")
    with pytest.warns(UserWarning, match="no window: there is no display; printing text instead"):
        human.reset(options={"episode": episode})
    assert capsys.readouterr().out.rstrip() == first
    assert human.render() is None


def test_rendering_without_a_mode_warns() -> None:
    env = referential_v0.raw_env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


def test_metadata() -> None:
    for module, name in (
        (referential_v0, "referential_v0"),
        (referential_symbol_v0, "referential_symbol_v0"),
    ):
        for env in (module.env(), module.raw_env(), module.parallel_env()):
            assert env.metadata["name"] == name
            assert env.metadata["is_parallelizable"] is False
            assert set(env.metadata["render_modes"]) == {"human", "ansi", "rgb_array"}
            assert env.metadata["render_fps"] > 0


@settings(max_examples=20)
@given(st.data())
def test_infos_never_tell_the_target(data: st.DataObject) -> None:
    """Two episodes that differ in the target alone give the receiver the same views and infos."""
    config = GameConfig(sequence_length=10)
    episode = draw_episodes(config, 1, np.random.default_rng(data.draw(seeds)))
    other = retargeted(config, episode, (int(episode.target_index[0]) + 1) % config.num_candidates)
    seen = []
    for given_episode in (episode, other):
        env = referential_v0.env(sequence_length=10)
        env.reset(options={"episode": given_episode})
        env.step([1, 2, 3])
        seen.append(
            (
                env.observe("receiver_0").tolist(),
                [mask.tolist() for mask in [env.infos["receiver_0"]["action_mask"]]],
            )
        )
    assert seen[0] == seen[1]


def retargeted(config: GameConfig, episode: Episodes, target_index: int) -> Episodes:
    places = [episode.sequence[0].tolist().index(candidate) for candidate in episode.candidates[0].tolist()]
    return derive(config, episode.sequence, [places], [target_index])
