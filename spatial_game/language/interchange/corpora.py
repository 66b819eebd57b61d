"""Messages without meanings (ELCC) and with meanings (CSAR), as lines of JSON."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.files import replacing, write_text
from spatial_game.game.episodes import IntArray, mask_columns
from spatial_game.language.counting.columns import integers_at_offsets, num_shown
from spatial_game.language.counting.counts import Source
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import (
    InterchangeError,
    from_json,
    reading,
)
from spatial_game.language.measures.corpus import LARGEST_SYMBOL, Corpus
from spatial_game.language.measures.resampling import Groups, entropies
from spatial_game.language.measures.spoken import SpokenMessages
from spatial_game.recording import ANALYSED

# Of a table of messages: 4 GiB.
_MOST_CELLS = 1 << 30

# --- Messages alone ---------------------------------------------------------------------------------------


def read_corpus(path: str | os.PathLike[str], *, vocab_size: int | None = None) -> Corpus:
    """Read a JSONL of messages of any length; each line has the symbols of one, such as `[5, 1, 5]`.

    Raises `InterchangeError` naming file, line, rule and value.
    """
    with reading(path) as file:
        messages = [_symbols(line, f"line {number}", vocab_size) for number, line in _lines(file)]
        longest = max(map(len, messages), default=0)
        if len(messages) * longest > _MOST_CELLS:
            raise InterchangeError(
                f"lines times the longest must be at most {_MOST_CELLS}; got {len(messages)} times {longest}"
            )
        return Corpus.from_lists(messages, vocab_size=vocab_size, provenance={"imported_from": file.name})


def write_corpus(source: Source | Corpus, path: str | os.PathLike[str]) -> int:
    """Write messages as a JSONL, and return their number."""
    written = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for messages in _message_lists(source):
            file.writelines(f"{message}\n" for message in messages)
            written += len(messages)
    return written


def _message_lists(source: Source | Corpus) -> Iterator[list[list[int]]]:
    if isinstance(source, Corpus):
        yield source.lists()
    else:
        for block in source.blocks(columns=ANALYSED):
            yield block.message.tolist()


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers from 1."""
    with file.open(encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            if line.strip():
                yield number, line


def _symbols(text: str, place: str, vocab_size: int | None) -> list[int]:
    value = from_json(text, place)
    largest = LARGEST_SYMBOL if vocab_size is None else vocab_size - 1
    if not isinstance(value, list):
        raise InterchangeError(f"{place}: symbols must be a list; got {shortened(value)}")
    for item in value:
        if type(item) is not int or not 0 <= item <= largest:
            raise InterchangeError(
                f"{place}: symbols must be whole numbers in 0..{largest}; got {shortened(item)}"
            )
    return value


# --- ELCC's folders ---------------------------------------------------------------------------------------

SYSTEM_FIELDS: Mapping[str, Any] = {
    "game_type": "signalling",
    "game_subtype": "discrimination",
    "data_source": "synthetic",
    "observation_type": "vector",
    "observation_continuous": False,
    "seeding_available": True,
    "multi_step": False,
    "more_than_2_agents": False,
    "multi_utterance": False,
    "symmetric_agents": False,
}
"""The description of a system that ELCC requires, for this game."""


def export_elcc(
    source: Source | Corpus,
    folder: str | os.PathLike[str],
    *,
    variant: str,
    system: str = "spatial-game",
    origin: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Path:
    """Write messages in ELCC's layout (Boldt & Mortensen 2024) and return the variant's folder.

    Makes `systems/<system>/data/<variant>/{corpus.jsonl,metadata.json}` under `folder`, and adds the variant
    to `systems/<system>/{metadata.yml,system.json}`; an old one of that name is replaced. `origin` may say
    `source`, `upstream_source` and `paper`; `settings` (default: the game) describe the variant.

    Raises `InterchangeError` for invalid folder names, and for a system.json in another format.
    """
    for what, name in (("system", system), ("variant", variant)):
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", name):
            raise InterchangeError(f"{what} must be a name of letters, digits and ._+-; got {name!r}")
    home = Path(folder) / "systems" / system
    if settings is None:
        settings = {} if isinstance(source, Corpus) else source.config.to_dict()
    metadata = _system_metadata(home / "system.json", system, origin or {}, variant, settings)
    place = home / "data" / variant
    write_corpus(source, place / "corpus.jsonl")
    statistics = _statistics(place / "corpus.jsonl")
    write_text(place / "metadata.json", json.dumps(statistics, indent=2) + "\n")
    write_text(home / "system.json", json.dumps(metadata, indent=2) + "\n")
    write_text(home / "metadata.yml", as_yaml(metadata))
    return place


def _system_metadata(
    path: Path, system: str, origin: Mapping[str, str], variant: str, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the system's metadata, with its existing variants."""
    variants: dict[str, Any] = {}
    if path.exists():
        with reading(path):
            known = from_json(path.read_text(encoding="utf-8"), "the file")
            try:
                variants, origin = dict(known["system"]["variants"]), {**known["origin"], **origin}
            except (KeyError, TypeError, ValueError):
                raise InterchangeError("a system must have origin, and system with its variants") from None
    variants[variant] = dict(settings)
    return {
        "origin": {**origin, "name": system},
        "system": {**SYSTEM_FIELDS, "variants": dict(sorted(variants.items()))},
    }


def _statistics(path: Path) -> dict[str, Any]:
    """Return the figures of a corpus that ELCC reports."""
    spoken = SpokenMessages.of(read_corpus(path))
    kinds = spoken.counts(Groups.none(len(spoken)))
    symbols = kinds.symbol_counts
    return {
        "lines": len(spoken),
        "unique_lines": len(kinds.types),
        "tokens": int(symbols.sum()),
        "unique_tokens": int((symbols > 0).sum()),
        "tokens_per_line": int(symbols.sum()) / len(spoken) if len(spoken) else None,
        "unigram_entropy": float(entropies(symbols)[0]) if symbols.any() else None,
        "line_entropy": float(entropies(kinds.counts)[0]) if len(spoken) else None,
    }


def as_yaml(content: Mapping[str, Any], indent: int = 0) -> str:
    """Return nested mappings of plain values as YAML, with texts and numbers as in JSON."""
    lines = []
    for name, value in content.items():
        key = " " * indent + (name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name) else json.dumps(name))
        if isinstance(value, Mapping) and value:
            lines.append(f"{key}:\n{as_yaml(value, indent + 2)}")
        else:
            lines.append(f"{key}: {json.dumps(value)}\n")
    return "".join(lines)


# --- Messages with meanings -------------------------------------------------------------------------------


def export_csar(source: Source, path: str | os.PathLike[str]) -> int:
    """Write lines `[[form], [meaning]]` for CSAR (Boldt & Mortensen 2025), and return their number.

    A meaning is the numbers of the window's `atoms`. The file `<path>.atoms.json` has the atoms themselves.
    """
    config, written = source.config, 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for block in source.blocks(columns=ANALYSED):
            pairs = zip(block.message.tolist(), atom_numbers(config, block.window), strict=True)
            file.writelines(f"[{form}, {meaning}]\n" for form, meaning in pairs)
            written += len(block)
    legend = {"config": config.to_dict(), "atoms": atoms(config)}
    write_text(f"{os.fspath(path)}.atoms.json", json.dumps(legend) + "\n")
    return written


def atoms(config: GameConfig) -> list[dict[str, Any]]:
    """Return the atoms of CSAR's meanings: an edge, an integer seen anywhere, an integer at an offset."""
    at_offsets = itertools.product(config.offsets, config.integers)
    return [
        *({"kind": "edge", "value": name} for name in config.edges),
        *({"kind": "integer", "value": integer} for integer in config.integers),
        *({"kind": "integer_at", "value": integer, "offset": offset} for offset, integer in at_offsets),
    ]


def atom_numbers(config: GameConfig, window: IntArray) -> list[list[int]]:
    """Return the numbers of the `atoms` of windows (B, W): the edge, integers, and integers at offsets.

    The edge is "middle" if the target is at none.
    """
    edge = mask_columns(window)[:, None]
    aligned = integers_at_offsets(config, window)
    shown = aligned >= 0
    integer = aligned[shown].reshape(len(window), num_shown(config))
    offset = np.broadcast_to(np.arange(aligned.shape[1]), aligned.shape)[shown].reshape(integer.shape)
    visible = config.window_size + integer
    at_offset = config.window_size + (1 + offset) * len(config.integers) + integer
    rows: list[list[int]] = np.concatenate([edge, visible, at_offset], axis=1).tolist()
    return rows
