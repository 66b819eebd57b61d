# slow: trains for about ten minutes

# %% [markdown]
# # Train a pair in ten minutes
#
# You train two networks for ten minutes on one processor core, in the game of 60 integers. At the end they
# understand each other in nearly every episode. You need the extras `[agents]` (PyTorch) and `[figures]`
# (matplotlib).
#
# The options are the same as for `spatial-game train`. With `inputs="embedding"`, the agents look each
# integer up in a learned table. With `"scalars"`, as in the paper, they read integers as numbers, and
# training takes several times longer. Each of the 6,000 steps uses 256 fresh episodes, so the training
# uses one and a half million episodes.

# %%
from pathlib import Path

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game import GameConfig

options = TrainOptions(
    game=GameConfig(sequence_length=60),
    recipe=Recipe(recipe="curriculum", inputs="embedding", steps=6_000),
    seed=0,
    out=Path("runs/mine"),
    device="cpu",
)
print(options.command("mine"))

# %% [markdown]
# This command does the same in a terminal and shows a progress bar. You can stop training at any moment,
# and even a power cut does no harm: `spatial-game train --resume runs/mine` continues it.

# %%
(folder,) = train(options)

# %% [markdown]
# ## What happened during training
#
# The folder holds the weights and their model card, the options, and `metrics.csv` with a row for every 50
# steps. (TensorBoard shows the same numbers.)

# %%
import csv

import matplotlib.pyplot as plt

with open(folder / "metrics.csv", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))


def column(name: str) -> tuple[list[float], list[float]]:
    """Return the thousands of steps at which a column has a value, and the values."""
    filled = [row for row in rows if row[name]]
    return [int(row["step"]) / 1000 for row in filled], [
        float(row[name]) for row in filled
    ]


figure, (above, below) = plt.subplots(
    2, 1, sharex=True, figsize=(7, 4.4), height_ratios=(1, 2), layout="constrained"
)
above.plot(*column("sequence_length"), color="#8a8a8a", drawstyle="steps-post")
above.set(
    ylabel="integers",
    title="How long the sequences are in training",
    yticks=(6, 30, 60),
)
below.plot(*column("training_accuracy"), color="#4c82c3", label="in training")
below.plot(
    *column("validation_accuracy"),
    "o-",
    color="#d9822b",
    label="fresh episodes of the full game",
)
below.axhline(1 / 5, color="#8a8a8a", linestyle=":", label="chance")
below.set(
    xlabel="thousand steps",
    ylabel="accuracy",
    ylim=(0, 1.02),
    title="How often the receiver is right",
)
below.legend(frameon=False, loc="center right")
# Learning curves. Sequences grow from 6 to 60 integers within 1,700 steps; accuracy rises from chance to nearly 1.
figure.savefig("curve.png", dpi=150)

validated = [row for row in rows if row["validation_accuracy"]]
for goal in (0.5, 0.8, 0.9, 0.95):
    steps = (
        row["step"] for row in validated if float(row["validation_accuracy"]) >= goal
    )
    print(f"{goal:.0%} of the full game after {next(steps, 'no number of')} steps")

# %% [markdown]
# The curriculum starts with sequences of six integers and lengthens them whenever the pair is right in 35%
# of the episodes. Longer sequences cost a little accuracy at first, but the pair keeps what it has
# learned. Pairs that started with the full game stayed at chance for thousands of steps: the receiver
# cannot learn to find targets that the sender cannot yet describe.
#
# ## How good is it?
#
# This is the accuracy on episodes from a random stream that training never used, by the place of the
# target:

# %%
from spatial_agents import evaluate, load_pair

pair = load_pair(folder)
result = evaluate(pair, num_episodes=20_000, seed=1)
print(f"all      {result.overall}")
for place, won in result.by_observation.items():
    print(f"{place:8} {won}")
print(
    f"\n{result.distinct_messages} different messages; chance is {1 / pair.config.num_candidates:.0%}"
)

# %% [markdown]
# Other seeds give somewhat better or worse pairs ([](../training.md) lists the bundled ones). If you make
# a claim about training, use several seeds (`spatial-game train --pairs 5`).
#
# ## Watch it play
#
# The pair has an ordinary sender and receiver. Here are its messages for four windows; -1 is the blank:

# %%
import numpy as np

from spatial_game import draw_episodes

episodes = draw_episodes(pair.config, 4, np.random.default_rng(5))
messages = pair.sender.send(episodes.window)
choices = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
for window, message, choice, target in zip(
    episodes.window, messages, choices, episodes.target_index, strict=True
):
    print(
        f"{window.tolist()!s:22} -> {message.tolist()!s:12} -> {'right' if choice == target else 'wrong'}"
    )

# %% [markdown]
# What do these symbols mean? The [next page](3_read_its_language.md) finds out for a bundled pair. To read
# your own pair, replace `embed-60` by `runs/mine`.
