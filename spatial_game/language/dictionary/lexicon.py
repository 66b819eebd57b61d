"""The lexicon of a language: what its forms mean, how sure that is, and in which recordings it was found."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.files import fault_of_input, write_text
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form, carrier_mask
from spatial_game.language.dictionary.account import Account, account
from spatial_game.language.dictionary.describe import Description, describe
from spatial_game.language.dictionary.entries import (
    Ends,
    composed_entries,
    divergence,
    listed_entries,
    told_bits,
)
from spatial_game.language.dictionary.referents import (
    KINDS,
    Edge,
    Integer,
    IntegerAt,
    Offset,
    Referent,
    kind_of,
    meaning_of,
    parts_of,
    referent_from_dict,
    referent_of_meaning,
)
from spatial_game.language.fields import items, mapping, number, shortened, whole
from spatial_game.language.npmi.analysis import Admitted, Analysis, episode_share
from spatial_game.language.npmi.best_referents import NO_INTEGER, BestReferents
from spatial_game.language.npmi.settings import Settings
from spatial_game.language.npmi.significance import npmi_interval

FORMAT_VERSION = 2

LEAST_END = 0.001
"""The least that an end of a band may weigh in a file."""
LARGEST = 2.0**63
"""The largest number of bits that a file may name."""

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
class Entry:
    """One form and its meaning."""

    form: Form
    referent: Referent
    npmi: float
    confidence: float
    """Share of the form's episodes in which the referent holds."""
    count: int
    """Episodes with both."""
    p_value: float
    q_value: float
    derived: bool = False
    """A better entry makes this one redundant; tables and composing leave it out."""
    interval: tuple[float, float] | None = None
    """95% interval of the NPMI, if intervals were asked for."""
    bits: float | None = None
    """What the form tells by this entry: bits that an episode with the form is shortened by, on average."""
    cost: float | None = None
    """Bits to write the entry. Both are None where entries are selected by NPMI."""
    ends: Ends | None = None
    """For each part about an offset, what its first and its last integer weigh; those between weigh 1.

    None where all weigh 1."""

    @property
    def kind(self) -> str:
        """The referent's kind: edge, integer_at, integer or offset."""
        return kind_of(self.referent)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as JSON holds it."""
        content = {
            "form": list(self.form.symbols),
            "slot": self.form.slot,
            "meaning": meaning_of(self.referent),
            "npmi": self.npmi,
            "confidence": self.confidence,
            "count": self.count,
            "p_value": self.p_value,
            "q_value": self.q_value,
            "derived": self.derived,
            "interval": None if self.interval is None else list(self.interval),
            "bits": self.bits,
            "cost": self.cost,
        }
        return content if self.ends is None else content | {"ends": [list(pair) for pair in self.ends]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], config: GameConfig) -> Entry:
        """Return the entry that `to_dict` described, or one of format version 1.

        Raises `ValueError` naming field, rule and value.
        """
        mapping("an entry", content)
        interval, derived = content.get("interval"), content.get("derived", False)
        if not isinstance(derived, bool):
            raise ValueError(f"derived must be true or false; got {shortened(derived)}")
        if interval is not None:
            interval = [number("interval", value, -1, 1) for value in items("interval", interval, 2)]
            if interval[0] > interval[1]:
                raise ValueError(f"the ends of an interval must be in order; got {interval}")
        if "referent" in content:
            referent = referent_from_dict(mapping("referent", content["referent"]), config)
        else:
            referent = referent_of_meaning(content["meaning"], config)
        bits, cost = content.get("bits"), content.get("cost")
        return cls(
            _form(content["form"], content["slot"], config),
            referent,
            npmi=number("npmi", content["npmi"], -1, 1),
            confidence=number("confidence", content["confidence"], 0, 1),
            count=whole("count", content["count"], 0),
            p_value=number("p_value", content["p_value"], 0, 1),
            q_value=number("q_value", content["q_value"], 0, 1),
            derived=derived,
            interval=None if interval is None else (interval[0], interval[1]),
            bits=None if bits is None else number("bits", bits, 0, LARGEST),
            cost=None if cost is None else number("cost", cost, 0, LARGEST),
            ends=_ends(content.get("ends"), referent),
        )


def _ends(given: Any, referent: Referent) -> Ends | None:
    """Return the weights of the ends of bands as JSON holds them: a pair for each part about an offset."""
    if given is None:
        return None
    bands = sum(isinstance(part, IntegerAt) for part in parts_of(referent))
    pairs = [items("ends", pair, 2) for pair in items("ends", given, bands)]
    return tuple((number("ends", a, LEAST_END, 1), number("ends", b, LEAST_END, 1)) for a, b in pairs)


def _form(symbols: Any, slot: Any, config: GameConfig) -> Form:
    """Return a form as JSON holds it, where null leaves a symbol open; without nulls at its ends."""
    length, largest = len(items("form", symbols)), config.vocab_size - 1
    if not 1 <= length <= config.message_length:
        raise ValueError(f"form must hold 1 to {config.message_length} symbols; got {length}")
    given = [i for i, symbol in enumerate(symbols) if symbol is not None]
    if not given:
        raise ValueError("form must hold at least one symbol that is not null; got none")
    if slot is not None:
        slot = whole("slot", slot, 0, config.message_length - length) + given[0]
    kept = symbols[given[0] : given[-1] + 1]
    return Form(tuple(None if s is None else whole("form", s, 0, largest) for s in kept), slot)


@dataclass(frozen=True)
class Lexicon:
    """Entries in a stable order (kind, referent, form), with their game and settings."""

    config: GameConfig
    settings: Settings
    entries: tuple[Entry, ...]
    signature: str
    coverage: float | None = None
    """Share of the episodes whose message the listed entries read; None if it was not counted."""
    clipped: int = 0
    """NPMIs that the estimator put outside [-1, 1]; always 0 for `exact`."""
    provenance: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    """The different origins that the recordings name: seeds, versions, hashes of weights."""
    account: Account | None = None
    """The count in bits; None where entries are selected by NPMI."""

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        settings: Settings | None = None,
        *,
        intervals: np.random.Generator | None = None,
        **changes: Any,
    ) -> Lexicon:
        """Analyse counts. `changes` are fields of `Settings`: `min_count=10, threshold=0.5`.

        With a generator in `intervals`, each entry gets a 95% interval of its NPMI, by resampling its 2x2
        table; for the estimator `exact` only, whose NPMI that table determines.

        Raises `ValueError` for impossible settings, and if episodes are needed again (for offsets, or for
        top_n above 1) that the counts do not know.
        """
        settings = replace(settings or Settings(), **changes)
        settings.check_selection()
        if settings.select == "npmi":
            return cls.from_admitted(Analysis(counts, settings).admit(), intervals=intervals)
        return cls.from_description(describe(counts), settings, intervals=intervals)

    @classmethod
    def from_description(
        cls,
        description: Description,
        settings: Settings | None = None,
        *,
        intervals: np.random.Generator | None = None,
    ) -> Lexicon:
        """Return the lexicon of a description (`lexicon.description`). `intervals` as for `from_counts`."""
        counts, settings = description.counts, settings or Settings()
        entries = tuple(sorted(_described(description, intervals), key=_order))
        provenance, bits = _provenance(counts), account(description)
        return cls(
            counts.config,
            settings.resolved(),
            entries,
            _signature(counts, f"{settings.signature} {bits.kilobits:.1f} kbit", provenance),
            _coverage(entries, counts),
            0,
            provenance,
            bits,
        )

    @classmethod
    def from_admitted(cls, admitted: Admitted, *, intervals: np.random.Generator | None = None) -> Lexicon:
        """Return the lexicon of the tables of an analysis. `intervals` as for `from_counts`."""
        counts, settings = admitted.counts, admitted.settings
        if intervals is not None and settings.estimator != "exact":
            raise ValueError(f"intervals need the estimator exact; got {settings.estimator}")
        entries = [
            entry
            for table, derived in admitted.tables()
            for entry in _entries(table, derived, counts.config, intervals)
        ]
        provenance = _provenance(counts)
        return cls(
            counts.config,
            settings.resolved(),
            tuple(entries),
            _signature(counts, settings.signature, provenance),
            admitted.coverage,
            admitted.clipped,
            provenance,
        )

    @property
    def listed(self) -> tuple[Entry, ...]:
        """The entries that are not redundant: what tables show and composing uses."""
        return tuple(entry for entry in self.entries if not entry.derived)

    def of_kind(self, kind: str, *, derived: bool = False) -> tuple[Entry, ...]:
        """Return the listed entries (with `derived`, all) of a kind: edge, integer_at, integer or offset."""
        if kind not in KINDS:
            raise ValueError(f"kind must be among {', '.join(KINDS)}; got {kind!r}")
        return tuple(e for e in (self.entries if derived else self.listed) if e.kind == kind)

    def __len__(self) -> int:
        return len(self.entries)

    def to_dict(self) -> dict[str, Any]:
        """Return the lexicon as JSON holds it (format version 2)."""
        return {
            "format_version": FORMAT_VERSION,
            "signature": self.signature,
            "config": self.config.to_dict(),
            "settings": asdict(self.settings),
            "coverage": self.coverage,
            "clipped": self.clipped,
            "provenance": [dict(p) for p in self.provenance],
            "account": None if self.account is None else self.account.to_dict(),
            "entries": [entry.to_dict() for entry in self.entries],
        }

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the lexicon as JSON; an existing file is replaced only when all is written."""
        content = self.to_dict()
        entries = ",\n".join(f"  {json.dumps(entry)}" for entry in content.pop("entries"))
        head = json.dumps(content, indent=1).removesuffix("\n}")
        write_text(path, f'{head},\n "entries": [\n{entries}\n ]\n}}\n')

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Lexicon:
        """Read a lexicon. Raises `LexiconError` for a file that is missing, truncated or of another kind."""
        fault = fault_of_input(Path(path))
        if fault is not None:
            raise LexiconError(f"{path}: {fault}")
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise LexiconError(f"{path}: {error.strerror}") from None
        except RecursionError:
            raise LexiconError(f"{path}: a lexicon must not be nested deeper than its format") from None
        except ValueError as error:
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
        if type(version) is not int or version not in (1, FORMAT_VERSION):
            raise ValueError(f"format_version must be 1 or {FORMAT_VERSION}; got {shortened(version)}")
        config = GameConfig.from_dict(mapping("config", content["config"]))
        coverage = content.get("coverage")
        if not isinstance(content["signature"], str):
            raise ValueError(f"signature must be a text; got {shortened(content['signature'])}")
        return cls(
            config,
            Settings.from_dict(mapping("settings", content["settings"])),
            _entries_from(items("entries", content["entries"]), config),
            content["signature"],
            None if coverage is None else number("coverage", coverage, 0, 1),
            whole("clipped", content.get("clipped", 0), 0),
            tuple(mapping("provenance", p) for p in items("provenance", content.get("provenance", []))),
            Account.from_dict(content.get("account"), config),
        )


def _entries_from(contents: Sequence[Any], config: GameConfig) -> tuple[Entry, ...]:
    """Return entries as JSON holds them. Raises `ValueError` that names a bad entry, or one given twice."""
    places: dict[tuple[Form, Referent], int] = {}
    entries = []
    for i, content in enumerate(contents):
        try:
            entry = Entry.from_dict(content, config)
        except ValueError as error:
            raise ValueError(f"entries[{i}]: {error}") from None
        except KeyError as error:
            raise ValueError(f"entries[{i}] must have the field {error.args[0]}") from None
        first = places.setdefault((entry.form, entry.referent), i)
        if first != i:
            raise ValueError(f"entries must differ in form or meaning; entries[{i}] repeats entries[{first}]")
        entries.append(entry)
    return tuple(entries)


def _described(description: Description, rng: np.random.Generator | None) -> Iterator[Entry]:
    """Yield the entries of a description."""
    counts, config = description.counts, description.counts.config
    found, counted = listed_entries(description)
    told = told_bits(counted)
    ranges: Any = [None] * len(found)
    if rng is not None and found:
        chance = np.rint(counted.chance * counts.total).astype(np.int64)
        least = np.maximum(counted.joint, chance)
        ranges = npmi_interval(counted.joint, counted.form, least, counts.total, rng).tolist()
    for i, each in enumerate(found):
        p = float(np.exp2(min(each.cost - each.saved, 0.0)))
        yield Entry(
            each.form,
            each.referent,
            float(counted.npmi[i]),
            float(counted.joint[i] / max(counted.form[i], 1)),
            int(counted.joint[i]),
            p,
            p,
            interval=ranges[i] and (ranges[i][0], ranges[i][1]),
            bits=float(told[i]),
            cost=each.cost,
            ends=each.ends,
        )
    if description.composition is not None:
        for each, table, row in composed_entries(description.composition, config):
            confidence = table.joint[row] / table.form_total[row]
            share = np.clip(table.referent_total[row] / table.total, 1e-12, 1 - 1e-12)
            yield Entry(
                each.form,
                each.referent,
                float(table.npmi[row]),
                float(confidence),
                int(table.joint[row]),
                float(table.p_value[row]),
                float(table.q_value[row]),
                bits=float(divergence(np.array(confidence), np.array(share))),
                cost=each.cost,
            )


def _order(entry: Entry) -> tuple[Any, ...]:
    """By kind, then by referent, then by form."""
    symbols = tuple(-1 if s is None else s for s in entry.form.symbols)
    return (
        KINDS.index(entry.kind),
        str(meaning_of(entry.referent)),
        len(symbols),
        entry.form.slot or 0,
        symbols,
    )


def _coverage(entries: Sequence[Entry], counts: Counts) -> float:
    """Return the share of the episodes whose message says by these entries where the target is."""
    forms = {"integer": [], "offset": [], "other": []}  # type: ignore[var-annotated]
    for entry in entries:
        forms[entry.kind if entry.kind in forms else "other"].append(entry.form)
    having = {kind: carrier_mask(those, counts.messages) for kind, those in forms.items()}
    said = having["other"] | (having["integer"] & having["offset"])
    return episode_share(counts, said)


def _entries(
    table: BestReferents, derived: Any, config: GameConfig, rng: np.random.Generator | None
) -> Iterator[Entry]:
    """Yield the entries of a table, in the order of referents, then of forms."""
    forms, npmi = table.forms, table.npmi
    keys = [forms.slot, *forms.symbols.T[::-1], *table.values.T[::-1], table.place]
    ranges = None
    if rng is not None:
        ranges = npmi_interval(table.joint, table.form_total, table.referent_total, table.total, rng)
    for row in np.lexsort(keys):
        yield Entry(
            forms.form(int(row)),
            _referent(table, int(row), config),
            float(npmi[row]),
            float(table.joint[row] / table.form_total[row]),
            int(table.joint[row]),
            float(table.p_value[row]),
            float(table.q_value[row]),
            bool(derived[row]),
            None if ranges is None else (float(ranges[row, 0]), float(ranges[row, 1])),
        )


def _referent(table: BestReferents, row: int, config: GameConfig) -> Referent:
    place = int(table.place[row])
    values = tuple(int(v) for v in table.values[row] if v != NO_INTEGER)
    if table.kind == "edge":
        return Edge(config.edges[place])
    if table.kind == "offset":
        return Offset(config.offsets[place])
    if table.kind == "integer":
        return Integer(values)
    return IntegerAt(values, config.offsets[place])


def _provenance(counts: Counts) -> tuple[Mapping[str, Any], ...]:
    distinct = {json.dumps(s.provenance, sort_keys=True): s.provenance for s in counts.sources}
    return tuple(p for p in distinct.values() if p)


def _signature(counts: Counts, settings: str, provenance: Sequence[Mapping[str, Any]]) -> str:
    """Return game, episodes, settings, seeds and version in one phrase, to stand beside every figure."""
    parts = [counts.config.signature, f"n{counts.total}", settings]
    seeds = [str(p["seed"]) for p in provenance if "seed" in p]
    if seeds:
        parts.append(f"seed {','.join(seeds)}")
    return " | ".join([*parts, spatial_game.__version__])
