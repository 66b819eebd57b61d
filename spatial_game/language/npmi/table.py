"""The table that the paper's analysis makes: n-grams with their referents, and its file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.json_text import to_json
from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.associations import Association, ScoredAssociations
from spatial_game.language.npmi.message_types import MESSAGE_TYPES, READABLE, TypeShare, type_shares
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.signature import signature
from spatial_game.recording import symbol_names
from spatial_game.tables import Table

FILE_KIND = "npmi-table"
"""The field `kind` of the file, by which programs tell it from other JSON files."""
FORMAT_VERSION = 1


@dataclass(frozen=True, eq=False)
class NpmiTable:
    """The n-grams and referents that the paper's analysis admits, and the types of messages that follow."""

    settings: NpmiSettings
    """With every default filled in."""
    counts: Counts
    admitted: Mapping[str, ScoredAssociations]
    """The associations of each of `KINDS`, and of labels if there are any, as arrays. Offsets are counted in
    the episodes in which the message names a visible integer."""
    clipped: int
    """NPMIs of the best referents of n-grams, admitted or not, that the estimator put outside [-1, 1]; 0 for
    `exact`."""
    label: str = ""
    """The name of the function that labels windows; "" without one."""
    best_labels: ScoredAssociations | None = None
    """The best label of each n-gram, admitted or not."""

    def __len__(self) -> int:
        return len(self.associations)

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.counts.config

    @property
    def signature(self) -> str:
        """Game, episodes, settings, seeds and version in one phrase, to stand beside every figure."""
        of_label = f" label {self.label}" if self.label else ""
        settings = f"{self.settings.signature}{of_label}"
        return signature(self.config, self.counts.total, settings, self.counts.provenance)

    @cached_property
    def associations(self) -> tuple[Association, ...]:
        """The admitted associations, in the order of kinds, of referents, and of n-grams."""
        return tuple(each for kind in self.admitted.values() for each in kind.values(self.config))

    def of_kind(self, kind: str, best: int | None = None) -> tuple[Association, ...]:
        """Return the associations of a kind, such as `edge`; or its `best`, with the most episodes."""
        require(kind in self.admitted, f"kind must be among {', '.join(self.admitted)}", repr(kind))
        admitted = self.admitted[kind]
        rows = np.argsort(-admitted.joint, kind="stable")[:best]
        return tuple(admitted.take(np.sort(rows)).values(self.config))

    @cached_property
    def types(self) -> dict[str, TypeShare]:
        """How much of the language is messages of each type."""
        return type_shares(self.counts, self.admitted)

    @property
    def coverage(self) -> float:
        """Share of the episodes whose message says where the target is."""
        return self.types[READABLE].episodes

    # --- For people ---

    def shown(self, best: int | None = None) -> Table:
        """Return the associations as in the paper's table 3, with their counts.

        `best`: only this number of associations of each kind, the ones with the most episodes.
        """
        names = symbol_names(self.config, self.counts.provenance)
        length = self.config.message_length
        rows = (
            (
                *(e.ngram.pattern(length, names), admitted.referents.title, str(e.referent)),
                *(e.npmi, e.confidence, e.joint, e.ngram_total, e.referent_total, e.p_value, e.q_value),
            )
            for kind, admitted in self.admitted.items()
            for e in self.of_kind(kind, best)
        )
        figures = "NPMI :.2f | Confidence :.0% | Together :, | N-gram :, | Referent :, | p :.1e | q :.1e"
        return Table.of(f"Message | Type | Meaning | {figures}", rows)

    def shown_types(self) -> Table:
        """Return the types of messages (the paper's table 1), with their shares of messages and episodes."""
        names = MESSAGE_TYPES | {READABLE: "Any that says where the target is"}
        rows = ((names[name], *vars(share).values()) for name, share in self.types.items())
        return Table.of("Type | Messages :, | Vocabulary :.1% | Episodes :.1%", rows)

    # --- The file ---

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON holds it."""
        return {
            "kind": FILE_KIND,
            "format_version": FORMAT_VERSION,
            "config": self.config,
            "settings": self.settings,
            "associations": self.associations,
            "types": self.types,
            "episodes": self.counts.total,
            "named": self.admitted["offset"].total,
            "clipped": self.clipped,
            "signature": self.signature,
            "provenance": self.counts.provenance,
        }

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table as JSON, with a line for each association.

        An existing file is replaced only when all is written.
        """
        content = self.to_dict()
        associations = ",\n".join(f"  {to_json(each)}" for each in content.pop("associations"))
        head = to_json(content, indent=1).removesuffix("\n}")
        write_text(path, f'{head},\n "associations": [\n{associations}\n ]\n}}\n')
