"""Do symbols combine? Messages that were never sent, composed of known parts, are asked of the receiver.

A *composer* knows what parts of messages say, and makes the message that says most of a window:

- **symbol by symbol**: of all messages that the used symbols can make, the one that gives most bits if each
  symbol says by itself what the dictionary says of it in its slot;
- **where and what**: one slot names the place, each of its symbols an offset. For the other slots, one
  table of symbols by integers holds at all offsets.

Only messages that the sender never sent can show that a receiver combines: it may know all others by heart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Agents, Receiver
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.rows import (
    UNKNOWN,
    FloatArray,
    Numbers,
    distinct_rows,
    distinct_windows,
    find_rows,
)
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.speaking import Speaker
from spatial_game.language.wording import listed
from spatial_game.proportions import Proportion
from spatial_game.recording import record
from spatial_game.studies.composers import Composed, symbol_by_symbol, where_and_what
from spatial_game.studies.study import (
    CANNOT_SAY,
    IN_PART,
    LEAST_SENT,
    MOSTLY,
    Study,
    may_be_either,
    share_by_window,
    understood,
    way_text,
    way_to,
)
from spatial_game.tables import Table, Value
from spatial_game.text import between

DEGREES = ((0.9, "fully"), (MOSTLY, "mostly"), (IN_PART, "in part"), (-math.inf, "hardly"))
"""Parts of the way from guessing to messages that are sent: the least of each, and its name."""
VERDICTS = {"fully": "combine", "mostly": "combine", "in part": "combine in part", "hardly": "do not combine"}
RECORDED = 5
"""Episodes that are recorded for each episode that is asked."""
FEWEST = 20
"""The fewest different windows that say something."""
LEAST_COVERED = 2 / 3
"""The least share of the windows for which never-sent messages must speak."""
_GROUPS = 4  # of windows, by how sure the composer is


@dataclass(frozen=True)
class Asked:
    """How well a receiver understands a composer's messages."""

    never_sent: float = 0.0
    """The share of the windows whose composed message was never sent."""
    windows: int = 0
    """The different windows among these."""
    covered: float = 0.0
    """The share of all windows that these speak for: see `_weights`."""
    accuracy: float = math.nan
    """With never-sent messages; NaN without any."""
    low: float = 0.0
    high: float = 1.0
    elsewhere: float = math.nan
    """The accuracy with the same messages, each sent about another of these windows."""
    every: float = math.nan
    """The accuracy with all composed messages, those that were sent included."""
    examples: Mapping[str, tuple[list[int], list[int]]] = field(default_factory=dict)
    """The surest never-sent message and its window, of a `right` and of a `wrong` choice."""

    @property
    def says_something(self) -> bool:
        """Whether there are enough never-sent messages, about all kinds of windows."""
        return self.windows >= FEWEST and self.covered >= LEAST_COVERED


@dataclass(frozen=True)
class Verdict:
    """Whether symbols combine, and why."""

    verdict: str
    """One of `VERDICTS`, or "cannot say"."""
    sentence: str
    degree: str | None = None
    """The degree of `DEGREES`."""
    composer: str | None = None
    """The composer that is understood best."""
    way: tuple[float, float, float] | None = None
    """How far its messages are on the way from guessing to messages that are sent, and the 95% interval."""
    perhaps: tuple[str, ...] = ()
    """Other degrees that the interval includes: "mostly", "not"."""


def combines(agents: Agents, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Ask the receiver of agents messages that its sender never sent.

    They are composed of what a dictionary says of their parts, which is made from `RECORDED` times
    `num_episodes` other episodes. The results have the fields of `Verdict`, the accuracies with the `own`
    sender's and the `dictionary`'s messages, and what was `asked`, by composer. To ask a receiver without a
    sender, let the `Speaker` of a dictionary be the sender.

    Raises `ValueError` for messages of one symbol.
    """
    _require_slots(agents.config)
    rng = np.random.default_rng(random_stream(seed, "combines: dictionary"))
    recorded = draw_episodes(agents.config, RECORDED * num_episodes, rng)
    counts = count(record((agents.sender, None), recorded, agents.config))
    return combines_by(build_dictionary(counts), counts.messages, agents, num_episodes, seed)


def combines_by(
    dictionary: Dictionary, recorded: IntArray, agents: Agents, num_episodes: int, seed: int
) -> Study:
    """Do the same with a dictionary of the messages, and with all messages (M, T) of its recording."""
    config, receiver = agents.config, agents.receiver
    _require_slots(config)
    rng = np.random.default_rng(random_stream(seed, "combines"))
    episodes = draw_episodes(config, num_episodes, rng)
    own = ask_sender(agents.sender, episodes.window, config)
    sent = {"own": own, "dictionary": Speaker(dictionary).send(episodes.window)}
    accuracy = {name: understood(receiver, messages, episodes) for name, messages in sent.items()}
    known = distinct_rows(np.concatenate([recorded, own]))[0]
    composed: dict[str, tuple[slice | Numbers, Composed]] = {
        "symbol by symbol": (slice(None), symbol_by_symbol(dictionary, episodes.window)),
        "where and what": where_and_what(dictionary, episodes.window, rng),
    }
    asked = {
        name: ask(receiver, messages, episodes[rows], known, config, rng)
        for name, (rows, messages) in composed.items()
    }
    best = max(part.accuracy for part in accuracy.values())
    verdict = judge(best, 1 / config.num_candidates, asked)
    results = {
        **asdict(verdict),
        **{name: part.to_dict() for name, part in accuracy.items()},
        "asked": {name: asdict(part) for name, part in asked.items()},
    }
    size = f"n{dictionary.total}+{num_episodes}"
    return Study(config, size, seed, _table(accuracy, asked), results, verdict.sentence)


def _require_slots(config: GameConfig) -> None:
    """Raise `UserError` for messages of one symbol."""
    if config.message_length < 2:
        rule = "message_length must be at least 2 for symbols to combine"
        raise UserError(f"{rule}; got {config.message_length}")


def ask(
    receiver: Receiver,
    composed: Composed,
    episodes: Episodes,
    sent: IntArray,
    config: GameConfig,
    rng: np.random.Generator,
) -> Asked:
    """Ask a receiver the composed messages of episodes that are not among those that were `sent` (M, T)."""
    if not len(composed.message):
        return Asked()
    new = np.flatnonzero(find_rows(sent, composed.message, config.vocab_size) == UNKNOWN)
    won = won_by(receiver, composed.message, episodes)
    every = float(won.mean())
    if not len(new):
        return Asked(every=every)
    window = distinct_windows(episodes.window[new])[1]
    weight, covered = _weights(composed.sure, new, window)
    other = rng.permutation(len(new))
    won_elsewhere = won_by(receiver, composed.message[new[other]], episodes[new])
    right, low, high = share_by_window(won[new], window, weight)
    elsewhere, *_ = share_by_window(won_elsewhere, window, weight)
    examples = {
        name: (composed.message[row].tolist(), episodes.window[row].tolist())
        for name, rows in (("right", new[won[new]]), ("wrong", new[~won[new]]))
        for row in rows[np.argsort(-composed.sure[rows], kind="stable")][:1].tolist()
    }
    return Asked(
        never_sent=len(new) / len(won),
        windows=int(window.max()) + 1,
        covered=covered,
        accuracy=right,
        low=low,
        high=high,
        elsewhere=elsewhere,
        every=every,
        examples=examples,
    )


def _weights(sure: FloatArray, new: Numbers, window: Numbers) -> tuple[FloatArray, float]:
    """Return the weights (n,) of never-sent messages, and the share of all windows that they speak for.

    Windows with never-sent messages may be unlike others: a composer that is unsure makes more of them. So
    windows are grouped by how `sure` (B,) it is, and each group counts by its share of all windows; one with
    too few different windows (n,) counts nothing. `new` are the rows of the never-sent messages.
    """
    sure = np.round(sure)  # less than a bit is no difference
    group = np.searchsorted(np.quantile(sure, np.arange(1, _GROUPS) / _GROUPS), sure)
    share, tried = (np.bincount(each, minlength=_GROUPS) for each in (group, group[new]))
    kinds = np.array([len(np.unique(window[group[new] == number])) for number in range(_GROUPS)])
    share = np.where(kinds >= min(FEWEST, kinds.max()), share / len(group), 0.0)
    return (share / np.maximum(tried, 1))[group[new]], float(share.sum())


def judge(sent: float, chance: float, asked: Mapping[str, Asked]) -> Verdict:
    """Return the verdict on a receiver, by its accuracy with messages that are sent, and with those `asked`.

    A composer works if the receiver understands its messages, sent or not. The verdict is "cannot say" if the
    only composer that works makes too few messages that were never sent.
    """
    if sent - chance < LEAST_SENT:
        right = f"the receiver understands neither its sender nor the dictionary in more than {sent:.1%}"
        return _cannot_say(f"{right}, and guessing gives {chance:.1%}")
    way = partial(way_to, sent, chance)
    tested = {name: part for name, part in asked.items() if part.says_something}
    best = max(tested, key=lambda name: tested[name].accuracy, default=None)
    degree = degree_of(way(tested[best].accuracy)) if best else "hardly"
    works = [name for name, part in asked.items() if degree_of(way(part.every)) != "hardly"]
    if degree == "hardly" and works and not tested.keys() & {*works}:
        known = f"{1 - asked[works[0]].never_sent:.1%} of the messages that one composes {works[0]} were sent"
        return _cannot_say(f"{known}, so the receiver may know them by heart")
    if best is None:
        return _cannot_say("too few composed messages were never sent")
    part = tested[best]
    if may_be_either(way(part.low), way(part.high)):
        return _cannot_say(f"too few windows were asked ({part.windows:,})")
    sentence = (
        f"Its symbols {_do(degree)}: of messages that were never sent, composed {best} for {part.windows:,} "
        f"windows, the receiver understands {part.accuracy:.1%} ({between((part.low, part.high), '.1%')}). "
        f"That is {way_text(way(part.accuracy))} of the way from guessing ({chance:.1%}) to messages "
        f"that are sent ({sent:.1%})."
    )
    others = dict.fromkeys(degree_of(way(end)) for end in (part.low, part.high))
    others.pop(degree, None)
    if others:
        sentence += f" By its interval, it may also be that they {listed([*map(_do, others)])}."
    ends = (way(part.accuracy), way(part.low), way(part.high))
    perhaps = tuple("not" if each == "hardly" else each for each in others)
    return Verdict(VERDICTS[degree], sentence, degree, best, ends, perhaps)


def _do(degree: str) -> str:
    """Return what symbols do, by a degree: "combine mostly"."""
    return "do not combine" if degree == "hardly" else f"combine {degree}"


def _cannot_say(why: str) -> Verdict:
    return Verdict(CANNOT_SAY, f"Cannot say whether its symbols combine: {why}.")


def degree_of(way: float) -> str:
    """Return the name of a part of the way from guessing to messages that are sent: see `DEGREES`."""
    return next((name for least, name in DEGREES if way >= least), "hardly")


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
