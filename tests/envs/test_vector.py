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


def row(batched: dict[str, Any], game: int) -> dict[str, Any]:
    return {agent: values[game] for agent, values in batched.items()}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    for agent in AGENTS:
        np.testing.assert_array_equal(one[agent], other[agent])


def flat(info: dict[str, Any]) -> Any:
    mask = info["action_mask"]
    return np.concatenate(mask) if isinstance(mask, tuple) else mask


@settings(max_examples=15, deadline=None)
@given(configs(max_length=12), seeds, st.booleans(), st.booleans(), st.integers(1, 4))
def test_each_game_plays_the_single_environment_whenever_it_is_reset(
    config: GameConfig, seed: int, symbol_per_turn: bool, autoreset: bool, num_envs: int
) -> None:
    fields = config.to_dict()
    envs = ParallelVectorEnv(num_envs, symbol_per_turn=symbol_per_turn, autoreset=autoreset, **fields)
    module = referential_symbol_v0 if symbol_per_turn else referential_v0
    alone = [module.parallel_env(**fields) for _ in range(num_envs)]
    rng = np.random.default_rng(seed)
    seen, infos = envs.reset(seed=seed)
    for game, env in enumerate(alone):
        assert_same(row(seen, game), env.reset(seed=seed + game)[0])
    for agent in AGENTS:
        envs.action_space(agent).seed(seed)
    for _ in range(20):
        actions = {agent: envs.action_space(agent).sample() for agent in AGENTS}
        seen, rewards, terminations, truncations, infos = envs.step(actions)
        for game, env in enumerate(alone):
            last, earned, over, cut, masks = env.step(row(actions, game))
            assert_same(row(rewards, game), earned)
            assert_same(row(terminations, game), over)
            assert_same(row(truncations, game), cut)
            if over[SENDER]:
                assert_same({agent: infos[agent]["final_obs"][game] for agent in AGENTS}, last)
                if autoreset:
                    last, masks = env.reset()
            assert_same(row(seen, game), last)
            for agent in AGENTS:
                np.testing.assert_array_equal(infos[agent]["action_mask"][game], flat(masks[agent]))
        again = terminations[SENDER] | (rng.random(num_envs) < 0.3)  # also in the middle of an episode
        if not autoreset and again.any():
            seen, _ = envs.reset(options={"reset_mask": again})
            for game in np.flatnonzero(again):
                assert_same(row(seen, game), alone[game].reset()[0])


def test_given_episodes_are_played() -> None:
    config = GameConfig(**SMALL)
    episodes = draw_episodes(config, 3, np.random.default_rng(4))
    envs = ParallelVectorEnv(3, **SMALL)
    seen, _ = envs.reset(seed=0, options={"episodes": episodes, "anything else": 1})
    np.testing.assert_array_equal(seen[SENDER], episodes.window)
    kept = episodes.window.copy()
    other = draw_episodes(config, 1, np.random.default_rng(5))
    mask = np.array([False, True, False])
    seen, _ = envs.reset(options={"episodes": other, "reset_mask": mask})
    np.testing.assert_array_equal(seen[SENDER][1], other.window[0])
    np.testing.assert_array_equal(seen[SENDER][[0, 2]], episodes.window[[0, 2]])
    np.testing.assert_array_equal(episodes.window, kept)


# Misuse


@pytest.mark.parametrize(
    ("num_envs", "text"), [(0, "must be at least 1; got 0"), (2.0, r"must be a whole number; got 2\.0")]
)
def test_the_number_of_environments_is_checked(num_envs: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"num_envs {text}"):
        ParallelVectorEnv(num_envs)


def test_stepping_out_of_turn_is_refused() -> None:
    envs = ParallelVectorEnv(2, autoreset=False, **SMALL)
    first = {"reset_mask": np.array([True, False])}
    actions = {agent: envs.action_space(agent).sample() for agent in AGENTS}
    with pytest.raises(RuntimeError, match=r"there is no episode yet: call reset\(\) first"):
        envs.step(actions)
    with pytest.raises(RuntimeError, match=r"the first reset\(\) must be of all games"):
        envs.reset(options=first)
    envs.reset(seed=0)
    envs.step(actions)
    envs.step(actions)
    envs.reset(options=first)
    with pytest.raises(RuntimeError, match="the episode of game 1 is over: reset it before the next"):
        envs.step(actions)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"reset_mask": np.array([True])}, "reset_mask must be 2 booleans; got dtype bool and shape"),
        ({"reset_mask": np.array([1, 0])}, "reset_mask must be 2 booleans; got dtype int64"),
        ({"reset_mask": np.array([False, False])}, "reset_mask must have at least one True; got none"),
        ({"resetmask": None}, 'got "resetmask" .did you mean "reset_mask"'),
        (
            {"episodes": draw_episodes(GameConfig(**SMALL), 1, np.random.default_rng(5))},
            r'options\["episodes"\] must be a batch of 2 episodes; got 1',
        ),
    ],
)
def test_options_are_checked(options: dict[str, Any], fault: str) -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=fault):
        envs.reset(options=options)


@pytest.mark.parametrize(
    ("actions", "fault"),
    [
        *(
            ({SENDER: messages, RECEIVER: np.zeros(2, int)}, "messages must ")
            for messages in (np.full((2, 3), 7), np.zeros((2, 4), int), np.zeros((2, 3)))
        ),
        ({SENDER: np.zeros((2, 3), int)}, "actions must be .* sender_0 and receiver_0; got"),
        (None, "actions must be .* sender_0 and receiver_0; got"),
    ],
)
def test_wrong_actions_are_refused_and_change_nothing(actions: Any, fault: str) -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    before, _ = envs.reset(seed=0)
    with pytest.raises((TypeError, ValueError), match=fault):
        envs.step(actions)
    assert_same(before, {agent: envs.turns.observe(agent) for agent in AGENTS})


def test_unknown_agents_are_refused() -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    envs.reset(seed=0)
    ask = (envs.single_observation_space, envs.single_action_space, envs.action_space, envs.action_masks)
    for call in (*ask, envs.observation_space):
        with pytest.raises(ValueError, match="agent must be 'sender_0' or 'receiver_0'; got 'sender'"):
            call("sender")
