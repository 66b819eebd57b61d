# %% [markdown]
# # Read its language
#
# A trained pair sends messages such as `[9, 9, 20]`. Nobody told it what they mean. You record the bundled
# pair `embed-60`, and make a dictionary from the recording. It is the paper's kind of dictionary, which
# gives each form one referent. Then you check an entry by hand, and find what this dictionary misses. At
# the end, a dictionary by description length finds it without help. You need the extra `[figures]`.
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
# `recording.write("play.parquet")` would store it. In a terminal, `spatial-game record` does the same.
#
# ## The dictionary

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
# This pair has no word for an offset: there is no heading *Compositional* with entries such as *? is 1
# left of target*. The pair names places and neighbours with whole messages.
#
# ## Check one entry by hand
#
# A dictionary is a claim about counts, so you can check any entry with a few lines of NumPy. Take the most
# frequent entry for an integer at an offset:

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
# Whenever the message is sent, the claim is true. But the claim is often also true when another message is
# sent. So NPMI stays below 1 for a word that is always right. [](../language.md) explains which entries
# are admitted.
#
# ## Is it chance?
#
# Shuffle the messages over the episodes. The dictionary must then be empty.

# %%
from spatial_game import Recording

rng = np.random.default_rng(3)
dealt = Recording(
    recording.config,
    window=recording.window,
    message=rng.permutation(recording.message),
)
shuffled = Lexicon.from_counts(count(dealt), select="npmi")
print(f"{len(shuffled.listed)} entries in shuffled messages")

# %% [markdown]
# ## What it talks about
#
# Which offsets and edges have words? The sender sees two integers on each side of the target.

# %%
from collections import Counter

print(Counter(f"{entry.referent.offset:+d}" for entry in lexicon.of_kind("integer_at")))
print(Counter(entry.referent.name for entry in lexicon.of_kind("edge")))

# %% [markdown]
# Nearly all words for integers are about the left neighbour of the target; one is about the integer two
# left. The next plot shows the twelve most frequent messages and their meanings. Five of them are not in
# the dictionary.

# %%
import matplotlib.pyplot as plt

from spatial_game import figures

figure, axis = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
figures.message_flow(axis, counts, lexicon)
axis.set_title("The twelve most frequent messages (left) and their meanings (right)")
# The twelve most frequent messages and their meanings. A band is as wide as its message is frequent. Grey: not in the dictionary.
figure.savefig("flow.png", dpi=130)

# %% [markdown]
# ## What the dictionary misses
#
# An entry names one integer at one offset. A message may mean more. Take the most frequent message that is
# not in the dictionary, and count which integers stood one left when it was sent:

# %%
known = {entry.form.symbols for entry in lexicon.listed}
order = np.argsort(-counts.message_totals, kind="stable")
unread = next(row for row in order if tuple(counts.messages[row].tolist()) not in known)
left = (
    counts.integers_at[[unread]]
    .toarray()
    .reshape(len(counts.config.offsets), -1)[counts.config.offsets.index(-1)]
)
for integer in np.argsort(-left, kind="stable")[:4]:
    print(f"{integer:2} one left in {left[integer] / left.sum():.0%} of its episodes")

# %% [markdown]
# This message stands for three integers. None of them alone reaches the confidence of 80% that an entry
# needs. With `top_n` above 1, an entry may stand for several integers.

# %%
for top_n in (1, 2, 3, 5):
    found = Lexicon.from_counts(counts, select="npmi", top_n=top_n)
    print(
        f"top_n {top_n}: {len(found.listed):3} entries read {found.coverage:.1%} of the episodes"
    )

# %% [markdown]
# ## Synonyms?
#
# Many integers have two frequent messages with the same meaning:

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
# Are they synonyms? If so, the choice between them would not depend on the window. Take the two messages
# for the first integer, and count the integers *two* left of the target:


# %%
def two_left(value: int, message: tuple[int, ...]) -> np.ndarray:
    """Count the integers two left of the target when `message` is sent for `value` one left."""
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
# They are not synonyms. The integers fall into two halves, and the message says which half contains the
# integer two left. Do the other words use the same halves?

# %%
half = np.sign(one - other)  # 1, -1, or 0 where this word had no episode
table = np.array(
    [[two_left(value, message) for message in pair_] for value, pair_ in twice.items()]
)
lean = (table[:, 0] - table[:, 1]) * half
# Which of a word's two messages is that of the first half.
sides = np.where(lean.sum(axis=1) < 0, -1, 1)
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
    title="Which of its two messages the sender uses",
    xlabel="integer two left of the target",
    ylabel="integer one left of the target",
)
figure.colorbar(image, label="share of the first message")
# Which of two messages is sent. Two solid blocks: only the integer two left decides. White: no such episode.
figure.savefig("halves.png", dpi=130)

# %% [markdown]
# Red is one message, blue the other. (The few mixed rows are integers with more than two messages.) So a
# message of this pair says: *this integer is one left, and the integer two left is in the first half*, or
# *in the second*. The pair has divided the integers into two classes, and uses them in every word. The
# paper's referents do not include classes of thirty integers, so its dictionary is right but gives only a
# part of the meaning.
#
# ## A dictionary that knows classes
#
# Without `select="npmi"`, entries are chosen by description length, and may mean sets of integers and
# conjunctions. This dictionary finds the classes without help, in the first symbol of the message:

# %%
from spatial_game.language.dictionary.words import Words

described = Lexicon.from_counts(counts)
words_for = Words(described.listed)
for entry in sorted(described.of_kind("conjunction"), key=lambda entry: -entry.count)[
    :4
]:
    print(entry.form.pattern(3), "means", words_for.of(entry.referent))
print(*words_for.legend[:2], sep="\n")
bits = described.account
print(
    f"{bits.message_bits:.1f} bits a message, {bits.explained_bits:.1f} of them explained"
)

# %% [markdown]
# Other pairs have other languages, although they differ only in their seed. These are the first five pairs
# of this name (`load_pair("embed-60", index=1)` and so on):
#
# | Index | Does the integer two left decide between the two messages? |
# |---|---|
# | 0 | yes, by two classes of 30 and 30 integers for all words |
# | 1 | yes, by two other classes, of 33 and 27 integers |
# | 2, 3 | yes, but each word divides the integers in its own way |
# | 4 | no |
#
# [Speak to it](4_speak_to_it.md) shows why this matters when you compose messages yourself.
