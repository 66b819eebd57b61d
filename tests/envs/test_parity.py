"""The same seed and actions give the same observations, rewards and recordings through every interface.

`test_vector.py` and `test_roles.py` compare batches with single environments.
"""

from contextlib import ExitStack
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest

from spatial_game import GameConfig, draw_episodes, read_recording, referential_symbol_v0, referential_v0
from spatial_game.envs.play_recording import record_play
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.game import rules
from spatial_game.game.rules import RECEIVER, SENDER

GAMES_PLAYED = {
    "sequence": GameConfig(sequence_length=9, num_distractors=2, vocab_size=7),
    "grid": GameConfig(shape=(3, 4), window_radius=1, num_visible=3, num_distractors=2, vocab_size=7),
}
SEED, GAMES, EPISODES = 11, 3, 25
SEEDS = checked_seeds(SEED, GAMES)


class Script:
    """Messages (E, G, T) and choices (E, G) that were decided beforehand."""

    def __init__(self, config):
        rng = np.random.default_rng(0)
        self.config, self.fields = config, config.to_dict()
        self.messages = rng.integers(0, config.vocab_size, (EPISODES, GAMES, config.message_length))
        self.choices = rng.integers(0, config.num_candidates, (EPISODES, GAMES))


class Scripted:
    """A partner that plays the script, in one game of the batch or in all."""

    def __init__(self, script, games=slice(None)):
        self.script, self.games, self.told = script, games, 0

    def _next(self, columns):
        self.told += 1
        return columns[(self.told - 1) % EPISODES, self.games]  # an episode after the last begins, too

    def send(self, window):
        return self._next(self.script.messages)

    def choose(self, messages, sequence, candidates):
        return self._next(self.script.choices)


# An interface calls `watch` with its environment, or with those of single games. Then it yields what it shows
# of each episode: the windows (G, W), what the receiver heard (G, T+L+C) and the rewards (G,), or None.


def aec(script, by_symbol, watch):
    module = referential_symbol_v0 if by_symbol else referential_v0
    envs = [module.env(**script.fields) for _ in range(GAMES)]
    watch(SimpleNamespace(envs=envs))
    for episode in range(EPISODES):
        rows = []
        for game, env in enumerate(envs):
            env.reset(seed=SEEDS[game] if episode == 0 else None)
            said, observations, reward = list(script.messages[episode, game]), {}, 0.0
            for agent in env.agent_iter():
                observation, reward, gone, _, _ = env.last()
                observations.setdefault(agent, observation)
                if gone:
                    env.step(None)
                elif agent == RECEIVER:
                    env.step(script.choices[episode, game])
                else:
                    env.step(said.pop(0) if by_symbol else np.array(said))
            rows.append((observations[SENDER][: script.config.window_size], observations[RECEIVER], reward))
        yield tuple(np.array(column) for column in zip(*rows, strict=True))


def in_turn(script, by_symbol, seen, step):
    """Play both agents' script through `step`, which takes and returns arrays (G, ...) by agent."""
    for episode in range(EPISODES):
        said = script.messages[episode]
        window = seen[SENDER][:, : script.config.window_size]
        for message in said.T if by_symbol else [said]:
            seen, _ = step({SENDER: message, RECEIVER: np.zeros(GAMES, int)})
        heard = seen[RECEIVER]
        seen, rewards = step({SENDER: np.zeros_like(message), RECEIVER: script.choices[episode]})
        yield window, heard, rewards


def parallel(script, by_symbol, watch):
    module = referential_symbol_v0 if by_symbol else referential_v0
    envs = [module.parallel_env(**script.fields) for _ in range(GAMES)]
    watch(SimpleNamespace(envs=envs))

    def stacked(observations):
        return {
            agent: np.array([observation[agent] for observation in observations])
            for agent in (SENDER, RECEIVER)
        }

    def step(actions):
        steps = [env.step({a: actions[a][game] for a in actions}) for game, env in enumerate(envs)]
        seen = [now[0] if env.agents else env.reset()[0] for env, now in zip(envs, steps, strict=True)]
        return stacked(seen), stacked([now[1] for now in steps])[SENDER]

    first = stacked([env.reset(seed=SEEDS[game])[0] for game, env in enumerate(envs)])
    return in_turn(script, by_symbol, first, step)


def torchrl(script, by_symbol, watch, device="cpu"):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchrl")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    from spatial_game.envs.adapters.torchrl import ReferentialEnv

    env = ReferentialEnv(GAMES, symbol_per_turn=by_symbol, device=device, **script.fields)
    watch(env)
    env.set_seed(SEED)
    now = env.reset()

    def seen():
        return {agent: now[agent, "observation"][:, 0].cpu().numpy() for agent in (SENDER, RECEIVER)}

    def step(actions):
        nonlocal now
        for agent, action in actions.items():
            now[agent, "action"] = torch.as_tensor(action)[:, None].to(env.device)
        done, now = env.step_and_maybe_reset(now)
        return seen(), done["next", SENDER, "reward"][:, 0, 0].cpu().numpy()

    return in_turn(script, by_symbol, seen(), step)


def cuda(script, by_symbol, watch):
    return torchrl(script, by_symbol, watch, "cuda")


def in_role(script, role, seen, step):
    """Play one role's script through `step`; the partner plays the other's."""
    for messages, choices in zip(script.messages, script.choices, strict=True):
        first = seen
        said = messages.T if role == "SenderSymbol" else [messages]
        for action in [choices] if role == "Receiver" else said:
            seen, rewards = step(action)
        if role == "Receiver":
            yield None, first, rewards
        else:
            yield first[:, : script.config.window_size], None, rewards


def gymnasium_role(script, role, watch):
    partners = [Scripted(script, slice(game, game + 1)) for game in range(GAMES)]
    envs = [gym.make(f"spatial_game/{role}-v0", partner=partner, **script.fields) for partner in partners]
    watch(SimpleNamespace(envs=envs))

    def step(actions):
        steps = [env.step(action) for env, action in zip(envs, actions, strict=True)]
        seen = [env.reset()[0] if now[2] else now[0] for env, now in zip(envs, steps, strict=True)]
        return np.array(seen), np.array([now[1] for now in steps])

    first = np.array([env.reset(seed=SEEDS[game])[0] for game, env in enumerate(envs)])
    return in_role(script, role, first, step)


def sb3_role(script, role, watch):
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import VecMonitor

    from spatial_game.envs.adapters.sb3 import RoleVecEnv

    name = {"SenderSymbol": "sender_symbol"}.get(role, role.lower())
    envs = RoleVecEnv(name, GAMES, Scripted(script), **script.fields)
    watch(VecMonitor(envs))
    envs.seed(SEED)
    return in_role(script, role, envs.reset(), lambda actions: envs.step(actions)[:2])


@pytest.fixture(scope="module", params=GAMES_PLAYED)
def played(request):
    """A script, and what the plain AEC environment shows, on which all others are measured."""
    script = Script(GAMES_PLAYED[request.param])
    expected = list(aec(script, False, lambda env: None))
    assert 0.1 < np.mean([rewards for _, _, rewards in expected]) < 0.6
    return script, expected


def assert_same(interface, kind, played, path):
    """The interface shows what is expected, and every episode that ends becomes a row of a recording."""
    script, expected = played
    with ExitStack() as stack:
        rows = interface(
            script, kind, lambda env: stack.enter_context(record_play(env, path, {"seed": SEED}))
        )
        for row, expected_row in zip(rows, expected, strict=True):
            for shown, column in zip(row, expected_row, strict=True):
                if shown is not None:
                    np.testing.assert_array_equal(shown, column)
    recording = read_recording(path)
    assert (recording.config, recording.provenance["seed"]) == (script.config, SEED)
    np.testing.assert_array_equal(recording.message, np.concatenate(script.messages))
    np.testing.assert_array_equal(recording.choice, np.concatenate(script.choices))
    np.testing.assert_array_equal(recording.window, np.concatenate([windows for windows, _, _ in expected]))


def test_the_plain_environment_plays_by_the_rules(played):
    script, shown = played
    for game in range(GAMES):
        episodes = draw_episodes(script.config, EPISODES, np.random.default_rng(SEEDS[game]))
        messages, choices = script.messages[:, game], script.choices[:, game]
        by_rules = (
            episodes.window,
            np.concatenate([messages, episodes.sequence, episodes.candidates], axis=1),
            rules.payoff(episodes.target_index, choices),
        )
        for column, expected in enumerate(by_rules):
            np.testing.assert_array_equal([row[column][game] for row in shown], expected)


@pytest.mark.parametrize("by_symbol", [False, True], ids=["whole", "by symbol"])
@pytest.mark.parametrize("interface", [aec, parallel, torchrl, pytest.param(cuda, marks=pytest.mark.gpu)])
def test_both_agents(played, interface, by_symbol, tmp_path):
    assert_same(interface, by_symbol, played, tmp_path / "play.parquet")


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])
@pytest.mark.parametrize("interface", [gymnasium_role, sb3_role])
def test_one_role(played, interface, role, tmp_path):
    assert_same(interface, role, played, tmp_path / "play.parquet")
