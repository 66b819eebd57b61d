"""The study `combines` in words: its table, and its verdict in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from spatial_game.language.wording import listed
from spatial_game.proportions import Proportion
from spatial_game.studies.asked import Asked, Verdict
from spatial_game.studies.study import Scale, accuracy_cells
from spatial_game.tables import Table, Value
from spatial_game.text import between

KEY = (
    "Accuracy: of messages that need two symbols. Each is sent beside distractors that no symbol of it alone "
    "rules out. About another window: the same messages, sent in episodes with other targets (a control). "
    "Symbol by symbol: each symbol says what it usually says in its slot. Offset and integer: one slot says "
    "which neighbour is meant, and the others say which integer stands there."
)
"""What the columns and rows of the table are."""

REASONS = {
    "not understood": "the receiver understands {sent} of the messages that are sent and need two symbols. "
    "One symbol alone may reach half, and guessing gives {guessing}",
    "nearly all sent": "{known} of the messages that are composed {composed} were sent, so the receiver may "
    "know them by heart",
    "few messages": "too few of the composed messages were never sent and need two symbols",
    "few windows": "too few windows were asked ({windows:,})",
}
"""Why nothing can be said."""


def sentence(verdict: Verdict, scale: Scale, asked: Mapping[str, Asked]) -> str:
    """Return a verdict with its grounds."""
    why = grounds(verdict, scale, asked)
    if verdict.reason:
        return f"Cannot say whether its symbols combine: {why[:1].lower()}{why[1:]}"
    return f"Its symbols {_do(verdict.degree)}. {why}"


def grounds(verdict: Verdict, scale: Scale, asked: Mapping[str, Asked]) -> str:
    """Return the figures of a verdict, or why there is none."""
    part = asked.get(verdict.composed or "")
    sent, guessing = f"{scale.sent:.1%}", f"{scale.guessing:.1%}"
    if verdict.reason or part is None:
        known, windows = (f"{1 - part.never_sent:.1%}", part.windows) if part else ("", 0)
        why = REASONS[verdict.reason or ""].format(
            sent=sent, guessing=guessing, composed=verdict.composed, known=known, windows=windows
        )
        return f"{why[:1].upper()}{why[1:]}."
    perhaps = listed([_do(degree) for degree in verdict.perhaps])
    return (
        f"Of the messages that were composed {verdict.composed} and never sent, {part.need_two:.1%} need two "
        f"symbols. The receiver understands {part.accuracy:.1%} of these "
        f"({between((part.low, part.high), '.1%')}; {part.windows:,} windows): {scale.text(part.accuracy)} "
        f"of the way from guessing ({guessing}) to messages that need two symbols and were sent ({sent})."
    ) + (f" By its interval, it may also be that they {perhaps}." if perhaps else "")


def _do(degree: str | None) -> str:
    """Return what symbols do, by a degree: "combine mostly"."""
    return "do not combine" if degree in ("hardly", "not") else f"combine {degree}"


def table(sent: Mapping[str, Proportion], num_episodes: int, asked: Mapping[str, Asked]) -> Table:
    """Return a row for each kind of messages: those that are `sent`, in these episodes, and those `asked`."""
    names = {"own": "the sender's", "dictionary": "the dictionary's"}
    rows: list[tuple[Value, ...]] = [
        (names[name], None, each.trials / num_episodes, None, *accuracy_cells(each, ".1%"), None)
        for name, each in sent.items()
    ]
    for name, part in asked.items():
        need_two = part.need_two if part.never_sent else None
        figures = (part.accuracy, between((part.low, part.high), ".1%"), part.elsewhere)
        measured = (part.windows, *figures) if part.windows else (None, None, None, None)
        rows.append((f"never sent, {name}", part.never_sent, need_two, *measured))
    heading = "Messages | Never sent :.1% | Need two symbols :.1% | Windows :, | Accuracy :.1% | "
    return Table.of(f"{heading}95% interval, by window | About another window :.1%", rows)
