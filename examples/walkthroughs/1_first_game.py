# %% [markdown]
# # A first game
#
# You know PettingZoo, or any environment with agents and actions. In this walk-through you play the game
# with agents written by hand, find out what makes it hard, and lose your last lost episodes. Nothing here
# needs PyTorch.
#
# ## An episode
#
# A sequence hides a target. The sender sees the target's neighbours, and a blank where the target is; it
# sends three symbols. The receiver sees the symbols, the sequence and five candidates.

# %%
from spatial_game import referential_v0

env = referential_v0.env(sequence_length=20, render_mode="ansi")
env.reset(seed=7)
print(env.render())

# %% [markdown]
# Agents see flat arrays of exact integers: the sender its window, the receiver message, sequence and
# candidates. Before the sender has spoken the message is -1, -1, -1.

# %%
for agent in env.agents:
    print(agent, env.observe(agent).astype(int).tolist(), env.action_space(agent))

# %% [markdown]
# ## Agents by hand
#
# The target cannot be named: the sender does not see it. Its neighbour can. Our sender says which integer
# stands left of the blank, and our receiver chooses the candidate that stands right of that integer. The
# symbols mean what the two agree on: here the first symbol is the integer itself (20 integers, 26
# symbols).

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
    """The rewards of the episodes, by where their target stands."""
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
# Nearly all, but hardly ever where the target is the first of its sequence. Look at such an episode: the
# window slides inward, the blank is its first cell, and there is no left neighbour. `window[-1]` took the
# last cell instead.

# %%
from PIL import Image

picture = referential_v0.env(sequence_length=20, render_mode="rgb_array")
picture.reset(seed=7)
while picture.observe("sender_0")[0] != -1:
    picture.reset()
for agent in ("sender_0", "receiver_0"):
    picture.step(np.array(act(agent, picture.observe(agent))))

# The target is the first integer; the receiver chose another.
Image.fromarray(picture.render()).save("lost.png")

# %% [markdown]
# The blank's place in the window tells the sender that the target is first. So it needs a word for that,
# as *begin* in the paper. Any symbol that no integer uses will do.

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
# We agreed on the code beforehand. Agents that learn have to agree with nothing but a reward of 0 or 1
# after the fact, and at first the receiver ignores what it hears because it means nothing, and so nothing
# that the sender says matters. And words may be scarce: with two symbols in messages of two there are
# four messages for 20 integers. Here is how far the same agents get when symbols have to be shared, the
# integer's remainder being all that is said (and the first place nothing special).

# %%
from spatial_game import GameConfig, draw_episodes


def shared(num_symbols: int) -> float:
    """The accuracy when the left neighbour is known only by its remainder."""
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
    fits = (
        left == said[:, None]
    )  # candidates whose left neighbour fits; the receiver draws one of them
    return float(
        np.mean(np.where(middle, 1 / fits.sum(axis=1).clip(1), 1 / game.num_candidates))
    )


for num_symbols in (1, 2, 4, 8, 16, 20):
    print(
        f"{num_symbols:2} words  {'#' * round(50 * shared(num_symbols)):50}  {shared(num_symbols):.1%}"
    )

# %% [markdown]
# Four words already win most episodes, because only five candidates have to be told apart: a language
# need not be exact to be good. That is why the languages of trained pairs are worth reading, and why
# reading them is not easy.
#
# Next: [train a pair](2_train_a_pair.md) that finds a language by itself, or
# [read](3_read_its_language.md) the language of one that comes along.
