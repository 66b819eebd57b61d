"""The file of a dictionary: JSON, compressed if its name ends in `.gz`. *Dictionary format* describes it."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.checks import (
    require,
    require_object,
    shortened,
)
from spatial_game.config import GameConfig, Offset
from spatial_game.errors import UserError
from spatial_game.files import library_errors, reading, write_bytes
from spatial_game.game.episodes import IntArray
from spatial_game.json_text import from_json, plain, to_json
from spatial_game.language.counting.columns import NO_EDGE, columns_of
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.bits import Bits
from spatial_game.language.dictionary.build import priors_of
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.language.dictionary.variable import LEAST, Variable, nothing_said

KIND = "dictionary"
FORMAT_VERSION = 3
_HOW = "analyse makes one"
MOST_UNPACKED = 1 << 26
"""The most bytes that a compressed file may unpack to: a small file can make any number of them."""
VIEW = "view"
"""What stands instead of an offset for the view."""
_DIGITS = 3  # of weights, which is enough for bits to 0.001


class DictionaryError(UserError):
    """A dictionary file that cannot be read; names file, field, rule and value."""


# --- Writing ------------------------------------------------------------------------------------------------


def write_dictionary(dictionary: Dictionary, path: str | os.PathLike[str]) -> None:
    """Write a dictionary. An existing file is replaced only when all is written.

    Raises `ValueError` for a compressed file that `read_dictionary` would refuse for its unpacked size.
    """
    require_dictionary(dictionary)
    content = plain(_content(dictionary))
    content["hash"] = _hash(content)
    lines = [f' "{name}": {to_json(value, separators=(",", ":"))}' for name, value in content.items()]
    text = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    if packed := str(path).endswith(".gz"):
        _require_small(text, f"{path}: ", "write it without .gz")
    write_bytes(path, gzip.compress(text, mtime=0) if packed else text)


def _hash(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content of a file."""
    return hashlib.sha256(to_json(content).encode()).hexdigest()


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
    """Return the dictionary of a file's content, which its hash vouches for."""
    kind, version, stored = (content.get(name) for name in ("kind", "format_version", "hash"))
    require(kind == KIND, f'kind must be "{KIND}" ({_HOW})', shortened(kind))
    require(
        version == FORMAT_VERSION, f"format_version must be {FORMAT_VERSION} ({_HOW})", shortened(version)
    )
    found = _hash({name: value for name, value in content.items() if name != "hash"})
    require(
        stored == found, f"hash must be that of the content, which was changed ({_HOW})", shortened(stored)
    )
    with library_errors("must be as it was written", AttributeError, LookupError, TypeError, ValueError):
        return _of(content)


def _of(content: Mapping[str, Any]) -> Dictionary:
    config = GameConfig.from_dict(content["config"])
    messages = np.array(content["messages"], dtype=np.int16)
    stored = {
        tuple(about) if isinstance(about := each["about"], list) else about: each
        for each in content["variables"]
    }
    variables = (
        _variable(stored[about], prior, config)
        if about in stored
        else nothing_said(prior, config.message_length, config.vocab_size, len(messages))
        for about, prior in zip([*config.offsets, VIEW], priors_of(config), strict=True)
    )
    bits = {
        name: tuple(value) if isinstance(value, list) else value for name, value in content["bits"].items()
    }
    return Dictionary(
        config=config,
        messages=messages,
        episodes=np.array(content["message_episodes"], dtype=np.int64),
        total=content["episodes"],
        variables=tuple(variables),
        bits=Bits(**bits | {"slots_by_variable": tuple(map(tuple, bits["slots_by_variable"]))}),
        provenance=tuple(content["provenance"]),
    )


def _variable(content: Mapping[str, Any], prior: FloatArray, config: GameConfig) -> Variable:
    symbols = [_table(slot, len(prior)).toarray() for slot in content["symbols"]]
    return Variable(
        prior=prior,
        symbol_counts=np.stack(symbols),
        pseudo_episodes=np.array(content["pseudo_episodes"], dtype=np.float64),
        exponent=content["exponent"],
        message_counts=_table(content["messages"], len(prior)),
        symbols_weight=np.array(content["symbols_weight"], dtype=np.float64),
        prior_weight=np.array(content["prior_weight"], dtype=np.float64),
        informative=True,
    )


def _table(rows: Sequence[Sequence[int]], size: int) -> sp.csr_array[Any]:
    """Return a table of counts from a list for each row: values and their counts in turn."""
    pairs = np.array([each for row in rows for each in row], dtype=np.int64)
    ends = np.cumsum([0, *map(len, rows)]) // 2
    return sp.csr_array((pairs[1::2], pairs[::2], ends), shape=(len(rows), size))
