"""One role as a Gymnasium environment, alone and in batches: the rules, the seeds, misuse."""

import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import iterate
from helpers.nested import assert_same
from helpers.sizes import GRID, SMALL

from spatial_game import OracleReceiver, OracleSender, draw_episodes, referential_symbol_v0, referential_v0
from spatial_game.config import LONGEST_MESSAGE
from spatial_game.envs.roles import ReceiverEnv, SenderVectorEnv
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game import rules
from spatial_game.observations import ROLE_FORMATS

ROLES = ("Sender", "SenderSymbol", "Receiver")
each_role = pytest.mark.parametrize("role", ROLES)


def make(role, **kwargs):
    return gym.make(f"spatial_game/{role}-v0", **kwargs)


def make_vec(role, num_envs, **kwargs):
    return gym.make_vec(f"spatial_game/{role}-v0", num_envs=num_envs, **kwargs)


# What other libraries ask of an environment


@each_role
@pytest.mark.parametrize("format", ROLE_FORMATS)
def test_gymnasium_accepts_every_format_of_a_role(role, format):
    env = make(role, partner="random", observations=format, **GRID).unwrapped
    both = (referential_symbol_v0 if "Symbol" in role else referential_v0).env(observations=format, **GRID)
    assert env.observation_space == both.observation_space(env.agent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        check_env(env, skip_render_check=True)


@each_role
def test_torchrl_does_not_take_a_role_for_a_vector_environment(role):
    assert not hasattr(make(role).unwrapped, "num_envs")
    gym_env = pytest.importorskip("torchrl.envs").GymEnv
    env = gym_env(f"spatial_game/{role}-v0", categorical_action_encoding=True)  # it also tries `frameskip`
    assert env.rollout(3).batch_size[0] >= 1
    assert env.batch_size == ()


@pytest.mark.parametrize(("size", "signature"), [("small", "L8 w1 c3 | v8x2"), ("tiny", "L4 w1 c2 | v4x2")])
@pytest.mark.parametrize("role", [*ROLES, "Both"])
def test_smaller_games_have_ids_of_their_own(role, size, signature):
    env = make(f"{role}-{size}", render_mode="ansi")
    env.reset(seed=0)
    assert "choice" in env.render()
    assert env.unwrapped.config.signature == signature
    assert make(f"{role}-{size}", vocab_size=9).unwrapped.config.vocab_size == 9
    if role != "Both":
        envs = make_vec(f"{role}-{size}", 2, render_mode="ansi")
        envs.reset(seed=0)
        assert envs.config == env.unwrapped.config
        assert envs.render()[0] == env.render()
        assert size == "small" or set(np.unique(env.reset(seed=0)[0])) == {0, 1}


@pytest.mark.slow
@each_role
def test_a_plain_policy_learns_the_tiny_game(role):
    ppo = pytest.importorskip("stable_baselines3").PPO
    model = ppo("MlpPolicy", make(f"{role}-tiny"), seed=0, device="cpu").learn(40_000)
    envs, rewards = make_vec(f"{role}-tiny", 2000), np.zeros(2000)
    seen, over = envs.reset(seed=10**6)[0], np.zeros(2000, bool)
    while not over.all():
        seen, rewards, over, _, _ = envs.step(model.predict(seen, deterministic=True)[0])
    assert rewards.mean() > 0.95


@pytest.mark.parametrize(
    ("role", "most_steps"), [("Sender", 1), ("SenderSymbol", LONGEST_MESSAGE), ("Receiver", 1)]
)
def test_time_limits_are_known_and_cut_no_episode(role, most_steps):
    assert gym.spec(f"spatial_game/{role}-v0").max_episode_steps == most_steps + 1


@pytest.mark.parametrize(("role", "steps"), [("Sender", 1), ("SenderSymbol", 3)])
def test_a_limit_that_would_cut_episodes_of_a_batch_is_refused(role, steps):
    with pytest.raises(ValueError, match=f"^max_episode_steps must be at least {steps}; got {steps - 1}$"):
        make_vec(role, 2, max_episode_steps=steps - 1)
    assert make_vec(role, 2, max_episode_steps=steps).num_envs == 2
    assert SenderVectorEnv().num_envs == 1


# The game


@each_role
def test_the_oracle_plays_the_other_role_of_its_code(role):
    env = make(role, **SMALL).unwrapped
    sender, receiver = OracleSender(env.config), OracleReceiver(env.config)
    for seed in range(8):
        seen, _ = env.reset(seed=np.int64(seed))
        if role == "Receiver":
            actions = receiver.choose(*rules.split_receiver_observation(env.config, seen[None]))
        else:
            message = sender.send(rules.split_sender_observation(env.config, seen[None])[0])
            actions = message if role == "Sender" else message[0]
        *before, last = [env.step(action)[1:4] for action in actions]
        assert before == [(0, False, False)] * len(before)
        assert last == (1, True, False)
        with pytest.raises(RuntimeError, match=r"the episode is over: call reset\(\) before the next step"):
            env.step(actions[0])


def test_a_given_episode_is_played_and_drawn():
    env = ReceiverEnv("oracle", render_mode="ansi", **SMALL)
    episode = draw_episodes(env.config, 1, np.random.default_rng(3))
    seen, _ = env.reset(options={"episodes": episode})
    np.testing.assert_array_equal(seen[3:12], episode.sequence[0])
    assert "choice" in env.render()
    np.testing.assert_array_equal(env.scene().episode.window, episode.window)


@each_role
def test_masks_allow_every_action(role):
    size = {"Sender": 21, "SenderSymbol": 7, "Receiver": 3}[role]
    assert make(role, **SMALL).unwrapped.action_masks().tolist() == [True] * size
    assert make_vec(role, 2, **SMALL).action_masks().tolist() == [[True] * size] * 2


@each_role
def test_copies_and_pickles_go_on_alike(role):
    env = make(role, partner="random", **SMALL).unwrapped
    env.reset(seed=1)
    twins = [copy.deepcopy(env), copy.copy(env), pickle.loads(pickle.dumps(env))]
    expected = [env.reset()[0] for _ in range(20)]
    for twin in twins:
        np.testing.assert_array_equal([twin.reset()[0] for _ in range(20)], expected)


# Batches


@each_role
@pytest.mark.parametrize(("partner", "format"), [("oracle", "flat"), ("random", "dict")])
@pytest.mark.parametrize("mode", AutoresetMode, ids=str)
def test_our_batch_equals_gymnasiums(role, partner, format, mode):
    kind = {"partner": partner, "observations": format, **SMALL}
    ours = make_vec(role, 3, autoreset_mode=mode, **kind)
    sync = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": mode}}
    theirs = make_vec(role, 3, **sync, **kind)
    for name in ("observation_space", "action_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    drawn = []
    for _ in range(2):  # a list seeds what wrappers draw, too
        assert_same(ours.reset(seed=[4, 9, 2])[0], theirs.reset(seed=[4, 9, 2])[0])
        drawn.append(ours.np_random.random())
    assert drawn[0] == drawn[1]
    ours.action_space.seed(0)
    rng = np.random.default_rng(0)
    for step in range(16):
        actions = ours.action_space.sample()
        one, other = ours.step(actions), theirs.step(actions)
        assert_same(one[:4], other[:4])
        if mode == AutoresetMode.SAME_STEP and one[2].any():
            np.testing.assert_array_equal(one[4]["_final_obs"], other[4]["_final_obs"])
            for i in np.flatnonzero(one[2]):
                final = list(iterate(ours.observation_space, one[4]["final_obs"]))[i]
                assert_same(final, other[4]["final_obs"][i])
        else:
            assert (one[4].keys(), other[4]) == ({"final_info", "_final_info"} if one[2].any() else set(), {})
        parted = np.zeros(3, bool)
        if mode == AutoresetMode.DISABLED:
            parted = one[2] | (rng.random(3) < 0.3)  # also in the middle of an episode
        elif step % 8 == 5:
            parted[0] = True
        if parted.any():
            options = {"reset_mask": parted}
            assert_same(ours.reset(options=options)[0], theirs.reset(options=options)[0])


def test_observations_are_the_callers_own():
    envs, same = (make_vec("Receiver", 20, **SMALL) for _ in range(2))
    seen, expected = (each.reset(seed=0)[0] for each in (envs, same))
    for _ in range(5):
        np.testing.assert_array_equal(seen, expected)
        seen[:] = 0
        seen, _, over, _, infos = envs.step(np.zeros(20, int))
        expected, _, _, _, last = same.step(np.zeros(20, int))
        np.testing.assert_array_equal(infos["final_obs"], last["final_obs"])
        assert not np.shares_memory(infos["_final_obs"], over)
        infos["final_obs"][:] = 0


# Misuse


@pytest.mark.parametrize("maker", [referential_v0.env, ParallelVectorEnv, ReceiverEnv, SenderVectorEnv])
def test_an_unknown_keyword_is_named(maker):
    for name in ("config", "argument"):
        with pytest.raises(TypeError, match=f"^got an unexpected keyword argument '{name}'; the sizes"):
            maker(**{name: 0})
    with pytest.raises(TypeError, match=r'\'sequence_lenght\' \(did you mean "sequence_length"\?\); '):
        maker(sequence_lenght=9)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"num_envs": 0}, "num_envs must be at least 1; got 0"),
        ({"autoreset_mode": "Never"}, "autoreset_mode must be one of .*; got 'Never'"),
        ({"render_mode": "human"}, "render_mode must be None or one of ansi, rgb_array; got 'human'"),
    ],
)
def test_constructors_check_their_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        SenderVectorEnv(**arguments)


@pytest.mark.parametrize("actions", [[0], [0, 0, 0], 0, {"sender_0": 0, "receiver_0": 0}])
def test_both_agents_must_act(actions):
    env = make("Both").unwrapped
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^actions must be the sender's and the receiver's; got"):
        env.step(actions)
    env.step((0, 0))


def test_an_ended_environment_that_does_not_reset_itself_is_not_stepped():
    env = make_vec("Receiver", 2, autoreset_mode=AutoresetMode.DISABLED, **SMALL)
    env.reset(seed=0)
    env.step(np.zeros(2, int))
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(RuntimeError, match="the episode of game 1 is over"):
        env.step(np.zeros(2, int))
