"""The file of a lexicon: JSON, compressed if its name ends in `.gz`. *Lexicon format* describes it."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.checks import require_list, require_number, require_object, require_whole, shortened
from spatial_game.config import GameConfig
from spatial_game.files import fault_of_file, write_bytes
from spatial_game.game.episodes import IntArray
from spatial_game.json_text import from_json, to_json
from spatial_game.language.counting.places import VIEW, edge_names, views_of
from spatial_game.language.counting.rows import FloatArray, Numbers, row_keys
from spatial_game.language.dictionary.build import MOST_CELLS, most_words, priors_of
from spatial_game.language.dictionary.lexicon import Bits, Lexicon
from spatial_game.language.dictionary.variable import LEAST, Variable

KIND = "lexicon"
FORMAT_VERSION = 1
MOST_BYTES = 1 << 27
"""The size of the largest file that is read, uncompressed: 128 MiB."""
_DIGITS = 3  # of weights, which is enough for bits to 0.001


class LexiconError(ValueError):
    """A lexicon file that cannot be read; names file, field, rule and value."""


# --- Writing ------------------------------------------------------------------------------------------------


def write_lexicon(lexicon: Lexicon, path: str | os.PathLike[str]) -> None:
    """Write a lexicon. An existing file is replaced only when all is written."""
    lines = [
        f' "{name}": {to_json(value, separators=(",", ":"))}' for name, value in _content(lexicon).items()
    ]
    text = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    write_bytes(path, gzip.compress(text, mtime=0) if str(path).endswith(".gz") else text)


def _content(lexicon: Lexicon) -> dict[str, Any]:
    config, views = lexicon.config, views_of(lexicon.config)
    names = edge_names(config)
    return {
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "signature": lexicon.signature,
        "config": config.to_dict(),
        "provenance": [dict(origin) for origin in lexicon.provenance],
        "episodes": lexicon.total,
        "bits": asdict(lexicon.bits),
        "views": [
            [names[edge], [_place(config, cell) for cell in np.flatnonzero(shown).tolist()], share]
            for edge, shown, share in zip(views.edge.tolist(), views.shown, views.share.tolist(), strict=True)
        ],
        "messages": lexicon.messages.tolist(),
        "message_episodes": lexicon.episodes.tolist(),
        "variables": [
            _variable(variable, _place(config, place))
            for place, variable in enumerate(lexicon.variables)
            if variable.told
        ],
    }


def _place(config: GameConfig, place: int) -> Any:
    """Return a place as JSON holds it: an offset, in a grid a list with its steps, or "view"."""
    if place == len(config.offsets):
        return VIEW
    offset = config.offsets[place]
    return list(offset) if isinstance(offset, tuple) else offset


def _variable(variable: Variable, place: Any) -> dict[str, Any]:
    words = variable.words
    ends = zip(words.indptr, words.indptr[1:], strict=False)
    return {
        "place": place,
        "exponent": variable.exponent,
        "pseudo_episodes": variable.pseudo_episodes.tolist(),
        "letters": [[_pairs(np.flatnonzero(row), row[row > 0]) for row in slot] for slot in variable.letters],
        "letters_weight": _rounded(variable.letters_weight),
        "prior_weight": _rounded(variable.prior_weight),
        "words": [_pairs(words.indices[a:b], words.data[a:b]) for a, b in ends],
    }


def _rounded(weights: FloatArray) -> list[float]:
    # What is less than the least probability makes no difference.
    return [float(f"{weight:.{_DIGITS}g}") if weight >= LEAST else 0 for weight in weights.tolist()]


def _pairs(values: IntArray, counts: IntArray) -> list[int]:
    """Return values and their counts in turn, by value."""
    order = np.argsort(values)
    found: list[int] = np.column_stack([values[order], counts[order]]).reshape(-1).tolist()
    return found


# --- Reading ------------------------------------------------------------------------------------------------


def read_lexicon(path: str | os.PathLike[str]) -> Lexicon:
    """Read a lexicon. Raises `LexiconError` for a file that is missing, damaged or of another kind."""
    fault = fault_of_file(Path(path))
    if fault is not None:
        raise LexiconError(f"{path}: {fault}")
    try:
        return _lexicon(require_object("a lexicon", from_json(_text_of(Path(path)))))
    except KeyError as error:
        raise LexiconError(f"{path}: a lexicon must have the field {error.args[0]}") from None
    except (EOFError, zlib.error, OSError, ValueError, TypeError) as error:
        if Path(path).read_bytes()[:4] == b"PAR1":
            said = "a lexicon is needed; this is a recording (spatial-game analyse makes its lexicon)"
            raise LexiconError(f"{path}: {said}") from None
        raise LexiconError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _text_of(path: Path) -> str:
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rb") if compressed else path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"a lexicon must have at most {MOST_BYTES:,} bytes; got more")
    return content.decode()


def _lexicon(content: Mapping[str, Any]) -> Lexicon:
    """Return the lexicon of a file's content. Raises `ValueError`, `TypeError` or `KeyError`."""
    if content.get("kind") != KIND:
        how = "analyse without --select npmi makes one"
        raise ValueError(f'kind must be "{KIND}" ({how}); got {shortened(content.get("kind"))}')
    if content["format_version"] != FORMAT_VERSION:
        raise ValueError(
            f"format_version must be {FORMAT_VERSION}; got {shortened(content['format_version'])}"
        )
    config = GameConfig.from_dict(require_object("config", content["config"]))
    messages = _integers("messages", content["messages"], config.vocab_size - 1)
    if messages.ndim != 2 or not len(messages) or messages.shape[1] != config.message_length:
        raise ValueError(f"messages must be lists of {config.message_length} symbols; got others")
    messages = messages.astype(np.int16)
    keys = row_keys(messages, config.vocab_size)
    if (np.argsort(keys, kind="stable") != np.arange(len(keys))).any() or len(np.unique(keys)) < len(keys):
        raise ValueError("messages must differ, and be in order; some are not")
    if len(messages) > most_words(config):
        raise ValueError(
            f"messages must be at most {most_words(config):,} in this game; got {len(messages):,}"
        )
    stored = {}
    for each in require_list("variables", content["variables"]):
        place = require_object("a variable", each)["place"]
        stored[tuple(place) if isinstance(place, list) else place] = each
    places = [*config.offsets, VIEW]
    if unknown := [place for place in stored if place not in places]:
        raise ValueError(f"place must be among {shortened(places, 200)}; got {shortened(unknown[0])}")
    priors = dict(zip(places, priors_of(config), strict=True))
    cells = config.message_length * config.vocab_size * sum(len(priors[place]) for place in stored)
    if cells > MOST_CELLS:
        raise ValueError(f"letters must have at most {MOST_CELLS:,} cells in all; got {cells:,}")
    return Lexicon(
        config,
        messages,
        _integers("message_episodes", content["message_episodes"], length=len(messages), low=1),
        require_whole("episodes", content["episodes"], 1),
        tuple(
            _variable_of(stored.get(place), prior, config, len(messages)) for place, prior in priors.items()
        ),
        _bits(require_object("bits", content["bits"]), config),
        tuple(
            require_object("provenance", origin)
            for origin in require_list("provenance", content["provenance"])
        ),
    )


def _variable_of(
    content: Mapping[str, Any] | None, prior: FloatArray, config: GameConfig, num_words: int
) -> Variable:
    """Return a variable as the file has it; one that it does not have says nothing."""
    slots, symbols, k = config.message_length, config.vocab_size, len(prior)
    if content is None:
        letters = np.broadcast_to(np.int64(0), (slots, symbols, k))  # it takes no memory
        words, nothing = sp.csr_array((num_words, k), dtype=np.int64), np.zeros(num_words)
        return Variable(prior, letters, np.ones(slots), 0.0, words, nothing, nothing + 1, told=False)
    tables = [
        _table("letters", require_list("letters", slot, symbols), k).toarray()
        for slot in require_list("letters", content["letters"], slots)
    ]
    letters, words = np.stack(tables), _table("words", require_list("words", content["words"], num_words), k)
    totals = letters.sum(axis=1)
    if (totals != totals[0]).any() or (words.sum(axis=0) > totals[0]).any():
        raise ValueError("letters must count the same episodes in each slot, and words no more; some do not")
    w, u = (_numbers(name, content[name], 0, 1, num_words) for name in ("letters_weight", "prior_weight"))
    if (w + u > 1.01).any():  # they are rounded
        raise ValueError("letters_weight and prior_weight must add up to at most 1; some do not")
    return Variable(
        prior,
        letters,
        _numbers("pseudo_episodes", content["pseudo_episodes"], 1e-6, 1e9, slots),
        require_number("exponent", content["exponent"], 0, 10),
        words,
        w,
        u,
        told=True,
    )


def _table(name: str, rows: Sequence[Any], size: int) -> sp.csr_array[Any]:
    """Return a table of counts from a list for each row: values and their counts in turn."""
    lengths = [len(require_list(name, row)) for row in rows]
    pairs = _integers(name, [each for row in rows for each in row])
    if any(length % 2 for length in lengths):
        raise ValueError(f"{name} must be values and their counts in turn; some list has an odd length")
    values, counts, ends = pairs[::2], pairs[1::2], np.cumsum([0, *lengths]) // 2
    if len(values) and values.max() >= size:
        raise ValueError(f"{name} must have values of 0..{size - 1}; got {values.max()}")
    table = sp.csr_array((counts, values, ends), shape=(len(rows), size))
    if not table.has_canonical_format:
        raise ValueError(f"{name} must have each value once, in order; some row has not")
    return table


def _integers(name: str, value: Any, high: int = 2**53, length: int | None = None, low: int = 0) -> Numbers:
    """Return an array of whole numbers in low..high."""
    try:
        found = np.array(require_list(name, value, length) or np.zeros(0, dtype=np.int64))
    except ValueError:
        found = np.zeros(1)
    if found.dtype.kind != "i" or (found.size and not low <= found.min() <= found.max() <= high):
        raise ValueError(f"{name} must be whole numbers in {low}..{high}, in lists of the same length")
    return found.astype(np.int64)


def _numbers(name: str, value: Any, low: float, high: float, length: int) -> FloatArray:
    return np.array([require_number(name, each, low, high) for each in require_list(name, value, length)])


def _bits(content: Mapping[str, Any], config: GameConfig) -> Bits:
    """Return the account in bits. Raises `ValueError` for figures that are none, or not of this game."""
    places, least, most = len(config.offsets) + 1, -1e6, 1e6
    found: dict[str, Any] = {}
    for each in fields(Bits):
        value, name = content[each.name], f"bits.{each.name}"
        if each.name == "episodes":
            found[each.name] = require_whole(name, value, 0)
        elif each.name == "slots_by_place":
            slots = require_list(name, value, config.message_length)
            found[each.name] = tuple(
                tuple(_numbers(name, slot, least, most, places).tolist()) for slot in slots
            )
        elif each.name.endswith("by_place"):
            found[each.name] = tuple(_numbers(name, value, least, most, places).tolist())
        else:
            found[each.name] = require_number(name, value, least, most)
    return Bits(**found)
