# %% [markdown]
# # Read its language
#
# A trained pair sends messages such as `[9, 9, 20]`. Nobody told it what they mean. This walk-through
# records the pair `embed-60`, reads a dictionary from the recording alone, checks an entry by hand, and
# looks at what the dictionary leaves out. It needs the extras `[agents]` and `[figures]`.
#
# ## Record

# %%
import numpy as np

from spatial_agents import load_pair
from spatial_game import draw_episodes, record

pair = load_pair("embed-60")
episodes = draw_episodes(pair.config, 40_000, np.random.default_rng(2))
recording = record(pair.sender, pair.receiver, episodes, pair.config)
print(f"{len(recording):,} episodes, {recording.accuracy:.2%} won")
print(
    f"{len(np.unique(recording.message, axis=0))} different messages, of {26**3:,} possible ones"
)

# %% [markdown]
# `recording.write("play.parquet")` would keep it; `spatial-game record` does all this from a terminal.
#
# ## The dictionary

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
# *? is 1 left of target* and the like would stand under *Compositional*: this pair has no word for an
# offset. It says places and neighbours with whole messages.
#
# ## Check one by hand
#
# A dictionary is a claim about a table of counts, so any entry can be checked with a few lines of NumPy.
# Take the entry for an integer beside the target that is used most:

# %%
entry = max(lexicon.of_kind("integer_at"), key=lambda entry: entry.count)
print(
    list(entry.form.symbols),
    "means",
    entry.referent,
    f"(NPMI {entry.npmi:.2f}, {entry.confidence:.0%} sure)",
)

sent = (recording.message == entry.form.symbols).all(axis=1)
rows = np.arange(len(recording))
blank = (recording.window == -1).argmax(axis=1)
column = blank + entry.referent.offset
inside = (column >= 0) & (column < recording.window.shape[1])
stands = inside & (
    recording.window[rows, column.clip(0, 4)] == entry.referent.values[0]
)
print(
    f"sent in {sent.sum()} episodes, true in {stands.sum()}, both in {(sent & stands).sum()}"
)

both, form, referent = (np.mean(event) for event in (sent & stands, sent, stands))
print(f"NPMI {np.log(both / (form * referent)) / -np.log(both):.2f}")

# %% [markdown]
# The message is practically never sent when the claim is false, yet the claim is often true without the
# message being sent: the sender had other neighbours to speak of. That is why NPMI stays below 1 for a
# word that never lies. [](../language.md) says what is admitted, and why.
#
# ## Is it chance?
#
# Deal the same messages out to other episodes, and nothing of it must remain.

# %%
from spatial_game import Recording

rng = np.random.default_rng(3)
dealt = Recording(
    recording.config,
    window=recording.window,
    message=rng.permutation(recording.message),
)
print(f"{len(Lexicon.from_counts(count(dealt)).listed)} entries in shuffled messages")

# %% [markdown]
# ## What it talks about
#
# Which places have words? The sender sees two integers on each side of the target.

# %%
from collections import Counter

print(Counter(f"{entry.referent.offset:+d}" for entry in lexicon.of_kind("integer_at")))
print(Counter(entry.referent.name for entry in lexicon.of_kind("edge")))

# %% [markdown]
# Practically only one of four: all words for integers but one are about the one directly left of the
# target. The flow from the twelve messages that are sent most to what they say shows that several of
# these are not in the dictionary at all.

# %%
import matplotlib.pyplot as plt

from spatial_game import figures

figure, axis = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
figures.message_flow(axis, counts, lexicon)
# Twelve messages, each flowing to one meaning or to none in the dictionary.
figure.savefig("flow.png", dpi=130)

# %% [markdown]
# ## What the dictionary leaves out
#
# An entry names one integer at one place. A message may be about more. Its *profile* counts which
# integers stood where when it was sent, and says how many bits the message tells of each place. Take the
# message that is sent most among those that the dictionary does not have:

# %%
from spatial_game.language.speaking.message_model import MessageModel
from spatial_game.language.speaking.message_profile import profile

known = {entry.form.symbols for entry in lexicon.listed}
order = np.argsort(-counts.message_totals, kind="stable")
unread = next(row for row in order if tuple(counts.messages[row].tolist()) not in known)
print(profile(MessageModel.from_counts(counts), counts.messages[unread]))

# %% [markdown]
# One message for three integers: none of them alone reaches the confidence of 80% that an entry must
# have. With `top_n` above 1 an entry may stand for several.

# %%
for top_n in (1, 2, 3, 5):
    found = Lexicon.from_counts(counts, top_n=top_n)
    print(
        f"top_n {top_n}: {len(found.listed):3} entries read {found.coverage:.1%} of the episodes"
    )

# %% [markdown]
# ## Synonyms?
#
# Many integers have two messages that say the same, and both are used a lot:

# %%
words: dict[int, list[tuple[int, ...]]] = {}
for entry in sorted(lexicon.of_kind("integer_at"), key=lambda entry: -entry.count):
    if entry.referent.offset == -1:
        words.setdefault(entry.referent.values[0], []).append(entry.form.symbols)
twice = {value: messages[:2] for value, messages in words.items() if len(messages) > 1}
print(f"{len(twice)} of {len(words)} integers, such as")
for value in list(twice)[:3]:
    print(
        f"   {value} is 1 left of target: {list(twice[value][0])} or {list(twice[value][1])}"
    )

# %% [markdown]
# Are they synonyms, one as good as the other? Then nothing in the window would tell which of them is
# sent. Count the integer that stands *two* left of the target, for the two messages of the first of these
# integers:


# %%
def two_left(value: int, message: tuple[int, ...]) -> np.ndarray:
    """How often each integer stands two left of the target when a message for `value` one left is sent."""
    sent = (recording.message == message).all(axis=1) & (
        recording.window[:, 1:3] == [value, -1]
    ).all(axis=1)
    return np.bincount(recording.window[sent, 0], minlength=60)


first = next(iter(twice))
one, other = (two_left(first, message) for message in twice[first])
print("with the first ", *np.flatnonzero(one > other))
print("with the second", *np.flatnonzero(other > one))
print(
    f"{np.maximum(one, other).sum() / (one + other).sum():.1%} of its {(one + other).sum()} uses keep to this"
)

# %% [markdown]
# They are not synonyms. The integers fall into two halves, and the message tells in which of them the
# integer two left is. Is that a whim of this one word? Take these halves as they are, and look at the
# other words:

# %%
half = np.sign(one - other)  # 1, -1, or 0 where this word had no episode
table = np.array(
    [[two_left(value, message) for message in pair_] for value, pair_ in twice.items()]
)
lean = (table[:, 0] - table[:, 1]) * half
sides = np.where(
    lean.sum(axis=1) < 0, -1, 1
)  # which of a word's two messages is that of the first half
kept = np.maximum(lean * sides[:, None], 0).sum(axis=1) / np.abs(lean).sum(axis=1)
print(
    f"{np.sum(kept > 0.99)} of {len(kept)} words keep to the same halves in over 99% of their uses"
)

# %%
across = np.argsort(-half, kind="stable")
table[sides < 0] = table[sides < 0, ::-1]
shares = table[:, 0] / np.maximum(table.sum(axis=1), 1)
shares[table.sum(axis=1) == 0] = np.nan
figure, axis = plt.subplots(figsize=(7.5, 5.6), layout="constrained")
image = axis.imshow(shares[:, across], aspect="auto", cmap="coolwarm", vmin=0, vmax=1)
axis.set_xticks(range(60), across, fontsize=5.5, rotation=90)
axis.set_yticks(range(len(twice)), list(twice), fontsize=5.5)
axis.set(
    xlabel="integer two left of the target", ylabel="integer one left of the target"
)
figure.colorbar(image, label="share of the one message among the two")
# Two solid blocks: which message is sent depends on the integer two left alone.
figure.savefig("halves.png", dpi=130)

# %% [markdown]
# Red is the one message, blue the other, white where there was no such episode: two solid blocks. (The
# few mixed rows are integers with more than two messages.) A message of this pair says *this integer is
# one left, and the one two left is of the first half*, or *of the second*. The pair has divided the
# integers into two classes, the same for every word. No referent of the paper is a class of thirty
# integers, so the dictionary, which is right in all that it says, says but half of it. Another pair may
# have another language. Of the five pairs of this name (`load_pair("embed-60", index=1)` and so on,
# trained alike but for the seed) the second has such classes as well, others and of 33 and 27 integers;
# in the third and the fourth the integer two left decides between the two messages, too, but not by one
# division for all words; in the fifth it does not.
#
# What that means for somebody who wants to talk to this pair: [speak to it](4_speak_to_it.md).
