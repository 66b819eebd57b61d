"""The lexicon of a language: what its forms mean, how sure that is, and in which recordings it was found."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.files import fault_of_file, write_bytes, write_text
from spatial_game.json_text import from_json, to_json
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form
from spatial_game.language.fields import items, mapping, number, shortened
from spatial_game.language.lexicon.analyses import Account, ByDescription, analysis_from_dict
from spatial_game.language.lexicon.entries import Entry, Rule
from spatial_game.language.lexicon.meaning import KINDS, Meanings

FORMAT_VERSION = 1
MOST_BYTES = 1 << 28
"""The size of the largest lexicon that is read, uncompressed: 256 MiB."""

TYPES = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "integer": "Compositional Integer",
    "offset": "Compositional Positional",
    "conjunction": "Non-Compositional Conjunction",
}
"""The paper's names (table 3) for the kinds of entries."""


class LexiconError(ValueError):
    """A lexicon file that cannot be read; names file, field, rule and value."""


@dataclass(frozen=True)
class Lexicon:
    """Entries in a stable order (kind, meaning, form), with their game and the analysis that made them."""

    config: GameConfig
    analysis: ByDescription
    entries: tuple[Entry, ...]
    signature: str
    """Game, episodes, settings, seeds and version in one phrase, to stand beside every figure."""
    coverage: float | None = None
    """Share of the episodes whose message the listed entries read; None if it was not counted."""
    provenance: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    """The different origins that the recordings name: seeds, versions, hashes of weights."""

    @classmethod
    def of_counts(
        cls,
        counts: Counts,
        analysis: ByDescription,
        entries: Sequence[Entry],
        coverage: float,
        settings: str,
    ) -> Lexicon:
        """Return the lexicon of entries that an analysis found in counts. `settings`: in one short phrase."""
        signature, provenance = counts.signature(settings), counts.provenance
        return cls(counts.config, analysis, tuple(entries), signature, coverage, provenance)

    def game(self, config: GameConfig | None) -> GameConfig:
        """Return the game to be played, by default the lexicon's. Raises `ValueError` unless both suit."""
        fault = self.config.incompatibility(config or self.config)
        if fault:
            raise ValueError(f"config must suit the lexicon: {fault}")
        return config or self.config

    @property
    def account(self) -> Account | None:
        """The count in bits."""
        return self.analysis.account

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules that readers and speakers use."""
        return (*(rule for entry in self.entries for rule in entry.rules), *self.analysis.defaults)

    @property
    def listed(self) -> tuple[Entry, ...]:
        """The entries that tables show."""
        return tuple(entry for entry in self.entries if entry.listed)

    def of_kind(self, kind: str) -> tuple[Entry, ...]:
        """Return the listed entries of a kind, one of `KINDS`."""
        if kind not in KINDS:
            raise ValueError(f"kind must be among {', '.join(KINDS)}; got {kind!r}")
        return tuple(e for e in self.listed if e.kind == kind)

    def __len__(self) -> int:
        return len(self.entries)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def to_dict(self) -> dict[str, Any]:
        """Return the lexicon as JSON holds it."""
        return {
            "format_version": FORMAT_VERSION,
            "signature": self.signature,
            "config": self.config.to_dict(),
            "analysis": self.analysis.to_dict(),
            "coverage": self.coverage,
            "provenance": [dict(p) for p in self.provenance],
            "entries": [entry.to_dict() for entry in self.entries],
        }

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the lexicon as JSON, compressed if the name ends in `.gz`.

        An existing file is replaced only when all is written.
        """
        content = self.to_dict()
        entries = ",\n".join(f"  {to_json(entry)}" for entry in content.pop("entries"))
        head = to_json(content, indent=1).removesuffix("\n}")
        text = f'{head},\n "entries": [\n{entries}\n ]\n}}\n'
        if str(path).endswith(".gz"):
            write_bytes(path, gzip.compress(text.encode(), mtime=0))
        else:
            write_text(path, text)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Lexicon:
        """Read a lexicon. Raises `LexiconError` for a file that is missing, truncated or of another kind."""
        fault = fault_of_file(Path(path))
        if fault is not None:
            raise LexiconError(f"{path}: {fault}")
        try:
            content = from_json(_text_of(Path(path)))
        except (OSError, EOFError, zlib.error) as error:
            raise LexiconError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        except ValueError as error:
            if Path(path).read_bytes().startswith(b"PAR1"):
                said = "a lexicon is needed; this is a recording (spatial-game analyse makes its lexicon)"
                raise LexiconError(f"{path}: {said}") from None
            raise LexiconError(f"{path}: not a whole JSON file; {error}") from None
        try:
            return cls.from_dict(content)
        except KeyError as error:
            raise LexiconError(f"{path}: a lexicon must have the field {error.args[0]}") from None
        except (TypeError, ValueError) as error:
            raise LexiconError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Lexicon:
        """Return the lexicon that `to_dict` described. Raises `ValueError`, `KeyError` or `TypeError`."""
        version = mapping("a lexicon", content)["format_version"]
        if type(version) is not int or version != FORMAT_VERSION:
            raise ValueError(f"format_version must be {FORMAT_VERSION}; got {shortened(version)}")
        config = GameConfig.from_dict(mapping("config", content["config"]))
        share = content["coverage"]
        if not isinstance(content["signature"], str):
            raise ValueError(f"signature must be a text; got {shortened(content['signature'])}")
        return cls(
            config,
            analysis_from_dict(content["analysis"], config),
            _entries_from(items("entries", content["entries"]), config),
            content["signature"],
            None if share is None else number("coverage", share, 0, 1),
            tuple(mapping("provenance", p) for p in items("provenance", content["provenance"])),
        )


def _entries_from(contents: Sequence[Any], config: GameConfig) -> tuple[Entry, ...]:
    """Return entries as JSON holds them. Raises `ValueError` that names a bad entry, or one given twice."""
    rows: dict[tuple[Form, tuple[Meanings, ...]], int] = {}
    entries = []
    for i, content in enumerate(contents):
        try:
            entry = Entry.from_dict(content, config)
        except ValueError as error:
            raise ValueError(f"entries[{i}]: {error}") from None
        except KeyError as error:
            raise ValueError(f"entries[{i}] must have the field {error.args[0]}") from None
        first = rows.setdefault((entry.form, entry.meanings), i)
        if first != i:
            raise ValueError(f"entries must differ in form or meaning; entries[{i}] repeats entries[{first}]")
        entries.append(entry)
    return tuple(entries)


def _text_of(path: Path) -> str:
    """Return the text of a file, which may be compressed."""
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rb") if compressed else path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"a lexicon must have at most {MOST_BYTES} bytes; got more")
    return content.decode()
