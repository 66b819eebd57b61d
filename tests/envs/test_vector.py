"""The batched game and its per-agent dicts: game by game the single game, and every misuse."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector.utils import iterate
from helpers.nested import assert_same
from helpers.sizes import SMALL
from helpers.strategies import configs, grids, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_game import GameConfig, draw_episodes, referential_symbol_v0, referential_v0
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game.episodes import derive
from spatial_game.game.rules import AGENTS, RECEIVER, SENDER
from spatial_game.game.seeds import random_stream
from spatial_game.observations import FORMATS, ROLE_FORMATS


def rows_of(space, batched):
    """What each game shows of a dict by agent, whose spaces this function gives."""
    columns = [list(iterate(space(agent), values)) for agent, values in batched.items()]
    return [dict(zip(batched, row, strict=True)) for row in zip(*columns, strict=True)]


def row(batched, game):
    return {agent: values[game] for agent, values in batched.items()}


def mask_of(info, game):
    masks = info["action_mask"]
    return tuple(slot[game] for slot in masks) if isinstance(masks, tuple) else masks[game]


@pytest.mark.parametrize(
    ("symbols", "format"),
    [*((False, format) for format in ROLE_FORMATS), *((True, format) for format in FORMATS)],
)
@settings(max_examples=3, deadline=None)
@given(configs(max_length=12) | grids(), seeds, st.integers(1, 4), st.booleans())
def test_each_game_plays_the_single_environment_whenever_it_is_reset(
    symbols, format, config, seed, num_envs, masked
):
    kind = config.to_dict() | {"observations": format, "mask_in_observation": masked}
    envs = ParallelVectorEnv(num_envs, symbol_per_turn=symbols, **kind)
    module = referential_symbol_v0 if symbols else referential_v0
    alone = [module.parallel_env(**kind) for _ in range(num_envs)]
    rng = np.random.default_rng(seed)
    seen, infos = envs.reset(seed=seed)
    for game, (env, shown) in enumerate(zip(alone, rows_of(envs.observation_space, seen), strict=True)):
        assert_same(shown, env.reset(seed=checked_seeds(seed, num_envs)[game])[0])
    for agent in AGENTS:
        envs.action_space(agent).seed(seed)
    for _ in range(10):
        actions = {agent: envs.action_space(agent).sample() for agent in AGENTS}
        seen, rewards, terminations, truncations, infos = envs.step(actions)
        ended, now = terminations[SENDER], []
        for game, env in enumerate(alone):
            now.append(env.step(row(actions, game)))
            for batched, single in zip((rewards, terminations, truncations), now[game][1:4], strict=True):
                assert row(batched, game) == single
        if ended.any():
            for agent in AGENTS:
                assert_same(infos[agent]["_final_info"], ended)
                played = infos[agent]["final_info"]
                for game in np.flatnonzero(ended):
                    scene = alone[game].game.scene()
                    assert (played["target_index"][game], played["choice"][game]) == (
                        scene.episode.target_index[0],
                        scene.choice,
                    )
                    assert_same(played["sequence"][game], scene.episode.sequence[0])
                    assert_same(played["message"][game], scene.message)
            final = rows_of(envs.observation_space, {agent: infos[agent]["final_obs"] for agent in AGENTS})
            for game in np.flatnonzero(ended):
                assert_same(final[game], now[game][0])
                first, masks = alone[game].reset()
                now[game] = first, *now[game][1:4], masks
        for game, shown in enumerate(rows_of(envs.observation_space, seen)):
            assert all(envs.single_observation_spaces[agent].contains(shown[agent]) for agent in AGENTS)
            assert_same(shown, now[game][0])
            for agent in AGENTS:
                assert_same(mask_of(infos[agent], game), now[game][4][agent]["action_mask"])
        again = rng.random(num_envs) < 0.2  # also in the middle of an episode
        if again.any():
            shown = rows_of(envs.observation_space, envs.reset(options={"reset_mask": again})[0])
            for game in np.flatnonzero(again):
                assert_same(shown[game], alone[game].reset()[0])


@pytest.mark.parametrize("symbols", [False, True])
def test_an_agent_that_has_no_turn_needs_no_action(symbols):
    envs = ParallelVectorEnv(2, symbol_per_turn=symbols, **SMALL)
    alone = (referential_symbol_v0 if symbols else referential_v0).parallel_env(**SMALL)
    message, choice = (1 if symbols else np.ones(3, int)), 2
    turns = [{SENDER: message}] * (2 if symbols else 0) + [
        {SENDER: message, RECEIVER: None},
        {RECEIVER: choice},
    ]
    envs.reset(seed=4)
    alone.reset(seed=4)
    for turn in turns:
        both = {agent: None if action is None else np.array([action] * 2) for agent, action in turn.items()}
        _, rewards, ended, _, _ = envs.step(both)
        _, reward, over, _, _ = alone.step(turn)
        assert (row(rewards, 0), row(ended, 0)) == (reward, over)
    assert ended[SENDER].all()


# Episodes of one's own


def with_target_in_the_middle(n, rng):
    sequence = rng.permuted(np.tile(np.arange(9), (n, 1)), axis=1)
    return derive(GameConfig(**SMALL), sequence, np.tile([4, 0, 8], (n, 1)), np.zeros(n, int))


def batches(sampler):
    """Each environment that takes a sampler, with the oracle as partner where there is one."""
    role = {"sampler": sampler, **SMALL}
    made = [ParallelVectorEnv(4, **role)]
    made += [gym.make_vec(f"spatial_game/{name}-v0", 4, **role).unwrapped for name in ("Sender", "Receiver")]
    return made


def test_a_sampler_draws_the_episodes_of_the_games_that_begin():
    asked = []

    def sampler(n, rng):
        asked.append(n)
        return with_target_in_the_middle(n, rng)

    for envs in batches(sampler):
        envs.reset(seed=3)
        first = envs.game.episodes
        assert set(first.target_position) == {4}
        np.testing.assert_array_equal(first.window, with_target_in_the_middle(4, sampler_stream(3)).window)
        mask = np.array([True, False, True, False])
        envs.reset(options={"reset_mask": mask})
        assert envs.game.episodes[~mask] == first[~mask]
        assert not (envs.game.episodes.sequence[mask] == first.sequence[mask]).all()
        envs.reset(seed=3)
        assert envs.game.episodes == first
    assert asked == [4, 2, 4] * 3
    for make in (referential_v0.env, referential_symbol_v0.parallel_env):
        env = make(sampler=with_target_in_the_middle, **SMALL)
        env.reset(seed=3)
        assert env.unwrapped.scene().episode == with_target_in_the_middle(1, sampler_stream(3))


def sampler_stream(seed):
    return np.random.default_rng(random_stream(seed, "sampler"))


@pytest.mark.parametrize(
    ("sampler", "text"),
    [
        (3, r"^sampler must be a function f\(n, rng\) that returns Episodes; got 3$"),
        (GameConfig, r"^sampler must be a function f\(n, rng\) that returns Episodes; got <class"),
        (lambda n, rng: None, r"^what sampler\(4, rng\) returns must be Episodes; got NoneType$"),
        (
            lambda n, rng: with_target_in_the_middle(1, rng),
            r"^what sampler\(4, rng\) returns must be a batch of 4; got 1$",
        ),
        (
            lambda n, rng: draw_episodes(GameConfig(), n, rng),
            r"^what sampler\(4, rng\) returns must be of the game, whose sequence_length is 9; got 60 \(",
        ),
        (
            lambda n, rng: draw_episodes(GameConfig(**SMALL), n - 9, rng),
            r"^sampler\(4, rng\): num_episodes must be .*; got -5$",
        ),
    ],
)
def test_a_sampler_of_something_else_is_refused(sampler, text):
    for number in range(3):
        with pytest.raises((TypeError, ValueError), match=text):
            batches(sampler)[number].reset(seed=0)


# Misuse


def test_stepping_before_the_first_reset_is_refused():
    envs = ParallelVectorEnv(2, **SMALL)
    with pytest.raises(RuntimeError, match=r"there is no episode yet: call reset\(\) first"):
        envs.step({agent: envs.action_space(agent).sample() for agent in AGENTS})
    with pytest.raises(RuntimeError, match=r"the first reset\(\) must be of all games"):
        envs.reset(options={"reset_mask": np.array([True, False])})


def test_a_game_that_has_ended_does_not_go_on():
    """TorchRL's environment lets games act without beginning their next episodes."""
    envs = ParallelVectorEnv(2, **SMALL)
    envs.reset(seed=0)
    actions = {SENDER: np.zeros((2, 3), int), RECEIVER: np.zeros(2, int)}
    assert [envs.act(actions)[1].tolist() for _ in range(2)] == [[False] * 2, [True] * 2]
    with pytest.raises(RuntimeError, match="the episode of game 0 is over"):
        envs.act(actions)


@pytest.mark.parametrize(
    "actions",
    [
        {SENDER: np.full((2, 3), 7)},
        {SENDER: None, RECEIVER: np.zeros(2, int)},
        {RECEIVER: 0},
        {"both": 0},
        {1: 0, SENDER: np.zeros((2, 3), int)},
        None,
    ],
)
def test_wrong_actions_are_refused_and_change_nothing(actions):
    envs = ParallelVectorEnv(2, **SMALL)
    before, _ = envs.reset(seed=0)
    fault = (
        "^(messages must be .*; got (7|None)|actions must be a dict of sender_0 and receiver_0.*; got .*)$"
    )
    with pytest.raises((TypeError, ValueError), match=fault):
        envs.step(actions)
    assert_same(before, {agent: envs.observe(agent) for agent in AGENTS})
