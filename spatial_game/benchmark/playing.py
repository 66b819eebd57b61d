"""Play with a dictionary alone: what a reader's entries explain, and how well they read and speak.

One rule makes a player of any dictionary. An entry multiplies what is believed of its places: by p / e for
the values that it names and by (1 - p) / (1 - e) for the others. p is (confidence * n + 1/2) / (n + 1) if n
messages have the form, and its k-th root if the entry names k places. e is what the game leads to expect.
Entries of one form about one place are alternatives: their values are joined, and their p added. A longer
form overrides the forms within it, where both speak of one place. Words without a place count as in
`dictionary.rules`; comparisons do not count.

The player *reads* to the candidate that fits best. It *speaks* by Bayes: of the messages that were sent, the
one that is most probable by how often it was sent and by what it means.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.benchmark.corpus import ANY, COMPARED, Corpus, Entry
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import AgentPair, won_by
from spatial_game.language.counting.columns import blocks, candidate_columns, num_columns, window_columns
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import Form, carriers, occurrences, table_of
from spatial_game.language.counting.rows import FloatArray, distinct_rows
from spatial_game.language.dictionary.belief import prior_at
from spatial_game.language.dictionary.code import LEVEL_BITS, band_bits
from spatial_game.language.dictionary.places import counts_by_place, places_of
from spatial_game.language.dictionary.rules import Rule, RuleTable
from spatial_game.language.players.decode import EQUAL_BITS
from spatial_game.recording import Recording

EXCHANGES, TRIED = 1_000, 20
"""Episodes in which an entry is exchanged, and how many exchanges are tried in an episode."""
_CELLS = 1 << 22


@dataclass(frozen=True)
class Play:
    """How well a dictionary plays. Shares are of episodes of which its reader saw nothing."""

    own: float
    """Episodes that the pair itself wins."""
    chance: float
    held_out_bits: float | None
    """The mean of log2 q(window | message) / q0(window); None where too many places are spoken of."""
    kilobits: float
    read: float
    """Episodes in which the dictionary reads the real sender right. Ties count by their number."""
    spoken: float
    """Episodes in which the real receiver understands the dictionary."""
    exchanged: int
    """Episodes in which an entry of a message was exchanged, so that it means another candidate."""
    moved: float | None
    """Of these, those in which the real receiver chooses this candidate."""


def play(entries: Sequence[Entry], corpus: Corpus, rng: np.random.Generator) -> dict[str, float | int | None]:
    """Return how well entries play with the pair of a corpus, as the fields of `Play`."""
    pair, asked, config = corpus.pair, corpus.asked, corpus.meanings.config
    if pair is None or asked is None or config is None:
        raise ValueError("play needs a corpus with a pair; got one without")
    player, sent = Player(entries, corpus.forms, config), pair.sender.send(asked.window)
    moved = _moved(player, pair, asked, sent, rng)
    found = Play(
        own=float(won_by(pair.receiver, sent, asked).mean()),
        chance=1 / config.num_candidates,
        held_out_bits=player.bits(asked.window, sent),
        kilobits=sum(bits_of(entry, config) for entry in entries) / 1000,
        read=player.read_right(sent, asked),
        spoken=float(won_by(pair.receiver, player.send(asked.window), asked).mean()),
        exchanged=len(moved),
        moved=float(moved.mean()) if len(moved) else None,
    )
    return asdict(found)


class Player:
    """A sender and a receiver that know entries, and the messages (N, T) in which they were found."""

    def __init__(self, entries: Sequence[Entry], forms: IntArray, config: GameConfig) -> None:
        self.config, self.entries = config, entries
        self.messages, which = distinct_rows(forms)
        self.number = np.bincount(which, minlength=len(self.messages))
        self.rules = _Longest([*self._rules()], config)

    def _rules(self) -> Iterator[Rule]:
        """Yield a rule for each form and place."""
        places, entries = places_of(self.config), self.entries
        forms = [Form(entry.form, entry.slot) for entry in entries]
        standing = np.asarray(carriers(forms, self.messages) @ self.number, dtype=float)
        joined: defaultdict[tuple[Form, int, bool], tuple[set[int], list[float]]]
        joined = defaultdict(lambda: (set(), []))
        for entry, number in zip(entries, standing, strict=True):
            named, most = _by_place(entry), (number + 0.5) / (number + 1)
            sure = (entry.confidence * number + 0.5) / (number + 1)
            for place, values in named.items():
                found, shares = joined[Form(entry.form, entry.slot), place, values == (ANY,)]
                found.update(values)
                shares[:] = [min(sum(shares) + sure ** (1 / len(named)), most)]
        for (form, place, is_offset), (found, [sure]) in joined.items():
            values = tuple(sorted(found))
            if place == ANY and not is_offset:
                yield Rule(form, None, values, sure, 0.0, strength=sure)
            elif is_offset and ANY < place < places.edge:
                yield Rule(form, place, (), sure, 0.0, strength=sure)
            elif not is_offset and place >= 0 and values[-1] < places.categories(place):
                yield Rule(form, place, values, sure, float(prior_at(places, place)[[*values]].sum()))

    def evidence(self, messages: IntArray) -> FloatArray:
        """Return (M, columns + 1), the bits for windows by their cells, of messages (M, T)."""
        return self.rules.evidence(self.rules.of_messages(messages))

    def scores(self, messages: IntArray, asked: Episodes) -> FloatArray:
        """Return (B, C), the evidence of messages (B, T) for the candidates of as many episodes."""
        scores = np.zeros(asked.candidates.shape)
        for rows in blocks(len(messages), max(1, _CELLS // num_columns(self.config))):
            distinct, which = distinct_rows(messages[rows])
            table = self.evidence(distinct)
            columns = candidate_columns(self.config, asked.sequence[rows], asked.candidates[rows])
            scores[rows] = table[which[:, None, None], columns].sum(axis=2)
        return scores

    def read_right(self, messages: IntArray, asked: Episodes) -> float:
        """Return the share of the episodes that are read right; among equals, by chance."""
        scores = np.round(self.scores(messages, asked), 6)
        best = scores == scores.max(axis=1, keepdims=True)
        at_target = np.take_along_axis(best, asked.target_index[:, None].astype(np.intp), axis=1)[:, 0]
        return float((at_target / best.sum(axis=1)).mean())

    def send(self, window: IntArray) -> IntArray:
        """Return the most probable of the messages that were sent, (B, T), for windows (B, W)."""
        by_column = np.ascontiguousarray(self.evidence(self.messages).T, dtype=np.float32)
        prior = np.log2(self.number / self.number.sum()).astype(np.float32)
        sent = np.empty((len(window), self.messages.shape[1]), dtype=np.int16)
        for rows in blocks(len(window), max(1, _CELLS // len(self.messages))):
            columns = window_columns(self.config, window[rows])
            scores = sum((by_column[column] for column in columns.T), prior)
            sent[rows] = self.messages[np.asarray(scores).argmax(axis=1)]
        return sent

    def bits(self, window: IntArray, messages: IntArray) -> float | None:
        """Return the bits that are explained in an episode, by windows (B, W) and their messages (B, T)."""
        counts = count(Recording(self.config, window, messages))
        belief = self.rules.belief(counts.messages)
        if not all(belief.can_weight(p) for p, weights in enumerate(belief.weights) if weights is not None):
            return None
        return belief.explained(counts_by_place(self.config, counts.table)) / len(window)

    def another(self, number: int, rng: np.random.Generator) -> Entry:
        """Return an entry of the same shape as this one, about the same places."""
        group, members = self._alike
        alike = members[group[number]]
        return self.entries[alike[int(rng.integers(len(alike)))]]

    @cached_property
    def _alike(self) -> tuple[list[int], list[list[int]]]:
        """The group of each entry, and the entries of each group."""
        shapes = [(e.slot, tuple(s is None for s in e.form), tuple(_by_place(e))) for e in self.entries]
        numbers: dict[Any, int] = {}
        group = [numbers.setdefault(shape, len(numbers)) for shape in shapes]
        members: list[list[int]] = [[] for _ in numbers]
        for entry, number in enumerate(group):
            members[number].append(entry)
        return group, members


def _by_place(entry: Entry) -> dict[int, tuple[int, ...]]:
    """Return the values that an entry names at each place, without comparisons."""
    named: defaultdict[int, list[int]] = defaultdict(list)
    for place, value in sorted(entry.meaning):
        if place != COMPARED:
            named[place].append(value)
    return {place: tuple(values) for place, values in named.items()}


class _Longest(RuleTable):
    """Rules of which a longer form overrides those within it, about the same place."""

    def of_messages(self, messages: IntArray) -> sp.csr_array:
        """Return (M, R), which rules count in messages (M, T)."""
        followed, (longer, within) = super().of_messages(messages), self._within
        table = sp.csr_array((np.ones(len(longer)), (longer, within)), shape=(followed.shape[1],) * 2)
        counted = sp.csr_array(followed - followed.multiply(followed @ table > 0))
        counted.eliminate_zeros()
        return counted

    @cached_property
    def _within(self) -> tuple[list[int], list[int]]:
        """Pairs of rules about one place: the form of the second stands wherever that of the first stands."""
        rows: defaultdict[tuple[Form | None, int | None], list[int]] = defaultdict(list)
        for i, rule in enumerate(self.plain):
            rows[rule.form, rule.place].append(i)
        pairs = [
            (i, j)
            for (form, place), longer in rows.items()
            if form is not None
            for part in _parts(form)
            for j in rows.get((part, place), ())
            for i in longer
        ]
        return [i for i, _ in pairs], [j for _, j in pairs]


def _parts(form: Form) -> Iterator[Form]:
    """Yield the forms of some of a form's symbols, at their slots and anywhere."""
    at = [i for i, symbol in enumerate(form.symbols) if symbol is not None]
    for size in range(1, len(at) + 1):
        for kept in itertools.combinations(at, size):
            symbols = tuple(form.symbols[i] if i in kept else None for i in range(kept[0], kept[-1] + 1))
            slots = {None, None if form.slot is None else form.slot + kept[0]}
            yield from (Form(symbols, slot) for slot in slots if (symbols, slot) != (form.symbols, form.slot))


def bits_of(entry: Entry, config: GameConfig) -> float:
    """Return the bits to write an entry: symbols, slot, places with a set or band of values, confidence."""
    length, places = config.message_length, places_of(config)
    bits = len(entry.form) * math.log2(config.vocab_size + 1) + math.log2(length * (length + 1)) + LEVEL_BITS
    for place, values in _by_place(entry).items():
        size = places.categories(place) if place >= 0 else places.num_values
        a_set = math.log2(size) + math.log2(math.comb(max(size, len(values)), len(values)))
        band = [*values] == [*range(values[0], values[0] + len(values))]
        bits += math.log2(len(places) + 2) + min(a_set, band_bits(size) if band else a_set)
    return bits


def _moved(
    player: Player, pair: AgentPair, asked: Episodes, sent: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return (B,), whether the receiver chooses what the dictionary predicts after an exchange.

    The form of one entry in the sender's message is replaced by that of another entry of the same shape about
    the same places, so that a message results that the sender sends, too. Only episodes count in which the
    dictionary then speaks for one candidate, clearly and another than before.
    """
    first, known = asked[: 4 * EXCHANGES], {*map(tuple, player.messages.tolist())}
    forms = table_of([Form(e.form, e.slot) for e in player.entries], sent.shape[1])
    messages, which = distinct_rows(sent[: len(first)])
    found = occurrences(forms, messages)
    order = np.argsort(found.message, kind="stable")
    ends = np.searchsorted(found.message[order], np.arange(len(messages) + 1)).tolist()
    rows, changed = [], []
    for row, message in enumerate(which.tolist()):
        for standing in rng.permutation(order[ends[message] : ends[message + 1]])[:TRIED].tolist():
            entry, slot = int(found.form[standing]), int(found.slot[standing])
            other = player.another(entry, rng)
            new = messages[message].tolist()
            new = [*new[:slot], *other.form, *new[slot + len(other.form) :]]
            new = [old if s is None else s for s, old in zip(new, messages[message].tolist(), strict=True)]
            if tuple(new) in known and new != messages[message].tolist():
                rows.append(row)
                changed.append(new)
                break
    if not rows:
        return np.zeros(0, dtype=bool)
    there, after = first[np.array(rows)], np.array(changed, dtype=np.int16)
    before, scores = (player.scores(each, there) for each in (sent[rows], after))
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T
    clear = (best > 0) & (best - second > EQUAL_BITS)
    kept = np.flatnonzero(clear & (before.argmax(axis=1) != scores.argmax(axis=1)))[:EXCHANGES]
    there = there[kept]
    chosen = pair.receiver.choose(after[kept], there.sequence, there.candidates)
    return np.asarray(chosen == scores[kept].argmax(axis=1))
