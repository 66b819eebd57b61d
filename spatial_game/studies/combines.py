"""Do symbols combine? The receiver is asked messages that were never sent and need two of their symbols.

The messages are composed of what a dictionary says of their parts (`composing`). Only those that the sender
never sent can show that a receiver combines: it may know all others by heart. And only those that need two
symbols (`two_symbols`) can: whoever understands one symbol alone finds many targets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Literal

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
from spatial_game.proportions import Proportion
from spatial_game.recording import record
from spatial_game.studies import combines_text
from spatial_game.studies.asked import FEWEST, Asked, NewMessage, Verdict
from spatial_game.studies.composing import WAYS, Composed, compose
from spatial_game.studies.study import (
    CANNOT_SAY,
    IN_PART,
    LEAST_SENT,
    MOSTLY,
    Scale,
    Study,
    may_be_either,
    share_by_window,
    understood,
)
from spatial_game.studies.two_symbols import needing_two

DEGREES = ((0.9, "fully"), (MOSTLY, "mostly"), (IN_PART, "in part"), (-math.inf, "hardly"))
"""Parts of the `Scale` from guessing to messages that are sent: the least of each, and its name."""
VERDICTS = {"fully": "combine", "mostly": "combine", "in part": "combine in part", "hardly": "do not combine"}
RECORDED = 5
"""Episodes that are recorded for each episode that is asked."""
ONE_SYMBOL = 1 / 2
"""How often one symbol finds the target at most, beside a distractor that it suits as well."""
EXAMPLES_FROM = 20_000
"""Other windows for which messages are composed that may become examples."""
TRIED, FEWEST_TIMES, MOST_TIMES = 20, 10, 40
"""The messages that may become an example, and for how many different windows each of them is sent."""
_GROUPS = 4  # of windows, by how sure one is of the composed message


def combines(agents: Agents, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Ask the receiver of agents messages that its sender never sent, and that need two symbols.

    They are composed of what a dictionary says of their parts, which is made from `RECORDED` times
    `num_episodes` other episodes. The results have the fields of `Verdict`, its `grounds` in words, the
    accuracies with the `own` sender's and the `dictionary`'s messages, how often those that need two symbols
    are understood if they are `sent`, what was `asked`, by how it is composed, and `examples`. To ask a
    receiver without a sender, let the `Speaker` of a dictionary be the sender.

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
    messages = {"own": own, "dictionary": Speaker(dictionary).send(episodes.window)}
    sent = {
        name: _understood_by_two(receiver, dictionary, each, episodes, rng) for name, each in messages.items()
    }
    best = max((part.accuracy for part in sent.values() if part.trials), default=0.0)
    scale = Scale(1 / config.num_candidates, best)
    known = distinct_rows(np.concatenate([recorded, own]))[0]
    composed = {way: compose(way, dictionary, episodes.window, rng) for way in WAYS}
    asked = {
        way: ask(receiver, dictionary, each, episodes[rows], known, rng)
        for way, (rows, each) in composed.items()
    }
    verdict = judge(scale, asked)
    shown = examples(receiver, dictionary, verdict.composed, known, scale, seed)
    results = {
        **asdict(verdict),
        **{name: understood(receiver, each, episodes).to_dict() for name, each in messages.items()},
        "sent": scale.sent,
        "asked": {name: asdict(part) for name, part in asked.items()},
        "grounds": combines_text.grounds(verdict, scale, asked),
        "examples": {name: asdict(each) for name, each in shown.items()},
    }
    return Study(
        config,
        f"n{dictionary.total}+{num_episodes}",
        seed,
        combines_text.table(sent, num_episodes, asked),
        results,
        combines_text.sentence(verdict, scale, asked),
        combines_text.KEY,
    )


def _require_slots(config: GameConfig) -> None:
    """Raise `UserError` for messages of one symbol."""
    if config.message_length < 2:
        rule = "message_length must be at least 2 for symbols to combine"
        raise UserError(f"{rule}; got {config.message_length}")


def _understood_by_two(
    receiver: Receiver,
    dictionary: Dictionary,
    messages: IntArray,
    episodes: Episodes,
    rng: np.random.Generator,
) -> Proportion:
    """Return how often a receiver understands those of the messages (B, T) that need two symbols."""
    rows, episodes = needing_two(dictionary, messages, episodes, rng)
    return understood(receiver, messages[rows], episodes)


def ask(
    receiver: Receiver,
    dictionary: Dictionary,
    composed: Composed,
    episodes: Episodes,
    sent: IntArray,
    rng: np.random.Generator,
) -> Asked:
    """Ask a receiver the composed messages of episodes that need two symbols and were never `sent` (M, T)."""
    if not len(composed.message):
        return Asked()
    never = find_rows(sent, composed.message, dictionary.config.vocab_size) == UNKNOWN
    rows, episodes = needing_two(dictionary, composed.message, episodes, rng)
    message, sure = composed.message[rows], composed.sure[rows]
    won = won_by(receiver, message, episodes)
    new = np.flatnonzero(never[rows])
    found = Asked(
        never_sent=float(never.mean()),
        need_two=len(new) / never.sum() if never.any() else math.nan,
        every=float(won.mean()) if len(won) else math.nan,
    )
    if not len(new):
        return found
    window = distinct_windows(episodes.window[new])[1]
    weight, covered = _weights(sure, new, window)
    won_elsewhere = won_by(receiver, message[rng.permutation(new)], episodes[new])
    right, low, high = share_by_window(won[new], window, weight)
    elsewhere, *_ = share_by_window(won_elsewhere, window, weight)
    return replace(
        found,
        windows=int(window.max()) + 1,
        covered=covered,
        accuracy=right,
        low=low,
        high=high,
        elsewhere=elsewhere,
    )


def _weights(sure: FloatArray, new: Numbers, window: Numbers) -> tuple[FloatArray, float]:
    """Return the weights (n,) of never-sent messages, and the share of all windows that they speak for.

    Windows with never-sent messages may be unlike others: there are more of them where one is unsure what to
    compose. So windows are grouped by how `sure` (B,) one is, and each group counts by its share of all
    windows; one with too few different windows (n,) counts nothing. `new` are the rows of the never-sent
    messages.
    """
    sure = np.round(sure)  # less than a bit is no difference
    group = np.searchsorted(np.quantile(sure, np.arange(1, _GROUPS) / _GROUPS), sure)
    share, tried = (np.bincount(each, minlength=_GROUPS) for each in (group, group[new]))
    kinds = np.array([len(np.unique(window[group[new] == number])) for number in range(_GROUPS)])
    share = np.where(kinds >= min(FEWEST, kinds.max()), share / len(group), 0.0)
    return (share / np.maximum(tried, 1))[group[new]], float(share.sum())


def examples(
    receiver: Receiver, dictionary: Dictionary, way: str | None, sent: IntArray, scale: Scale, seed: int
) -> dict[Literal["right", "wrong"], NewMessage]:
    """Return a message that was never `sent` (M, T) and is understood, and one that is not, if there are any.

    They are among those that one would compose for most windows. Each is sent for several of these. It is
    understood if its accuracy is nearer to that of messages that are sent than to guessing, by the whole 95%
    interval.
    """
    config, rng = dictionary.config, np.random.default_rng(random_stream(seed, "combines: examples"))
    if way is None:
        return {}
    episodes = draw_episodes(config, EXAMPLES_FROM, rng)
    episodes = episodes[np.unique(episodes.window, axis=0, return_index=True)[1]]
    rows, composed = compose(way, dictionary, episodes.window, rng)
    never = find_rows(sent, composed.message, config.vocab_size) == UNKNOWN
    message, episodes = composed.message[never], episodes[rows[never]]
    found: dict[Literal["right", "wrong"], NewMessage] = {}
    if not len(message):
        return found
    rows, episodes = needing_two(dictionary, message, episodes, rng)
    distinct, number = distinct_rows(message[rows])
    often = np.bincount(number, minlength=len(distinct))
    for tried in np.argsort(-often, kind="stable")[:TRIED]:
        own = np.flatnonzero(number == tried)[:MOST_TIMES]
        if len(own) < FEWEST_TIMES:
            break
        won = won_by(receiver, message[rows[own]], episodes[own])
        low, high = map(scale.of, Proportion.of(won).interval)
        if low <= 1 / 2 <= high:
            continue
        is_right = low > 1 / 2
        window = episodes.window[own[np.argmax(won == is_right)]]
        each = NewMessage(tuple(distinct[tried].tolist()), tuple(window.tolist()), int(won.sum()), len(won))
        found.setdefault("right" if is_right else "wrong", each)
    return dict(sorted(found.items()))


def judge(scale: Scale, asked: Mapping[str, Asked]) -> Verdict:
    """Return the verdict on a receiver, by what was `asked`.

    Composing in one way works if the receiver understands the messages, sent or not. The verdict is "cannot
    say" if the only way that works makes too few messages that were never sent.
    """
    if scale.sent - max(scale.guessing, ONE_SYMBOL) < LEAST_SENT:
        return Verdict(CANNOT_SAY, "not understood")
    tested = {name: part for name, part in asked.items() if part.says_something}
    best = max(tested, key=lambda name: tested[name].accuracy, default=None)
    degree = degree_of(scale.of(tested[best].accuracy)) if best else "hardly"
    works = [name for name, part in asked.items() if degree_of(scale.of(part.every)) != "hardly"]
    if degree == "hardly" and works and not tested.keys() & {*works}:
        return Verdict(CANNOT_SAY, "nearly all sent", composed=works[0])
    if best is None:
        return Verdict(CANNOT_SAY, "few messages")
    part = tested[best]
    scaled = scale.of(part.accuracy), scale.of(part.low), scale.of(part.high)
    if may_be_either(*scaled[1:]):
        return Verdict(CANNOT_SAY, "few windows", composed=best)
    others = dict.fromkeys(map(degree_of, scaled[1:]))
    others.pop(degree, None)
    perhaps = tuple("not" if each == "hardly" else each for each in others)
    return Verdict(VERDICTS[degree], None, degree, best, scaled, perhaps)


def degree_of(scaled: float) -> str:
    """Return the name of a part of the scale from guessing to messages that are sent: see `DEGREES`."""
    return next((name for least, name in DEGREES if scaled >= least), "hardly")
