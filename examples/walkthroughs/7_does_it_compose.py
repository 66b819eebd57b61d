# %% [markdown]
# # Does it compose?
#
# A language composes if one part of a message says *22*, another says *two left*, and the receiver
# understands any two parts that are put together. The bundled pair `seen-60/3` plays a game that needs
# both: its sender sees one neighbour of the target, at an offset that changes from episode to episode. You
# look at everything that it can say, and exchange parts of its messages. Then you do the same with two
# languages that compose. You need the extra `[figures]`.

# %%
import numpy as np

from spatial_agents import evaluate, load_pair

pair = load_pair("seen-60/3")
config = pair.config
print(config.signature)
print(f"accuracy: {evaluate(pair, num_episodes=10_000, seed=1).accuracy:.1%}")

# %% [markdown]
# ## Everything that it can say
#
# Away from the borders there are 240 windows: 60 integers at four offsets. In an array, -1 is the mask and
# -2 a hidden cell. The sender is deterministic, so one call shows the whole language.

# %%
OFFSETS = (-2, -1, 1, 2)
integers = np.arange(len(config.integers))


def windows_with(integer: np.ndarray, offset: int) -> np.ndarray:
    """Return windows (B, W) with the mask in the middle that show each integer (B,) at an offset."""
    window = np.full((len(integer), config.window_size), -2, dtype=np.int16)
    window[:, config.window_radius] = -1
    window[:, config.window_radius + offset] = integer
    return window


said = np.stack([pair.sender.send(windows_with(integers, o)) for o in OFFSETS], axis=1)
print(
    f"{len(np.unique(said.reshape(-1, 3), axis=0))} messages for {said[..., 0].size} windows"
)
print()
print("integer ", *(f"{offset:+d} from target".ljust(15) for offset in OFFSETS))
for integer in (7, 8, 22, 41):
    print(f"{integer:7} ", *(f"{message.tolist()!s:15}" for message in said[integer]))

# %% [markdown]
# In a language that composes, each row would share a word for the integer, and each column a word for the
# offset. Four integers may mislead, so draw more of them, next to the language of the scripted oracle,
# which is known to compose.

# %%
import matplotlib.pyplot as plt

from spatial_game.game.policies import OracleReceiver, OracleSender

oracle = OracleSender(config)
known = np.stack([oracle.send(windows_with(integers, o)) for o in OFFSETS], axis=1)

figure, axes = plt.subplots(6, 1, figsize=(7.5, 6.6), layout="constrained", sharex=True)
languages = {"seen-60/3": said, "a language that composes": known}
drawn = [(name, slot) for name in languages for slot in range(3)]
shown = np.arange(16, 36)
for axis, (name, slot) in zip(axes, drawn, strict=True):
    symbols = languages[name][shown, :, slot].T
    colours = plt.colormaps["hsv"](symbols * 7 % config.vocab_size / config.vocab_size)
    axis.imshow(colours, aspect="auto", alpha=0.5)
    for (row, column), symbol in np.ndenumerate(symbols):
        axis.text(column, row, symbol, ha="center", va="center", fontsize=7)
    axis.set_title(f"{name}: slot {slot + 1}", fontsize=9, loc="left")
    axis.set_yticks(range(4), [f"{offset:+d}" for offset in OFFSETS], fontsize=7)
axes[-1].set_xticks(range(len(shown)), shown, fontsize=7)
axes[-1].set_xlabel("integer that the sender sees")
figure.supylabel("offset at which it stands", fontsize=9)
# The symbols of two languages. A column is an integer, a row is an offset, and the number is the symbol in that slot. In a language that composes, one slot has a symbol for each row, and the others have symbols for columns. The pair has neither: each row has its own symbols in all three slots.
figure.savefig("symbols.png", dpi=130)

# %% [markdown]
# The oracle says the offset in slot 1 and the integer in slots 2 and 3. The pair does something else.
# Compare its rows: each offset has its own symbols, in every slot.

# %%
for place, offset in enumerate(OFFSETS):
    print(f"{offset:+d}: symbols {np.unique(said[:, place]).tolist()}")

# %% [markdown]
# So nearly every symbol tells the offset. The message spells the integer in the alphabet of its offset,
# and each alphabet spells it differently. The pair has four languages, one for each offset, and no word
# for *22*. In numbers:

# %%
from dataclasses import dataclass

from spatial_game.studies import composition


@dataclass
class Oracle:
    """The oracle as a pair of agents."""

    config: object
    sender: OracleSender
    receiver: OracleReceiver


study = composition(pair, 20_000)
of_oracle = composition(Oracle(config, oracle, OracleReceiver(config)), 20_000)
for name, found in {"seen-60/3": study, "oracle": of_oracle}.items():
    print(f"{name}: {found.messages} messages")
    print(f"    tell {found.integer_bits:.1f} bits about the integer", end=", ")
    print(f"{found.offset_bits:.1f} bits about the offset")
    print(f"    {found.split:.0%} of the episodes have a message that splits into both")

# %% [markdown]
# The messages of the pair tell the whole offset, and most of the integer. So the information is there. But
# no message splits into parts that mean the same in other messages.
#
# ## Exchange the parts
#
# Perhaps there are parts that we do not see. So ask the receiver. Take two places in a sequence. The
# message for the first place says *k at o*; the message for the second says *k' at o'*. Join them: take
# some slots from the second message, and the rest from the first. If the language composes, there are
# slots for which the receiver chooses the place with *k'* at *o*. All four places that the parts can mean
# are candidates.

# %%
from spatial_game import draw_episodes
from spatial_game.language.measures.alignment import divisions

sequence = draw_episodes(config, 1, np.random.default_rng(11)).sequence[0]
k, other = sequence[[10, 40]]  # two integers of this sequence
offset, other_offset = -2, 1
places = {
    f"{k} at {offset:+d}": 10 - offset,
    f"{other} at {offset:+d}, as the parts say": 40 - offset,
    f"{k} at {other_offset:+d}": 10 - other_offset,
    f"{other} at {other_offset:+d}": 40 - other_offset,
    "another place": 25,
}
candidates = sequence[list(places.values())]


def goes_to(receiver: object, message: np.ndarray) -> str:
    """Return what is true of the place that the receiver chooses."""
    choice = receiver.choose(message[None], sequence[None], candidates[None])[0]
    return list(places)[choice]


def join_parts(name: str, language: np.ndarray, receiver: object) -> None:
    """Print where joined messages lead, for each choice of the integer's slots."""
    first = language[k, OFFSETS.index(offset)]
    second = language[other, OFFSETS.index(other_offset)]
    print(f"{name}: {first.tolist()} leads to {goes_to(receiver, first)}")
    print(f"    {second.tolist()} leads to {goes_to(receiver, second)}")
    for slots, _ in divisions(3):
        joined = first.copy()
        joined[slots] = second[slots]
        where = goes_to(receiver, joined)
        print(f"    {joined.tolist()!s:13} leads to {where}")


join_parts("seen-60/3", said, pair.receiver)
join_parts("oracle", known, OracleReceiver(config))

# %% [markdown]
# The oracle follows the parts when slots 2 and 3, or only slot 3, come from the second message. (Slot 2 is
# the same in both messages.) The pair never does: after each joined message it chooses the place of the
# first message or the place of the second, as if it had heard only that one.
#
# One sequence may mislead, too. The study does this in thousands of sequences. The *effect* of the
# integer's slots is how much more often the receiver chooses a place with *k'* than one with *k*. The
# effect of the offset's slots is how much more often it chooses a place with *o* than one with *o'*. If
# both are 100%, the receiver composes.

# %%
print(study.table.to_text())
print()
print("the oracle:")
print(of_oracle.table.to_text())

# %% [markdown]
# One effect is positive, and the other is negative and about as large: the receiver chooses the place of
# one of the two messages more often than the place of the other. It follows the parts less often than
# chance.
#
# ## A pair that composes
#
# `landmark-60` was trained in the same game, with networks that are built to compose: the sender adds a
# vector for the integer and one for the offset, and the receiver reads them separately.
# ([](../composition.md) says what this does and does not show.) Each pair learns which slots say what.

# %%
landmark = load_pair("landmark-60")
of_landmark = composition(landmark, 20_000)
print(of_landmark.table.to_text())
slots = ", ".join(str(slot + 1) for slot in of_landmark.joined.integer_slots)
print(f"the slots of the integer: {slots}")

# %% [markdown]
# Now the third test. Training left out a tenth of the combinations: *22 at +1*, for example, although *22*
# occurred at other offsets, and other integers at *+1*. Does the pair understand the combinations that it
# never saw?

# %%
from spatial_game.studies import held_out_study

never = held_out_study(landmark, 0.1, 0, 5_000)
for name, found in {"never seen": never.held_out, "of training": never.control}.items():
    print(f"combinations {name:12}: {found[-1].accuracy:.1%} right")

# %% [markdown]
# It does. Pairs of ordinary networks, such as `seen-60/3`, do not: [](../composition.md) has the same tests
# for more games and more pairs. `spatial-game evaluate PAIR --composition` runs the study for your own
# pair.
