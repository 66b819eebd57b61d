"""Asking a receiver: does it understand what a dictionary says, and does it act on what each symbol says?

The dictionary says of each symbol in its slot what is near the target. Replace it by another symbol: one
that says only what is true here, or one that says something untrue. If the receiver understands the second
message less often than the first, what the symbol says is a cause of its choice.

Only new messages show this of the symbol by itself. Among messages that the dictionary has, a receiver that
knows whole messages, and no symbols, also does better with the true symbol.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.evaluation import chosen_by, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import ask_sender, won
from spatial_game.json_text import plain
from spatial_game.language.counting.columns import ABSENT, NO_EDGE, Columns, columns_of
from spatial_game.language.counting.rows import UNKNOWN
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.readings import Reading
from spatial_game.language.reading import Reader
from spatial_game.language.significance import holm, hypergeometric_tail
from spatial_game.language.speaking import Speaker
from spatial_game.language.wording import edge_text, end_text, offset_text
from spatial_game.proportions import Difference, Proportion
from spatial_game.tables import Table, Value
from spatial_game.text import between

LEAST_EXCHANGES = 30
"""Episodes of a row of the table; fewer show nothing."""
MOST_EXCHANGES = 10_000
"""Episodes in which symbols are exchanged. More would take long, and change little."""
LARGEST_P = 0.05
"""The largest p-value of a row of what a receiver understands, adjusted for the number of rows."""
WHOLE = "all that the dictionary says"
"""The row of what a receiver understands for the candidate that alone fits the whole reading."""


@dataclass(frozen=True)
class SlotExchange:
    """How often messages are understood after the symbol of one slot is exchanged, in the same episodes."""

    slot: int
    """The number of the slot, from 1."""
    new: bool
    """Whether the dictionary does not have the changed messages; it has all of them otherwise."""
    unchanged: Proportion
    true: Proportion
    """With another symbol that says only what is true."""
    false: Proportion
    """With another symbol that says something untrue."""
    difference: Difference
    """How much more often with the true symbol than with the false one, episode by episode.

    Its interval and p-value are for other episodes of this game that have both symbols, with the same agents
    and the same dictionary; not for other pairs."""


@dataclass(frozen=True)
class ProbeReport:
    """How well a receiver understands the messages of a dictionary, on ordinary episodes."""

    understood: Proportion
    """Episodes in which the receiver finds the target after the message of the dictionary."""
    own: Proportion | None
    """Episodes in which it finds the target after the sender's own message, if there was a sender."""
    read: Proportion | None
    """Episodes in which the dictionary's reading of the sender's message leads to the target."""
    chance: float
    exchanges: Sequence[SlotExchange]
    """For each slot, with known and with new messages as the result. The messages are the sender's own, or
    those of the dictionary where there was no sender."""
    signature: str

    @property
    def relative(self) -> float | None:
        """The number of episodes understood, divided by that with the sender's own messages."""
        own = self.own.num_correct if self.own else 0
        return self.understood.num_correct / own if own else None

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        content: dict[str, Any] = plain(vars(self))
        return {**content, "relative": self.relative}

    @property
    def exchange_table(self) -> Table:
        """How often messages are understood with the symbol of one slot exchanged, slot by slot.

        The p-values are adjusted for the number of rows (Holm 1979).
        """
        rows: list[tuple[Value, ...]] = []
        tested = [each for each in self.exchanges if each.true.trials >= LEAST_EXCHANGES]
        adjusted = holm([each.difference.p_value for each in tested])
        for each, p_value in zip(tested, adjusted, strict=True):
            accuracies = (share.accuracy for share in (each.unchanged, each.true, each.false))
            low, high = each.difference.interval
            difference = each.difference.value, between((100 * low, 100 * high), "+.1f"), p_value
            changed = "new" if each.new else "known"
            rows.append((each.slot, changed, each.difference.trials, *accuracies, *difference))
        return Table.of(
            "Slot | Changed message | Episodes :, | Unchanged :.1% | For a true symbol :.1% "
            "| For a false symbol :.1% | Difference :+.1pp | 95% interval | p (McNemar, Holm) :.2g",
            rows,
        )

    def __str__(self) -> str:
        return "\n".join([*self.sentences, self.exchange_table.to_text(), f"signature  {self.signature}"])

    @property
    def sentences(self) -> list[str]:
        """How well the dictionary speaks and reads, beside chance."""
        chance = f"Chance is {self.chance:.0%}."
        if not self.understood.trials:
            return [f"No episode was played, so nothing is known of the receiver. {chance}"]
        if self.exchanges and self.understood.trials > MOST_EXCHANGES:
            chance += f" Symbols are exchanged in the first {MOST_EXCHANGES:,} episodes only."
        spoken = f"The receiver understands {self.understood.accuracy:.1%} of the dictionary's messages"
        if self.own is None or self.read is None:
            return [f"{spoken}. {chance}"]
        spoken += f", and {self.own.accuracy:.1%} of the sender's own"
        found = f"{self.read.accuracy:.1%} of the sender's messages"
        if self.own.interval[0] <= self.chance:
            low, high = self.own.interval
            chance += (
                f" So {self.own.trials:,} episodes do not show that it uses messages "
                f"({low:.0%} to {high:.0%} of the sender's own)."
            )
        else:
            spoken += f": the dictionary reaches {self.relative:.1%} of what the sender does"
        return [f"{spoken}.", f"The dictionary's reader finds the target for {found}. {chance}"]


def probe(
    receiver: Receiver,
    dictionary: Dictionary,
    episodes: Episodes,
    config: GameConfig | None = None,
    *,
    sender: Sender | None = None,
    rng: np.random.Generator | None = None,
) -> ProbeReport:
    """Speak to `receiver` with `dictionary`, and exchange the symbols of messages (see `exchange_symbols`).

    `episodes` are ordinary ones of the game `config` (default: the dictionary's). With a `sender`, the report
    compares the dictionary's messages and readings with those of the pair, and exchanges the symbols of its
    messages. `rng` draws symbols (default: a generator of seed 0).

    Raises `ValueError` for a game that is incompatible with the dictionary's.
    """
    config, rng = config or dictionary.config, rng or np.random.default_rng(0)
    messages = Speaker(dictionary, config).send(episodes.window)
    understood, own, read = Proportion.of(won_by(receiver, messages, episodes)), None, None
    if sender is not None:
        messages = ask_sender(sender, episodes.window, config)
        choice = Reader(dictionary, config).choose(messages, episodes.sequence, episodes.candidates)
        own = Proportion.of(won_by(receiver, messages, episodes))
        read = Proportion.of(won(episodes.target_index, choice))
    some = slice(MOST_EXCHANGES)
    return ProbeReport(
        understood,
        own,
        read,
        chance=1 / config.num_candidates,
        exchanges=exchange_symbols(receiver, dictionary, messages[some], episodes[some], rng),
        signature=f"{dictionary.signature} | probe n{len(episodes)}",
    )


# --- The exchange of symbols --------------------------------------------------------------------------------


def exchange_symbols(
    receiver: Receiver,
    dictionary: Dictionary,
    messages: IntArray,
    episodes: Episodes,
    rng: np.random.Generator,
) -> list[SlotExchange]:
    """Return, for each slot, how often messages (B, T) are understood with another symbol there.

    The other symbol is drawn twice, as often as the dictionary's messages have it in this slot: once among
    those whose listed entries are all true of the window, and once among those with an untrue one. Entries
    about cells that are not seen do not count; a symbol without other entries says nothing, and is not drawn.
    A receiver may also fail at a message because it never heard it. So each slot has two results: both
    changed messages are known, that is in the dictionary, or both are new. Episodes in which one of the
    two symbols is missing are left out.
    """
    found, unchanged = [], won_by(receiver, messages, episodes)
    symbols = np.arange(dictionary.config.vocab_size, dtype=np.int16)
    for slot, own in enumerate(messages.T):
        says, untrue = _said_of(dictionary, slot, episodes.window)
        often = np.bincount(dictionary.messages[:, slot], dictionary.episodes, minlength=len(symbols))
        others = often * (says & (symbols != own[:, None]))
        changed = (_with_symbol(messages, slot, symbol) for symbol in symbols.tolist())
        is_new = np.stack([dictionary.rows(message) == UNKNOWN for message in changed], axis=1)
        for new, suitable in ((False, ~is_new), (True, is_new)):
            drawn = [_drawn(others * suitable * kind, rng) for kind in (~untrue, untrue)]
            rows = np.flatnonzero(np.min(drawn, axis=0) >= 0)
            asked = (_with_symbol(messages[rows], slot, symbol[rows]) for symbol in drawn)
            true, false = (won_by(receiver, message, episodes[rows]) for message in asked)
            before, after, otherwise = map(Proportion.of, (unchanged[rows], true, false))
            gap = Difference.of(true, false)
            found.append(SlotExchange(slot + 1, new, before, after, otherwise, gap))
    return found


def _with_symbol(messages: IntArray, slot: int, symbol: IntArray | int) -> IntArray:
    """Return messages (B, T) with another symbol, or symbols (B,), in a slot."""
    changed = messages.copy()
    changed[:, slot] = symbol
    return changed


def _said_of(dictionary: Dictionary, slot: int, window: IntArray) -> tuple[Mask, Mask]:
    """Return which symbols in a slot say anything of windows (B, W), and which say what is untrue; (B, S).

    A symbol with a listed entry about a cell is untrue if it makes the integer that stands there rarer.
    """
    num_symbols = dictionary.config.vocab_size
    about = np.zeros((dictionary.columns.size + 1, num_symbols), dtype=bool)
    against = about.copy()
    for entry in interpreter(dictionary).symbols:
        if entry.ngram.slot == slot:
            columns, symbol = dictionary.columns.about(entry.index), entry.ngram.symbols[0]
            about[columns, symbol] = True
            against[columns, symbol] = dictionary.variables[entry.index].symbol_ratios[slot, symbol] <= 0
    says = np.zeros((len(window), num_symbols), dtype=bool)
    untrue = says.copy()
    for cell in dictionary.columns.of(window).T:
        says |= about[cell]
        untrue |= against[cell]
    return says, untrue


def _drawn(weight: np.ndarray, rng: np.random.Generator) -> IntArray:
    """Return a random column (B,) by weights (B, S); -1 in rows without any."""
    ends = np.cumsum(weight, axis=1)
    lot = rng.random(len(weight)) * ends[:, -1]
    return np.where(ends[:, -1] > 0, (ends <= lot[:, None]).sum(axis=1), -1).astype(np.int16)


# --- One message --------------------------------------------------------------------------------------------


def understanding(
    receiver: Receiver,
    message: IntArray,
    episodes: Episodes,
    config: GameConfig,
    reading: Reading | None = None,
) -> Table:
    """Return which candidates a receiver chooses more often than by chance after one message (T,).

    The message is sent in each of the episodes, whatever their target. A row is for the candidates that have
    an integer at an offset, or that stand at an edge. The rows are significant (`LARGEST_P`, after Holm);
    those that are chosen most often come first. A row is left out if it follows from others with more choices
    beyond chance: see `_not_explained`. With a `reading` of the message, the row `WHOLE` precedes them: how
    often the one candidate is chosen of which alone all of the reading is true.
    """
    columns, size = columns_of(config.changed(num_visible=None)), len(episodes)
    choice = chosen_by(receiver, np.tile(message, (size, 1)), episodes)
    windows = (columns.around(episodes.sequence, candidate) for candidate in episodes.candidates.T)
    stand = np.stack([columns.of(window) for window in windows], axis=1)  # (B, C, cells)
    is_chosen = choice[:, None] == np.arange(config.num_candidates)
    offered = np.bincount(stand.ravel(), minlength=columns.size + 1)
    chosen = np.bincount(stand[is_chosen].ravel(), minlength=columns.size + 1)
    tested = np.flatnonzero(offered[:-1])
    p_values = hypergeometric_tail(chosen[tested], offered[tested], size, size * config.num_candidates)
    adjusted = np.array(holm(p_values.tolist()), dtype=np.float64)
    shares = {
        column: Proportion(int(chosen[column]), int(offered[column]))
        for column in tested[adjusted <= LARGEST_P].tolist()
    }
    by_chance = 1 / config.num_candidates
    ordered = sorted(shares, key=lambda each: shares[each].trials * by_chance - shares[each].num_correct)
    shown = [
        (_candidate_text(columns, each), shares[each]) for each in _not_explained(ordered, stand, is_chosen)
    ]
    shown.sort(key=lambda row: -row[1].accuracy)
    if reading and (whole := _whole(reading, columns, episodes, choice)).trials:
        shown.insert(0, (WHOLE, whole))
    rows = ((text, each.trials, each.accuracy, between(each.interval, ".1%")) for text, each in shown)
    return Table.of("Candidate | Offered :, | Chosen :.1% | 95% interval", rows)


def _not_explained(ordered: Sequence[int], stand: IntArray, is_chosen: Mask) -> Iterator[int]:
    """Yield those of the columns, in order, that say more of the choice than the columns before them.

    Beside the last integer of a sequence alone stands one four left, so each integer there is chosen if the
    last one is. Among candidates that share the columns before, those with the column must be chosen more
    often (Mantel and Haenszel 1959). `stand` (B, C, cells) are the columns of the candidates.
    """
    chosen, group = is_chosen.ravel(), np.zeros(is_chosen.size, dtype=np.int64)
    for column in ordered:
        has_it = (stand == column).any(axis=2).ravel()
        n, m, k, both = (np.bincount(group, weight) for weight in (None, chosen, has_it, chosen & has_it))
        variance = (k * m * (n - k) * (n - m) / (n**2 * np.maximum(n - 1, 1))).sum()
        excess = (both - k * m / n).sum()
        if excess > 0 and ndtr(-(excess - 0.5) / math.sqrt(variance)) <= LARGEST_P / len(ordered):
            group = np.unique(2 * group + has_it, return_inverse=True)[1]
            yield column


def _whole(reading: Reading, columns: Columns, episodes: Episodes, choice: IntArray) -> Proportion:
    """Return how often the only candidate of which a whole reading is true is chosen."""
    windows = (columns.around(episodes.sequence, candidate) for candidate in episodes.candidates.T)
    true = np.stack([_all_true(reading, columns, window) for window in windows], axis=1)
    alone = np.flatnonzero(true.sum(axis=1) == 1)
    return Proportion.of(true[alone, choice[alone]])


def _all_true(reading: Reading, columns: Columns, window: IntArray) -> Mask:
    """Return of which windows (B, W) a sense is true, with a cell for each of its statements, (B,)."""
    found = np.zeros(len(window), dtype=bool)
    for sense in reading.senses:
        there = columns.at_offsets(window, [each.index for each in sense.statements]) != ABSENT
        found |= replace(reading, senses=(sense,)).true_of(window) & there.all(axis=1)
    return found


def _candidate_text(columns: Columns, column: int) -> str:
    """Return which candidates a column stands for: "7 one left", or "it is the first"."""
    variable, value = (int(part) for part in columns.decode(np.asarray(column)))
    if variable < len(columns.config.offsets):
        return f"{value} {offset_text(columns.config.offsets[variable])}"
    name, end = (*columns.edges, NO_EDGE)[value], end_text(columns.config)
    return edge_text(name, end).replace("the target", "it")
