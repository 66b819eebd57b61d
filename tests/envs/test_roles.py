"""One role as a Gymnasium environment, alone and in batches: the rules, the partners, the seeds, misuse."""

from __future__ import annotations

import copy
import pickle
import re
import types
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from strategies import configs, seeds

from spatial_game import referential_v0
from spatial_game.config import LONGEST_MESSAGE, GameConfig
from spatial_game.envs.play_recording import record_play
from spatial_game.envs.roles import ReceiverEnv, SenderEnv, SenderSymbolEnv, SenderVectorEnv
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, concatenate, draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver, RandomSender
from spatial_game.recording import read_recording

ROLES = ("Sender", "SenderSymbol", "Receiver")
SMALL = {"sequence_length": 9, "num_distractors": 2, "vocab_size": 7}
each_role = pytest.mark.parametrize("role", ROLES)


def make(role: str, **kwargs: Any) -> Any:
    return gym.make(f"spatial_game/{role}-v0", **kwargs)


def make_vec(role: str, num_envs: int, **kwargs: Any) -> Any:
    return gym.make_vec(f"spatial_game/{role}-v0", num_envs=num_envs, **kwargs)


class First:
    """Sends zeros, chooses the first: depends on nothing."""

    def __init__(self, config: GameConfig | None = None) -> None:
        if config is not None:
            self.config = config

    def send(self, window: Any) -> Any:
        return np.zeros((len(window), 3), dtype=np.int64)

    def choose(self, messages: Any, sequence: Any, candidates: Any) -> Any:
        return np.zeros(len(messages), dtype=np.int64)


# The environments


@each_role
@pytest.mark.parametrize("partner", ["oracle", "random"])
def test_gymnasium_accepts_every_role(role: str, partner: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        check_env(make(role, partner=partner, **SMALL).unwrapped, skip_render_check=True)


@each_role
def test_stable_baselines3_accepts_every_role(role: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(make(role, **SMALL).unwrapped)


def test_an_id_names_its_module() -> None:
    assert gym.make("spatial_game:spatial_game/Receiver-v0").unwrapped.config == GameConfig()


@settings(max_examples=20, deadline=None)
@given(configs(max_length=12), seeds)
def test_the_sender_earns_what_the_receiver_makes_of_its_message(config: GameConfig, seed: int) -> None:
    receiver = RandomReceiver(config, np.random.default_rng(seed))
    same = RandomReceiver(config, np.random.default_rng(seed))
    env = SenderEnv(receiver, **config.to_dict())
    env.action_space.seed(seed)
    episodes = draw_episodes(config, 10, np.random.default_rng(seed))
    for i in range(10):
        seen, _ = env.reset(seed=seed if i == 0 else None)
        np.testing.assert_array_equal(seen, episodes.window[i])
        message = env.action_space.sample()
        _, reward, terminated, truncated, _ = env.step(message)
        choice = same.choose(message[None], episodes.sequence[i : i + 1], episodes.candidates[i : i + 1])
        assert reward == float(choice[0] == episodes.target_index[i])
        assert (terminated, truncated) == (True, False)


def test_symbol_by_symbol_earns_the_same_as_the_whole_message() -> None:
    whole, parts = SenderEnv("oracle", **SMALL), SenderSymbolEnv("oracle", **SMALL)
    oracle = OracleSender(whole.config)
    for seed in range(20):
        window, _ = whole.reset(seed=seed)
        message = oracle.send(window[None].astype(np.int16))[0]
        seen, _ = parts.reset(seed=seed)
        np.testing.assert_array_equal(seen, [*window, -1, -1, -1])
        for slot, symbol in enumerate(message):
            seen, reward, terminated, _, _ = parts.step(symbol)
            assert terminated == (slot == 2)
            np.testing.assert_array_equal(seen[5:], [*message[: slot + 1], *[-1] * (2 - slot)])
        assert reward == whole.step(message)[1] == 1.0


def test_the_receiver_hears_its_partner_and_earns_its_choice() -> None:
    env = ReceiverEnv("oracle", **SMALL)
    sender, receiver = OracleSender(env.config), OracleReceiver(env.config)
    for seed in range(20):
        seen, _ = env.reset(seed=seed)
        messages, sequence, candidates = rules.split_receiver_view(env.config, seen[None])
        episode = draw_episodes(env.config, 1, np.random.default_rng(seed))
        np.testing.assert_array_equal(messages, sender.send(episode.window))
        choice = int(receiver.choose(messages, sequence, candidates)[0])
        assert env.step(choice)[1] == 1.0
        env.reset(seed=seed)
        assert env.step((choice + 1) % 3)[1] == 0.0


def test_a_given_episode_is_played_and_drawn() -> None:
    env = ReceiverEnv("oracle", render_mode="ansi", **SMALL)
    episode = draw_episodes(env.config, 1, np.random.default_rng(3))
    seen, _ = env.reset(options={"episode": episode})
    np.testing.assert_array_equal(seen[3:12], episode.sequence[0])
    assert "choice" in env.render()
    np.testing.assert_array_equal(env.scene().episode.window, episode.window)


@each_role
def test_masks_allow_every_action(role: str) -> None:
    env = make(role, **SMALL).unwrapped
    size = {"Sender": 21, "SenderSymbol": 7, "Receiver": 3}[role]
    assert env.action_masks().tolist() == [True] * size
    assert make_vec(role, 2, **SMALL).action_masks().tolist() == [[True] * size] * 2


@each_role
def test_copies_and_pickles_go_on_alike(role: str) -> None:
    env = make(role, partner="random", **SMALL).unwrapped
    env.reset(seed=1)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    expected = [env.reset()[0] for _ in range(100)]
    for twin in twins:
        np.testing.assert_array_equal([twin.reset()[0] for _ in range(100)], expected)


# Batches


@each_role
@pytest.mark.parametrize("partner", ["oracle", "random"])
def test_a_batch_plays_what_single_environments_play(role: str, partner: str) -> None:
    envs = make_vec(role, 4, partner=partner, **SMALL)
    alone = [make(role, partner=partner, **SMALL) for _ in range(4)]
    seen, infos = envs.reset(seed=8)
    assert infos == {}
    np.testing.assert_array_equal(seen, [env.reset(seed=8 + i)[0] for i, env in enumerate(alone)])
    envs.action_space.seed(0)
    for _ in range(200):
        actions = envs.action_space.sample()
        seen, rewards, terminations, truncations, infos = envs.step(actions)
        for i, env in enumerate(alone):
            last, reward, terminated, truncated, _ = env.step(actions[i])
            assert (reward, terminated, truncated) == (rewards[i], terminations[i], truncations[i])
            if terminated:
                assert infos["_final_obs"][i]
                np.testing.assert_array_equal(infos["final_obs"][i], last)
                last, _ = env.reset()
            np.testing.assert_array_equal(seen[i], last)
        assert envs.observation_space.contains(seen)


@each_role
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_our_batch_equals_gymnasiums(role: str, mode: AutoresetMode) -> None:
    ours = make_vec(role, 3, partner="random", autoreset_mode=mode, **SMALL)
    theirs = make_vec(
        role,
        3,
        partner="random",
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **SMALL,
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    np.testing.assert_array_equal(ours.reset(seed=[4, 9, 2])[0], theirs.reset(seed=[4, 9, 2])[0])
    ours.action_space.seed(0)
    parted = {"reset_mask": np.array([True, False, False])}
    for step in range(50):
        if step == 20:
            np.testing.assert_array_equal(ours.reset(options=parted)[0], theirs.reset(options=parted)[0])
        actions = ours.action_space.sample()
        one, other = ours.step(actions), theirs.step(actions)
        for mine, its in zip(one[:4], other[:4], strict=True):
            np.testing.assert_array_equal(mine, its)
            assert mine.dtype == its.dtype
        if mode == AutoresetMode.NEXT_STEP:
            assert one[4] == other[4] == {}
            continue
        for i in np.flatnonzero(one[2]):
            np.testing.assert_array_equal(one[4]["final_obs"][i], other[4]["final_obs"][i])
        if one[2].any():
            np.testing.assert_array_equal(one[4]["_final_obs"], other[4]["_final_obs"])


@each_role
def test_without_autoreset_a_mask_says_what_begins_anew(role: str) -> None:
    envs = make_vec(role, 3, partner="random", autoreset_mode="Disabled", **SMALL)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.DISABLED
    alone = [make(role, partner="random", **SMALL) for _ in range(3)]
    seen, _ = envs.reset(seed=2)
    for i, env in enumerate(alone):
        env.reset(seed=2 + i)
    envs.action_space.seed(0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = envs.action_space.sample()
        seen, rewards, over, _, infos = envs.step(actions)
        assert infos == {}
        for i, env in enumerate(alone):
            last, reward, *_ = env.step(actions[i])
            assert reward == rewards[i]
            np.testing.assert_array_equal(seen[i], last)
        again = over | (rng.random(3) < 0.3)
        if again.any():
            seen, _ = envs.reset(options={"reset_mask": again})
            for i in np.flatnonzero(again):
                np.testing.assert_array_equal(seen[i], alone[i].reset()[0])


@pytest.mark.parametrize("num_envs", [3, 20])
def test_observations_are_the_callers_own(num_envs: int) -> None:
    envs, same = (make_vec("Receiver", num_envs, **SMALL) for _ in range(2))
    seen, _ = envs.reset(seed=0)
    same.reset(seed=0)
    seen[:] = 0
    for _ in range(5):
        seen, _, over, _, infos = envs.step(np.zeros(num_envs, int))
        expected, _, _, _, last = same.step(np.zeros(num_envs, int))
        np.testing.assert_array_equal(seen, expected)
        np.testing.assert_array_equal(infos["final_obs"], last["final_obs"])
        assert not np.shares_memory(infos["_final_obs"], over)
        seen[:] = 0
        infos["final_obs"][:] = 0
        infos["_final_obs"][:] = False


# Partners


def test_partners_may_be_policies_or_pairs() -> None:
    assert SenderEnv(First(), **SMALL).reset(seed=0)[0].shape == (5,)
    heard = ReceiverEnv(First(), **SMALL).reset(seed=0)[0]
    assert heard[:3].tolist() == [0, 0, 0]

    class Pair:
        sender = receiver = First()

    assert ReceiverEnv(Pair(), **SMALL).reset(seed=0)[0][:3].tolist() == [0, 0, 0]


def test_a_saved_pair_is_a_partner() -> None:
    import spatial_agents

    names = spatial_agents.pair_names()
    if not names:
        pytest.skip("no pair comes with this copy")
    pair = spatial_agents.load_pair(names[0])
    by_name = ReceiverEnv(names[0], **pair.config.to_dict())
    by_hand = ReceiverEnv(pair, **pair.config.to_dict())
    np.testing.assert_array_equal(by_name.reset(seed=0)[0], by_hand.reset(seed=0)[0])
    file = Path(spatial_agents.__file__).parent / "pretrained" / names[0] / "00.safetensors"
    from_file = ReceiverEnv(file, **pair.config.to_dict())
    np.testing.assert_array_equal(from_file.reset(seed=0)[0], by_hand.reset(seed=0)[0])
    with pytest.raises(ValueError, match="vocab_size must be"):
        ReceiverEnv(pair, vocab_size=pair.config.vocab_size + 1)


@each_role
@pytest.mark.parametrize("change", [{"vocab_size": 8}, {"message_length": 2}, {"window_radius": 1}])
def test_a_partner_of_another_game_is_refused(role: str, change: dict[str, int]) -> None:
    played, other = GameConfig(**SMALL), GameConfig(**{**SMALL, **change})
    (name, value), mine = next(iter(change.items())), getattr(played, next(iter(change)))
    fault = f"partner must suit the game: {name} must be {value}, as it was made for; got {mine}"
    for partner in (First(other), RandomSender(other, np.random.default_rng(0))):
        if role != "Receiver":
            partner = RandomReceiver(other, np.random.default_rng(0))
        with pytest.raises(ValueError, match=re.escape(fault)):
            make(role, partner=partner, **played.to_dict())


def test_an_oracle_of_fewer_integers_is_refused() -> None:
    with pytest.raises(ValueError, match="partner must suit the game: num_integers must be at most 8"):
        ReceiverEnv(OracleSender(GameConfig(sequence_length=8)), sequence_length=9)


@each_role
def test_the_game_is_the_partners_where_none_is_given(role: str) -> None:
    game = GameConfig(sequence_length=9, num_integers=20, num_distractors=2, vocab_size=7)
    for env in (make(role, partner=First(game)), make_vec(role, 2, partner=First(game))):
        assert env.unwrapped.config == game
    assert make(role, partner=First(game), num_distractors=3).unwrapped.config == game.changed(
        num_distractors=3
    )
    longer = make(role, partner=First(game), sequence_length=30).unwrapped.config
    assert (longer.num_integers, longer.vocab_size) == (30, 7)


def test_a_bundled_pairs_game_is_played() -> None:
    spatial_agents = pytest.importorskip("spatial_agents")
    if "paper-20" not in spatial_agents.pair_names():
        pytest.skip("the pair is not bundled here")
    envs = make_vec("Receiver", 1000, partner="paper-20")
    assert envs.config == spatial_agents.load_pair("paper-20").config
    assert envs.config.sequence_length == 20


@each_role
def test_the_partner_can_be_changed(role: str) -> None:
    class Last(First):
        def send(self, window: Any) -> Any:
            return np.full((len(window), 3), 6)

        def choose(self, messages: Any, sequence: Any, candidates: Any) -> Any:
            return np.full(len(messages), 2)

    for env in (make(role, **SMALL).unwrapped, make_vec(role, 3, **SMALL)):
        assert env.partner == "oracle"
        env.reset(seed=1)
        env.partner = last = Last()
        assert env.partner is last
        seen, _ = env.reset(seed=1)
        if role == "Receiver":
            assert np.atleast_2d(seen)[:, :3].tolist() == [[6, 6, 6]] * len(np.atleast_2d(seen))
        else:
            for _ in range(1 if role == "Sender" else 3):
                rewards = env.step(np.zeros_like(env.action_space.sample()))[1]
            right = np.atleast_1d(draw_of(env, seed=1).target_index)
            np.testing.assert_array_equal(rewards, np.squeeze(right == 2))
        env.partner = "random"
        env.reset()
        env.step(env.action_space.sample())
        with pytest.raises(ValueError, match=r'got "oracel" \(did you mean "oracle"\?\)'):
            env.partner = "oracel"
        with pytest.raises(ValueError, match="partner must suit the game"):
            env.partner = First(GameConfig())
        assert env.partner == "random"


def draw_of(env: Any, seed: int) -> Episodes:
    """The first episodes of an environment, or of a batch, under this seed."""
    number = getattr(env, "num_envs", 1)
    return concatenate([draw_episodes(env.config, 1, np.random.default_rng(seed + i)) for i in range(number)])


def test_torchrl_does_not_take_a_role_for_a_vector_environment() -> None:
    assert not hasattr(make("Receiver").unwrapped, "num_envs")
    gym_env = pytest.importorskip("torchrl.envs").GymEnv
    for role in ROLES:  # TorchRL also tries an argument that no role has
        env = gym_env(f"spatial_game/{role}-v0", categorical_action_encoding=True)
        assert env.rollout(3).batch_size[0] >= 1
        assert env.batch_size == ()


def test_numpy_integers_are_seeds() -> None:
    for role in ROLES:
        one, other = make(role, **SMALL), make(role, **SMALL)
        np.testing.assert_array_equal(one.reset(seed=np.int64(3))[0], other.reset(seed=3)[0])


def test_what_cannot_play_is_refused() -> None:
    with pytest.raises(TypeError, match=r'must be "oracle", "random", a pair, .* have a method send\(\)'):
        ReceiverEnv(RandomReceiver(GameConfig(), np.random.default_rng(0)))
    with pytest.raises(TypeError, match=r"have a method choose\(\) to play the receiver; got 3"):
        SenderEnv(3)
    fault = '"oracle" cannot play this game, but "random" can: the oracle\'s code needs'
    with pytest.raises(ValueError, match=fault):
        SenderEnv(vocab_size=2, message_length=1)


@pytest.mark.parametrize(
    ("env", "partner"),
    [
        (SenderEnv, OracleReceiver),
        (ReceiverEnv, OracleSender),
    ],
)
def test_a_class_is_no_agent(env: Any, partner: Any) -> None:
    for each in (partner, types.SimpleNamespace(sender=partner, receiver=partner)):
        with pytest.raises(TypeError, match=r"have a method (send|choose)"):
            env(each)


def test_a_name_too_long_for_a_file_is_refused_like_any_unknown_one() -> None:
    with pytest.raises(ValueError, match=r'partner must be "oracle", "random", .*; got "x{5000}"'):
        ReceiverEnv("x" * 5000)


def test_a_partner_that_breaks_the_rules_is_found_out() -> None:
    class Wrong(First):
        def send(self, window: Any) -> Any:
            return np.full((len(window), 3), 7)

    with pytest.raises(ValueError, match=r"messages must be in 0\.\.6; got 7"):
        ReceiverEnv(Wrong(), **SMALL).reset(seed=0)


@each_role
def test_time_limits_are_known_and_cut_no_episode(role: str) -> None:
    spec = gym.spec(f"spatial_game/{role}-v0")
    longest = {} if role != "SenderSymbol" else {"message_length": LONGEST_MESSAGE}
    env = make(role, **SMALL | longest)
    env.reset(seed=0)
    steps, over, cut = 0, False, False
    while not over:
        _, _, over, cut, _ = env.step(env.action_space.sample())
        steps += 1
    assert not cut
    assert steps + 1 == spec.max_episode_steps
    with pytest.raises(ValueError, match=r"max_episode_steps must be at least .*, an episode; got 0"):
        make_vec(role, 2, max_episode_steps=0, **SMALL)


# Misuse


@pytest.mark.parametrize(
    ("maker", "said"),
    [
        (
            lambda: referential_v0.env(sequence_lenght=9),
            "referential_v0.env() got an unexpected keyword argument 'sequence_lenght' (did you mean "
            '"sequence_length"?); it takes render_mode, lexicon, ',
        ),
        (
            lambda: ParallelVectorEnv(2, size=8),
            "ParallelVectorEnv() got an unexpected keyword argument 'size'; it takes num_envs, ",
        ),
        (
            lambda: referential_v0.parallel_env(size=8),
            "referential_v0.parallel_env() got an unexpected keyword argument 'size'",
        ),
        (
            lambda: make("Receiver", parter="random"),
            "Receiver-v0 got an unexpected keyword argument 'parter' "
            '(did you mean "partner"?); it takes partner, ',
        ),
        (
            lambda: make_vec("Sender", 2, size=8),
            "spatial_game/Sender-v0 got an unexpected keyword argument 'size'; it takes num_",
        ),
    ],
)
def test_an_unknown_keyword_is_named(maker: Any, said: str) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        maker()


@pytest.mark.parametrize(("size", "signature"), [("small", "L8 w1 c3 | v8x2"), ("tiny", "L4 w1 c2 | v4x2")])
def test_smaller_games_have_ids_of_their_own(size: str, signature: str) -> None:
    for role in ROLES:
        env = gym.make(f"spatial_game/{role}-{size}-v0")
        assert env.unwrapped.config.signature == signature
        assert gym.make_vec(f"spatial_game/{role}-{size}-v0", num_envs=2).config == env.unwrapped.config
        if size == "tiny":
            assert set(np.unique(env.reset(seed=0)[0])) == {0, 1}
    assert gym.make(f"spatial_game/Receiver-{size}-v0", vocab_size=9).unwrapped.config.vocab_size == 9


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_a_plain_policy_learns_the_tiny_game(role: str) -> None:
    ppo = pytest.importorskip("stable_baselines3").PPO
    model = ppo("MlpPolicy", gym.make(f"spatial_game/{role}-tiny-v0"), seed=0, device="cpu").learn(40_000)
    envs, rewards = make_vec(f"{role}-tiny", 2000), np.zeros(2000)
    seen, over = envs.reset(seed=10**6)[0], np.zeros(2000, bool)
    while not over.all():
        seen, rewards, over, _, _ = envs.step(model.predict(seen, deterministic=True)[0])
    assert rewards.mean() > 0.95


WRONG = {
    "Sender": [np.zeros(3), np.zeros(4, int), [0, 0, 7], [0, -1, 0]],
    "SenderSymbol": [7, [1], 1.0],
    "Receiver": [3, None, True],
}


@pytest.mark.parametrize(
    ("role", "action"), [(role, action) for role in WRONG for action in WRONG[role]], ids=str
)
def test_wrong_actions_are_refused_and_change_nothing(role: str, action: Any) -> None:
    env = make(role, **SMALL).unwrapped
    env.reset(seed=0)
    with pytest.raises((TypeError, ValueError), match=r"^(message|symbol|choice) must "):
        env.step(action)
    env.step(env.action_space.sample())
    envs = make_vec(role, 2, **SMALL)
    envs.reset(seed=0)
    for wrong in ([action, action], envs.action_space.sample()[:1]):
        with pytest.raises((TypeError, ValueError), match=r"^(messages|symbols|choices) must "):
            envs.step(wrong)
    envs.step(envs.action_space.sample())


@each_role
def test_steps_outside_an_episode_are_refused(role: str) -> None:
    env = make(role, **SMALL).unwrapped
    action = env.action_space.sample()
    with pytest.raises(RuntimeError, match=r"there is no episode yet: call reset\(\) first"):
        env.step(action)
    env.reset(seed=0)
    while not env.step(action)[2]:
        pass
    with pytest.raises(RuntimeError, match=r"the episode is over: call reset\(\) before the next step"):
        env.step(action)
    for mode in ("SameStep", "NextStep", "Disabled"):
        envs = make_vec(role, 2, autoreset_mode=mode, **SMALL)
        actions = envs.action_space.sample()
        with pytest.raises(RuntimeError, match=r"there is no episode yet: call reset\(\) first"):
            envs.step(actions)
        envs.reset(seed=0)
        while not envs.step(actions)[2].any():
            pass
        if mode != "Disabled":
            envs.step(actions)  # the next episode has begun
            continue
        with pytest.raises(RuntimeError, match="the episode of game 0 is over: reset it before the next"):
            envs.step(actions)


def test_constructors_check_their_arguments() -> None:
    with pytest.raises(ValueError, match="num_envs must be at least 1; got 0"):
        SenderVectorEnv(0)
    with pytest.raises(ValueError, match="'Never' is not a valid AutoresetMode"):
        SenderVectorEnv(2, autoreset_mode="Never")
    with pytest.raises(ValueError, match="render_mode must be None or one of ansi, rgb_array; got 'human'"):
        SenderVectorEnv(render_mode="human")
    for env in (SenderEnv(), SenderVectorEnv(2)):
        with pytest.raises(ValueError, match="seed must be a whole number"):
            env.reset(seed=1.5)  # type: ignore[arg-type]


# Recording


@each_role
def test_play_is_recorded(role: str, tmp_path: Any) -> None:
    envs = make_vec(role, 3, partner="oracle", **SMALL)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    path = tmp_path / "play.parquet"
    earned = 0.0
    with record_play(envs, path, {"seed": 0}) as recorder:
        for _ in range(300):
            earned += envs.step(envs.action_space.sample())[1].sum()
    envs.step(envs.action_space.sample())  # no longer recorded
    recording = read_recording(path)
    assert len(recording) == recorder.num_episodes == 900 // (3 if role == "SenderSymbol" else 1)
    assert recording.accuracy == pytest.approx(earned / len(recording))
    assert recording.config == envs.config
    assert recording.provenance["seed"] == 0
    alone = draw_episodes(envs.config, 5, np.random.default_rng(1))  # of game 1
    np.testing.assert_array_equal(recording.window[1:15:3], alone.window)
