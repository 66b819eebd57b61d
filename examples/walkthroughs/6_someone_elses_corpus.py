# %% [markdown]
# # Analyse someone else's corpus
#
# You have messages from other agents, and what each sender saw, in some other format. You convert this
# corpus, check it, read it and measure it. You do not need PyTorch; the plot needs the extra `[figures]`.
#
# ## The corpus
#
# A colleague sends you `corpus.csv`. The senders saw two numbers from 1 to 30 on each side of a gap, and
# answered with four letters. (We make the file here from a known language, so you can check the result at
# the end.)

# %%
import csv

import numpy as np

from spatial_game import GameConfig, draw_episodes
from spatial_game.language.synthetic import LANGUAGES

theirs = GameConfig(sequence_length=30, vocab_size=12, message_length=4)
language = LANGUAGES["compositional"](theirs, np.random.default_rng(5), noise=0.02)
windows = draw_episodes(theirs, 20_000, np.random.default_rng(6)).window
with open("corpus.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file)
    writer.writerow(["view", "utterance"])
    for window, message in zip(windows, language.send(windows), strict=True):
        view = ["_" if number < 0 else number + 1 for number in window.tolist()]
        writer.writerow(
            [
                " ".join(map(str, view)),
                "".join("abcdefghijkl"[symbol] for symbol in message),
            ]
        )

with open("corpus.csv", encoding="utf-8") as file:
    print("".join(file.readlines()[:5]))

# %% [markdown]
# ## Convert
#
# The analysis needs two arrays of integers: the messages, and the windows, with integers from 0 and -1 at
# the gap. `GameConfig` describes the game. You do not need to know anything about the receiver.

# %%
from spatial_game import Recording

with open("corpus.csv", newline="", encoding="utf-8") as file:
    lines = list(csv.DictReader(file))
views = [
    [-1 if cell == "_" else int(cell) for cell in line["view"].split()]
    for line in lines
]
messages = [
    ["abcdefghijkl".index(letter) for letter in line["utterance"]] for line in lines
]

config = GameConfig(sequence_length=30, vocab_size=12, message_length=4)
try:
    recording = Recording(config, window=np.array(views), message=np.array(messages))
except ValueError as error:
    print(error)

# %% [markdown]
# Every row is checked, and the error names the row, the column, the rule and the value. In this corpus,
# numbers start at 1 and not at 0. Other people's corpora often contain such surprises. If nobody noticed
# them, the results would be wrong.

# %%
window = np.array(views)
window[window > 0] -= 1
recording = Recording(config, window=window, message=np.array(messages))
recording.write("corpus.parquet")
print(f"{len(recording):,} episodes")

# %% [markdown]
# `spatial-game import` converts some formats for you: CSV with a column for each cell (`window_0`, ...,
# `message_0`, ...), an npz of EGG's arrays, and the JSON of the paper's
# published code. [](../recording.md) lists them.
#
# ## Read
#
# `spatial-game analyse corpus.parquet` prints the same table.

# %%
from spatial_game.language import Lexicon, count
from spatial_game.language.tables import dictionary

counts = count(recording)
lexicon = Lexicon.from_counts(counts, select="npmi")
print(dictionary(lexicon, best=5).to_text(group_by="Type"))
print(
    f"{len(lexicon.listed)} entries; episodes whose message has one: {lexicon.coverage:.1%}"
)

# %% [markdown]
# The language is compositional: the first letter names an edge or an offset, the next three an integer. So
# you can take messages apart:

# %%
from spatial_game.language.players.reading import in_words

for row in (0, 1, 2):
    said = in_words(lexicon, recording.message[row], recording.window[row])
    print(lines[row]["view"], "", lines[row]["utterance"], "", said)

# %% [markdown]
# Our integers start at 0, so their 18 is our 17. The dictionary does not read the second message: one
# letter in fifty in this corpus is wrong, and a message with a wrong letter has no entry. No reading is
# better than a wrong one.
#
# ## Could it be chance?
#
# Make two checks before you believe a dictionary. Messages shuffled over the episodes must give an empty
# dictionary, and both halves of the corpus must give the same entries.

# %%
rng = np.random.default_rng(0)
dealt = Recording(config, window=window, message=rng.permutation(recording.message))
print(
    len(Lexicon.from_counts(count(dealt), select="npmi").listed),
    "entries in shuffled messages",
)

halves = [
    {
        (entry.form, entry.referent)
        for entry in Lexicon.from_counts(
            count(
                Recording(
                    config, window=window[half::2], message=recording.message[half::2]
                )
            ),
            select="npmi",
        ).listed
    }
    for half in (0, 1)
]
print(
    f"{len(halves[0])} and {len(halves[1])} entries in the halves, {len(halves[0] & halves[1])} of them in both"
)

# %% [markdown]
# ## Measure
#
# These are the measures that the field reports. Each has a 95% interval and the value for shuffled messages.
# Compare the two values: only the difference means something.

# %%
from spatial_game.language.measures import all_measures

for measure in all_measures(recording, np.random.default_rng(1), max_pairs=20_000):
    if measure.shuffled is not None:
        between = f"[{measure.low:.3g}, {measure.high:.3g}]"
        print(
            f"{measure.name:47} {measure.value:8.4g} {between:17} {measure.shuffled:8.4g}"
        )

# %% [markdown]
# The columns are the value, its 95% interval, and the value for shuffled messages. The messages tell about
# the same amount about each of the four integers next to the gap. They tell little about integers further
# away, which are visible only at the ends of the sequence.
#
# ## Which letters stand where

# %%
import matplotlib.pyplot as plt

usage = np.stack(
    [np.bincount(slot, minlength=config.vocab_size) for slot in recording.message.T]
) / len(recording)
figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
image = axis.imshow(usage, aspect="auto", cmap="viridis", vmin=0)
axis.set(title="How often each letter stands in each slot")
axis.set(xlabel="letter", ylabel="slot", yticks=range(config.message_length))
axis.set_xticks(range(config.vocab_size), list("abcdefghijkl"))
figure.colorbar(image, label="share of episodes")
# Letters in each slot. Slots 1 to 3 mostly use the letters a, c, e, g and h; slot 0 mostly uses b, c, d, j and l.
figure.savefig("letters.png", dpi=130)

# %% [markdown]
# ## Was it right?
#
# In this example you know the true language.

# %%
found, truth = (
    {(entry.form, entry.referent) for entry in lexicon.listed},
    language.truth,
)
print(
    f"{len(found & truth)} of the {len(truth)} entries of the language found, and {len(found - truth)} others:"
)
for form, referent in sorted(found - truth, key=str):
    print(f"    {form.pattern(4):16} {referent}")

# %% [markdown]
# The other entries are not in the list from which we made the language, but they are true: these two
# letters in these slots occur in only one word, so they are enough to tell the integer.
