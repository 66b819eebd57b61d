"""The same seed and the same actions give the same observations and rewards through every interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import spatial_game  # noqa: F401  (registers the environments)
from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.config import GameConfig
from spatial_game.envs.turns import RECEIVER, SENDER
from spatial_game.envs.vector import ParallelVectorEnv

LINE = GameConfig(sequence_length=9, num_distractors=2, vocab_size=7)
GRID = GameConfig(shape=(3, 4), window_radius=1, num_visible=3, num_distractors=2, vocab_size=7)
CONFIG, FIELDS = LINE, LINE.to_dict()  # of the game being played
SEED, GAMES, EPISODES = 11, 3, 40


@dataclass
class Scripted:
    """Plays what was decided beforehand, for the role of a partner: a message and a choice an episode."""

    messages: Any  # (E, G, T)
    choices: Any  # (E, G)
    game: int | None = None  # of the batch; None: all of them
    told: int = 0

    def _next(self, script: Any) -> Any:
        row = script[self.told % EPISODES]  # the episode after the last is begun, but not played
        self.told += 1
        return row if self.game is None else row[self.game : self.game + 1]

    def send(self, window: Any) -> Any:
        return self._next(self.messages)

    def choose(self, messages: Any, sequence: Any, candidates: Any) -> Any:
        return self._next(self.choices)


@dataclass
class Played:
    """What came back: the agents' views when they acted and at the end, and the rewards."""

    windows: Any  # (E, G, W)
    heard: Any  # (E, G, T+L+C), when the receiver chose
    rewards: Any  # (E, G)


def script() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    messages = rng.integers(0, CONFIG.vocab_size, (EPISODES, GAMES, CONFIG.message_length))
    return messages, rng.integers(0, CONFIG.num_candidates, (EPISODES, GAMES))


def by_game(play: Callable[[int], list[tuple[Any, Any, float]]]) -> Played:
    """Games that are played one after another, each with its own seed."""
    games = [list(zip(*play(game), strict=True)) for game in range(GAMES)]
    return Played(*(np.stack([np.array(game[i]) for game in games], axis=1) for i in range(3)))


def by_batch(rows: list[tuple[Any, Any, Any]]) -> Played:
    return Played(*(np.stack([np.array(row[i]) for row in rows]) for i in range(3)))


def aec(module: Any) -> Played:
    messages, choices = script()

    def play(game: int) -> list[tuple[Any, Any, float]]:
        env, episodes = module.env(**FIELDS), []
        for episode in range(EPISODES):
            env.reset(seed=SEED + game if episode == 0 else None)
            said, views, reward = list(messages[episode, game]), {}, 0.0
            for agent in env.agent_iter():
                view, reward, gone, _, _ = env.last()
                views.setdefault(agent, view)
                symbol_per_turn = module is referential_symbol_v0
                message = said.pop(0) if agent == SENDER and symbol_per_turn and not gone else np.array(said)
                env.step(None if gone else message if agent == SENDER else choices[episode, game])
            episodes.append((views[SENDER][: CONFIG.window_size], views[RECEIVER], reward))
        return episodes

    return by_game(play)


def parallel(module: Any) -> Played:
    messages, choices = script()

    def play(game: int) -> list[tuple[Any, Any, float]]:
        env, episodes = module.parallel_env(**FIELDS), []
        for episode in range(EPISODES):
            first, _ = env.reset(seed=SEED + game if episode == 0 else None)
            said = messages[episode, game]
            for message in said if module is referential_symbol_v0 else [said]:
                seen, *_ = env.step({SENDER: message, RECEIVER: 0})
            _, rewards, *_ = env.step({SENDER: np.zeros_like(message), RECEIVER: choices[episode, game]})
            assert rewards[SENDER] == rewards[RECEIVER]
            episodes.append((first[SENDER][: CONFIG.window_size], seen[RECEIVER], rewards[SENDER]))
        return episodes

    return by_game(play)


def vector(symbol_per_turn: bool) -> Played:
    messages, choices = script()
    envs, rows = ParallelVectorEnv(GAMES, symbol_per_turn=symbol_per_turn, **FIELDS), []
    seen, _ = envs.reset(seed=SEED)
    for episode in range(EPISODES):
        window = seen[SENDER][:, : CONFIG.window_size]
        said = messages[episode]
        for message in said.T if symbol_per_turn else [said]:
            seen, *_ = envs.step({SENDER: message, RECEIVER: np.zeros(GAMES, int)})
        heard = seen[RECEIVER]
        seen, rewards, *_ = envs.step({SENDER: np.zeros_like(message), RECEIVER: choices[episode]})
        rows.append((window, heard, rewards[SENDER]))
    return by_batch(rows)


def torchrl(symbol_per_turn: bool, device: str = "cpu") -> Played:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchrl")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    from spatial_game.envs.adapters.torchrl import ReferentialEnv

    messages, choices = script()
    env = ReferentialEnv(GAMES, symbol_per_turn=symbol_per_turn, device=device, **FIELDS)
    env.set_seed(SEED)
    now, rows = env.reset(), []

    def step(message: Any, choice: Any) -> tuple[Any, Any]:
        now[SENDER, "action"] = torch.as_tensor(message)[:, None].to(env.device)
        now[RECEIVER, "action"] = torch.as_tensor(choice)[:, None].to(env.device)
        done, after = env.step_and_maybe_reset(now)
        return done["next"], after

    for episode in range(EPISODES):
        window = now[SENDER, "observation"][:, 0, : CONFIG.window_size].cpu().numpy()
        said = messages[episode]
        for message in said.T if symbol_per_turn else [said]:
            _, now = step(message, np.zeros(GAMES, int))
        heard = now[RECEIVER, "observation"][:, 0].cpu().numpy()
        done, now = step(np.zeros_like(message), choices[episode])
        assert done["done"].all()
        rows.append((window, heard, done[SENDER, "reward"][:, 0, 0].cpu().numpy()))
    return by_batch(rows)


def role_rows(receiver: bool, step: Callable[[Any], Any], seen: Any, by_symbol: bool) -> list[Any]:
    """A batch of one role: a row is what it saw first, what it saw last, and what it earned."""
    messages, choices = script()
    rows = []
    for episode in range(EPISODES):
        first, said = seen, messages[episode]
        for action in [choices[episode]] if receiver else said.T if by_symbol else [said]:
            seen, rewards = step(action)
        rows.append((first, rewards))
    return rows


def gymnasium_role(role: str) -> list[Any]:
    games = []
    for game in range(GAMES):
        env = gym.make(f"spatial_game/{role}-v0", partner=Scripted(*script(), game=game), **FIELDS)

        def step(actions: Any, env: Any = env, game: int = game) -> Any:
            last, reward, over, _, _ = env.step(actions[game])
            return (env.reset()[0] if over else last), reward

        seen, _ = env.reset(seed=SEED + game)
        games.append(role_rows(role == "Receiver", step, seen, role == "SenderSymbol"))
    return [
        tuple(np.array([game[episode][i] for game in games]) for i in range(2)) for episode in range(EPISODES)
    ]


def gymnasium_vector_role(role: str) -> list[Any]:
    envs = gym.make_vec(f"spatial_game/{role}-v0", num_envs=GAMES, partner=Scripted(*script()), **FIELDS)

    def step(actions: Any) -> Any:
        seen, rewards, *_ = envs.step(actions)
        return seen, rewards

    return role_rows(role == "Receiver", step, envs.reset(seed=SEED)[0], role == "SenderSymbol")


def gymnasium_vector_role_without_autoreset(role: str) -> list[Any]:
    mode = {"autoreset_mode": "Disabled"}
    envs = gym.make_vec(
        f"spatial_game/{role}-v0", num_envs=GAMES, partner=Scripted(*script()), **mode, **FIELDS
    )

    def step(actions: Any) -> Any:
        seen, rewards, over, _, _ = envs.step(actions)
        return (envs.reset(options={"reset_mask": over})[0] if over.any() else seen), rewards

    return role_rows(role == "Receiver", step, envs.reset(seed=SEED)[0], role == "SenderSymbol")


def sb3_role(role: str) -> list[Any]:
    pytest.importorskip("stable_baselines3")
    from spatial_game.envs.adapters.sb3 import RoleVecEnv

    name = {"Sender": "sender", "SenderSymbol": "symbol", "Receiver": "receiver"}[role]
    envs = RoleVecEnv(name, GAMES, Scripted(*script()), **FIELDS)
    envs.seed(SEED)

    def step(actions: Any) -> Any:
        seen, rewards, _, _ = envs.step(actions)
        return seen, rewards

    return role_rows(role == "Receiver", step, envs.reset(), role == "SenderSymbol")


@pytest.fixture(scope="module", params=[LINE, GRID], ids=["sequence", "grid"])
def expected(request: Any) -> Played:
    """The plain AEC environment, on which all others are measured, in each of the games."""
    global CONFIG, FIELDS
    CONFIG, FIELDS = request.param, request.param.to_dict()
    played = aec(referential_v0)
    assert 0.1 < played.rewards.mean() < 0.6
    return played


MULTI_AGENT: dict[str, Callable[[], Played]] = {
    "AEC by symbol": lambda: aec(referential_symbol_v0),
    "parallel": lambda: parallel(referential_v0),
    "parallel by symbol": lambda: parallel(referential_symbol_v0),
    "batch": lambda: vector(False),
    "batch by symbol": lambda: vector(True),
    "TorchRL": lambda: torchrl(False),
    "TorchRL by symbol": lambda: torchrl(True),
    "TorchRL on CUDA": lambda: torchrl(False, "cuda"),
}


@pytest.mark.parametrize(
    "interface",
    [pytest.param(name, marks=pytest.mark.gpu if "CUDA" in name else ()) for name in MULTI_AGENT],
)
def test_both_agents(expected: Played, interface: str) -> None:
    played = MULTI_AGENT[interface]()
    np.testing.assert_array_equal(played.windows, expected.windows)
    np.testing.assert_array_equal(played.heard, expected.heard)
    np.testing.assert_array_equal(played.rewards, expected.rewards)


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])
@pytest.mark.parametrize(
    "interface",
    [gymnasium_role, gymnasium_vector_role, gymnasium_vector_role_without_autoreset, sb3_role],
)
def test_one_role(expected: Played, interface: Callable[[str], list[Any]], role: str) -> None:
    rows = interface(role)
    seen, rewards = (np.array([row[i] for row in rows]) for i in range(2))
    if role == "Receiver":
        np.testing.assert_array_equal(seen, expected.heard)
    else:
        np.testing.assert_array_equal(seen[..., : CONFIG.window_size], expected.windows)
    np.testing.assert_array_equal(rewards, expected.rewards)
