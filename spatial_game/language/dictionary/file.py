"""The file of a dictionary: JSON, compressed if its name ends in `.gz`. *Dictionary format* describes it."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.checks import (
    require,
    require_field,
    require_list,
    require_number,
    require_object,
    require_whole,
    shortened,
    within,
)
from spatial_game.config import GameConfig, Offset
from spatial_game.errors import UserError
from spatial_game.files import library_errors, reading, write_bytes
from spatial_game.game.episodes import IntArray
from spatial_game.json_text import from_json, holds_bool, plain, to_json
from spatial_game.language.counting.columns import NO_EDGE, columns_of
from spatial_game.language.counting.rows import FloatArray, Numbers, row_keys
from spatial_game.language.dictionary.build import priors_of
from spatial_game.language.dictionary.dictionary import Bits, Dictionary, require_dictionary
from spatial_game.language.dictionary.variable import LEAST, Variable, nothing_said

KIND = "dictionary"
FORMAT_VERSION = 2
_LARGEST = 2**53 - 1  # of numbers, so that whole ones are exact
MOST_UNPACKED = 1 << 26
"""The most bytes that a compressed file may unpack to: a small file can make any number of them."""
VIEW = "view"
"""What stands instead of an offset for the view."""
_BY_VARIABLE = "messages_by_variable", "symbols_by_variable", "possible_by_variable"  # fields of `Bits`
_DIGITS = 3  # of weights, which is enough for bits to 0.001
_ROUNDED = 10**-_DIGITS  # by which the sum of two such weights may be too large


class DictionaryError(UserError):
    """A dictionary file that cannot be read; names file, field, rule and value."""


# --- Writing ------------------------------------------------------------------------------------------------


def write_dictionary(dictionary: Dictionary, path: str | os.PathLike[str]) -> None:
    """Write a dictionary. An existing file is replaced only when all is written.

    Raises `ValueError` for a compressed file that `read_dictionary` would refuse for its unpacked size.
    """
    require_dictionary(dictionary)
    lines = [
        f' "{name}": {to_json(value, separators=(",", ":"))}' for name, value in _content(dictionary).items()
    ]
    text = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    if packed := str(path).endswith(".gz"):
        _require_small(text, f"{path}: ", "write it without .gz")
    write_bytes(path, gzip.compress(text, mtime=0) if packed else text)


def _require_small(content: bytes, file: str, advice: str) -> None:
    """Raise `ValueError` if a compressed file would unpack, or has been unpacked, to more than the most."""
    if len(content) > MOST_UNPACKED:
        raise UserError(f"{file}must unpack to at most {MOST_UNPACKED >> 20} MiB; {advice}")


def _content(dictionary: Dictionary) -> dict[str, Any]:
    config = dictionary.config
    return {
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "signature": dictionary.signature,
        "config": config.to_dict(),
        "provenance": [dict(origin) for origin in dictionary.provenance],
        "episodes": dictionary.total,
        "bits": asdict(dictionary.bits),
        "views": _views_of(config),
        "messages": dictionary.messages.tolist(),
        "message_episodes": dictionary.episodes.tolist(),
        "variables": [
            {"about": [*config.offsets, VIEW][index], **_tables(variable)}
            for index, variable in dictionary.informative.items()
        ],
    }


def _views_of(config: GameConfig) -> list[tuple[str, list[Offset], float]]:
    """Return the edge of each view, the offsets that are seen, and how often the game draws it."""
    columns = columns_of(config)
    names, views = (*columns.edges, NO_EDGE), columns.views
    of_views = zip(views.edge.tolist(), views.offsets.tolist(), views.share.tolist(), strict=True)
    return [
        (names[edge], [config.offsets[offset] for offset in offsets], share)
        for edge, offsets, share in of_views
    ]


def _tables(variable: Variable) -> dict[str, Any]:
    messages = variable.message_counts
    ends = zip(messages.indptr, messages.indptr[1:], strict=False)
    return {
        "exponent": variable.exponent,
        "pseudo_episodes": variable.pseudo_episodes.tolist(),
        "symbols": [
            [_pairs(np.flatnonzero(row), row[row > 0]) for row in slot] for slot in variable.symbol_counts
        ],
        "symbols_weight": _rounded(variable.symbols_weight),
        "prior_weight": _rounded(variable.prior_weight),
        "messages": [_pairs(messages.indices[a:b], messages.data[a:b]) for a, b in ends],
    }


def _rounded(weights: FloatArray) -> list[float]:
    # What is less than the least probability makes no difference.
    return [float(f"{weight:.{_DIGITS}g}") if weight >= LEAST else 0 for weight in weights.tolist()]


def _pairs(values: IntArray, counts: IntArray) -> list[int]:
    """Return values and their counts in turn, by value."""
    order = np.argsort(values)
    pairs: list[int] = np.column_stack([values[order], counts[order]]).reshape(-1).tolist()
    return pairs


# --- Reading ------------------------------------------------------------------------------------------------


def read_dictionary(path: str | os.PathLike[str]) -> Dictionary:
    """Read a dictionary. Raises `DictionaryError` for a file that is missing, damaged or of another kind."""
    with reading(path, DictionaryError) as file:
        return _dictionary(require_object("a dictionary", _content_of(file)))


def _content_of(path: Path) -> Any:
    content = path.read_bytes()
    if content.startswith(b"PAR1"):
        raise UserError(
            "a dictionary is needed; this is a recording (spatial-game analyse makes its dictionary)"
        )
    if content.startswith(b"\x1f\x8b"):
        damaged = "must be a whole file of gzip"
        with library_errors(damaged, EOFError, zlib.error), gzip.open(path) as packed:
            content = packed.read(MOST_UNPACKED + 1)
        _require_small(content, "", "unpack it first if you trust it")
    return from_json(content)


def _dictionary(content: Mapping[str, Any]) -> Dictionary:
    """Return the dictionary of a file's content. Raises `UserError` with the field that breaks a rule."""
    how = "analyse makes one"
    require(content.get("kind") == KIND, f'kind must be "{KIND}" ({how})', shortened(content.get("kind")))
    fields = partial(require_field, content)
    version = fields("format_version")
    rule = f"format_version must be {FORMAT_VERSION} ({how})"
    require(version == FORMAT_VERSION, rule, shortened(version))
    with within("config"):
        config = GameConfig.from_dict(fields("config"))
    views = fields("views")  # they number what the tables count
    rule = "views must be those of the config, in order"
    require(views == plain(_views_of(config)), rule, shortened(views))
    messages = _messages(fields("messages"), config)
    every = [*config.offsets, VIEW]
    stored = _by_variable(require_list("variables", fields("variables")), every)
    episodes = _integers("message_episodes", fields("message_episodes"), (len(messages),), 1)
    total, counted = require_whole("episodes", fields("episodes"), 1, _LARGEST), sum(episodes.tolist())
    require(counted <= total, "message_episodes must add up to at most episodes", f"{counted} and {total}")
    variables = (
        _variable_of(stored[about], prior, config, episodes, total)
        if about in stored
        else nothing_said(prior, config.message_length, config.vocab_size, len(messages))
        for about, prior in zip(every, priors_of(config), strict=True)
    )
    provenance = require_list("provenance", fields("provenance"))
    return Dictionary(
        config=config,
        messages=messages,
        episodes=episodes,
        total=total,
        variables=tuple(variables),
        bits=_bits(require_object("bits", fields("bits")), config.message_length, len(every)),
        provenance=tuple(require_object("provenance", each) for each in provenance),
    )


def _messages(stored: Any, config: GameConfig) -> IntArray:
    """Return the messages of a file (M, T), which differ and are in order."""
    messages = _integers("messages", stored, (None, config.message_length), 0, config.vocab_size - 1)
    keys = row_keys(messages, config.vocab_size)
    in_order = np.array_equal(np.unique(keys, return_index=True)[1], np.arange(len(keys)))
    require(in_order, "messages must differ, and be in order", "others")
    return messages.astype(np.int16)


def _by_variable(variables: list[Any], every: Sequence[Any]) -> dict[Any, Mapping[str, Any]]:
    """Return the variables of a file by what they are about: one of all offsets, or the view."""
    stored: dict[Any, Mapping[str, Any]] = {}
    for each in variables:
        given = require_field(require_object("variables", each), "about")
        about = tuple(given) if isinstance(given, list) else given
        rule = f"about must be one of {shortened(every, 200)}, each at most once"
        # Of lists, a tuple could hold others, which cannot be a key.
        known = not isinstance(about, bool) and about in every and about not in stored
        require(known, rule, shortened(given))
        stored[about] = each
    return stored


def _variable_of(
    content: Mapping[str, Any], prior: FloatArray, config: GameConfig, episodes: Numbers, total: int
) -> Variable:
    """Return a variable as the file has it.

    Of each message, its table can count at most `episodes` (M,); of the symbols of a slot, at most `total`.
    """
    fields, slots, known = partial(require_field, content), config.message_length, len(episodes)
    stored = require_list("symbols", fields("symbols"))
    symbols = [_table("symbols", slot, config.vocab_size, len(prior)).toarray() for slot in stored]
    require(len(symbols) == slots, f"symbols must be of {slots} slots", len(symbols))
    messages = _table("messages", fields("messages"), known, len(prior))
    _require_at_most("symbols", np.array([table.sum() for table in symbols]), np.full(slots, total))
    _require_at_most("messages", messages.sum(axis=1), episodes)
    of_symbols, of_prior = (
        _array(name, fields(name), (known,), 0, 1) for name in ("symbols_weight", "prior_weight")
    )
    over = np.flatnonzero(of_symbols + of_prior > 1 + _ROUNDED)[:1]
    rule = "symbols_weight and prior_weight of a message must add up to at most 1"
    require(not len(over), rule, f"{of_symbols[over]} and {of_prior[over]}")
    return Variable(
        prior=prior,
        symbol_counts=np.stack(symbols),
        pseudo_episodes=_array("pseudo_episodes", fields("pseudo_episodes"), (slots,), LEAST),
        exponent=float(require_number("exponent", fields("exponent"), 0, _LARGEST)),
        message_counts=messages,
        symbols_weight=of_symbols,
        prior_weight=of_prior,
        informative=True,
    )


def _require_at_most(name: str, counted: Numbers, most: Numbers) -> None:
    """Raise `UserError` if a table counts more episodes (N,) than there are (N,)."""
    for row in np.flatnonzero(counted > most)[:1]:
        raise UserError(
            f"{name} must count no more episodes than there are; got {counted[row]} of {most[row]}"
        )


def _table(name: str, rows: Any, num_rows: int, size: int) -> sp.csr_array[Any]:
    """Return a table of counts from a list for each row: values and their counts in turn."""
    rule = f"{name} must be {num_rows} lists of values and their counts in turn"
    for row in require_list(name, rows):
        require(isinstance(row, list), rule, shortened(row))
    pairs, lengths = _integers(name, [each for row in rows for each in row], (None,)), [*map(len, rows)]
    odd = [length for length in lengths if length % 2]
    require(not odd, rule, f"{len(odd)} of an odd length")
    try:
        table = sp.csr_array((pairs[1::2], pairs[::2], np.cumsum([0, *lengths]) // 2), shape=(num_rows, size))
        table.check_format()
    except ValueError as error:
        raise UserError(f"{rule}; {error}") from None
    return table


def _integers(
    name: str, value: Any, shape: tuple[int | None, ...], low: int = 0, high: int = _LARGEST
) -> Numbers:
    """Return lists of whole numbers from `low` to `high` as an array of this shape."""
    numbers = _array(name, value, shape, low, high)
    require(bool((numbers % 1 == 0).all()), f"{name} must be whole numbers", shortened(value))
    fits = numbers.sum() <= _LARGEST
    require(bool(fits), f"{name} must add up to at most {_LARGEST}", f"{numbers.sum():g}")
    return numbers.astype(np.int64)


def _array(
    name: str, value: Any, shape: tuple[int | None, ...], low: float = -_LARGEST, high: float = _LARGEST
) -> FloatArray:
    """Return lists of numbers from `low` to `high` as an array of this shape (None: any length)."""
    try:
        array = np.array(value)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    # NumPy makes texts of all values if one is a text, and numbers of true and false beside numbers.
    if (array.dtype.kind not in "iuf" and array.size) or holds_bool(value):
        raise UserError(f"{name} must be numbers; got {shortened(value)}")
    array = array.astype(np.float64)
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    require(fits, f"{name} must have shape {shape}", array.shape)
    unbounded = high == _LARGEST and bool((array <= high).all())
    rule = f"at least {low}" if unbounded else f"in {low}..{high}"
    require(bool(((low <= array) & (array <= high)).all()), f"{name} must be {rule}", shortened(value))
    return array


def _bits(content: Mapping[str, Any], slots: int, variables: int) -> Bits:
    """Return the bits of a file, if they are numbers, and as many as there are slots and variables."""

    def numbers(name: str, *shape: int) -> Any:
        return _array(f"bits.{name}", require_field(content, name), shape).tolist()

    found: dict[str, Any] = {name: numbers(name) for name in ("entropy", "messages", "symbols", "unknown")}
    found |= {name: tuple(numbers(name, variables)) for name in _BY_VARIABLE}
    by_slot = tuple(map(tuple, numbers("slots_by_variable", slots, variables)))
    return Bits(**found, slots_by_variable=by_slot, episodes=int(numbers("episodes")))
