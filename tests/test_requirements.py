"""What every installation requires."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_trained_pairs_play_with_the_base_alone() -> None:
    lines = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"]
    names = {Requirement(line).name for line in lines}
    assert {"numpy", "safetensors"} <= names
    assert not {"torch", "onnxruntime"} & names
