# slow: trains three times, about a minute

# %% [markdown]
# # PPO with Stable-Baselines3
#
# You train agents with a reinforcement-learning library. A PPO receiver learns to understand a known
# language: the library's own network fails, and a network that suits the game succeeds. Then a PPO sender
# learns to speak to this receiver, and the analyser reads its messages. You need the extras `[sb3]` and
# `[figures]`.
#
# ## One role at a time
#
# Stable-Baselines3 trains one agent. `RoleVecEnv` gives this agent its view of the game; the other agent
# is a fixed partner. It plays any number of games at once. The receiver observes the message, the sequence
# and the candidates; its action is the index of a candidate. An episode is one step.

# %%
from spatial_game.envs.adapters.sb3 import RoleVecEnv

GAME = {
    "sequence_length": 8,
    "window_radius": 1,
    "num_distractors": 2,
    "vocab_size": 8,
    "message_length": 2,
}
env = RoleVecEnv("receiver", 256, partner="oracle", **GAME)
print(env.observation_space, env.action_space)

# %% [markdown]
# ## The library's own network
#
# An episode has one reward, at its end, so `gamma` and `gae_lambda` are 1: there is nothing to discount.

# %%
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

OPTIONS = {
    "n_steps": 4,
    "batch_size": 256,
    "n_epochs": 4,
    "learning_rate": 3e-3,
    "ent_coef": 0.01,
    "gamma": 1.0,
    "gae_lambda": 1.0,
    "seed": 0,
    "device": "cpu",
}


class Curve(BaseCallback):
    """Store the share of episodes won in each rollout."""

    def __init__(self) -> None:
        super().__init__()
        self.episodes: list[int] = []
        self.won: list[float] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.episodes.append(self.num_timesteps)
        self.won.append(float(self.model.rollout_buffer.rewards.mean()))


def learn(policy, env: RoleVecEnv, episodes: int, **policy_kwargs) -> tuple[PPO, Curve]:
    """Train a model; return it and its learning curve."""
    model, curve = (
        PPO(policy, env, policy_kwargs=policy_kwargs or None, **OPTIONS),
        Curve(),
    )
    model.learn(episodes, callback=curve)
    return model, curve


_, plain = learn("MlpPolicy", env, 100_000)
print(f"after 100,000 episodes it wins {plain.won[-1]:.0%}; chance is 33%")

# %% [markdown]
# That is hardly better than chance, and it improves slowly. For this network, 5 and 6 are almost the same
# number. To find the target, it would have to look for one of its inputs among the others, and then move
# one cell further. The reward says almost nothing about that. Most people see this result first. On longer
# sequences, accuracy stays at chance. The problem is the network, not PPO.
#
# ## A network that suits the game
#
# Stable-Baselines3 offers feature extractors for such cases, and `features(env)` returns one that suits
# this game. It looks every integer up in a table and finds each candidate in the sequence. It gives the
# network the integers around each candidate, and the symbols of the message. So the network knows where to
# look. It does not know what a symbol means, or which neighbour it refers to.

# %%
from spatial_game.envs.adapters.sb3 import features

receiver, curve = learn("MlpPolicy", env, 100_000, **features(env))
print(f"after 100,000 episodes it wins {curve.won[-1]:.0%} while it still explores")

# %% [markdown]
# ## Now the sender
#
# The trained model can be the partner as it is. The sender now learns to speak to it. The sender observes
# its window and sends a whole message at once.

# %%
env = RoleVecEnv("sender", 256, partner=receiver, **GAME)
sender, speaking = learn("MlpPolicy", env, 100_000, **features(env))

# %%
import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name, one, colour in (
    ("receiver, the library's network", plain, "#8a8a8a"),
    ("receiver, with features", curve, "#4c82c3"),
    ("sender, with that receiver as partner", speaking, "#d9822b"),
):
    axis.plot(
        [episodes / 1000 for episodes in one.episodes],
        one.won,
        color=colour,
        label=name,
    )
axis.axhline(1 / 3, color="#8a8a8a", linestyle=":", label="chance")
axis.set(title="PPO on the small game: 8 integers, 3 candidates, 2 symbols of 8")
axis.set(xlabel="thousand episodes", ylabel="share won while exploring", ylim=(0, 1.02))
axis.legend(frameon=False, loc="lower right", ncols=2)
# Learning curves of three agents. The library's own network improves slowly from chance; the other two curves rise quickly to nearly 1.
figure.savefig("ppo.png", dpi=130)

# %% [markdown]
# ## How good are they, and what do they say?
#
# `ModelSender` and `ModelReceiver` turn trained models into ordinary policies, which play without
# exploration. Here they play fresh episodes, which we record.

# %%
import numpy as np

from spatial_game import GameConfig, OracleSender, draw_episodes, record
from spatial_game.envs.models import ModelReceiver, ModelSender
from spatial_game.language import Lexicon, count

config = GameConfig(**GAME)
speaker, listener = ModelSender(sender, config), ModelReceiver(receiver, config)
episodes = draw_episodes(config, 20_000, np.random.default_rng(1))
print(
    f"the oracle and the receiver  {record(OracleSender(config), listener, episodes, config).accuracy:.1%}"
)
recording = record(speaker, listener, episodes, config)
print(f"the sender and the receiver  {recording.accuracy:.1%}")

lexicon = Lexicon.from_counts(count(recording), select="npmi", threshold=0.3)
for entry in sorted(lexicon.listed, key=lambda entry: -entry.count)[:10]:
    print(
        f"    {entry.form.pattern(2):9} {entry.referent!s:26} {entry.confidence:.0%} of {entry.count}"
    )

# %% [markdown]
# The sender never saw the oracle's code. It learned its own way to speak to a receiver that had learned
# this code. To record the episodes of *training*, use a `with record_play(env, ...)` block
# ([](../libraries.md)). [](../baselines.md) compares these algorithms with others, on a larger game and
# over several seeds.
