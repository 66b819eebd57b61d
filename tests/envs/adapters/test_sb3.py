"""Stable-Baselines3: its vector environment, what it asks of one, and its models as policies and partners."""

import copy

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor

from spatial_game import evaluate, load_agents
from spatial_game.agents.models import ModelReceiver, ModelSender
from spatial_game.config import GameConfig
from spatial_game.envs.adapters.sb3 import RoleVecEnv
from spatial_game.envs.play_recording import record_play
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.envs.roles import ReceiverEnv, SenderEnv
from spatial_game.game import rules
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.observations import ROLE_FORMATS
from spatial_game.recording import read_recording
from spatial_game.rendering.picture import rgb_array

SMALL = {"sequence_length": 5, "window_radius": 1, "num_distractors": 1, "vocab_size": 6, "message_length": 2}
CONFIG = GameConfig(**SMALL)


def untrained(role, observations="flat"):
    policy = "MultiInputPolicy" if observations == "dict" else "MlpPolicy"
    env = RoleVecEnv(role, 4, observations=observations, **SMALL)
    return PPO(policy, env, n_steps=8, batch_size=32, seed=0, device="cpu")


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])
@pytest.mark.parametrize("observations", ROLE_FORMATS)
def test_its_checker_accepts_every_format_of_a_role(role, observations):
    check_env(gym.make(f"spatial_game/{role}-v0", observations=observations, **SMALL).unwrapped)


def test_seeds_are_spent_by_one_reset():
    env = RoleVecEnv("receiver", 3, **SMALL)
    assert env.seed(5) == checked_seeds(5, 3)
    first = env.reset()
    second = env.reset()
    assert not np.array_equal(first, second)
    env.seed(5)
    np.testing.assert_array_equal(env.reset(), first)
    np.testing.assert_array_equal(env.reset(), second)
    assert len(set(env.seed())) == 3  # from the system


def test_ended_games_tell_what_was_last_seen():
    env = RoleVecEnv("sender_symbol", 3, **SMALL)
    env.seed(0)
    env.reset()
    _, _, dones, infos = env.step(np.array([1, 2, 3]))
    assert (dones.tolist(), infos) == ([False] * 3, [{}, {}, {}])
    seen, rewards, dones, infos = env.step(np.array([4, 5, 0]))
    assert dones.all()
    assert rewards.dtype == np.float32
    assert [info["terminal_observation"][-2:].tolist() for info in infos] == [[1, 4], [2, 5], [3, 0]]
    assert seen[:, -2:].tolist() == [[-1, -1]] * 3


def test_single_games_can_be_asked():
    env = RoleVecEnv("receiver", 3, **SMALL)
    env.reset()
    assert [mask.tolist() for mask in env.env_method("action_masks", indices=[0, 2])] == [[True, True]] * 2
    assert env.get_attr("config", indices=[1]) == [CONFIG]
    assert env.get_attr("action_space") == [env.action_space] * 3
    assert env.get_attr("observation_space") == [env.observation_space] * 3
    assert env.has_attr("action_masks")
    assert not env.has_attr("nothing")
    assert env.env_is_wrapped(object) == [False] * 3
    env.set_attr("partner", "random")  # of all games
    assert env.get_attr("partner") == ["random"] * 3
    for name, indices in (("config", None), ("partner", [0])):
        with pytest.raises(AttributeError, match=f"attributes of single games cannot be set; got {name}"):
            env.set_attr(name, "oracle", indices=indices)


def test_games_are_rendered_in_the_mode_asked_for():
    env = RoleVecEnv("receiver", 3, render_mode="rgb_array", **SMALL)
    env.reset()
    assert env.get_attr("render_mode") == ["rgb_array"] * 3
    for slot, image in enumerate(env.get_images()):
        np.testing.assert_array_equal(image, rgb_array(env.game.scene(slot)))
    text = RoleVecEnv("receiver", 2, render_mode="ansi", **SMALL)
    text.reset()
    assert text.get_images() == [None, None]
    assert "sequence" in text.env_method("render")[1]


each_format = pytest.mark.parametrize("observations", ROLE_FORMATS)


@pytest.mark.parametrize("role", ["sender", "sender_symbol"])
@each_format
def test_a_model_says_what_it_would_do_in_its_environment(role, observations):
    model = untrained(role, observations)
    env = RoleVecEnv(role, 20, observations=observations, **SMALL)
    env.seed(0)
    seen = env.reset()
    messages = ModelSender(model, CONFIG).send(env.game.episodes.window)
    for slot in range(2 if role == "sender_symbol" else 1):
        actions, _ = model.predict(seen, deterministic=True)
        np.testing.assert_array_equal(actions, messages[:, slot] if role == "sender_symbol" else messages)
        seen, _, _, infos = env.step(actions)
    last = infos[3]["terminal_observation"]
    assert env.observation_space.contains(last)
    assert (last.keys() == seen.keys()) if observations == "dict" else last.shape == seen[3].shape


@each_format
def test_models_are_partners_as_they_are(observations):
    receiver, sender = untrained("receiver", observations), untrained("sender", observations)
    episode = draw_episodes(CONFIG, 1, np.random.default_rng(3))
    env = SenderEnv(receiver)  # the game is that of the model's environment
    assert env.config == RoleVecEnv("sender", 2, receiver).config == CONFIG
    env.reset(seed=3)
    message = np.array([4, 1])
    choice = ModelReceiver(receiver, CONFIG).choose(message[None], episode.sequence, episode.candidates)
    assert env.step(message)[1] == float(choice[0] == episode.target_index[0])
    heard, _ = ReceiverEnv(sender, **SMALL).reset(seed=3)
    said = rules.split_receiver_observation(CONFIG, heard[None])[0]
    np.testing.assert_array_equal(said, ModelSender(sender, CONFIG).send(episode.window))


@pytest.mark.parametrize("role", ["receiver", "sender"])
def test_a_model_and_the_partner_of_its_environment_are_agents(role):
    single = {"receiver": ReceiverEnv, "sender": SenderEnv}[role](**SMALL)
    for env in (single, RoleVecEnv(role, 2, **SMALL)):
        agents = load_agents(PPO("MlpPolicy", env, n_steps=4, batch_size=4, device="cpu"))
        assert agents.config == CONFIG
        other = agents.sender if role == "receiver" else agents.receiver
        assert isinstance(other, OracleSender if role == "receiver" else OracleReceiver)
        assert evaluate((agents.sender, agents.receiver), num_episodes=20).num_episodes == 20


def test_a_sampler_draws_the_episodes_and_is_copied_with_the_games():
    given = draw_episodes(CONFIG, 3, np.random.default_rng(1))
    env = RoleVecEnv("sender", 3, sampler=lambda n, rng: given[rng.permutation(3)[:n]], **SMALL)
    env.seed(0)
    rows = {tuple(row) for row in given.window.tolist()}
    assert {tuple(row) for row in env.reset().astype(int).tolist()} == rows
    twin = copy.deepcopy(env)
    np.testing.assert_array_equal([env.reset() for _ in range(5)], [twin.reset() for _ in range(5)])


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="autoreset_mode must be left out; got 'NextStep'"):
        RoleVecEnv("receiver", autoreset_mode="NextStep")
    with pytest.raises(ValueError, match="must be one of sender, sender_symbol, receiver; got 'teacher'"):
        RoleVecEnv("teacher")
    env = RoleVecEnv("receiver", 2, **SMALL)
    env.set_options({"episodes": draw_episodes(CONFIG, 1, np.random.default_rng(1))})
    with pytest.raises(ValueError, match="must be a batch of 2; got 1"):
        env.reset()
    env.reset()  # with other options
    with pytest.raises(TypeError, match="options must be a dict or None; got list"):
        env.set_options([{}, {}])
    env.reset()


def test_given_episodes_are_played_by_one_reset():
    env, given = RoleVecEnv("sender", 3, **SMALL), draw_episodes(CONFIG, 3, np.random.default_rng(1))
    env.set_options({"episodes": given})
    for again in (True, False):
        np.testing.assert_equal((env.reset() == given.window).all(), again)
    env.set_options({"episodes": given})
    env.reset()
    _, rewards, *_ = env.step(np.ones((3, 2), int))
    final = env.final_info
    np.testing.assert_array_equal(final["target_index"], given.target_index)
    np.testing.assert_array_equal(rewards, final["target_index"] == final["choice"])


def test_a_model_of_another_game_or_role_is_refused():
    fault = r"receiver_0 in the game L5 .*, such as Box\(9,\) and Discrete\(2\); got Box\(3,\) and"
    with pytest.raises(ValueError, match=fault):
        SenderEnv(untrained("sender"), **SMALL)


def test_learning_runs_and_is_recorded(tmp_path):
    env = RoleVecEnv("sender", 8, **SMALL)
    model = PPO("MlpPolicy", VecMonitor(env), n_steps=16, batch_size=64, seed=0, device="cpu")
    with record_play(model.get_env(), tmp_path / "play.parquet") as recorder:
        model.learn(256)
    assert len(read_recording(tmp_path / "play.parquet")) == recorder.num_episodes > 30
    assert len(model.ep_info_buffer) > 30
