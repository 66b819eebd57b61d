"""The results of each pair in a JSON file, so that a pair is measured once.

A file has a key: settings, seed, game, weights and code. A pair whose file has the same key is not measured
again. Agents without a hash of weights are measured each time: nothing shows whether they have changed.
"""

from __future__ import annotations

import dataclasses
import typing
from pathlib import Path
from typing import Any

from spatial_game import provenance
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.json_text import from_json, plain, to_json
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.proportions import Proportion
from spatial_game.reproduction import paper
from spatial_game.reproduction.measure_pair import PairToMeasure, measure_pair
from spatial_game.reproduction.results import ESTIMATORS, PairResult, SampleSizes


def pair_result(pair: PairToMeasure, out: Path, sizes: SampleSizes, seed: int = 0) -> PairResult:
    """Return the results of a pair from its file, if it has the same key; else measure, and write them."""
    if known := known_result(pair, out, sizes, seed):
        return known
    result = measure_pair(pair, sizes, seed)
    content = {"key": _key(pair, sizes, seed), "result": result}
    write_text(_file(pair, out), to_json(content, indent=1) + "\n")
    return result


def known_result(pair: PairToMeasure, out: Path, sizes: SampleSizes, seed: int = 0) -> PairResult | None:
    """Return the results of a pair from its file; None unless that has the same key."""
    try:
        content = from_json(_file(pair, out).read_bytes())
        if content["key"] == plain(_key(pair, sizes, seed)) and pair.weights_hash is not None:
            known: PairResult = restored(PairResult, content["result"])
            return known
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        pass  # there is no such file, or it is damaged or of another version
    return None


def _file(pair: PairToMeasure, out: Path) -> Path:
    return out / "data" / f"{pair.name}.json"


def _key(pair: PairToMeasure, sizes: SampleSizes, seed: int) -> dict[str, object]:
    """Return everything that the results of a pair depend on."""
    return {
        **settings_of(sizes, seed),
        "code": provenance.hash_of_code(),
        "weights_hash": pair.weights_hash,
        "game": pair.config.to_dict(),
    }


def settings_of(sizes: SampleSizes, seed: int) -> dict[str, object]:
    """Return everything that the results of a pair depend on, besides its weights and the code."""
    return {
        "sizes": dataclasses.asdict(sizes),
        "seed": seed,
        "grid": {"t_c": paper.THRESHOLDS, "t_n": paper.TOPS},
        "cells": paper.TABLE_2_CELLS,
        "estimators": [dataclasses.asdict(NpmiSettings(name).resolved()) for name in ESTIMATORS],
    }


def restored(kind: Any, value: Any) -> Any:
    """Return the value of a type, such as `dict[str, Exchange]`, that `json_text.plain` turned into this."""
    inner = typing.get_args(kind)
    if kind is GameConfig:
        return GameConfig.from_dict(value)
    if kind is Proportion:
        return Proportion(value["num_correct"], value["n"])
    if dataclasses.is_dataclass(kind):
        types = typing.get_type_hints(kind)
        return kind(**{name: restored(types[name], value[name]) for name in types})  # type: ignore[operator]
    if typing.get_origin(kind) is dict:
        return {inner[0](name): restored(inner[1], each) for name, each in value.items()}
    if typing.get_origin(kind) is list:
        return [restored(inner[0], each) for each in value]
    return tuple(value) if typing.get_origin(kind) is tuple else value
