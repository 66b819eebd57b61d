"""The analysis that makes lexicons, as data: the account of a dictionary in bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.language.fields import MOST_BITS, items, mapping, number, shortened
from spatial_game.language.lexicon.entries import Rule, rule_from_dict, rule_to_dict

TOO_FEW = 0.02
"""There are too few episodes if half of them lose this share of the messages' bits."""


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


def analysis_from_dict(content: Any, config: GameConfig) -> ByDescription:
    """Return the analysis that `to_dict` described. Raises `ValueError` naming field, rule and value."""
    name = mapping("analysis", content)["name"]
    if name != "description":
        raise ValueError(f"name of the analysis must be description; got {shortened(name)}")
    defaults = (rule_from_dict(rule, None, 0.0, config) for rule in items("defaults", content["defaults"]))
    return ByDescription(Account.from_dict(content["account"], config), tuple(defaults))
