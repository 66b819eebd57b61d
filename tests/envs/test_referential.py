"""The environments of both agents: PettingZoo's own tests, their spaces, seeds, copies and misuse.

That they play by the rules: test_parity.py. What is refused in an action or a reset: test_games.py.
"""

import copy
import dataclasses
import hashlib
import inspect
import json
import pickle
import threading
import warnings
from pathlib import Path

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from helpers.sizes import GRID
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel

from spatial_game import GameConfig, draw_episodes, referential_symbol_v0, referential_v0
from spatial_game.config import GameOptions
from spatial_game.game.rules import AGENTS, RECEIVER, SENDER
from spatial_game.observations import FORMATS, ROLE_FORMATS
from spatial_game.rendering import viewer

MODULES = {"referential_v0": referential_v0, "referential_symbol_v0": referential_symbol_v0}
SMALLEST = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 2}
FORMATS_OF = [(referential_v0, format) for format in ROLE_FORMATS] + [
    (referential_symbol_v0, format) for format in FORMATS
]
# What PettingZoo says of any game whose agents differ, and of MultiDiscrete actions.
EXPECTED_WARNINGS = {
    "Observations are different shapes",
    "Agents have different observation space sizes",
    "Action space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}
each_module = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
each_interface = pytest.mark.parametrize("interface", ["env", "raw_env", "parallel_env"])


def actions_of(module, message, choice):
    """The actions of an episode, in order."""
    sender = message if module is referential_symbol_v0 else [np.array(message)]
    return [*sender, choice]


def step(env, action):
    """Let the agent in turn act, in either interface."""
    return env.step(dict.fromkeys(AGENTS, action) if isinstance(env, pettingzoo.ParallelEnv) else action)


def slots(mask):
    """The masks of the slots of an action: one, unless it is MultiDiscrete."""
    return mask if isinstance(mask, tuple) else (mask,)


# PettingZoo's own tests, and its registry


def assert_conforms(module, **arguments):
    for maker in (module.env, module.raw_env):
        api_test(maker(**arguments), num_cycles=50)
    seed_test(lambda: module.env(**arguments), 50)
    parallel_api_test(module.parallel_env(**arguments), num_cycles=50)
    parallel_seed_test(lambda: module.parallel_env(**arguments), 50)


@each_module
@pytest.mark.parametrize("game", [{}, SMALLEST | {"message_length": 1}], ids=str)
def test_pettingzoo_accepts_every_game(module, game):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert_conforms(module, **game)
    assert {str(warning.message) for warning in caught} <= EXPECTED_WARNINGS


@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_every_render_mode(monkeypatch):
    monkeypatch.setattr(viewer.Viewer, "_show", lambda viewer, pixels: None)  # a window, for seconds
    render_test(lambda **options: referential_v0.env(**SMALLEST, **options))


@pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="the tests of older ones know fewer kinds of observations"
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("masked", [False, True], ids=["plain", "masked"])
@pytest.mark.parametrize(("module", "format"), FORMATS_OF, ids=str)
def test_pettingzoo_accepts_every_format(module, format, masked):
    assert_conforms(module, observations=format, mask_in_observation=masked, **GRID)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_the_environments_are_registered(name, kind):
    of_name = name.removesuffix("_v0")
    env = pettingzoo.make(kind, f"spatial_game/{of_name}-v0", sequence_length=20, render_mode="ansi")
    assert str(env) == env.metadata["name"] == name
    assert env.unwrapped.config == GameConfig(sequence_length=20)
    small = pettingzoo.make(kind, f"spatial_game/{of_name}-small-v0", observations="dict")
    assert small.observation_space(RECEIVER)["sequence"].shape == (8,)
    if kind == "aec":
        with pytest.raises(AssertionError, match="parallel"):  # the agents take turns
            aec_to_parallel(env)


# Options, spaces, observations, infos


def test_editors_and_help_show_every_option():
    sizes = ["game", *(field.name for field in dataclasses.fields(GameConfig))]
    assert list(GameOptions.__annotations__) == sizes
    keywords = inspect.signature(referential_v0.raw_env).parameters
    named = [name for name in keywords if name not in ("game", "sizes")]
    options = list(referential_v0.BothOptions.__annotations__)
    assert options == [*sizes, *named]
    for name in options:
        assert f"`{name}`" in str(referential_v0.env.__doc__)


@each_module
def test_spaces_are_as_documented(module):
    """What is seen at any time lies in them: PettingZoo's own tests, and test_vector.py."""
    env = module.raw_env()
    symbol = module is referential_symbol_v0
    assert env.possible_agents == [SENDER, RECEIVER]
    assert env.action_space(SENDER) == (spaces.Discrete(26) if symbol else spaces.MultiDiscrete([26] * 3))
    assert env.action_space(RECEIVER) == spaces.Discrete(5)
    for agent, length in ((SENDER, 5 + 3 if symbol else 5), (RECEIVER, 3 + 60 + 5)):
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)  # PettingZoo asks for the same object
        assert (space.shape, space.dtype) == ((length,), np.float32)
    env.reset(seed=0)
    observations = [env.observe(agent) for agent in env.possible_agents]
    np.testing.assert_array_equal(env.state(), np.concatenate(observations))
    assert env.state_space.contains(env.state())


@each_module
@each_interface
def test_masks_allow_what_may_be_done(module, interface):
    env = getattr(module, interface)()
    came = env.reset(seed=1)
    symbol = module is referential_symbol_v0
    off, on = ([1], [26]) if symbol else ([1] * 3, [26] * 3)
    turns = [(on, [1])] * (3 if symbol else 1) + [(off, [5]), (off, [1])]
    for turn, action in zip(turns, [*actions_of(module, [1, 2, 3], 4), None], strict=True):
        infos = came[-1] if interface == "parallel_env" else env.infos
        for agent, allowed in zip(AGENTS, turn, strict=True):
            assert infos[agent].keys() == {"action_mask"}  # nothing that could tell the target
            mask = infos[agent]["action_mask"]
            assert [int(slot.sum()) for slot in slots(mask)] == allowed
            assert all(slot.dtype == np.int8 and slot[0] == 1 for slot in slots(mask))
            space = env.action_space(agent)
            assert space.contains(space.sample(mask))
        if action is not None:
            came = step(env, action)


@each_module
def test_changing_what_was_given_changes_nothing(module):
    env = module.raw_env()
    env.reset(seed=1)
    before = env.state()
    env.observe(SENDER)[:] = 9
    env.state()[:] = 9
    for info in env.infos.values():
        assert not any(mask.flags.writeable for mask in slots(info["action_mask"]))
    np.testing.assert_array_equal(env.state(), before)
    message = np.array([1, 2, 3])
    for action in message if module is referential_symbol_v0 else [message]:
        env.step(action)
    message[:] = 0
    assert env.observe(RECEIVER)[:3].tolist() == [1, 2, 3]


# The end of an episode


@each_module
def test_both_earn_the_same_once_and_the_wrapper_changes_nothing(module):
    checked, bare = module.env(), module.raw_env()
    for env in (checked, bare):
        env.reset(seed=3)
    right = int(bare.game.episodes.target_index[0])
    actions = [*actions_of(module, [0, 0, 0], right), None, None]
    for turn, action in enumerate(actions):
        one, other = checked.last(), bare.last()
        np.testing.assert_array_equal(one[0], other[0])
        over = turn >= len(actions) - 2
        assert one[1:4] == other[1:4] == (float(over), over, False)
        assert checked.last(observe=False)[0] is None
        checked.step(action)
        bare.step(action)
    assert checked.agents == bare.agents == []


@each_module
@each_interface
def test_acting_before_reset_and_after_the_end(module, interface):
    env, actions = getattr(module, interface)(), actions_of(module, [1, 2, 3], 0)
    if interface == "env":
        with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
            env.last()
    else:
        for call in (lambda: step(env, actions[0]), env.state):
            with pytest.raises(RuntimeError, match=r"^there is no episode yet: call reset\(\) first$"):
                call()
    env.reset(seed=0)
    for action in actions:
        step(env, action)
    if interface == "parallel_env":
        assert env.step({}) == ({}, {}, {}, {}, {})  # as in PettingZoo's own
        return
    with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
        env.step(actions[0])
    env.step(None)
    env.step(None)
    assert (env.agents, env.observe(RECEIVER).shape) == ([], (68,))


@pytest.mark.parametrize("steps_taken", range(4))
def test_a_reset_in_the_middle_begins_anew(steps_taken):
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
    assert turns == [SENDER, RECEIVER] * 2


# Seeds and episodes


def sha256_of_play(module, config, seed, num_episodes):
    """Every observation, reward and mask of a fixed pair's play."""
    digest = hashlib.sha256()
    env = module.env(**config.to_dict())
    code = np.arange(config.message_length) % config.vocab_size
    for row in range(num_episodes):
        env.reset(seed=seed if row == 0 else None)
        for agent in env.agent_iter():
            observation, reward, terminated, _, info = env.last()
            digest.update(observation.astype("<f4").tobytes() + np.array(reward, "<f4").tobytes())
            digest.update(b"".join(mask.tobytes() for mask in slots(info["action_mask"])))
            discrete = isinstance(env.action_space(agent), spaces.Discrete)
            env.step(None if terminated else 1 if discrete else code)
    return digest.hexdigest()


@pytest.mark.parametrize("pinned", json.loads((Path(__file__).parents[1] / "golden/env.json").read_text()))
def test_the_bytes_are_pinned(pinned):
    """Changing these needs a new version of the environment."""
    config = GameConfig.from_dict(pinned["config"])
    digest = sha256_of_play(MODULES[pinned["env"]], config, pinned["seed"], pinned["num_episodes"])
    assert digest == pinned["sha256"]


@each_module
@each_interface
def test_a_given_episode_is_replayed_between_those_drawn(module, interface):
    env, undisturbed = (getattr(module, interface)(sequence_length=20) for _ in range(2))
    episodes = draw_episodes(GameConfig(sequence_length=20), 8, np.random.default_rng(9))
    undisturbed.reset(seed=4)
    env.reset(seed=4, options={"episodes": episodes[5:6], "something else": 1})
    assert env.unwrapped.observe(SENDER)[:5].tolist() == episodes.window[5].tolist()
    for action in actions_of(module, [1, 2, 3], int(episodes.target_index[5])):
        step(env, action)
    assert env.unwrapped.scene().won
    env.reset()
    np.testing.assert_array_equal(env.state(), undisturbed.state())


# What is refused changes nothing


@each_module
@each_interface
def test_wrong_actions_and_resets_change_nothing(module, interface):
    env = getattr(module, interface)()
    env.reset(seed=0)
    for action in actions_of(module, [1, 2, 3], 0):
        state = env.state()
        with pytest.raises(ValueError, match=r"^(message|symbol|choice) must .*; got "):
            step(env, action + 26)
        for wrong in ({"seed": -1}, {"seed": 1, "options": {"epsiode": None}}):
            with pytest.raises(ValueError, match=r"^(seed|options) .*; got "):
                env.reset(**wrong)
        np.testing.assert_array_equal(env.state(), state)
        step(env, action)


# Copies


each_duplicate = pytest.mark.parametrize(
    "duplicate",
    [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy, copy.copy],
    ids=["pickle", "deepcopy", "copy"],
)


@each_duplicate
@each_interface
def test_copies_go_on_in_the_middle_of_an_episode(interface, duplicate):
    env = getattr(referential_symbol_v0, interface)(sequence_length=20, render_mode="ansi")
    env.reset(seed=3)
    step(env, 1)
    twin = duplicate(env)
    step(env, 2)  # of the original alone
    assert twin.render() != env.render()
    step(twin, 2)
    assert twin.unwrapped.config == env.unwrapped.config
    for seed in (None, None, 4):
        np.testing.assert_array_equal(twin.state(), env.state())
        assert twin.render() == env.render()
        env.reset(seed=seed)
        twin.reset(seed=seed)


@each_duplicate
def test_copies_have_no_window_and_are_not_recorded(duplicate):
    env = referential_v0.env()
    env.reset(seed=0)
    env.unwrapped.viewer._window = window = threading.Lock()  # which cannot be copied, just as a window
    env.unwrapped.game.on_end.append(window)
    twin = duplicate(env)
    assert twin.unwrapped.viewer._window is None
    assert twin.unwrapped.game.on_end == []
    assert env.unwrapped.viewer._window is window
