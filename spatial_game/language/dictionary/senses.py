"""From rules to entries: the rules of each form put together, counted, and judged.

What the rules of a form say of different places holds together. If it hardly ever does, each is an
*alternative*, with its share of the form's episodes. An entry is listed if its meaning holds in enough of
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import rel_entr

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Mask
from spatial_game.language.association import npmi
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form, carriers
from spatial_game.language.counting.places import EDGE, column_of, places_of, values_at_places
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.lexicon.belief import Belief
from spatial_game.language.lexicon.entries import Entry, Rule
from spatial_game.language.lexicon.meaning import Meanings, merged

TOGETHER = 0.25
"""Parts that hold together in a smaller share of the form's episodes are alternatives. Known languages of 10
integers come back as well with 0.4."""
LEAST_SENSE = 0.1
"""An alternative holds in at least this share of the form's episodes."""
LEAST_LISTED, LEAST_ALTERNATIVES = 0.4, 0.8
"""A listed entry is true in at least this share of the form's episodes; alternatives, all together, since the
more there are, the more often one of them is true by chance. A table is then of what a reader can rely on;
the figures count all rules."""
LEAST_TOLD = 0.005
"""Bits an episode of the form that a listed entry tells at least: with fewer, a table would show 0.00."""

Parts: TypeAlias = tuple[int, ...]
"""What holds together: numbers of the meanings of a form, which are about different places."""


def entries_of(rules: Sequence[Rule], counts: Counts) -> list[Entry]:
    """Return an entry for each form of these rules, by these counts.

    Words, offsets and defaults are left out.
    """
    by_form: dict[Form, list[Rule]] = {}
    for rule in rules:
        if rule.form is not None and not rule.is_word and not rule.is_offset:
            by_form.setdefault(rule.form, []).append(rule)
    config = counts.config
    rules_of = [_in_order(of_form, config) for of_form in by_form.values()]
    meanings = [merged(rule.meaning for rule in of_form) for of_form in rules_of]
    by_chance = iter(
        shares_of_windows([(meaning,) for of_form in meanings for meaning in of_form], config).tolist()
    )
    held = _which_hold(meanings, carriers([*by_form], counts.messages), counts)
    senses = [_senses(each, [next(by_chance) for _ in each.parts]) for each in held]
    chances = _chances_of_any(senses, meanings, config)
    return [_of_form(*each, counts.total) for each in zip(rules_of, held, senses, chances, strict=True)]


def entry_of(
    rules: tuple[Rule, ...], joint: int, total: int, chance: float, npmi: float, **others: Any
) -> Entry:
    """Return the entry of rules that hold in `joint` of the `total` episodes of their form.

    `chance`: the share of all windows in which they hold, whatever is said.
    """
    form, share = rules[0].form, joint / max(total, 1)
    assert form is not None
    # The chance of so much saving (see `code`).
    p = float(np.exp2(min(sum(rule.cost - rule.saved for rule in rules), 0.0)))
    return Entry(form, rules, npmi, share, joint, p, bits=_bits_told(share, chance), **others)


def _of_form(
    rules: tuple[Rule, ...], held: _Held, senses: tuple[Parts, ...], chance: float, episodes: int
) -> Entry:
    """Return the entry of a form; `episodes`: all that were counted."""
    joint = held.count(senses)
    strength = float(npmi(joint, held.total, chance * episodes, max(episodes, 1)))
    entry = entry_of(rules, joint, held.total, chance, strength)
    least = LEAST_LISTED if len(senses) == 1 else LEAST_ALTERNATIVES
    sure = joint >= least * held.total and (entry.bits or 0.0) >= LEAST_TOLD
    alternatives = () if senses == (held.parts,) else tuple((parts, held.share(parts)) for parts in senses)
    return replace(entry, listed=strength > 0 and sure, alternatives=alternatives)


def _bits_told(share: float, chance: float) -> float:
    """Return the bits that a meaning tells in an episode: the divergence of its share from that by chance."""
    chance = min(max(chance, 1e-12), 1 - 1e-12)
    return float((rel_entr(share, chance) + rel_entr(1 - share, 1 - chance)) / np.log(2))


def _in_order(rules: Sequence[Rule], config: GameConfig) -> tuple[Rule, ...]:
    """Return the rules of a form: about the edge, then about the offsets in their order."""
    places = (EDGE, *config.offsets)
    return tuple(sorted(rules, key=lambda rule: places.index(rule.meaning.place)))


@dataclass(frozen=True)
class _Held:
    """Which of the P meanings of a form hold in its episodes."""

    held: Mask  # (K, P), the combinations that occur
    episodes: Numbers  # (K,)

    @property
    def parts(self) -> Parts:
        """All meanings."""
        return tuple(range(self.held.shape[1]))

    @property
    def total(self) -> int:
        """The form's episodes."""
        return int(self.episodes.sum())

    def share(self, parts: Parts) -> float:
        """Return the share of the form's episodes in which all of these meanings hold."""
        return self.count([parts]) / max(self.total, 1)

    def count(self, senses: Sequence[Parts]) -> int:
        """Return the episodes in which at least one of the senses holds."""
        one = np.zeros(len(self.held), dtype=bool)
        for parts in senses:
            one |= self.held[:, list(parts)].all(axis=1)
        return int(self.episodes[one].sum())


def _senses(held: _Held, chances: Sequence[float]) -> tuple[Parts, ...]:
    """Return all meanings of a form together or, if they hardly ever hold together, each one alone.

    Of those alone, only the ones that hold often enough, and above chance; or else the most frequent one.
    """
    if len(held.parts) == 1 or held.share(held.parts) >= TOGETHER:
        return (held.parts,)
    share = [held.share((part,)) for part in held.parts]
    order = sorted(held.parts, key=lambda part: -share[part])
    kept = [part for part in order if share[part] >= LEAST_SENSE and share[part] > chances[part]]
    return tuple((part,) for part in kept or order[:1])


def _chances_of_any(
    senses: Sequence[Sequence[Parts]], meanings: Sequence[Meanings], config: GameConfig
) -> list[float]:
    """Return, for each form, the share of the game's windows in which one of its senses holds."""
    several = [len(of_form) > 1 for of_form in senses]
    named = [
        tuple(of_form[part] for parts in each for part in parts)
        for of_form, each in zip(meanings, senses, strict=True)
    ]
    share = shares_of_windows(named, config, none=several)
    chances: list[float] = np.clip(np.where(several, 1 - share, share), 0, 1).tolist()
    return chances


def shares_of_windows(
    senses: Sequence[Meanings], config: GameConfig, *, none: Sequence[bool] = ()
) -> FloatArray:
    """Return (n,), the share of the game's windows in which all meanings of a sense hold.

    Each meaning is about a place of its own. `none`: which senses (n,) to count where none of their meanings
    holds instead.
    """
    share, none = np.ones(len(senses)), none or [False] * len(senses)
    rows_of_places: dict[tuple[str, ...], list[int]] = {}
    for row, meanings in enumerate(senses):
        rows_of_places.setdefault(tuple(sorted(str(m.place) for m in meanings)), []).append(row)
    for rows in rows_of_places.values():
        share[rows] = _shares([senses[row] for row in rows], [none[row] for row in rows], config)
    return share


def _shares(senses: Sequence[Meanings], none: Sequence[bool], config: GameConfig) -> FloatArray:
    """Return the same for senses that speak of the same places: windows in which another holds weigh 0."""
    places = places_of(config)
    belief = Belief(places, len(senses))
    for row, meanings in enumerate(senses):
        for meaning in meanings:
            place, values = meaning.numbers(config)
            weights = belief.weights[place]
            if weights is None:
                weights = belief.weights[place] = np.empty((len(senses), places.categories(place)))
            weights[row], weights[row, values] = none[row], not none[row]
    return np.asarray(belief.masses().sum(axis=1))


def _which_hold(meanings: Sequence[Meanings], having: sp.csr_array[Any], counts: Counts) -> list[_Held]:
    """Return which meanings hold in the episodes of each form (F, M); of several, by reading them again."""
    config, number = counts.config, np.array([len(of_form) for of_form in meanings], dtype=np.int64)
    singles, several = np.flatnonzero(number == 1), np.flatnonzero(number > 1)
    columns = []
    for row in singles.tolist():
        place, values = meanings[row][0].numbers(config)
        columns.append(column_of(config, place, 0) + np.array(values))
    ends = np.cumsum([0, *map(len, columns)])
    column = np.concatenate([np.zeros(0, dtype=np.int64), *columns])
    ones, shape = np.ones(len(column), dtype=np.int64), (len(singles), counts.table.shape[1])
    wanted = sp.csr_array((ones, column, ends), shape=shape)
    inside = np.asarray((having[singles] @ counts.table).multiply(wanted).sum(axis=1)).reshape(-1)
    outside = np.asarray(having[singles] @ counts.message_totals) - inside
    found = {
        row: _Held(np.array([[True], [False]]), np.array(episodes))
        for row, *episodes in zip(singles.tolist(), inside, outside, strict=True)
    }
    if len(several):
        again = _read_again([meanings[row] for row in several.tolist()], having[several], counts)
        found |= dict(zip(several.tolist(), again, strict=True))
    return [found[row] for row in range(len(meanings))]


def _read_again(meanings: Sequence[Meanings], having: sp.csr_array[Any], counts: Counts) -> Iterator[_Held]:
    """Yield which meanings hold in the episodes of each form (F, M)."""
    config = counts.config
    most, num_values = max(map(len, meanings)), max(config.num_integers, config.window_size)
    places = np.zeros((len(meanings), most), dtype=np.int64)
    allowed = np.zeros((len(meanings), most, num_values), dtype=bool)
    for row, of_form in enumerate(meanings):
        for part, meaning in enumerate(of_form):
            places[row, part], values = meaning.numbers(config)
            allowed[row, part, values] = True
    by_message = having.T.tocsr()
    ends, owner = by_message.indptr, by_message.indices
    bits, keys = 1 << np.arange(most), []
    for ids, window in counts.episodes("entries of several parts need"):
        seen = values_at_places(config, window)
        first, number = ends[ids], ends[ids + 1] - ends[ids]
        for step in range(int(number.max(initial=0))):
            rows = np.flatnonzero(number > step)
            form = owner[first[rows] + step]
            value = np.take_along_axis(seen[rows], places[form], axis=1)
            holds = (value >= 0) & allowed[form[:, None], np.arange(most), value]
            keys.append(np.unique((form << most) + holds @ bits, return_counts=True))
    key, which = np.unique(np.concatenate([each for each, _ in keys]), return_inverse=True)
    episodes = np.bincount(which, np.concatenate([n for _, n in keys])).astype(np.int64)
    for row, of_form in enumerate(meanings):
        here = key >> most == row
        yield _Held((key[here, None] & bits[: len(of_form)]) > 0, episodes[here])
