"""Asking a receiver with composed messages: does it understand what the lexicon says?

The paper's section 5.3. For each kind of entry, phrases are drawn from the lexicon, episodes are arranged so
that they are true, and the messages go to the receiver without the sender. Beside each accuracy stand its
floors (chance, the messages of other phrases, random messages) and its ceiling (the sender's own messages).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.arranging import arrange
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.counting.columns import window_columns
from spatial_game.language.counting.forms import distinct_rows
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.referents import Edge, Integer, IntegerAt, Offset
from spatial_game.language.speaking.compose import Composed, Composer, Faults
from spatial_game.language.speaking.phrases import NOTHING, PHRASE_KINDS, Numbers
from spatial_game.language.speaking.statistical import MessageModel
from spatial_game.language.speaking.usage import UsualSpeaker

Mask = npt.NDArray[np.bool_]

_TRIES = 50

KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "compositional": "Compositional-P",
}
"""What is asked, in the words of the paper's table 2; its Compositional-NP is a control of the last."""
CONTROLS = {"zero": "Compositional-NP (symbol 0)", "other": "Compositional-NP (random symbols)"}
"""What stands in place of the positional part."""
DRAWS = 10
"""Independent draws into which the episodes of an accuracy are parted, to show how much it varies."""
FEWEST_PAIRS = 5
"""Pairs of agents that a test over pairs needs: with fewer, no outcome could be significant."""


@dataclass(frozen=True)
class Asked:
    """Episodes in which phrases of one kind are true, and the phrases: what a receiver is asked."""

    episodes: Episodes
    said: Composed
    meaning: Numbers  # (B, 3), what was said: mask column, or integer and offset; NOTHING elsewhere


@dataclass(frozen=True)
class KindReport:
    """How a receiver understood the phrases of one kind."""

    kind: str
    """A key of `KINDS`."""
    phrases: int
    """Entries of the kind that can be spoken; for compositional the pairs that fit."""
    coverage: Proportion
    """Ordinary episodes that such phrases can express."""
    accuracy: Proportion
    draws: tuple[Proportion, ...]
    """The same episodes as DRAWS draws, each of phrases and episodes of its own, as the paper drew them."""
    usual: Proportion | None
    """The same episodes told with the most usual of the kind's true messages (`usage`), if there was a model;
    over the episodes in which there is one."""
    floors: Mapping[str, Proportion]
    """`shuffled`: messages of phrases of this kind that are not true there, as a lexicon with its meanings
    shuffled would send; nothing is asked where all are. `random`: random symbols."""
    ceiling: Proportion | None
    """The sender's own messages in these episodes, if there was a sender."""
    controls: Mapping[str, Proportion]
    """Compositional phrases without their positional part, by the keys of `CONTROLS`; the same episodes."""
    beats_chance: float
    """H1: p-value of an accuracy above chance, exact binomial; 1 where nothing was asked."""
    beats_control: Mapping[str, float]
    """H2: p-value of the positional part helping, exact McNemar on the same episodes, one-sided."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "name": KINDS[self.kind],
            "phrases": self.phrases,
            "coverage": self.coverage.to_dict(),
            "accuracy": self.accuracy.to_dict(),
            "draws": draws_to_dict(self.draws),
            "usual": _optional(self.usual),
            "floors": {name: floor.to_dict() for name, floor in self.floors.items()},
            "ceiling": _optional(self.ceiling),
            "controls": {name: control.to_dict() for name, control in self.controls.items()},
            "p_chance": self.beats_chance,
            "p_control": dict(self.beats_control),
        }


@dataclass(frozen=True)
class ProbeReport:
    """How well a receiver understands a lexicon."""

    kinds: tuple[KindReport, ...]
    ordinary: Proportion
    """Ordinary episodes that the lexicon can express, told with the strongest phrase: those that were won."""
    ordinary_usual: Proportion | None
    """Ordinary episodes told with the most usual true message, if there was a model."""
    coverage: Proportion
    """Ordinary episodes that the lexicon can express."""
    chance: float
    faults: Faults
    signature: str

    def of(self, kind: str) -> KindReport:
        """The report of a kind."""
        return next(report for report in self.kinds if report.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "kinds": {report.kind: report.to_dict() for report in self.kinds},
            "ordinary": self.ordinary.to_dict(),
            "ordinary_usual": _optional(self.ordinary_usual),
            "coverage": self.coverage.to_dict(),
            "chance": self.chance,
            "faults": dataclasses.asdict(self.faults),
            "signature": self.signature,
        }

    def __str__(self) -> str:
        lines = [f"{'':34}{'accuracy':>9}  {'95% interval':17}{'usual':>9}{'shuffled':>9}{'sender':>9}"]
        for report in self.kinds:
            lines.append(
                f"{KINDS[report.kind]:34}{_percent(report.accuracy)}  {_interval(report.accuracy):17}"
                f"{_percent(report.usual)}{_percent(report.floors.get('shuffled'))}{_percent(report.ceiling)}"
            )
            lines += [
                f"{CONTROLS[name]:34}{_percent(value)}  {_interval(value)}"
                for name, value in report.controls.items()
            ]
        ordinary = f"ordinary episodes ({self.coverage.accuracy:.0%} covered)"
        lines.append(
            f"{ordinary:34}{_percent(self.ordinary)}  {_interval(self.ordinary):17}"
            f"{_percent(self.ordinary_usual)}"
        )
        return "\n".join([*lines, f"chance {self.chance:.0%}; {self.signature}"])


def probe(
    receiver: Receiver,
    lexicon: Lexicon,
    episodes: Episodes,
    config: GameConfig | None = None,
    *,
    sender: Sender | None = None,
    model: MessageModel | None = None,
    rng: np.random.Generator | None = None,
    fillers: IntArray | None = None,
) -> ProbeReport:
    """Ask `receiver` with phrases of `lexicon`, as many of each kind as there are `episodes`.

    `episodes` are ordinary ones of the game `config` (default: the lexicon's): on them coverage is measured,
    and rearranged so that a phrase is true they are what the receiver is asked. `rng` chooses phrases and
    controls (default: a generator of seed 0). `sender` adds its own messages as a ceiling; `model`, of the
    lexicon's counts, adds the most usual of the true messages. Nothing is asked for a kind without phrases.

    Raises `ValueError` for a game that the lexicon's is incompatible with.
    """
    config = config or lexicon.config
    rng = rng or np.random.default_rng(0)
    composer = Composer(lexicon, config, fillers=fillers)
    ordinary = composer.compose(episodes.window)
    asker = Asker(receiver, sender, model, composer, rng)
    return ProbeReport(
        kinds=tuple(asker.report(kind, episodes) for kind in KINDS),
        ordinary=asker.wins(ordinary.message, episodes),
        ordinary_usual=asker.usual(PHRASE_KINDS, episodes),
        coverage=_proportion(ordinary.expressed),
        chance=1 / config.num_candidates,
        faults=composer.faults,
        signature=f"{lexicon.signature} | probe n{len(episodes)}",
    )


@dataclass(frozen=True)
class Asker:
    """Who is asked, with what."""

    receiver: Receiver
    sender: Sender | None
    model: MessageModel | None
    composer: Composer
    rng: np.random.Generator

    def report(self, kind: str, episodes: Episodes) -> KindReport:
        """Ask with phrases of one kind."""
        whole, config = self.composer, self.composer.config
        composer = Composer(whole.lexicon, config, kinds=[kind], fillers=whole.fillers)
        coverage = _proportion(composer.compose(episodes.window).expressed)
        phrases = speakable(composer, kind)
        if len(phrases) == 0 or len(episodes) == 0:
            none = Proportion(0, 0)
            return KindReport(kind, len(phrases), coverage, none, (), None, {}, None, {}, 1.0, {})
        asked = ask(composer, phrases, episodes, self.rng)
        message = asked.said.message
        won = won_by(self.receiver, message, asked.episodes)
        random = self.rng.integers(0, config.vocab_size, message.shape, dtype=np.int16)
        floors = {"shuffled": shuffled(composer, asked, self.rng), "random": random}
        own = None if self.sender is None else self.sender.send(asked.episodes.window)
        without = without_offset(composer, asked.said, self.rng) if kind == "compositional" else {}
        controls = {name: won_by(self.receiver, control, asked.episodes) for name, control in without.items()}
        return KindReport(
            kind,
            len(phrases),
            coverage,
            _proportion(won),
            draws_of(won),
            self.usual([kind], asked.episodes),
            {name: self.wins(floor, asked.episodes) for name, floor in floors.items()},
            None if own is None else self.wins(own, asked.episodes),
            {name: _proportion(control) for name, control in controls.items()},
            above_chance(won, 1 / config.num_candidates),
            {name: mcnemar(won, control) for name, control in controls.items()},
        )

    def usual(self, kinds: Collection[str], episodes: Episodes) -> Proportion | None:
        """Episodes won with the most usual true message."""
        if self.model is None:
            return None
        speaker = UsualSpeaker(self.composer.lexicon, self.model, kinds=kinds)
        return self.wins(speaker.speak(episodes.window), episodes)

    def wins(self, messages: IntArray, episodes: Episodes) -> Proportion:
        """Episodes won, of those in which something was said."""
        spoken = np.flatnonzero((messages != NOTHING).all(axis=1))
        return _proportion(won_by(self.receiver, messages[spoken], episodes[spoken]))


# --- Phrases and the episodes in which they are true ----------------------------------------------------


def speakable(composer: Composer, kind: str) -> Numbers:
    """(P, 2), the phrases of a kind as rows of `lexicon.listed`: (entry, NOTHING), or (integer, offset)."""
    parts = composer.parts
    sound = [number for number, keys in enumerate(parts.keys) if keys and parts.shape[number] != NOTHING]
    if kind != "compositional":
        rows = [(number, NOTHING) for number in sound if parts.kind[number] == kind]
        return np.array(rows, dtype=np.int64).reshape(-1, 2)
    words, offsets = (
        np.array([number for number in sound if parts.kind[number] == name], dtype=np.int64)
        for name in ("integer", "offset")
    )
    together = composer.fitting_shapes[parts.shape[words][:, None], parts.shape[offsets][None]]
    word, offset = np.nonzero(together)
    return np.column_stack([words[word], offsets[offset]])


def ask(composer: Composer, phrases: Numbers, episodes: Episodes, rng: np.random.Generator) -> Asked:
    """Draw one of the phrases (P, 2) for each episode, uniformly, and arrange the episode so that it is true.

    The target moves to where the phrase says, the integer that it names to where it says: by swapping with
    what stood there, so that all else is as random as before.
    """
    chosen = phrases[rng.integers(0, len(phrases), len(episodes))]
    said = composer.phrase(chosen[:, 0], chosen[:, 1], rng)
    edge, value, offset = _draw_meanings(composer, chosen, rng)
    true = make_true(composer.config, episodes, edge, value, offset, rng)
    return Asked(true, said, np.column_stack([edge, value, offset]))


def _draw_meanings(
    composer: Composer, chosen: Numbers, rng: np.random.Generator
) -> tuple[Numbers, Numbers, Numbers]:
    """What each phrase says: mask column, or integer and offset (NOTHING for what it does not say).

    Of a phrase with several integers a random one that the game has.
    """
    listed, config = composer.lexicon.listed, composer.config
    edge, value, offset = (np.full(len(chosen), NOTHING) for _ in range(3))
    for number in np.unique(chosen[:, 0]).tolist():
        referent = listed[number].referent
        rows = np.flatnonzero(chosen[:, 0] == number)
        if isinstance(referent, Edge):
            edge[rows] = config.edges.index(referent.name)
        if isinstance(referent, (Integer, IntegerAt)):
            values = [v for v in referent.values if v in config.integers]
            value[rows] = np.array(values)[rng.integers(0, len(values), len(rows))]
        if isinstance(referent, IntegerAt):
            offset[rows] = referent.offset
    for number in np.unique(chosen[:, 1]).tolist():
        if number != NOTHING:
            mate = listed[number].referent
            offset[chosen[:, 1] == number] = mate.value if isinstance(mate, Offset) else NOTHING
    return edge, value, offset


def make_true(
    config: GameConfig,
    episodes: Episodes,
    edge: Numbers,
    value: Numbers,
    offset: Numbers,
    rng: np.random.Generator,
) -> Episodes:
    """Return episodes whose target stands at mask column `edge` (B,), or at `offset` (B,) from `value` (B,).

    `edge` is NOTHING where integer and offset are given. The place is a random one of those that fit.
    """
    drawn = rng.random(len(episodes))
    target = np.empty(len(episodes), dtype=np.int64)
    for column, distance in sorted(set(zip(edge.tolist(), offset.tolist(), strict=True))):
        here = (edge == column) & ((offset == distance) | (column != NOTHING))
        fitting = _places(config, column, distance)
        target[here] = fitting[(drawn[here] * len(fitting)).astype(np.int64)]
    return arrange(config, episodes, (target + offset)[:, None], value[:, None], target)


def _places(config: GameConfig, edge: int, offset: int) -> Numbers:
    """The target's places at a mask column, or from which the window shows the cell at an offset."""
    places = np.arange(config.sequence_length)
    start = np.clip(places - config.window_radius, 0, config.sequence_length - config.window_size)
    if edge != NOTHING:
        return np.flatnonzero(places - start == edge)
    cell = places + offset - start
    return np.flatnonzero((cell >= 0) & (cell < config.window_size))


def shuffled(composer: Composer, asked: Asked, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """For each episode the message (B, T) of another phrase, not true there; NOTHING if there is none.

    A message is true where anything is that a phrase says which it was said for.
    """
    size = len(asked.said)
    _, message = distinct_rows(asked.said.message)
    says = _said_by(composer, asked.said.entry, message)
    true = window_columns(composer.config, asked.episodes.window)
    other, left = rng.permutation(size), np.arange(size)
    for _ in range(_TRIES):
        said_there = says[message[other[left]]]
        left = left[(said_there[:, :, None] == true[left][:, None, :]).any(axis=(1, 2))]
        if len(left) == 0:
            break
        other[left] = rng.integers(0, size, len(left))
    found = np.ones(size, dtype=bool)
    found[left] = False
    return np.where(found[:, None], asked.said.message[other], np.int16(NOTHING)).astype(np.int16)


def _said_by(composer: Composer, entries: Numbers, message: npt.NDArray[np.intp]) -> Numbers:
    """(M, any), the columns of `views` that each message says: those of all phrases (B, 2) sent as it."""
    columns: list[set[int]] = [set() for _ in range(int(message.max(initial=-1)) + 1)]
    for number, word, mate in np.unique(np.column_stack([message, entries]), axis=0).tolist():
        columns[number].update(composer.parts.columns_of(word, mate))
    table = np.full((len(columns), max(map(len, columns), default=0)), NOTHING)
    for row, said in zip(table, columns, strict=True):
        row[: len(said)] = sorted(said)
    return table


def without_offset(composer: Composer, said: Composed, rng: np.random.Generator) -> dict[str, IntArray]:
    """The messages of pairs with other symbols where the offset stood: symbol 0, and random ones (H2)."""
    other = rng.integers(0, composer.config.vocab_size, said.message.shape, dtype=np.int16)
    return {
        "zero": offset_replaced(composer, said, np.int16(0)),
        "other": offset_replaced(composer, said, other),
    }


def offset_replaced(composer: Composer, said: Composed, by: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """The messages (B, T) of pairs with `by`, a symbol or (B, T) of them, where the offset stood."""
    slots = np.arange(said.message.shape[1])
    start = said.slot[:, 1][:, None]
    length = composer.parts.length[said.entry[:, 1]][:, None]
    return np.where((slots >= start) & (slots < start + length), by, said.message).astype(np.int16)


# --- Tests ----------------------------------------------------------------------------------------------


def above_chance(won: Mask, chance: float) -> float:
    """P-value of being right more often than by chance: exact binomial."""
    from scipy.stats import binomtest  # here, as it loads slowly

    return float(binomtest(int(won.sum()), len(won), chance, alternative="greater").pvalue)


def mcnemar(won: Mask, control: Mask) -> float:
    """P-value of `won` being right more often than `control` on the same episodes: exact, one-sided."""
    better, worse = int(np.sum(won & ~control)), int(np.sum(~won & control))
    if better + worse == 0:
        return 1.0
    return above_chance(np.arange(better + worse) < better, 0.5)


def over_pairs(differences: Sequence[float]) -> float | None:
    """P-value over pairs of agents that differences are above 0: Wilcoxon signed-rank, one-sided.

    For H1 accuracy minus chance of each pair, for H2 accuracy minus that of its control. None for less than
    five pairs.
    """
    if len(differences) < FEWEST_PAIRS:
        return None
    if not any(differences):
        return 1.0
    from scipy.stats import wilcoxon

    result = wilcoxon(np.asarray(differences, dtype=np.float64), alternative="greater")
    return float(result.pvalue)


def draws_of(won: Mask, number: int = DRAWS) -> tuple[Proportion, ...]:
    """Episodes in their order as so many draws, as equal as can be; fewer where there are fewer episodes."""
    parts = np.array_split(won, min(number, len(won))) if len(won) else []
    return tuple(_proportion(part) for part in parts)


def draws_to_dict(draws: Sequence[Proportion]) -> dict[str, Any]:
    """Number, mean and standard deviation of draws, for JSON; without two draws there is no deviation."""
    values = [draw.accuracy for draw in draws]
    return {
        "number": len(values),
        "mean": float(np.mean(values)) if values else None,
        "deviation": float(np.std(values, ddof=1)) if len(values) > 1 else None,
    }


def require_same_checkpoint(lexicon: Lexicon, weights_hash: str | None, *, force: bool = False) -> list[str]:
    """The hashes of the weights that the lexicon's recordings name.

    Raises `ValueError` where one differs from the receiver's `weights_hash`, unless forced. A lexicon whose
    recordings name none passes: the list is then empty.
    """
    hashes: list[str] = []
    for origin in lexicon.provenance:
        for role in ("sender", "receiver"):
            who = origin.get(role)
            found = who.get("weights_hash") if isinstance(who, Mapping) else None
            if isinstance(found, str) and found not in hashes:
                hashes.append(found)
    strangers = [found for found in hashes if found != weights_hash]
    if strangers and not force:
        raise ValueError(
            f"lexicon must be of the same checkpoint as the receiver, {weights_hash}; got {strangers[0]} "
            "(force, or --force, compares across checkpoints)"
        )
    return hashes


def won_by(receiver: Receiver, messages: IntArray, episodes: Episodes) -> Mask:
    """(B,), the episodes in which the receiver finds the target by these messages."""
    if len(messages) == 0:
        return np.zeros(0, dtype=bool)
    choices = receiver.choose(messages, episodes.sequence, episodes.candidates)
    return np.asarray(choices == episodes.target_index)


def _proportion(won: Mask) -> Proportion:
    return Proportion(int(np.sum(won)), len(won))


def _optional(part: Proportion | None) -> dict[str, Any] | None:
    return None if part is None else part.to_dict()


def _percent(part: Proportion | None) -> str:
    return f"{part.accuracy:9.1%}" if part is not None and part.trials else f"{'-':>9}"


def _interval(part: Proportion) -> str:
    return "{:.1%} to {:.1%}".format(*part.interval) if part.trials else "no such phrases"
