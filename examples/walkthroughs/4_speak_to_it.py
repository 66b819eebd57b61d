# %% [markdown]
# # Speak to it
#
# Does a dictionary work in practice? First you replace the sender: you compose messages from the
# dictionary and see what the trained receiver chooses. Then you replace the receiver. Finally you test
# every entry. You need the extra `[figures]`.

# %%
import numpy as np

from spatial_agents import load_pair
from spatial_game import draw_episodes, record
from spatial_game.language import Lexicon, count

pair = load_pair("embed-60")
config = pair.config
episodes = draw_episodes(config, 40_000, np.random.default_rng(2))
recorded = record(pair.sender, None, episodes, config)  # no receiver: nobody chooses
counts = count(recorded)
lexicon = Lexicon.from_counts(counts, select="npmi")
print(
    f"{len(lexicon.listed)} entries; episodes whose message has one: {lexicon.coverage:.1%}"
)

# %% [markdown]
# ## One sequence, five things to say
#
# Take any sequence and choose five places that the dictionary can describe. Only the message changes; the
# sequence and the candidates stay the same. If the receiver's choice follows our messages, it understands
# them.

# %%
from spatial_game.language.players.reading import read_message

words = {}
for entry in sorted(lexicon.of_kind("integer_at"), key=lambda entry: -entry.count):
    words.setdefault(
        (entry.referent.values[0], entry.referent.offset), entry.form.symbols
    )

sequence = draw_episodes(config, 1, np.random.default_rng(11)).sequence[0]
sayable = [
    (place, (int(sequence[place + offset]), offset))
    for place in range(2, config.sequence_length - 2)
    for offset in (-1, 1)
    if (int(sequence[place + offset]), offset) in words
]
chosen = [sayable[i] for i in (1, 8, 16, 24, 32)]
candidates = np.array([sequence[place] for place, _ in chosen])

print("around each candidate:")
for place, _ in chosen:
    print("   ", sequence[place - 2 : place + 3].tolist(), "candidate", sequence[place])
print()
for place, meaning in chosen:
    message = np.array(words[meaning])
    choice = pair.receiver.choose(message[None], sequence[None], candidates[None])[0]
    (said, *_) = read_message(lexicon, message)
    verdict = (
        "as meant"
        if candidates[choice] == sequence[place]
        else f"but {sequence[place]} was meant"
    )
    print(
        f"{message.tolist()!s:14} {str(said)!s:26} -> it chooses {candidates[choice]:2}, {verdict}"
    )

# %% [markdown]
# ## Say what you see
#
# `Composer` does this for any window: it finds the message that is most probable by the dictionary's rules. In
# thousands of fresh episodes, how often does the dictionary have a message? And how often is it then understood?

# %%
from spatial_game.language.players.compose import Composer

fresh = draw_episodes(config, 10_000, np.random.default_rng(12))


def understood(messages: np.ndarray, which: np.ndarray) -> str:
    """Return how often the receiver chooses the target in these episodes."""
    asked = fresh[np.flatnonzero(which)]
    choices = pair.receiver.choose(messages[which], asked.sequence, asked.candidates)
    return f"{np.mean(choices == asked.target_index):.1%}"


composed = Composer(lexicon).compose(fresh.window)
can_say = composed.expressed
print(f"the dictionary has a message in {composed.coverage:.1%} of the episodes; there")
print(
    f"    its most probable message is understood in     {understood(composed.message, can_say)}"
)

print(
    f"    the sender itself is understood in             {understood(pair.sender.send(fresh.window), can_say)}"
)

# %% [markdown]
# A true message is not enough; it must be the one that the sender would use. We return to this below.
#
# ## Understand what you hear
#
# Now a reader that knows only the dictionary replaces the receiver. It chooses the candidate for which the
# message is true.

# %%
from spatial_game.language.players.decode import Decoder

messages = pair.sender.send(fresh.window)
read = Decoder(lexicon).decode(messages, fresh.sequence, fresh.candidates)
right = read.choice == fresh.target_index
print(f"the dictionary decides in {np.mean(read.decided):.1%} of the episodes,")
print(f"    and is right in {np.mean(right[read.decided]):.2%} of those")

# %% [markdown]
# When the dictionary has a reading, it is almost always right. You can try it yourself, with the help of
# the dictionary: `spatial-game play --agents embed-60 --as receiver --lexicon lexicon.json`.
#
# ## Test every word
#
# Back to speaking. Take each message for an integer at an offset, and the fresh episodes in which it is true.
# In some of these episodes the sender sends this message; in the others it sends another one. How often is
# the receiver right when *we* send it?


# %%
def is_true(value: int, offset: int) -> np.ndarray:
    """Mark the fresh episodes in which an integer stands at an offset from the target."""
    column = fresh.mask_column.astype(int) + offset
    inside = (column >= 0) & (column < config.window_size)
    return inside & (fresh.window[np.arange(len(fresh)), column.clip(0, 4)] == value)


def is_right(said: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Mark the episodes in which the receiver chooses the target after these messages."""
    choices = pair.receiver.choose(said, fresh.sequence[asked], fresh.candidates[asked])
    return choices == fresh.target_index[asked]


entries = sorted(lexicon.of_kind("integer_at"), key=lambda entry: -entry.count)
trials = []
for entry in entries:
    asked = np.flatnonzero(is_true(entry.referent.values[0], entry.referent.offset))
    said = np.tile(entry.form.symbols, (len(asked), 1))
    right, same = is_right(said, asked), (messages[asked] == said).all(axis=1)
    trials.append(
        (
            np.mean(same),
            np.mean(right[same]) if same.any() else np.nan,
            np.mean(right[~same]),
        )
    )
share, where_sent, elsewhere = np.array(trials).T
print(f"understood where the sender sends it, too:     {np.nanmean(where_sent):.1%}")
print(f"understood where the sender sends another one: {np.mean(elsewhere):.1%}")

# %%
import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
dots = {"s": 16, "alpha": 0.7, "linewidth": 0}
axis.scatter(
    share,
    where_sent,
    color="#4c82c3",
    label="where the sender sends it, too",
    **dots,
)
axis.scatter(
    share,
    elsewhere,
    color="#d9822b",
    label="where the sender sends another one",
    **dots,
)
axis.axhline(1 / config.num_candidates, color="#8a8a8a", linestyle=":", label="chance")
axis.set(title="How well the receiver understands each message when we send it")
axis.set(ylim=(0, 1.03), ylabel="share understood")
axis.set(xlabel="how often the sender sends the message when it is true")
axis.legend(frameon=False, loc="center", bbox_to_anchor=(0.5, 0.8))
# How well the receiver understands each message. Each message has two points: one for episodes in which the sender sends it, too, and one for episodes in which it sends another message.
figure.savefig("trial.png", dpi=130)

# %% [markdown]
# Look at the messages on the right, which the sender sends in about half of the episodes in which they are
# true. The receiver understands them in that half, and is close to chance in the other. So a message
# contains something that the dictionary does not. The [previous page](3_read_its_language.md) found it:
# these messages come in pairs, and the integer *two* left of the target decides which of the two is right.
#
# ## Choose the right message
#
# There are two messages for *k is 1 left*. Look at the integer two left of the target, and send the
# message that was recorded with integers from the same half:

# %%
words: dict[int, list[tuple[int, ...]]] = {}
for entry in entries:
    if entry.referent.offset == -1:
        words.setdefault(entry.referent.values[0], []).append(entry.form.symbols)
twice = {value: messages[:2] for value, messages in words.items() if len(messages) > 1}


def two_left(value: int, message: tuple[int, ...]) -> np.ndarray:
    """Count the integers two left of the target when `message` was sent for `value` one left."""
    sent = (recorded.message == message).all(axis=1) & (
        recorded.window[:, 1:3] == [value, -1]
    ).all(axis=1)
    return np.bincount(recorded.window[sent, 0], minlength=60)


first = next(iter(twice))
half = two_left(first, twice[first][0]) > two_left(first, twice[first][1])
won: dict[str, list[bool]] = {"the one that fits": [], "the other": []}
for value, both in twice.items():
    asked = np.flatnonzero((fresh.window[:, 1] == value) & (fresh.window[:, 2] == -1))
    of_half = [two_left(value, message)[half].sum() for message in both]
    fits = np.where(
        half[fresh.window[asked, 0]], np.argmax(of_half), np.argmin(of_half)
    )
    for name, which in (("the one that fits", fits), ("the other", 1 - fits)):
        won[name] += is_right(np.array(both)[which], asked).tolist()
for name, right in won.items():
    print(f"{name:18} is understood in {np.mean(right):.1%} of {len(right):,} episodes")

# %% [markdown]
# The dictionary does not contain this rule. The recording showed it, and the receiver confirmed it.
#
# `spatial-game probe embed-60 --lexicon lexicon.json --recording play.parquet` tests every kind of entry.
# It prints lower bounds (shuffled meanings, random symbols), an upper bound (the sender) and significance
# tests. [](../speaking.md) explains the method; [](../findings.md) has the results for the bundled pairs.
