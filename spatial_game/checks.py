"""Checks of values that users and files give: the errors name the field, the rule and the value."""

from __future__ import annotations

import contextlib
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.errors import UserError, UserTypeError

_FEW = 32
"""Numbers in a row, up to which it is faster to compare each two than to sort."""


def require(holds: bool, rule: str, value: object) -> None:
    """Raise `ValueError` with the rule and the value unless the rule holds."""
    if not holds:
        raise UserError(f"{rule}; got {value}")


def require_whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return a whole number from `low` to `high`; NumPy's integers become Python's.

    Raises `TypeError` for what is no whole number, and `ValueError` for one out of range.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise UserTypeError(f"{name} must be a whole number; got {shortened(value)}")
    whole = int(value)
    rule = f"at least {low}" if high is None else f"in {low}..{high}"
    require(low <= whole and (high is None or whole <= high), f"{name} must be {rule}", shortened(whole))
    return whole


def require_number(
    name: str, value: Any, low: float, high: float = math.inf, *, above: bool = False, below: bool = False
) -> float:
    """Return a finite number of at least `low` and at most `high`; NumPy's numbers become Python's.

    With `above` it is greater than `low`, and with `below` less than `high`. Raises `TypeError` for what
    is no number, and `UserError` for one out of range, not finite or NaN.
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        raise UserTypeError(f"{name} must be a number; got {shortened(value)}")
    number = int(value) if isinstance(value, Integral) else float(value)
    rule = f"{'above' if above else 'at least'} {low}"
    if high == math.inf:
        rule = f"finite and {rule}"
    else:
        rule = f"{rule} and below {high}" if below else f"in {low}..{high}"
    excluded = [low] * above + [high] * below
    fits = low <= number <= high and number not in excluded and abs(number) <= sys.float_info.max
    require(fits, f"{name} must be {rule}", shortened(number))
    return number


def require_bool(name: str, value: Any) -> bool:
    """Return True or False; NumPy's become Python's.

    Raises `TypeError` for anything else. (The text "False" would count as true.)
    """
    if not isinstance(value, (bool, np.bool_)):
        raise UserTypeError(f"{name} must be true or false; got {shortened(value)}")
    return bool(value)


def check_integers(
    field: str,
    values: npt.ArrayLike,
    shape: tuple[int | None, ...],
    bound: int,
    *,
    low: int = 0,
    first_row: int | None = None,
) -> npt.NDArray[np.integer[Any]]:
    """Return `values` as an array, if they are integers of this shape (None: any number) in low..bound-1.

    Raises `TypeError` or `ValueError` that name `field`, the rule and the value, and its row if the number of
    the first one is given. Booleans are not integers.
    """
    try:
        array: npt.NDArray[Any] = np.asarray(values)
    except ValueError:  # a ragged list
        raise UserError(f"{field} must have shape {shape}; got lists of different lengths") from None
    except RuntimeError:  # torch's: integers have no gradients
        raise UserTypeError(f"{field} must be integers; got a tensor with gradients") from None
    if array.dtype.kind not in "iu":
        given = f"dtype {array.dtype}" if array.size > 1 else repr(values)
        raise UserTypeError(f"{field} must be {'integers' if shape else 'an integer'}; got {given}")
    if array.shape != shape:
        fits = [wanted in (None, given) for wanted, given in zip(shape, array.shape, strict=False)]
        if array.ndim != len(shape) or not all(fits):
            raise UserError(f"{field} must have shape {shape}; got {array.shape}".replace("None", "any"))
    if array.size <= 16:  # for a few, Python's own integers are several times as fast
        few = array.ravel().tolist()
        within = not few or (min(few) >= low and max(few) < bound)
    else:
        within = array.min() >= low and array.max() < bound
    if not within:
        wrong = (array < low) | (array >= bound)
        where = "" if first_row is None else f" in row {first_row + np.argwhere(wrong)[0][0]}"
        raise UserError(f"{field} must be in {low}..{bound - 1}; got {array[wrong].flat[0]}{where}")
    return array


def refuse_rows(
    wrong: npt.NDArray[np.bool_], rule: str, values: npt.NDArray[Any], first_row: int = 0
) -> None:
    """Raise `ValueError` with the rule and the values of the first row that is wrong, if there is one."""
    if wrong.any():
        row = int(wrong.argmax())
        raise UserError(f"{rule}; got {values[row].tolist()} in row {first_row + row}")


def repeated(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return (B,), the rows of integers (B, n) in which one stands twice; those below 0 do not count."""
    if values.shape[1] > _FEW:
        ordered = np.sort(values, axis=1)
        return np.asarray(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1))
    repeats, cells = np.zeros(len(values), dtype=np.bool_), np.ascontiguousarray(values.T)
    for i, cell in enumerate(cells):
        for earlier in cells[:i]:
            repeats |= (cell == earlier) & (cell >= 0)
    return repeats


def require_kind(name: str, value: object, kind: type, made_by: str) -> None:
    """Raise `TypeError` unless a value is of a class. `made_by`: what returns one, `count(recording)`."""
    if not isinstance(value, kind):
        raise UserTypeError(f"{name} must be {kind.__name__}, as {made_by} returns; got {kind_of(value)}")


def require_takes(name: str, function: Callable[..., Any], *arguments: str) -> None:
    """Raise `ValueError` unless a function can be called with these arguments, and has them in this order."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # such as some that are written in C
        return
    takes = list(signature.parameters)
    first = takes[: len(arguments)]
    fits = sorted(first) != sorted(arguments) or first == [*arguments]
    with contextlib.suppress(TypeError):
        signature.bind(*arguments)
        if fits:
            return
    raise UserError(f"{name} must take ({', '.join(arguments)}); got ({', '.join(takes)})")


def kind_of(value: object) -> str:
    """Return a text in quotes, or the name of the class of anything else."""
    return repr(value) if isinstance(value, str) else type(value).__name__


def require_one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise `ValueError` if a value is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        near = did_you_mean(str(value), choices)
        raise UserError(f"{name} must be one of {', '.join(choices)}; got {shortened(value)}{near}")


def require_object(name: str, value: Any) -> Mapping[str, Any]:
    """Return a JSON object. Raises `ValueError` for anything else."""
    require(isinstance(value, Mapping), f"{name} must be a JSON object", shortened(value))
    return value  # type: ignore[no-any-return]


def require_field(fields: Mapping[str, Any], name: str) -> Any:
    """Return a field of a JSON object. Raises `ValueError` if it is missing."""
    if name not in fields:
        raise UserError(f"must have the field {name}")
    return fields[name]


@contextlib.contextmanager
def within(name: str) -> Iterator[None]:
    """Let a `UserError` of the block say that it is about this part of a file."""
    try:
        yield
    except UserError as error:
        raise type(error)(f"{name}: {error}") from None


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return ` (did you mean "oracle"?)` with the known name nearest to the given one; "" if none is near."""
    from difflib import get_close_matches  # loaded for the rare error alone

    near = get_close_matches(given, list(known), n=1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def shortened(value: Any, length: int = 60) -> str:
    """Return a value as it would be written in code, cut to `length` characters."""
    text = repr(value)
    return text if len(text) <= length else f"{text[: length - 3]}..."
