# %% [markdown]
# # A first game
#
# This page is for readers who know PettingZoo, or any environment with agents and actions. You write two
# agents by hand, find out why they lose some episodes, fix them, and see what makes the game hard. You do
# not need PyTorch.
#
# ## An episode
#
# A sequence hides a target. The sender sees the target's neighbours and a blank in place of the target. It
# sends three symbols. The receiver sees the symbols, the sequence and five candidates.

# %%
from spatial_game import referential_v0

env = referential_v0.env(sequence_length=20, render_mode="ansi")
env.reset(seed=7)
print(env.render())

# %% [markdown]
# Agents observe flat arrays of integers. The sender's array is its window; the receiver's array holds the
# message, the sequence and the candidates. Until the sender has acted, the message is -1, -1, -1.

# %%
for agent in env.agents:
    print(agent, env.observe(agent).astype(int).tolist(), env.action_space(agent))

# %% [markdown]
# ## Agents by hand
#
# The sender cannot name the target, because it does not see it. It can name a neighbour. Our sender names
# the integer to the left of the blank. Our receiver chooses the candidate to the right of that integer.
# The first symbol is the integer itself (there are 20 integers and 26 symbols); the other two are 0.

# %%
import numpy as np

from spatial_game.game.rules import split_receiver_view

config = env.unwrapped.config


def speak(window: list[int]) -> list[int]:
    blank = window.index(-1)
    return [window[blank - 1], 0, 0]


def listen(message: list[int], sequence: list[int], candidates: list[int]) -> int:
    target = sequence[(sequence.index(message[0]) + 1) % len(sequence)]
    return candidates.index(target) if target in candidates else 0


def act(agent: str, observation: np.ndarray) -> list[int] | int:
    if agent == "sender_0":
        return speak(observation.astype(int).tolist())
    message, sequence, candidates = split_receiver_view(
        config, observation[None].astype(int)
    )
    return listen(message[0].tolist(), sequence[0].tolist(), candidates[0].tolist())


def play(num_episodes: int, seed: int) -> dict[str, list[float]]:
    """Return the rewards of the episodes, by the place of the target."""
    rewards: dict[str, list[float]] = {edge: [] for edge in config.edges}
    env.reset(seed=seed)
    for _ in range(num_episodes):
        blank = env.observe("sender_0").astype(int).tolist().index(-1)
        for agent in env.agent_iter():
            observation, reward, termination, _, _ = env.last()
            env.step(None if termination else act(agent, observation))
        rewards[config.edges[blank]].append(reward)
        env.reset()
    return rewards


def show(rewards: dict[str, list[float]]) -> None:
    everything = [reward for part in rewards.values() for reward in part]
    print(
        f"all      {np.mean(everything):.1%} of {len(everything)}; chance is {1 / config.num_candidates:.0%}"
    )
    for edge, part in rewards.items():
        print(f"{edge:8} {np.mean(part):.1%} of {len(part)}")


show(play(2_000, seed=1))

# %% [markdown]
# They win nearly all episodes, but hardly ever when the target is the first integer of the sequence. Then
# the window has slid inward and the blank is its first cell, so there is no left neighbour. `window[-1]`
# took the last cell instead.

# %%
from PIL import Image

picture = referential_v0.env(sequence_length=20, render_mode="rgb_array")
picture.reset(seed=7)
while picture.observe("sender_0")[0] != -1:
    picture.reset()
for agent in ("sender_0", "receiver_0"):
    picture.step(np.array(act(agent, picture.observe(agent))))

# A lost episode. The target is the first integer, the message names the last cell of the window.
Image.fromarray(picture.render()).save("lost.png")

# %% [markdown]
# The place of the blank shows the sender that the target is first. So the sender needs a word for "first",
# like *begin* in the paper. It can be any symbol that no integer uses.

# %%
FIRST = 25


def speak(window: list[int]) -> list[int]:
    blank = window.index(-1)
    return [FIRST, 0, 0] if blank == 0 else [window[blank - 1], 0, 0]


def listen(message: list[int], sequence: list[int], candidates: list[int]) -> int:
    target = sequence[0 if message[0] == FIRST else sequence.index(message[0]) + 1]
    return candidates.index(target)


show(play(2_000, seed=1))

# %% [markdown]
# ## What makes it hard
#
# Our agents agreed on a code in advance. Agents that learn have only a reward of 0 or 1 after each
# episode. At first a message means nothing, so the receiver ignores it, and then it does not matter what
# the sender sends.
#
# Words can also be scarce. With two symbols and messages of length two, there are four messages for 20
# integers. Here several integers share a word: the sender sends only the remainder of the integer divided
# by the number of words. (There is no word for "first" here.)

# %%
from spatial_game import GameConfig, draw_episodes


def shared(num_symbols: int) -> float:
    """Return the accuracy when the message gives only the remainder of the left neighbour."""
    game = GameConfig(sequence_length=20)
    episodes = draw_episodes(game, 20_000, np.random.default_rng(1))
    rows = np.arange(len(episodes))
    middle = episodes.mask_column > 0
    said = episodes.window[rows, episodes.mask_column - 1] % num_symbols
    place = (episodes.sequence[:, None, :] == episodes.candidates[:, :, None]).argmax(
        axis=2
    )
    left = np.where(
        place > 0, episodes.sequence[rows[:, None], place - 1] % num_symbols, -1
    )
    # Candidates whose left neighbour fits; the receiver draws one of them.
    fits = left == said[:, None]
    return float(
        np.mean(np.where(middle, 1 / fits.sum(axis=1).clip(1), 1 / game.num_candidates))
    )


for num_symbols in (1, 2, 4, 8, 16, 20):
    print(
        f"words: {num_symbols:2}  {'#' * round(50 * shared(num_symbols)):50}  {shared(num_symbols):.1%}"
    )

# %% [markdown]
# Four words are enough to win most episodes, because the receiver only has to tell five candidates apart.
# A language can be good without being exact. This makes the languages of trained pairs interesting, and
# hard to read.
#
# Next: [train a pair](2_train_a_pair.md) that finds its own language, or [read](3_read_its_language.md) the
# language of a bundled pair.
