"""What forms mean: the rules of each form put together and counted.

What the rules of a form say of different places holds together. If it hardly ever does, each is an
*alternative*, with its share of the form's episodes. An entry is listed if its meaning holds in enough of
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import rel_entr

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Mask
from spatial_game.language.association import npmi
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form, carriers
from spatial_game.language.counting.places import EDGE, column_of, values_at_places
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.chance import shares
from spatial_game.language.lexicon.rules import Rule
from spatial_game.language.meaning import Meaning, Meanings, merged

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


@dataclass(frozen=True)
class CountedForm:
    """What a form means, counted."""

    form: Form
    rules: tuple[Rule, ...]
    meanings: Meanings
    """What the rules say, in their order: of each place once."""
    senses: tuple[Parts, ...]
    """All meanings together; or the alternatives, the most frequent first."""
    shares: tuple[float, ...]
    """Of the form's episodes, those in which each sense holds."""
    joint: int
    """Episodes with the form in which one of the senses holds."""
    total: int
    """Episodes with the form."""
    chance: float
    """The share of all windows of the game in which one of the senses holds, whatever is said."""

    def npmi(self, episodes: int) -> float:
        """Return the NPMI of the form and its meaning, in this number of episodes."""
        return float(npmi(self.joint, self.total, self.chance * episodes, max(episodes, 1)))

    @property
    def bits(self) -> float:
        """The bits by which the meaning shortens an episode with its form, on average."""
        return bits_told(self.joint / max(self.total, 1), self.chance)

    @property
    def is_sure(self) -> bool:
        """Whether the meaning holds in enough of the form's episodes, and tells enough, to be asserted."""
        least = LEAST_LISTED if len(self.senses) == 1 else LEAST_ALTERNATIVES
        return self.joint >= least * self.total and self.bits >= LEAST_TOLD


def count_senses(rules: Sequence[Rule], counts: Counts) -> list[CountedForm]:
    """Return what the forms of rules mean, by these counts. Words, offsets and defaults are left out."""
    by_form: dict[Form, list[Rule]] = {}
    for rule in rules:
        if rule.form is not None and not rule.is_word and not rule.is_offset:
            by_form.setdefault(rule.form, []).append(rule)
    config = counts.config
    rules_of = [_in_order(of_form, config) for of_form in by_form.values()]
    meanings = [merged(rule.meaning for rule in of_form) for of_form in rules_of]
    held = _which_hold(meanings, carriers([*by_form], counts.messages), counts)
    by_chance = iter(shares([(meaning,) for of_form in meanings for meaning in of_form], config).tolist())
    senses = [_senses(each, [next(by_chance) for _ in each.parts]) for each in held]
    return [
        CountedForm(
            form,
            rules_of[row],
            meanings[row],
            senses[row],
            tuple(held[row].share(parts) for parts in senses[row]),
            held[row].count(senses[row]),
            held[row].total,
            chance,
        )
        for row, (form, chance) in enumerate(
            zip(by_form, _chances_of_any(senses, meanings, config), strict=True)
        )
    ]


def bits_told(share: float, chance: float) -> float:
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
    share = shares(named, config, none=several)
    chances: list[float] = np.clip(np.where(several, 1 - share, share), 0, 1).tolist()
    return chances


def _which_hold(meanings: Sequence[Meanings], having: sp.csr_array[Any], counts: Counts) -> list[_Held]:
    """Return which meanings hold in the episodes of each form (F, M); of several, by reading them again."""
    config, number = counts.config, np.array([len(of_form) for of_form in meanings], dtype=np.int64)
    singles, several = np.flatnonzero(number == 1), np.flatnonzero(number > 1)
    columns = []
    for row in singles.tolist():
        place, values = _numbers(meanings[row][0], config)
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


def _numbers(meaning: Meaning, config: GameConfig) -> tuple[int, list[int]]:
    place, values = meaning.numbers(config) or (None, [])
    assert place is not None
    return place, values


def _read_again(meanings: Sequence[Meanings], having: sp.csr_array[Any], counts: Counts) -> Iterator[_Held]:
    """Yield which meanings hold in the episodes of each form (F, M)."""
    config = counts.config
    most, num_values = max(map(len, meanings)), max(len(config.integers), config.window_size)
    places = np.zeros((len(meanings), most), dtype=np.int64)
    allowed = np.zeros((len(meanings), most, num_values), dtype=bool)
    for row, of_form in enumerate(meanings):
        for part, meaning in enumerate(of_form):
            places[row, part], values = _numbers(meaning, config)
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
