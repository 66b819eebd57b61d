"""The partner of a role. (What can be one, and what its game is: tests/agents/test_loading.py.)"""

from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest
from helpers.sizes import SMALL

from spatial_game import GameConfig, OracleReceiver, OracleSender, draw_episodes, referential_v0
from spatial_game.agents.own import OwnPolicy
from spatial_game.envs.partners import PolicyPartner
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.envs.roles import ReceiverEnv, SenderEnv, SenderSymbolEnv
from spatial_game.game.episodes import concatenate
from spatial_game.game.rules import SENDER

each_role = pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])


class Fixed:
    """Sends one symbol and chooses one candidate, whatever it sees."""

    def __init__(self, action=0, config=None):
        self.action = action
        if config is not None:
            self.config = config

    def send(self, window):
        return np.full((len(window), 3), self.action)

    def choose(self, messages, sequence, candidates):
        return np.full(len(messages), self.action)


class FixedSender(Fixed):
    """Says that it may be asked in advance, and counts how often it is asked."""

    fixed = True
    asked = 0

    def send(self, window):
        type(self).asked += 1
        return super().send(window)


def envs_of(role, **kwargs):
    """One game, and three at once."""
    name = f"spatial_game/{role}-v0"
    return [gym.make(name, **kwargs).unwrapped, gym.make_vec(name, num_envs=3, **kwargs)]


@each_role
def test_the_partner_can_be_changed(role):
    for env in envs_of(role, **SMALL):
        assert env.partner == "oracle"
        env.reset(seed=1)
        env.partner = fixed = Fixed(2)
        assert env.partner is fixed
        seen, _ = env.reset(seed=1)
        if role == "Receiver":
            assert (np.atleast_2d(seen)[:, :3] == 2).all()
        else:
            for _ in range(1 if role == "Sender" else 3):
                rewards = env.step(np.zeros_like(env.action_space.sample()))[1]
            seeds = checked_seeds(1, getattr(env, "num_envs", 1))
            drawn = [draw_episodes(env.config, 1, np.random.default_rng(seed)) for seed in seeds]
            np.testing.assert_array_equal(rewards, np.squeeze(concatenate(drawn).target_index == 2))
        env.partner = "random"
        env.reset()
        env.step(env.action_space.sample())
        with pytest.raises(ValueError, match="partner must suit the game"):
            env.partner = Fixed(0, GameConfig())
        assert env.partner == "random"


@each_role
def test_the_game_is_the_partners_where_none_is_given(role):
    game = GameConfig(sequence_length=9, num_integers=20, num_distractors=2, vocab_size=7)
    for env in [*envs_of(role, partner=Fixed(0, game)), *envs_of(role, partner=Fixed(0, game), shape=None)]:
        assert env.config == game
    for env in envs_of(role, partner=Fixed(0, game), num_distractors=3):
        assert env.config == game.changed(num_distractors=3)
    for env in envs_of(role, partner=Fixed(0, game), sequence_length=30):
        assert (env.config.num_integers, env.config.vocab_size) == (30, 7)
    for env in envs_of(role, partner=Fixed(0, GameConfig.tiny()), game="tiny", num_distractors=2):
        assert env.config == GameConfig.tiny().changed(num_distractors=2)


# What is refused


@pytest.mark.parametrize(
    ("env", "partner", "text"),
    [
        (SenderEnv, Fixed(0, GameConfig()), "partner must suit the game: vocab_size must be 26, as it was "),
        (ReceiverEnv, OracleSender(GameConfig(8, vocab_size=7)), "game: num_integers must be at most 8"),
        (SenderEnv, 3, r"or have a method choose\(\) to play the receiver; got 3"),
        (SenderSymbolEnv, SimpleNamespace(receiver=OracleReceiver), r"have a method choose\(\)"),  # a class
    ],
)
def test_what_cannot_play_is_refused(env, partner, text):
    with pytest.raises((TypeError, ValueError), match=text):
        env(partner, **SMALL)


def test_an_oracle_without_enough_messages_is_refused():
    with pytest.raises(ValueError, match='"oracle" cannot play this game, but "random" can'):
        SenderEnv(vocab_size=2, message_length=1)


# Several partners


def messages_heard(envs, episodes):
    """The messages (episodes, games, T) that the first seed gives."""
    heard = [envs.reset(seed=5)[0]] + [envs.reset()[0] for _ in range(episodes - 1)]
    return np.array(heard)[..., : envs.unwrapped.config.message_length]


def test_each_episode_draws_its_partner_in_each_game_from_the_games_own_seed():
    partners = [Fixed(0), Fixed(3), "random", OracleSender(GameConfig(**SMALL))]
    envs = gym.make_vec("spatial_game/Receiver-v0", 5, partner=partners, **SMALL)
    heard = messages_heard(envs, 200)
    alone = messages_heard(gym.make("spatial_game/Receiver-v0", partner=partners, **SMALL), 200)
    np.testing.assert_array_equal(heard[:, 0], alone)
    for action in (0, 3):  # each about a quarter of the time
        assert 200 < (heard == action).all(axis=2).sum() < 300
    assert envs.unwrapped.partner[2] == "random"
    envs.unwrapped.partner = "oracle"
    assert envs.unwrapped.partner == "oracle"


def test_a_population_of_fixed_senders_is_asked_in_advance_and_plays_as_in_a_single_environment():
    partners = [FixedSender(action) for action in range(4)]
    envs = gym.make_vec("spatial_game/Receiver-v0", 5, partner=partners, **SMALL)
    FixedSender.asked = 0
    heard = messages_heard(envs, 200)
    assert FixedSender.asked < 40
    alone = gym.make("spatial_game/Receiver-v0", partner=partners, **SMALL)
    np.testing.assert_array_equal(heard[:, 0], messages_heard(alone, 200))
    assert not np.array_equal(heard[:, 0], heard[:, 1])
    for action in range(4):
        assert 200 < (heard == action).all(axis=2).sum() < 300
    # Games that were reset or seeded apart, and games that played given episodes, stay the same as alone.
    episodes = draw_episodes(envs.unwrapped.config, 5, np.random.default_rng(0))
    for seed in (None, 8):
        envs.reset(options={"episodes": episodes})
        alone.reset(options={"episodes": episodes[:1]})
        seen, _ = envs.reset(seed=seed, options={"reset_mask": np.array([True, False, True, False, False])})
        np.testing.assert_array_equal(seen[0], alone.reset(seed=seed)[0])
        for _ in range(30):
            np.testing.assert_array_equal(envs.reset()[0][0], alone.reset()[0])


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol"])
def test_receivers_of_a_population_choose_in_the_games_that_drew_them(role):
    envs = gym.make_vec(f"spatial_game/{role}-v0", 200, partner=[Fixed(0), Fixed(2)], **SMALL)
    envs.reset(seed=0)
    infos = {}
    while not infos:
        *_, infos = envs.step(envs.action_space.sample())
    assert 60 < (infos["final_info"]["choice"] == 2).sum() < 140
    assert {0, 2} == {*infos["final_info"]["choice"].tolist()}


def test_all_pairs_of_a_name_are_partners():
    env = ReceiverEnv("grid-8x8/all")
    assert [pair.name for pair in env.partner] == [f"grid-8x8/{i}" for i in range(3)]
    assert env.config.shape == (8, 8)


def test_one_game_is_that_of_the_partners_that_name_one():
    assert ReceiverEnv(["oracle", Fixed(0, GameConfig(**SMALL))]).config == GameConfig(**SMALL)
    for partners in ("oracle", "grid-8x8/0"), ("grid-8x8/0", "oracle"):
        assert ReceiverEnv([*partners], num_distractors=3).config.shape == (8, 8)
    with pytest.raises(ValueError, match=r"^partner\[1\] must suit the game"):
        ReceiverEnv([Fixed(0, GameConfig()), Fixed(0, GameConfig(**SMALL))])
    with pytest.raises(ValueError, match="partner must be at least one; got an empty list"):
        ReceiverEnv([])


@pytest.mark.parametrize(("before", "name"), [([], "partner"), (["oracle"], r"partner\[1\]")])
def test_what_a_partner_does_wrong_is_an_error_with_its_name(before, name):
    model = SimpleNamespace(predict=None, observation_space=None, action_space=None)
    with pytest.raises(ValueError, match=f"^{name}: the model must have the spaces of receiver_0"):
        SenderEnv([*before, model], **SMALL)
    env = SenderEnv([*before, Fixed(9)], **SMALL)

    def play():
        for seed in range(20):
            env.reset(seed=seed)
            env.step(env.action_space.sample())

    with pytest.raises(ValueError, match=rf"^{name}: choices must be in 0\.\.2; got 9$"):
        play()


class Failing:
    """Has no answer."""

    def send(self, *seen):
        raise RuntimeError("no answer")

    choose = send


@each_role
def test_after_a_partner_has_failed_the_episode_is_over(role):
    for env in envs_of(role, partner=Failing(), **SMALL):
        action = np.zeros_like(env.action_space.sample())

        def until_the_partner_acts(env=env, action=action):
            env.reset(seed=0)
            for _ in range({"Sender": 1, "SenderSymbol": 3, "Receiver": 0}[role]):
                env.step(action)

        with pytest.raises(RuntimeError, match="no answer"):
            until_the_partner_acts()
        with pytest.raises(RuntimeError, match=r"the episode .*is over"):
            env.step(action)
        env.partner = Fixed()
        until_the_partner_acts()


def test_a_partner_that_breaks_the_rules_is_found_out():
    with pytest.raises(ValueError, match=r"messages must be in 0\.\.6; got 7"):
        ReceiverEnv(Fixed(7), **SMALL).reset(seed=0)
    env = SenderEnv(Fixed(3), **SMALL)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"choices must be in 0\.\.2; got 3"):
        env.step([0, 0, 0])


def test_an_oracle_that_was_interrupted_speaks_about_the_next_episodes(monkeypatch):
    env = ReceiverEnv("oracle", **SMALL)
    env.reset(seed=0)
    with monkeypatch.context() as patch:
        patch.setattr(OracleSender, "send", Failing.send)
        with pytest.raises(RuntimeError, match="no answer"):
            env.reset(seed=1)
    env.reset()
    assert env.game.episodes == draw_episodes(env.config, 1, np.random.default_rng(1))  # none was skipped
    expected = OracleSender(env.config).send(env.game.episodes.window)
    np.testing.assert_array_equal(env.game.parts()["message"], expected)


class FailingOracle(OracleSender):
    """Is asked in advance, and has no answer."""

    fixed, send = True, Failing.send


def test_a_partner_that_fails_when_it_is_assigned_leaves_the_last_one():
    for env in envs_of("Receiver", **SMALL):
        env.reset(seed=0)
        before = env.game.episodes
        for _ in range(2):  # the second time, nothing is left of the first
            with pytest.raises(RuntimeError, match="no answer"):
                env.partner = FailingOracle(env.config)
            assert env.partner == "oracle"
            assert env.game.episodes == before
        env.reset()
        expected = OracleSender(env.config).send(env.game.episodes.window)
        np.testing.assert_array_equal(env.game.parts()["message"], expected)
        env.partner = Failing()  # which is asked in each episode
        with pytest.raises(RuntimeError, match="no answer"):
            env.reset()
        assert (env.game.parts()["message"] == -1).all()


def test_each_sender_speaks_about_the_episodes_that_begin_under_it():
    """Also where an oracle has spoken about a block in advance, and games are not in step."""
    envs = gym.make_vec("spatial_game/Receiver-v0", 3, autoreset_mode="Disabled", **SMALL)
    envs.reset(seed=0)
    oracle, fixed = OracleSender(envs.config), Fixed(2)
    for turn in range(60):
        envs.partner, sender = ("oracle", oracle) if turn % 7 < 4 else (fixed, fixed)
        begun = np.arange(3) != turn % 4
        envs.reset(options={"reset_mask": begun})
        expected = sender.send(envs.game.episodes.window)
        np.testing.assert_array_equal(envs.game.parts()["message"][begun], expected[begun])


def test_a_fixed_sender_is_asked_about_many_episodes_at_once():
    class Counting(Fixed):
        fixed, windows = True, 0

        def send(self, window):
            Counting.windows += len(window)
            return super().send(window)

    env = ReceiverEnv(Counting(2), **SMALL)
    env.reset(seed=0)
    assert Counting.windows > 1
    assert set(env.game.parts()["message"][0]) == {2}


def test_a_fixed_receiver_is_not_asked_to_send():
    class FixedReceiver(OracleReceiver):
        fixed = True

    for role in ("Sender", "SenderSymbol"):
        for env in envs_of(role, partner=FixedReceiver(GameConfig(**SMALL)), **SMALL):
            env.reset(seed=0)
            env.step(env.action_space.sample())


def test_a_subclass_of_the_oracle_is_asked_in_each_episode():
    class Changing(OracleSender):
        symbol = 0

        def send(self, window):
            return np.full((len(window), self.config.message_length), self.symbol, dtype=np.int16)

    sender = Changing(GameConfig(**SMALL))
    env = ReceiverEnv(sender, **SMALL)
    for sender.symbol in range(3):
        env.reset()
        assert set(env.game.parts()["message"][0]) == {sender.symbol}


def test_a_fixed_sender_that_was_loaded_by_its_name_is_fixed_too(monkeypatch):
    policy = OwnPolicy(OracleSender(GameConfig(**SMALL)), "it failed")
    assert PolicyPartner(policy, SENDER, policy.config, "partner").in_advance is not None
    own = OwnPolicy(Fixed(1, policy.config), "it failed")
    assert PolicyPartner(own, SENDER, policy.config, "partner").in_advance is None


def environments_that_wrappers_draw_from():
    roles = [env for role in ("Sender", "Receiver") for env in envs_of(role, partner="random", **SMALL)]
    return [*roles, gym.make("spatial_game/Both-v0", **SMALL), referential_v0.env(**SMALL)]


def test_what_wrappers_draw_is_independent_of_episodes_and_of_a_random_partner():
    for env in environments_that_wrappers_draw_from():
        drawn = [drawn_after_reset(env, seed) for seed in (5, 5, 6)]
        assert drawn[0] == drawn[1] != drawn[2]


def drawn_after_reset(env, seed):
    """The first number of the environment's own generator, which is from no stream of the game."""
    env.reset(seed=seed)
    number = env.unwrapped.np_random.random()
    streams = [np.random.SeedSequence(seed), *np.random.SeedSequence(seed).spawn(2)]
    assert number not in [np.random.default_rng(stream).random() for stream in streams]
    return number
