"""What each format shows. (That libraries accept them: tests/envs.)"""

import copy

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from helpers.nested import assert_same
from helpers.sizes import GRID, SMALL

from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.observations import FORMATS
from spatial_game.observations.format import ObservationFormat

each_game = pytest.mark.parametrize("game", [SMALL, GRID], ids=["sequence", "grid"])

# Both agents


@pytest.mark.parametrize("format", ["flat", "equal"])
def test_a_mask_in_an_observation_is_that_of_now_also_after_the_end(format):
    env = referential_symbol_v0.env(observations=format, mask_in_observation=True, **SMALL)
    for _ in range(2):
        env.reset(seed=3)
        assert env.observe("sender_0")["action_mask"].all()
        for action in (0, 0, 0, 0, None, None):
            env.step(action)
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.tolist() == [1] + [0] * (len(mask) - 1)


def test_masks_of_many_games_are_the_callers_own():
    envs = ParallelVectorEnv(2, symbol_per_turn=True, mask_in_observation=True, **SMALL)
    for _ in range(2):
        seen, infos = envs.reset(seed=0)
        for given in (seen, infos):
            assert given["sender_0"]["action_mask"].all()
            given["sender_0"]["action_mask"][:] = 0


@each_game
@pytest.mark.parametrize("format", FORMATS)
def test_both_agents_as_one_gymnasium_environment(format, game):
    """As EPyMARL uses it: it wraps, pads and sums, but first asks for these spaces and tuples."""
    env = gym.make("spatial_game/Both-v0", observations=format, **game)
    alone = referential_symbol_v0.parallel_env(observations=format, **game)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        expected, _ = alone.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(seen)
            assert_same(seen, tuple(expected.values()))
            actions = env.action_space.sample()
            seen, reward, over, cut, _ = env.step(actions)
            by_agent = dict(zip(alone.possible_agents, actions, strict=True))
            expected, rewards, ended, _, _ = alone.step(by_agent)
            assert (reward, over, cut) == (tuple(rewards.values()), ended["sender_0"], False)
    both = env.unwrapped
    assert both.n_agents == 2
    twin = copy.copy(both)
    both.reset()
    assert_same(twin.reset()[0], tuple(alone.reset()[0].values()))


# What each format shows


def test_a_dict_holds_the_fields():
    flat = referential_symbol_v0.parallel_env(**SMALL)
    formed = referential_symbol_v0.parallel_env(observations="dict", **SMALL)
    (seen, _), (fields, _) = flat.reset(seed=1), formed.reset(seed=1)
    assert {agent: list(parts) for agent, parts in fields.items()} == {
        "sender_0": ["window", "message"],
        "receiver_0": ["message", "sequence", "candidates"],
    }
    for agent, parts in fields.items():
        assert {part.dtype for part in parts.values()} == {np.dtype(np.int64)}
        np.testing.assert_array_equal(np.concatenate(list(parts.values())), seen[agent])
    whole = referential_v0.parallel_env(observations="dict", **SMALL)
    assert list(whole.reset(seed=1)[0]["sender_0"]) == ["window"]


def test_one_hot_has_one_number_for_each_value():
    game = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1}
    env = referential_v0.parallel_env(observations="one_hot", **game)
    seen = env.reset(seed=5)[0]
    by_hand = np.zeros((3, 4))
    for cell, value in enumerate(referential_v0.parallel_env(**game).reset(seed=5)[0]["sender_0"]):
        by_hand[cell, int(value) + 1] = 1
    np.testing.assert_array_equal(seen["sender_0"], by_hand.ravel())
    heard = seen["receiver_0"]
    assert heard.shape == (3 * 27 + 3 * 3 + 2 * 3,)
    assert heard.sum() == 3 + 3 + 2
    assert heard[[0, 27, 54]].all()  # nothing has been sent


def test_equal_spaces_are_equal_and_wrap_actions_around():
    env = referential_symbol_v0.parallel_env(observations="equal", **SMALL)
    assert env.observation_space("sender_0") == env.observation_space("receiver_0")
    assert env.action_space("sender_0") == env.action_space("receiver_0") == spaces.Discrete(7)
    window_and_message, padding = np.split(env.reset(seed=2)[0]["sender_0"], [5 + 3])
    assert (window_and_message[:5].tolist().count(-1), set(padding.tolist())) == (1, {-1})
    right = int(env.unwrapped.scene().episode.target_index[0])
    for symbol in (6, 5, 0):
        _, _, _, _, infos = env.step({"sender_0": symbol, "receiver_0": None})
    assert env.unwrapped.scene().message.tolist() == [6, 5, 0]
    assert infos["receiver_0"]["action_mask"].tolist() == [1, 1, 1, 0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"choice must be in 0\.\.6; got 7"):
        env.step({"sender_0": None, "receiver_0": 7})
    _, rewards, _, _, _ = env.step({"sender_0": None, "receiver_0": right + 3})
    assert rewards == {"sender_0": 1.0, "receiver_0": 1.0}


@pytest.mark.parametrize(
    ("make", "format", "text"),
    [
        (referential_v0.env, "equal", r'observations="equal" needs Discrete actions .*; got MultiDiscrete'),
        (referential_v0.env, "onehot", r'must be one of flat, dict, one_hot, equal; .*did you mean "one_h'),
        (ParallelVectorEnv, ["dict"], r"must be one of flat, dict, one_hot, equal; got \['dict'\]"),
        (
            lambda **kind: gym.make("spatial_game/SenderSymbol-v0", **kind),
            "equal",
            "must be one of flat, dict, one_hot; got",
        ),
    ],
)
def test_misuse_is_refused(make, format, text):
    with pytest.raises(ValueError, match=text):
        make(observations=format)


@pytest.mark.parametrize(
    ("make", "option"),
    [
        (referential_v0.env, "mask_in_observation"),
        (ParallelVectorEnv, "mask_in_observation"),
        (ParallelVectorEnv, "symbol_per_turn"),
    ],
)
def test_the_text_false_is_not_true(make, option):
    with pytest.raises(TypeError, match=f"^{option} must be true or false; got 'False'$"):
        make(**{option: "False"})


# The door


def test_a_format_of_ones_own_is_entered_in_the_register(monkeypatch):
    class Halves(ObservationFormat):
        """The smallest format: flat observations, halved."""

        def _spaces(self):
            return {
                agent: spaces.Box(box.low / 2, box.high / 2, dtype=np.float32)
                for agent, box in self.flat.items()
            }

        def observation(self, agent, flat):
            return flat / 2

    monkeypatch.setitem(FORMATS, "halves", Halves)
    env, flat = (referential_v0.parallel_env(observations=name, **SMALL) for name in ("halves", "flat"))
    (halved, _), (whole, _) = env.reset(seed=1), flat.reset(seed=1)
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(halved[agent])
        np.testing.assert_array_equal(2 * halved[agent], whole[agent])
