"""Messages without meanings (ELCC) and with meanings (CSAR), as lines of JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.files import replacing, write_text
from spatial_game.game.episodes import HIDDEN, MASK, IntArray, mask_columns
from spatial_game.language.counting.columns import integers_at_offsets, num_shown, places_at_offsets
from spatial_game.language.counting.counts import Source
from spatial_game.language.dictionary.referents import Edge, Integer, IntegerAt, Referent
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import (
    InterchangeError,
    from_json,
    not_empty,
    reading,
    whole_numbers,
)
from spatial_game.language.measures.corpus import LARGEST_SYMBOL, Corpus
from spatial_game.language.measures.resampling import Groups, entropies
from spatial_game.language.measures.spoken import SpokenMessages
from spatial_game.recording import ANALYSED, Recording

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
    return whole_numbers(value, place, "symbols", largest)


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


class Atoms:
    """The numbers of CSAR's meanings: the edge, then integers seen anywhere, then integers at offsets.

    `0..W-1` are the mask columns, `W + k` is "integer k is visible", and `W + N + o*N + k` is "integer k
    stands at offset number o" of the config's offsets.
    """

    def __init__(self, config: GameConfig) -> None:
        self.config = config
        self._integers = len(config.integers)
        self._visible = config.window_size
        self._at = self._visible + self._integers
        self.count = self._at + len(config.offsets) * self._integers

    def referent(self, atom: int) -> Referent:
        """Return the meaning of an atom; the edge is "middle" if the target is at none."""
        if atom < self._visible:
            return Edge(self.config.edges[atom])
        if atom < self._at:
            return Integer((atom - self._visible,))
        offset, integer = divmod(atom - self._at, self._integers)
        return IntegerAt((integer,), self.config.offsets[offset])

    def of(self, window: IntArray) -> list[list[int]]:
        """Return the atoms of windows (B, W): edges, integers, and integers at offsets."""
        edge = mask_columns(window)[:, None]
        aligned = integers_at_offsets(self.config, window)
        shown = aligned >= 0
        visible = aligned[shown].reshape(len(window), num_shown(self.config))
        offset = np.broadcast_to(np.arange(aligned.shape[1]), aligned.shape)[shown].reshape(visible.shape)
        at = self._at + offset * self._integers + visible
        rows: list[list[int]] = np.concatenate([edge, self._visible + visible, at], axis=1).tolist()
        return rows

    def window(self, atoms: Sequence[int]) -> list[int]:
        """Return the window of these atoms. Raises `InterchangeError` if there is none."""
        edges = [atom for atom in atoms if atom < self._visible]
        if len(edges) != 1:
            raise InterchangeError(f"a meaning must have one edge, in 0..{self._visible - 1}; got {edges}")
        empty = HIDDEN if self.config.num_hidden else MASK
        cells, places = [empty] * self._visible, places_at_offsets(self.config)[edges[0]]
        cells[edges[0]] = MASK
        for atom in atoms:
            if atom >= self._at:
                offset, integer = divmod(atom - self._at, self._integers)
                column = places[offset]
                if column < 0 or cells[column] != empty:
                    raise InterchangeError(f"a meaning must fit one window; got {shortened(list(atoms))}")
                cells[column] = integer
        return cells


def export_csar(source: Source, path: str | os.PathLike[str]) -> int:
    """Write lines `[[form], [meaning]]` for CSAR (Boldt & Mortensen 2025), and return their number.

    A meaning is the `Atoms` of the window. The file `<path>.atoms.json` explains the atoms.
    """
    atoms, written = Atoms(source.config), 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for block in source.blocks(columns=ANALYSED):
            meanings = atoms.of(block.window)
            pairs = zip(block.message.tolist(), meanings, strict=True)
            file.writelines(f"[{form}, {meaning}]\n" for form, meaning in pairs)
            written += len(block)
    legend = {
        "config": source.config.to_dict(),
        "atoms": [_atom_to_dict(atoms.referent(atom)) for atom in range(atoms.count)],
    }
    write_text(f"{os.fspath(path)}.atoms.json", json.dumps(legend) + "\n")
    return written


def _atom_to_dict(referent: Referent) -> dict[str, Any]:
    if isinstance(referent, Edge):
        return {"kind": "edge", "value": referent.name}
    if isinstance(referent, Integer):
        return {"kind": "integer", "value": referent.values[0]}
    assert isinstance(referent, IntegerAt)
    return {"kind": "integer_at", "value": referent.values[0], "offset": referent.offset}


def read_csar(path: str | os.PathLike[str], config: GameConfig) -> Recording:
    """Read the pairs that `export_csar` wrote of this game.

    Raises `InterchangeError` naming file, line, rule and value.
    """
    atoms = Atoms(config)
    windows, messages = [], []
    with reading(path) as file:
        for number, line in _lines(file):
            place = f"line {number}"
            pair = from_json(line, place)
            if not isinstance(pair, list) or len(pair) != 2:
                raise InterchangeError(f"{place}: a line must be [form, meaning]; got {shortened(pair)}")
            form = whole_numbers(pair[0], place, "a form's symbols", config.vocab_size - 1)
            if len(form) != config.message_length:
                raise InterchangeError(
                    f"{place}: a form must have {config.message_length} symbols; got {len(form)}"
                )
            meaning = whole_numbers(pair[1], place, "a meaning's atoms", atoms.count - 1)
            try:
                windows.append(atoms.window(meaning))
            except InterchangeError as error:
                raise InterchangeError(f"{place}: {error}") from None
            messages.append(form)
        shape = (len(windows), config.window_size)
        recording = Recording(
            config,
            window=np.array(windows, dtype=np.int64).reshape(shape),
            message=np.array(messages, dtype=np.int64).reshape(len(messages), config.message_length),
            provenance={"imported_from": file.name},
        )
        return not_empty(recording)
