"""The analyses that make lexicons, as data: their settings, and the account of a dictionary in bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from spatial_game.config import Checked, GameConfig
from spatial_game.config import number as limited
from spatial_game.language.fields import MOST_BITS, items, mapping, number, shortened, whole
from spatial_game.language.lexicon.entries import Rule, rule_from_dict, rule_to_dict

Estimator = Literal["exact", "paper"]
TOO_FEW = 0.02
"""There are too few episodes if half of them lose this share of the messages' bits."""


@dataclass(frozen=True)
class NpmiSettings(Checked):
    """What the paper's analysis demands of an entry.

    Raises `ValueError` (an impossible value) or `TypeError` that names the field, the rule and the value.
    """

    estimator: Estimator = "exact"
    """exact: probabilities are shares of the counted episodes. paper: the constants and equations printed in
    the paper's appendix D, clipped to [-1, 1]."""
    threshold: float = limited(0.5, -1, 1)
    """Least NPMI of an entry (t_c in the paper), in -1..1."""
    top_n: int = limited(1, 1)
    """Most integers that one form may stand for (t_n in the paper)."""
    min_count: int = limited(10, 1)
    """Least number of episodes with both form and referent."""
    min_confidence: float | None = limited(None, 0, 1)
    """Least share of the form's episodes in which the referent holds. By default 0.8; for `paper` 0."""
    offset_threshold: float | None = limited(None, -1, 1)
    """Least NPMI of an offset entry. By default the threshold; for `paper` 0.3 (the paper's table 2)."""
    significance: float = limited(0.05, 0, 1)
    """Largest q-value: the expected share of false entries among entries at least this good."""

    @property
    def least_confidence(self) -> float:
        """`min_confidence`, or its default."""
        if self.min_confidence is not None:
            return self.min_confidence
        return 0.0 if self.estimator == "paper" else 0.8

    @property
    def least_offset_npmi(self) -> float:
        """`offset_threshold`, or its default."""
        if self.offset_threshold is not None:
            return self.offset_threshold
        return 0.3 if self.estimator == "paper" else self.threshold

    def resolved(self) -> NpmiSettings:
        """Return these settings with every default filled in, as a lexicon keeps them."""
        return replace(self, min_confidence=self.least_confidence, offset_threshold=self.least_offset_npmi)

    @property
    def signature(self) -> str:
        """The settings in one short phrase, such as `exact min10 t0.5 conf0.8 top1`.

        The threshold for offsets and the significance are named only where they are not the default.
        """
        default = NpmiSettings(self.estimator, self.threshold)
        parts = [
            f"{self.estimator} min{self.min_count} t{self.threshold:g}",
            f"conf{self.least_confidence:g} top{self.top_n}",
        ]
        if self.least_offset_npmi != default.least_offset_npmi:
            parts.append(f"off{self.least_offset_npmi:g}")
        if self.significance != default.significance:
            parts.append(f"q{self.significance:g}")
        return " ".join(parts)


@dataclass(frozen=True)
class Account:
    """A language and its dictionary in bits an episode; `kilobits` for the whole dictionary."""

    message_bits: float
    """H(message), by plug-in, over all episodes."""
    half_bits: float
    """The same of half of the episodes, by expectation: if it is much less, there are too few episodes."""
    explained_bits: float
    """The mean of log2 q(window | message) / q0(window) over all episodes."""
    held_out_bits: float | None
    """The same over every tenth row, of which the dictionary knows nothing; None without such rows."""
    kilobits: float
    """The length of the dictionary in the code of `dictionary.code`."""
    by_place: Mapping[str, float]
    """Bits explained by what is said of each offset, and of the edge, with the others known."""

    @property
    def too_few(self) -> bool:
        """Whether more episodes are needed to be sure."""
        return self.message_bits - self.half_bits > TOO_FEW * self.message_bits

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Any, config: GameConfig) -> Account | None:
        """Return the account that `to_dict` described; None for None.

        Raises `ValueError` or `KeyError`, also for places that are not those of this game.
        """
        if content is None:
            return None
        given = mapping("account", content)
        names = ("message_bits", "half_bits", "explained_bits", "kilobits")
        numbers = {name: number(name, given[name], -MOST_BITS, MOST_BITS) for name in names}
        held = given["held_out_bits"]
        by_place, places = mapping("by_place", given["by_place"]), names_of_places(config)
        if set(by_place) != set(places):
            rule = f"by_place must have the fields {shortened(places, 200)}"
            raise ValueError(f"{rule}; got {shortened(list(by_place))}")
        return cls(
            **numbers,
            held_out_bits=None if held is None else number("held_out_bits", held, -MOST_BITS, MOST_BITS),
            by_place={str(k): number("by_place", v, -MOST_BITS, MOST_BITS) for k, v in by_place.items()},
        )


def names_of_places(config: GameConfig) -> list[str]:
    """Return the names of the places that an account tells of: each offset, and the edge."""
    return [*map(str, config.offsets), "edge"]


@dataclass(frozen=True)
class ByNpmi:
    """The paper's analysis, which made a lexicon."""

    settings: NpmiSettings
    clipped: int = 0
    """NPMIs that the estimator put outside [-1, 1]; always 0 for `exact`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as JSON holds it."""
        return {"name": "npmi", "settings": asdict(self.settings), "clipped": self.clipped}


@dataclass(frozen=True)
class ByDescription:
    """The search for the shortest description, which made a lexicon."""

    account: Account | None = None
    """The count in bits; None of rules that were not counted."""
    defaults: tuple[Rule, ...] = ()
    """Rules about messages that have no other rule about a place: what names no edge means the middle."""

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as JSON holds it."""
        return {
            "name": "description",
            "account": None if self.account is None else self.account.to_dict(),
            "defaults": [rule_to_dict(rule) for rule in self.defaults],
        }


def analysis_from_dict(content: Any, config: GameConfig) -> ByNpmi | ByDescription:
    """Return the analysis that `to_dict` described. Raises `ValueError` naming field, rule and value."""
    name = mapping("analysis", content)["name"]
    if name == "npmi":
        settings = NpmiSettings.from_dict(mapping("settings", content["settings"]))
        return ByNpmi(settings, whole("clipped", content["clipped"], 0))
    if name != "description":
        raise ValueError(f"name of the analysis must be npmi or description; got {shortened(name)}")
    defaults = (rule_from_dict(rule, None, 0.0, config) for rule in items("defaults", content["defaults"]))
    return ByDescription(Account.from_dict(content["account"], config), tuple(defaults))
