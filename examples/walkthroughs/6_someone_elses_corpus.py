# %% [markdown]
# # Analyse someone else's corpus
#
# You have messages that some agents sent and what each sender saw, perhaps from a paper of years ago, in
# a format of their own. In this walk-through such a corpus is converted, checked, read and measured.
# Nothing here needs PyTorch; the figure needs `[figures]`.
#
# ## What there is
#
# A colleague sends `corpus.csv`. The senders saw two numbers on each side of a gap, out of 1 to 30, and
# answered with four letters. (We make the file here, from a language that is known, so that you can run
# this and see in the end whether the analysis was right. Forget that you know it.)

# %%
import csv

import numpy as np

from spatial_game import GameConfig, draw_episodes
from spatial_game.language.synthetic import compositional

theirs = GameConfig(sequence_length=30, vocab_size=12, message_length=4)
language = compositional(theirs, np.random.default_rng(5), noise=0.02)
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
# The analysis needs two arrays of integers: the windows, counted from 0 and with -1 at the gap, and the
# messages. `GameConfig` says what the game was; of the receiver nothing needs to be known.

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
# Every row is checked, and the complaint names row, column, rule and value: their numbers begin at 1.
# Corpora that others made have such surprises, and a silent one would make the results wrong.

# %%
window = np.array(views)
window[window > 0] -= 1
recording = Recording(config, window=window, message=np.array(messages))
recording.write("corpus.parquet")
print(f"{len(recording):,} episodes")

# %% [markdown]
# Where a file is a CSV with a column for each cell (`window_0`, ..., `message_0`, ...), lines of JSON,
# ELCC, CSAR, an npz of EGG's arrays, or the JSON of the paper's published code, `spatial-game import`
# does this; [](../recording.md) lists the formats.
#
# ## Read
#
# `spatial-game analyse corpus.parquet` prints the same table.

# %%
from spatial_game.language import Lexicon, count
from spatial_game.language.tables import dictionary

counts = count(recording)
lexicon = Lexicon.from_counts(counts)
print(dictionary(lexicon, best=5).to_text(group_by="Type"))
print(
    f"{len(lexicon.listed)} entries; episodes whose message has one: {lexicon.coverage:.1%}"
)

# %% [markdown]
# The language is compositional: an edge or an offset in the first letter, an integer in the three that
# follow. A message can be taken apart:

# %%
from spatial_game.language.speaking.reading import in_words

for row in (0, 1, 2):
    said = in_words(lexicon, recording.message[row], recording.window[row])
    print(lines[row]["view"], "", lines[row]["utterance"], "", said)

# %% [markdown]
# Integers count from 0 here: their 18 is our 17. The second message is not read. One letter in fifty of
# this corpus is wrong, and a message with a wrong letter is no longer in the dictionary, which is better
# than reading it falsely.
#
# ## Could it be chance?
#
# Two checks before you believe a dictionary. The messages dealt out to other episodes must give an empty
# one. And an entry found in one half of the corpus must be found in the other.

# %%
rng = np.random.default_rng(0)
dealt = Recording(config, window=window, message=rng.permutation(recording.message))
print(len(Lexicon.from_counts(count(dealt)).listed), "entries in shuffled messages")

halves = [
    {
        (entry.form, entry.referent)
        for entry in Lexicon.from_counts(
            count(
                Recording(
                    config, window=window[half::2], message=recording.message[half::2]
                )
            )
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
# What the field reports, each measure with an interval and, beside it, the value of shuffled messages: a
# number means something by its distance from that.

# %%
from spatial_game.language.measures import all_measures

for measure in all_measures(recording, np.random.default_rng(1), max_pairs=20_000):
    if measure.shuffled is not None:
        between = f"[{measure.low:.3g}, {measure.high:.3g}]"
        print(
            f"{measure.name:47} {measure.value:8.4g} {between:17} {measure.shuffled:8.4g}"
        )

# %% [markdown]
# The columns are value, 95% interval, and the value of shuffled messages. The messages tell about the two
# integers on each side, one as much as the other, and little of those beyond, which are seen only at the
# ends of the sequence.
#
# ## Which letters are used where

# %%
import matplotlib.pyplot as plt

usage = np.stack(
    [np.bincount(slot, minlength=config.vocab_size) for slot in recording.message.T]
) / len(recording)
figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
image = axis.imshow(usage, aspect="auto", cmap="viridis", vmin=0)
axis.set(xlabel="letter", ylabel="slot", yticks=range(config.message_length))
axis.set_xticks(range(config.vocab_size), list("abcdefghijkl"))
figure.colorbar(image, label="share of episodes")
# Slots 1 to 3 mostly use the letters a, e, g and h; slot 0 uses others.
figure.savefig("letters.png", dpi=130)

# %% [markdown]
# ## Was it right?
#
# This once the truth is known.

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
# The others are not in the list of words that the language was made with, but they are true: two letters
# that no other word has in these slots already tell the integer.
#
# ## Messages alone
#
# Where only the messages are left, meanings cannot be found, but much can be measured. A line a message,
# as XferBench and ELCC have it:

# %%
from spatial_game.language.interchange.corpora import read_corpus, write_corpus

write_corpus(recording, "messages.jsonl")
corpus = read_corpus("messages.jsonl")
print(f"{len(corpus):,} messages of {corpus.num_symbols} symbols")
for measure in all_measures(corpus, np.random.default_rng(1)):
    if measure.value is not None and measure.shuffled is not None:
        print(f"{measure.name:47} {measure.value:8.4g} {measure.shuffled:8.4g}")
