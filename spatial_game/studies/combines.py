"""Do symbols combine? Messages that were never sent, composed of known parts, are asked of the receiver.

A *composer* knows what parts of messages say, and makes the message that says most of a window:

- **symbol by symbol**: of all messages that the used symbols can make, the one that gives most bits if each
  symbol says by itself what the dictionary says of it in its slot;
- **where and what**: one slot is an *address*, each of whose symbols names an offset. For the other slots,
  one table of symbols by integers holds at all addresses.

Only messages that the sender never sent can show that a receiver combines: it may know all others by heart.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.evaluation import AgentPair, Proportion, share_interval, share_of, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.rows import (
    UNKNOWN,
    FloatArray,
    Numbers,
    distinct_rows,
    find_rows,
)
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.speaking import Speaker
from spatial_game.memory import chunks
from spatial_game.recording import record
from spatial_game.studies.study import CANNOT_SAY, Study
from spatial_game.tables import Table, Value, between

BANDS = ((0.9, "fully"), (2 / 3, "mostly"), (1 / 3, "in part"), (-math.inf, "hardly"))
"""Parts of the way from guessing to messages that are sent: the least of each, and its name."""
VERDICTS = {"fully": "combine", "mostly": "combine", "in part": "combine in part", "hardly": "do not combine"}
RECORDED = 5
"""Episodes that are recorded for each episode that is asked."""
FEWEST = 20
"""The fewest different windows that say something."""
LEAST_COVERED = 2 / 3
"""The least share of the windows for which never-sent messages must speak."""
LEAST_SENT = 0.1
"""A receiver that understands messages that are sent less than this above guessing says nothing of others."""
_LEAST_USED = 0.002  # of the episodes: rarer symbols are not composed with
_MOST_COMPOSED = 1 << 15  # messages; beyond, the rarest symbols are left out
_GROUPS = 4  # of windows, by how sure the composer is


@dataclass(frozen=True, eq=False)
class Composed:
    """Messages that a composer makes for windows."""

    message: IntArray  # (B, T)
    sure: FloatArray  # (B,), how good the composer takes its message to be, in bits


@dataclass(frozen=True)
class Asked:
    """How well a receiver understands a composer's messages."""

    never_sent: float
    """The share of the windows whose composed message was never sent."""
    windows: int
    """The different windows among these."""
    covered: float
    """The share of all windows that are like these: see `ask`."""
    accuracy: float
    """With never-sent messages; NaN without any."""
    low: float
    high: float
    elsewhere: float
    """The accuracy with the same messages, each sent about another of these windows."""
    every: float
    """The accuracy with all composed messages, those that were sent included."""

    @property
    def says_something(self) -> bool:
        """Whether there are enough never-sent messages, about all kinds of windows."""
        return self.windows >= FEWEST and self.covered >= LEAST_COVERED


@dataclass(frozen=True)
class Verdict:
    """Whether symbols combine, and why."""

    name: str
    """One of `VERDICTS`, or "cannot say"."""
    sentence: str
    degree: str | None = None
    """The band of `BANDS`."""
    way: str | None = None
    """The composer that is understood best."""
    place: tuple[float, float, float] | None = None
    """Where its messages are on the way from guessing to messages that are sent, and the 95% interval."""


def combines(agents: AgentPair, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Ask the receiver of agents messages that its sender never sent.

    The dictionary is made from `RECORDED` times `num_episodes` episodes. See `combines_in`.
    """
    config = agents.config
    rng = np.random.default_rng(random_stream(seed, "combines: dictionary"))
    episodes = draw_episodes(config, RECORDED * num_episodes, rng)
    counts = count(record(agents.sender, None, episodes, config))
    dictionary = build_dictionary(counts)
    return combines_in(dictionary, agents.receiver, num_episodes, seed, agents.sender, counts.messages)


def combines_in(
    dictionary: Dictionary,
    receiver: Receiver,
    num_episodes: int = 20_000,
    seed: int = 0,
    sender: Sender | None = None,
    sent: IntArray | None = None,
) -> Study:
    """Ask a receiver messages that are composed of what a dictionary says of their parts.

    `sender`: the receiver's partner (default: the dictionary's speaker). `sent` (M, T): all
    messages that were ever sent (default: the dictionary's). The results have the `verdict`, `degree`, `way`
    and `place` of `Verdict`, the `own` accuracy, that of the `dictionary`, and what was `asked` by composer.

    Raises `ValueError` for messages of one symbol.
    """
    config = dictionary.config
    if config.message_length < 2:
        rule = "message_length must be at least 2 for symbols to combine"
        raise UserError(f"{rule}; got {config.message_length}")
    rng = np.random.default_rng(random_stream(seed, "combines"))
    episodes = draw_episodes(config, num_episodes, rng)
    spoken = Speaker(dictionary).send(episodes.window)
    own = spoken if sender is None else ask_sender(sender, episodes.window, config)
    known = distinct_rows(np.concatenate([dictionary.messages if sent is None else sent, own]))[0]
    accuracy = {
        name: share_of(won_by(receiver, messages, episodes))
        for name, messages in (("own", own), ("dictionary", spoken))
    }
    asked = {
        name: ask(receiver, composed, episodes[rows], known, config, rng)
        for name, rows, composed in (
            ("symbol by symbol", slice(None), symbol_by_symbol(dictionary, episodes.window)),
            ("where and what", *where_and_what(dictionary, episodes.window, rng)),
        )
    }
    best = max(part.accuracy for part in accuracy.values())
    verdict = judge(best, 1 / config.num_candidates, asked)
    results = {
        "verdict": verdict.name,
        "degree": verdict.degree,
        "way": verdict.way,
        "place": verdict.place,
        **{name: part.to_dict() for name, part in accuracy.items()},
        "asked": {name: asdict(part) for name, part in asked.items()},
    }
    size = f"n{dictionary.total}+{num_episodes}"
    return Study(config, size, seed, _table(accuracy, asked), results, verdict.sentence)


def ask(
    receiver: Receiver,
    composed: Composed,
    episodes: Episodes,
    sent: IntArray,
    config: GameConfig,
    rng: np.random.Generator,
) -> Asked:
    """Ask a receiver the composed messages of episodes that are not among those that were `sent` (M, T).

    Windows with never-sent messages may be unlike others: a composer that is unsure makes more of them. So
    windows are grouped by how sure it is, and each group counts by its share of all windows. A group with too
    few never-sent messages is not `covered`. The interval counts each different window as one trial, by the
    effective number of windows (Kish 1965).
    """
    new = np.flatnonzero(find_rows(sent, composed.message, config.vocab_size) == UNKNOWN)
    every = share_of(won_by(receiver, composed.message, episodes)).accuracy
    if not len(new):
        return Asked(0.0, 0, 0.0, math.nan, 0.0, 1.0, math.nan, every)
    sure = np.round(composed.sure)  # less than a bit is no difference
    group = np.searchsorted(np.quantile(sure, np.arange(1, _GROUPS) / _GROUPS), sure)
    window = distinct_rows(episodes.window[new] + 2)[1]  # MASK and HIDDEN are negative
    share, tried = (np.bincount(each, minlength=_GROUPS) for each in (group, group[new]))
    kinds = np.array([len(np.unique(window[group[new] == number])) for number in range(_GROUPS)])
    share = np.where(kinds >= min(FEWEST, kinds.max()), share / len(group), 0.0)
    weight = (share / np.maximum(tried, 1))[group[new]]
    other = rng.permutation(len(new))
    right, luck = (
        weight @ won_by(receiver, composed.message[rows], episodes[new]) / weight.sum()
        for rows in (new, new[other])
    )
    by_window = np.bincount(window, weight)
    effective = round(by_window.sum() ** 2 / (by_window @ by_window))
    low, high = share_interval(right * effective, effective)
    windows = int(window.max()) + 1
    return Asked(len(new) / len(group), windows, float(share.sum()), right, low, high, luck, every)


def judge(sent: float, guessing: float, asked: Mapping[str, Asked]) -> Verdict:
    """Return the verdict on a receiver, by its accuracy with messages that are sent, and with those `asked`.

    A composer works if the receiver understands its messages, sent or not. The verdict is "cannot say" if the
    only composer that works makes too few messages that were never sent.
    """

    def cannot_say(why: str) -> Verdict:
        return Verdict(CANNOT_SAY, f"Cannot say whether its symbols combine: {why}.")

    if sent - guessing < LEAST_SENT:
        understood = f"the receiver understands messages that are sent in {sent:.1%}"
        return cannot_say(f"{understood}, and guessing gives {guessing:.1%}")

    def way_to_own(accuracy: float) -> float:
        return (accuracy - guessing) / (sent - guessing)

    tested = {name: part for name, part in asked.items() if part.says_something}
    best = max(tested, key=lambda name: tested[name].accuracy, default=None)
    degree = band(way_to_own(tested[best].accuracy)) if best else "hardly"
    works = [name for name, part in asked.items() if band(way_to_own(part.every)) != "hardly"]
    if degree == "hardly" and works and not tested.keys() & {*works}:
        known = 1 - asked[works[0]].never_sent
        return cannot_say(
            f"{known:.1%} of the messages that one composes {works[0]} were sent, so the receiver may know "
            "them by heart"
        )
    if best is None:
        return cannot_say("too few composed messages were never sent")
    part = tested[best]
    place, low, high = (way_to_own(share) for share in (part.accuracy, part.low, part.high))
    if {"hardly"} < {band(low), band(high)} <= {"hardly", "mostly", "fully"}:
        return cannot_say(f"too few windows were asked ({part.windows:,})")
    said = {"hardly": "do not combine", "in part": "combine in part"}.get(degree, f"combine {degree}")
    sentence = (
        f"Its symbols {said}: of messages that were never sent, composed {best}, the receiver understands "
        f"{part.accuracy:.1%} ({between((part.low, part.high), '.1%')}). That is {place:.0%} of the way from "
        f"guessing ({guessing:.1%}) to messages that are sent ({sent:.1%})."
    )
    return Verdict(VERDICTS[degree], sentence, degree, best, (place, low, high))


def band(place: float) -> str:
    """Return the name of a part of the way from guessing to messages that are sent: see `BANDS`."""
    return next((name for least, name in BANDS if place >= least), "hardly")


# --- Two composers ------------------------------------------------------------------------------------------


def symbol_by_symbol(dictionary: Dictionary, window: IntArray) -> Composed:
    """Return for windows (B, W) the messages with most bits, if each symbol speaks for itself.

    All messages that the used symbols can make are tried; where they are too many, the rarest symbols of the
    slots with most symbols are left out.
    """
    config, columns = dictionary.config, dictionary.columns
    shares = [
        np.bincount(slot, dictionary.episodes, config.vocab_size) / dictionary.episodes.sum()
        for slot in dictionary.messages.T
    ]
    used = [np.argsort(-share)[: max(1, np.count_nonzero(share >= _LEAST_USED))] for share in shares]
    while math.prod(map(len, used)) > _MOST_COMPOSED:
        longest = max(range(len(used)), key=lambda slot: len(used[slot]))
        used[longest] = used[longest][:-1]
    messages = np.array([*itertools.product(*used)], dtype=np.int16)
    cells = columns.of(window)
    best, bits = np.zeros(len(window), dtype=np.int64), np.full(len(window), -np.inf, dtype=np.float32)
    for some in chunks(len(messages), 16 * columns.size):
        tables = dictionary.tables(messages[some], symbols_only=True)
        by_column = np.zeros((columns.size + 1, len(messages[some])), dtype=np.float32)
        for variable, p in tables.items():
            by_column[columns.about(variable)] = dictionary.variables[variable].bits(p).T
        for rows in chunks(len(window), 8 * by_column.shape[1]):
            score = np.zeros((len(cells[rows]), by_column.shape[1]), dtype=np.float32)
            for cell in cells[rows].T:
                score += by_column[cell]
            highest = score.argmax(axis=1)
            found = score[np.arange(len(score)), highest]
            better = np.flatnonzero(found > bits[rows])
            best[rows][better] = some.start + highest[better]
            bits[rows][better] = found[better]
    return Composed(messages[best], bits.astype(np.float64))


def where_and_what(
    dictionary: Dictionary, window: IntArray, rng: np.random.Generator
) -> tuple[Numbers, Composed]:
    """Return the windows (B,) of which a message by address and integer speaks, and the messages.

    It speaks of one cell that the sender sees, drawn at random among those that an address names.
    """
    code = address_code(dictionary)
    integer = dictionary.columns.at_offsets(window)[:, code.offsets]
    there = integer >= 0
    rows = np.flatnonzero(there.any(axis=1))
    drawn = np.where(there, rng.random(there.shape), -1)[rows].argmax(axis=1)
    of_cell = integer[rows, drawn]
    message = np.empty((len(rows), dictionary.config.message_length), dtype=np.int16)
    message[:, code.slot] = code.symbols[drawn]
    sure = np.zeros(len(rows))
    for slot, table in code.tables.items():
        message[:, slot] = table.argmax(axis=0)[of_cell]
        sure += table.max(axis=0)[of_cell]
    return rows, Composed(message, sure)


@dataclass(frozen=True, eq=False)
class AddressCode:
    """A code in which one slot names an offset, and the others the integer there."""

    slot: int
    """The address."""
    offsets: Numbers  # (n,), the numbers of the offsets that it names
    symbols: Numbers  # (n,), the most frequent symbol for each of them
    tables: Mapping[int, FloatArray]
    """(S, N) by slot: log2 of how often each symbol stands for each integer, at any address."""
    addressed: float
    """Bits that the other slots tell of the integer at the offset that the address names, slot by slot, in
    bits an episode."""
    shared: float
    """The same, by the tables that all addresses share."""


def address_code(dictionary: Dictionary, messages: IntArray | None = None) -> AddressCode:
    """Return the code of an address and the integer there that fits a dictionary best.

    `messages` (M, T) replace the dictionary's, in its order: permuted, they show what a table without any
    parts would show.
    """
    messages = dictionary.messages if messages is None else messages
    expected = _expected_episodes(dictionary)
    codes = [_code_of(dictionary, messages, expected, slot) for slot in range(messages.shape[1])]
    return max(codes, key=lambda code: code.addressed)


def _expected_episodes(dictionary: Dictionary) -> dict[int, FloatArray]:
    """Return (M, N) by offset: in how many episodes each message is sent with each integer there.

    It is what the dictionary says, so integers that it has seen once with a message weigh little.
    """
    tables, views = dictionary.tables(dictionary.messages), dictionary.columns.views
    of_views = len(dictionary.config.offsets)
    view = tables.pop(of_views, np.tile(views.share, (len(dictionary.messages), 1)))
    shown = dictionary.episodes[:, None] * (view @ views.shown)
    return {offset: shown[:, [offset]] * p for offset, p in tables.items()}


def _code_of(
    dictionary: Dictionary, messages: IntArray, expected: Mapping[int, FloatArray], slot: int
) -> AddressCode:
    """Return the code with its address in this slot."""
    config, size, address = (
        dictionary.config,
        dictionary.config.vocab_size,
        messages[:, slot].astype(np.int64),
    )
    others = {other: column.astype(np.int64) for other, column in enumerate(messages.T) if other != slot}
    episodes = np.bincount(address, dictionary.episodes, size)
    used, total = episodes >= _LEAST_USED * episodes.sum(), float(episodes.sum())
    bits = {
        offset: np.sum([_information(symbol, address, table, size) for symbol in others.values()], axis=0)
        for offset, table in expected.items()
    }
    order = np.array([*bits], dtype=np.int64)
    named = order[np.stack([*bits.values()]).argmax(axis=0)] if bits else np.full(size, UNKNOWN)
    tables = {other: np.zeros((size, config.num_integers)) for other in others}
    for offset, table in expected.items():
        rows = np.isin(address, np.flatnonzero(used & (named == offset)))
        for other, symbol in others.items():
            tables[other] += _sums(symbol[rows], table[rows], size)
    no_address = np.zeros(size, dtype=np.int64)
    shared = sum(_information(np.arange(size), no_address, table, size)[0] for table in tables.values())
    addressed = sum(bits[offset][used & (named == offset)].sum() for offset in bits)
    offsets = np.unique(named[used]) if bits else order
    symbols = np.array([np.where(named == offset, episodes, -1).argmax() for offset in offsets], dtype=int)
    shares = {other: np.log2((table + 0.1) / (table + 0.1).sum(axis=0)) for other, table in tables.items()}
    return AddressCode(slot, offsets, symbols, shares, float(addressed) / total, float(shared) / total)


def _information(symbol: Numbers, group: Numbers, table: FloatArray, size: int) -> FloatArray:
    """Return by group (size,) what symbols tell of the columns of a table (M, N), in bits times episodes.

    `symbol` (M,) and `group` (M,), both below `size`, are those of the table's rows.
    """
    pairs, pair = np.unique(group * size + symbol, return_inverse=True)
    together, of_pair = _sums(pair, table, len(pairs)), pairs // size
    by_group = _sums(of_pair, together, size)
    by_symbol = _times_log(together).sum(axis=1) - _times_log(together.sum(axis=1))
    without = _times_log(by_group).sum(axis=1) - _times_log(by_group.sum(axis=1))
    return np.asarray(np.bincount(of_pair, by_symbol, size) - without)


def _sums(row: Numbers, table: FloatArray, size: int) -> FloatArray:
    """Return (size, N), the rows of a table (M, N) added up by their new rows (M,)."""
    number = np.arange(len(row))
    gather = sp.csr_array((np.ones(len(row)), (row, number)), shape=(size, len(row)))
    return np.asarray(gather @ table)


def _times_log(values: FloatArray) -> FloatArray:
    """Return x * log2(x), 0 for 0."""
    return np.asarray(xlogy(values, values) / math.log(2))


# --- Without a receiver, and as a table ---------------------------------------------------------------------


def without_receiver(dictionary: Dictionary, seed: int = 0) -> str:
    """Return what a dictionary alone shows of parts, in words: no more than whether there is one code."""
    if dictionary.config.message_length < 2:
        return "Messages have one symbol, so nothing can be combined."
    rng = np.random.default_rng(random_stream(seed, "combines: permuted"))
    code, luck = address_code(dictionary), address_code(dictionary, rng.permutation(dictionary.messages))
    return (
        "Cannot say whether its symbols combine: no receiver was asked about messages that were never sent. "
        f"If the symbol of slot {code.slot + 1} is an address, which names an offset, the other slots tell "
        f"{code.addressed:.2f} bits of the integer there, and {code.shared:.2f} bits by one table that all "
        f"addresses share. With messages permuted it is {luck.addressed:.2f} and {luck.shared:.2f} bits: a "
        "table of messages without parts shows these."
    )


def _table(accuracy: Mapping[str, Proportion], asked: Mapping[str, Asked]) -> Table:
    """Return a row for each kind of messages."""
    names = {"own": "the sender's", "dictionary": "the dictionary's"}
    rows: list[tuple[Value, ...]] = [
        (names[name], None, None, part.accuracy, between(part.interval, ".1%"), None)
        for name, part in accuracy.items()
    ]
    for name, part in asked.items():
        figures = (part.accuracy, between((part.low, part.high), ".1%"), part.elsewhere)
        row = figures if part.windows else (None, None, None)
        rows.append((f"never sent, {name}", part.never_sent, part.windows, *row))
    heading = "Messages | Never sent :.1% | Windows :, | Accuracy :.1% | 95% interval, by window | "
    return Table.of(f"{heading}Sent elsewhere :.1%", rows)
