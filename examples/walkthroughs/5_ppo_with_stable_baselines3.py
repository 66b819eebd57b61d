# slow: trains three times, about half a minute

# %% [markdown]
# # PPO with Stable-Baselines3
#
# You want to see what your reinforcement learning makes of this game. Here PPO learns to understand a
# known language, first in vain and then with a network that suits the game; another PPO learns to speak
# to the receiver that came of it; and in the end the analyser reads what they say. It needs `[sb3]` and
# `[figures]`.
#
# ## One role at a time
#
# Stable-Baselines3 trains one agent. `RoleVecEnv` is that agent's view of the game, the other one being a
# fixed partner; any number of games run side by side. The receiver's observation is message, sequence and
# candidates, its action a candidate, and an episode is one step.

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
# An episode ends with its only reward, so `gamma` and `gae_lambda` are 1: there is nothing to discount.

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
    """Keeps the share of episodes won in each rollout."""

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
    """Train a model; it, and how it went."""
    model, curve = (
        PPO(policy, env, policy_kwargs=policy_kwargs or None, **OPTIONS),
        Curve(),
    )
    model.learn(episodes, callback=curve)
    return model, curve


_, plain = learn("MlpPolicy", env, 100_000)
print(f"after 100,000 episodes it wins {plain.won[-1]:.0%}; chance is 33%")

# %% [markdown]
# Hardly more, and it creeps. To this network 5 and 6 are nearly the same number, and to find the target
# it would have to discover, from a reward that tells it next to nothing, that it must look for one of its
# inputs among others and then one cell further. This is what most people meet first with this game, and
# on longer sequences it does not leave chance at all. It is not PPO's fault.
#
# ## A network that suits the game
#
# The standard remedy of Stable-Baselines3 is a features extractor. Ours looks every integer up in a
# table, finds each candidate in the sequence and shows the network its two neighbours, beside the symbols
# of the message. It is told where to look, but neither what a symbol means nor which neighbour it is
# about.

# %%
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional

from spatial_game import GameConfig

config = GameConfig(**GAME)


class Neighbours(BaseFeaturesExtractor):
    """For each candidate a score: how well what stands beside it suits the message."""

    def __init__(self, observation_space, width: int = 64) -> None:
        super().__init__(observation_space, features_dim=config.num_candidates)
        self.symbols = nn.Sequential(
            nn.Linear(config.message_length * config.vocab_size, width),
            nn.ReLU(),
            nn.Linear(width, width),
        )
        self.left = nn.Embedding(config.sequence_length + 1, width)
        self.right = nn.Embedding(config.sequence_length + 1, width)
        self.beside = nn.Sequential(nn.ReLU(), nn.Linear(width, width))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        message, sequence, candidates = observations.long().split(
            [config.message_length, config.sequence_length, config.num_candidates],
            dim=1,
        )
        heard = self.symbols(
            functional.one_hot(message, config.vocab_size).flatten(1).float()
        )
        place = (candidates.unsqueeze(2) == sequence.unsqueeze(1)).int().argmax(dim=2)
        padded = functional.pad(
            sequence, (1, 1), value=config.sequence_length
        )  # a blank beyond the ends
        seen = self.beside(
            self.left(padded.gather(1, place)) + self.right(padded.gather(1, place + 2))
        )
        return (seen @ heard.unsqueeze(2)).squeeze(2)


receiver, curve = learn(
    "MlpPolicy",
    env,
    100_000,
    features_extractor_class=Neighbours,
    net_arch={"pi": [], "vf": [32]},
)
print(f"after 100,000 episodes it wins {curve.won[-1]:.0%} while it still explores")

# %% [markdown]
# ## Now the sender
#
# The model is a partner as it is. A sender learns to be understood by it: it sees its window, and says a
# whole message at once. This time the library's network will do: what it must know about the window it
# can tabulate, once the integers are one-hot.


# %%
class OneHot(BaseFeaturesExtractor):
    """Each cell of the window as one of its possible values."""

    def __init__(self, observation_space) -> None:
        self.values = config.sequence_length + 1
        super().__init__(
            observation_space, features_dim=observation_space.shape[0] * self.values
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return (
            functional.one_hot(observations.long() + 1, self.values).flatten(1).float()
        )


env = RoleVecEnv("sender", 256, partner=receiver, **GAME)
sender, speaking = learn("MlpPolicy", env, 100_000, features_extractor_class=OneHot)

# %%
import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name, one, colour in (
    ("receiver, the library's network", plain, "#8a8a8a"),
    ("receiver, shown the neighbours", curve, "#4c82c3"),
    ("sender, to that receiver", speaking, "#d9822b"),
):
    axis.plot(
        [episodes / 1000 for episodes in one.episodes],
        one.won,
        color=colour,
        label=name,
    )
axis.axhline(1 / config.num_candidates, color="#8a8a8a", linestyle=":", label="chance")
axis.set(xlabel="thousand episodes", ylabel="won while exploring", ylim=(0, 1.02))
axis.legend(frameon=False, loc="lower right", ncols=2)
# The library's own network creeps up from chance; the other two curves rise quickly to nearly 1.
figure.savefig("ppo.png", dpi=130)

# %% [markdown]
# ## How good are they, and what do they say?
#
# Trained models become policies like any others: without exploration, on fresh episodes, and on record.

# %%
import numpy as np

from spatial_game import OracleSender, draw_episodes, record
from spatial_game.envs.models import ModelReceiver, ModelSender
from spatial_game.language import Lexicon, count

speaker, listener = ModelSender(sender, config), ModelReceiver(receiver, config)
episodes = draw_episodes(config, 20_000, np.random.default_rng(1))
print(
    f"the oracle and the receiver  {record(OracleSender(config), listener, episodes, config).accuracy:.1%}"
)
recording = record(speaker, listener, episodes, config)
print(f"the sender and the receiver  {recording.accuracy:.1%}")

lexicon = Lexicon.from_counts(count(recording), threshold=0.3)
for entry in sorted(lexicon.listed, key=lambda entry: -entry.count)[:10]:
    print(
        f"    {entry.form.pattern(2):9} {entry.referent!s:26} {entry.confidence:.0%} of {entry.count}"
    )

# %% [markdown]
# The sender was never told the oracle's code. It met a receiver that had learned it, and what it says to
# it is its own way of being understood. To record what is played *during* training, put it in a `with
# record_play(env, ...)` block ([](../libraries.md)). [](../baselines.md) has these algorithms on the
# larger game, over several seeds and beside others.
