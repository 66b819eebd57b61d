"""Trained pairs by name: what an installed package offers, and what is said where it offers nothing."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spatial_game.envs import partners as pairs
from spatial_game.envs.partners import load_partner as find_pair
from spatial_game.envs.roles import SenderEnv


def offer(monkeypatch: pytest.MonkeyPatch, *offers: dict[str, str]) -> None:
    """Let packages offer these pairs, by name."""
    points = [
        SimpleNamespace(
            load=lambda known=known: SimpleNamespace(pair_names=lambda: list(known), load_pair=loader(known))
        )
        for known in offers
    ]
    monkeypatch.setattr(pairs, "entry_points", lambda group: points if group == "spatial_game.pairs" else [])


def loader(known: dict[str, str]) -> Any:
    return lambda name, index: (known.get(name.split("/")[0], "from a file"), index)


def test_each_package_loads_its_own_pairs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    offer(monkeypatch, {"one": "first"}, {"two": "second"})
    assert find_pair("one") == ("first", 0)
    assert find_pair("two/3", 1) == ("second", 1)
    assert find_pair(str(tmp_path)) == ("from a file", 0)


@pytest.mark.parametrize(
    ("name", "offers", "said"),
    [
        (
            "oracel",
            [{"embed-60": ""}],
            '(embed-60), a run folder, a weights file or a policy; got "oracel" (did you mean "oracle"?)',
        ),
        ("embed-6", [{"embed-60": ""}], 'got "embed-6" (did you mean "embed-60"?)'),
        (
            "nobody",
            [{"embed-60": ""}, {"mine": ""}],
            '(embed-60, mine), a run folder, a weights file or a policy; got "nobody"',
        ),
        ("embed-60", [], 'partner must be "oracle", "random", a bundled pair (none is installed), a run'),
    ],
)
def test_an_unknown_name_is_refused(
    name: str, offers: list[dict[str, str]], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, *offers)
    with pytest.raises(ValueError, match=re.escape(said)):
        SenderEnv(name)


def test_the_bundled_pairs_are_offered() -> None:
    import spatial_agents

    for name in spatial_agents.pair_names():
        assert find_pair(name).weights_hash == spatial_agents.load_pair(name).weights_hash
