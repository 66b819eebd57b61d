# slow: trains for about two minutes

# %% [markdown]
# # From one pair to five generations
#
# Children learn a language from what they hear, and then speak it themselves. Here you do the same with
# networks: each pair learns from some messages of the pair before it, and then plays. What remains of the
# first language after five generations, and does it become easier to learn? You need the extras `[agents]`
# (PyTorch) and `[figures]` (matplotlib).
#
# The game has 20 integers, and the sender sees only one neighbour of the target. So a message must tell the
# neighbour and its offset. Each generation learns from 1,000 messages of the last one during a fifth of its
# 1,000 steps.

# %%
from pathlib import Path

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game import GameConfig

options = TrainOptions(
    game=GameConfig(sequence_length=20, num_visible=1),
    recipe=Recipe(recipe="local", steps=1_000, iterate=5, transmission=1_000),
    seed=0,
    out=Path("runs/generations"),
    device="cpu",
)
print(options.command("generations"))
folders = train(options)

# %% [markdown]
# The run is a folder of five ordinary pairs. Do generations understand each other?

# %%
import numpy as np

from spatial_agents import load_pair
from spatial_game.studies import cross_play

pairs = [load_pair(folder) for folder in folders]
study = cross_play(
    {f"generation {i}": pair for i, pair in enumerate(pairs)}, num_episodes=5_000
)
print("sender         receiver" + "".join(f"{i:7}" for i in range(len(pairs))))
for name, *accuracies in study.table.rows:
    print(f"{name:23}" + "".join(f"{value:7.0%}" for value in accuracies))

# %% [markdown]
# ## What is handed on
#
# Away from the borders there are 80 windows: 20 integers at four offsets. One call shows everything that a
# sender can say.

# %%
OFFSETS = (-2, -1, 1, 2)
config = pairs[0].config
integers = np.arange(len(config.integers))
windows = np.full((len(OFFSETS), len(integers), config.window_size), -2, dtype=np.int16)
windows[:, :, config.window_radius] = -1
for row, offset in enumerate(OFFSETS):
    windows[row, :, config.window_radius + offset] = integers

said = np.stack(
    [
        pair.sender.send(windows.reshape(-1, config.window_size)).reshape(
            *windows.shape[:2], -1
        )
        for pair in pairs
    ]
)
for i in range(1, len(pairs)):
    kept = (said[i] == said[i - 1]).all(axis=2).mean()
    first = (said[i] == said[0]).all(axis=2).mean()
    print(
        f"generation {i}: {kept:.0%} of the messages as the one before, {first:.0%} as the first"
    )

# %% [markdown]
# The pictures show the first symbol of each message, one colour for each symbol. If messages had a word for
# the integer and one for the offset, rows or columns would have one colour.

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(7, 4.6), sharey=True, layout="constrained")
for axis, i in zip(axes, (0, len(pairs) - 1), strict=True):
    axis.imshow(
        said[i, :, :, 0].T, aspect="auto", cmap="tab20", vmin=0, vmax=config.vocab_size
    )
    axis.set(
        title=f"generation {i}",
        xlabel="offset",
        xticks=range(len(OFFSETS)),
        xticklabels=[f"{o:+d}" for o in OFFSETS],
    )
axes[0].set(ylabel="integer")
# First symbols. A colour for each symbol that begins a message, by integer and offset, in the first and the last generation.
figure.savefig("generations.png", dpi=150)

# %% [markdown]
# ## Does it compose?
#
# The receiver's choices show it: exchange the parts of two messages, and see whether it follows. A receiver
# that composes has two effects of 100%.

# %%
from spatial_game.studies import composition

for i in (0, len(pairs) - 1):
    joined = composition(pairs[i], num_episodes=20_000).joined
    if joined is None:
        print(f"generation {i}: too few messages can be joined")
    else:
        print(
            f"generation {i}: integer {joined.integer:+.0%}, offset {joined.offset:+.0%}"
        )

# %% [markdown]
# Handing a language on does not make it compose in this game: see [](../composition.md) for many more seeds
# and for other pressures.
