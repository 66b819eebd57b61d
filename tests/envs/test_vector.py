"""The batched game and its per-agent dicts: game by game the single game, and every misuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, seeds

from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.config import GameConfig
from spatial_game.envs.turns import AGENTS, RECEIVER, SENDER
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game.episodes import draw_episodes

SMALL = {"sequence_length": 9, "num_distractors": 2, "vocab_size": 7}


def single(symbol_per_turn: bool, config: GameConfig) -> Any:
    module = referential_symbol_v0 if symbol_per_turn else referential_v0
    return module.parallel_env(**config.to_dict())


def row(batched: dict[str, Any], game: int) -> dict[str, Any]:
    return {agent: values[game] for agent, values in batched.items()}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    for agent in AGENTS:
        np.testing.assert_array_equal(one[agent], other[agent])


def flat(mask: Any) -> Any:
    return np.concatenate(mask) if isinstance(mask, tuple) else mask


@settings(max_examples=20, deadline=None)
@given(configs(max_length=12), seeds, st.booleans(), st.integers(1, 4))
def test_each_game_plays_the_single_environment(
    config: GameConfig, seed: int, symbol_per_turn: bool, num_envs: int
) -> None:
    envs = ParallelVectorEnv(num_envs, symbol_per_turn=symbol_per_turn, **config.to_dict())
    alone = [single(symbol_per_turn, config) for _ in range(num_envs)]
    seen, infos = envs.reset(seed=seed)
    starts = [env.reset(seed=seed + game) for game, env in enumerate(alone)]
    for agent in AGENTS:
        envs.action_space(agent).seed(seed)
    for game, (first, _) in enumerate(starts):
        assert_same(row(seen, game), first)
    for _ in range(25):
        actions = {agent: envs.action_space(agent).sample() for agent in AGENTS}
        seen, rewards, terminations, truncations, infos = envs.step(actions)
        for game, env in enumerate(alone):
            last, earned, over, cut, masks = env.step(row(actions, game))
            assert_same(row(rewards, game), earned)
            assert_same(row(terminations, game), over)
            assert_same(row(truncations, game), cut)
            if over[SENDER]:
                assert_same({agent: infos[agent]["final_obs"][game] for agent in AGENTS}, last)
                last, masks = env.reset()
            assert_same(row(seen, game), last)
            for agent in AGENTS:
                np.testing.assert_array_equal(
                    infos[agent]["action_mask"][game], flat(masks[agent]["action_mask"])
                )


@pytest.mark.parametrize("symbol_per_turn", [False, True])
def test_games_may_be_reset_at_different_times(symbol_per_turn: bool) -> None:
    config = GameConfig(**SMALL)
    envs = ParallelVectorEnv(4, symbol_per_turn=symbol_per_turn, autoreset=False, **SMALL)
    alone = [single(symbol_per_turn, config) for _ in range(4)]
    envs.reset(seed=0)
    for game, env in enumerate(alone):
        env.reset(seed=game)
    rng = np.random.default_rng(0)
    for agent in AGENTS:
        envs.action_space(agent).seed(1)
    for _ in range(60):
        actions = {agent: envs.action_space(agent).sample() for agent in AGENTS}
        seen, rewards, over, _, _ = envs.step(actions)
        for game, env in enumerate(alone):
            last, earned, ended, _, _ = env.step(row(actions, game))
            assert_same(row(seen, game), last)
            assert_same(row(rewards, game), earned)
            assert ended[SENDER] == over[SENDER][game]
        again = over[SENDER] | (rng.random(4) < 0.3)  # also in the middle of an episode
        if again.any():
            seen, _ = envs.reset(options={"reset_mask": again})
            for game in np.flatnonzero(again):
                assert_same(row(seen, game), alone[game].reset()[0])


def test_given_episodes_are_played() -> None:
    config = GameConfig(**SMALL)
    episodes = draw_episodes(config, 3, np.random.default_rng(4))
    envs = ParallelVectorEnv(3, **SMALL)
    seen, _ = envs.reset(seed=0, options={"episodes": episodes})
    np.testing.assert_array_equal(seen[SENDER], episodes.window)
    other = draw_episodes(config, 1, np.random.default_rng(5))
    mask = np.array([False, True, False])
    seen, _ = envs.reset(options={"episodes": other, "reset_mask": mask})
    np.testing.assert_array_equal(seen[SENDER][1], other.window[0])
    np.testing.assert_array_equal(seen[SENDER][[0, 2]], episodes.window[[0, 2]])
    np.testing.assert_array_equal(envs.turns.episodes.window[1], other.window[0])
    assert episodes.window[1].tolist() != other.window[0].tolist()
    with pytest.raises(ValueError, match=r'options\["episodes"\] must be a batch of 3 episodes; got 1'):
        envs.reset(options={"episodes": other})


# Misuse


def test_the_number_of_environments_is_checked() -> None:
    with pytest.raises(ValueError, match="num_envs must be at least 1; got 0"):
        ParallelVectorEnv(0)
    with pytest.raises(TypeError, match=r"num_envs must be a whole number; got 2\.0"):
        ParallelVectorEnv(2.0)  # type: ignore[arg-type]


def test_stepping_out_of_turn_is_refused() -> None:
    envs = ParallelVectorEnv(2, autoreset=False, **SMALL)
    actions = {agent: envs.action_space(agent).sample() for agent in AGENTS}
    with pytest.raises(RuntimeError, match=r"there is no episode yet: call reset\(\) first"):
        envs.step(actions)
    envs.reset(seed=0)
    envs.step(actions)
    envs.step(actions)
    envs.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(RuntimeError, match="the episode of game 1 is over: reset it before the next"):
        envs.step(actions)


@pytest.mark.parametrize(
    ("mask", "fault"),
    [
        ([True], "reset_mask must be 2 booleans; got dtype bool and shape"),
        ([1, 0], "reset_mask must be 2 booleans; got dtype int64"),
        ([False, False], "reset_mask must have at least one True; got none"),
    ],
)
def test_reset_masks_are_checked(mask: list[Any], fault: str) -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=fault):
        envs.reset(options={"reset_mask": np.array(mask)})


def test_misspelt_options_are_refused() -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    envs.reset(seed=0, options={"anything else": 1})
    for name, near in (("episode", "episodes"), ("resetmask", "reset_mask")):
        with pytest.raises(ValueError, match=f'got "{name}" .did you mean "{near}"'):
            envs.reset(options={name: [True, False]})


def test_the_first_reset_is_of_all() -> None:
    with pytest.raises(RuntimeError, match=r"the first reset\(\) must be of all games"):
        ParallelVectorEnv(2).reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize("messages", [np.full((2, 3), 7), np.zeros((2, 4), int), np.zeros((2, 3))])
def test_wrong_actions_are_refused_and_change_nothing(messages: Any) -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    before, _ = envs.reset(seed=0)
    with pytest.raises((TypeError, ValueError), match="messages must "):
        envs.step({SENDER: messages, RECEIVER: np.zeros(2, int)})
    for actions in ({SENDER: np.zeros((2, 3), int)}, None):
        with pytest.raises((TypeError, ValueError), match=r"actions must be .* sender_0 and receiver_0; got"):
            envs.step(actions)  # type: ignore[arg-type]
    assert_same(before, {agent: envs.turns.observe(agent) for agent in AGENTS})


def test_unknown_agents_are_refused() -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    envs.reset(seed=0)
    for call in (
        envs.single_observation_space,
        envs.single_action_space,
        envs.observation_space,
        envs.action_space,
        envs.action_masks,
    ):
        with pytest.raises(ValueError, match="agent must be 'sender_0' or 'receiver_0'; got 'sender'"):
            call("sender")
