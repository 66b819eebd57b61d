"""The names that the package offers at its top, its versions and its requirements."""

import dataclasses
import importlib
import pkgutil
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

import spatial_agents
import spatial_game

ROOT = Path(__file__).parents[1]


def test_every_offered_name_is_there():
    for package in (spatial_agents, spatial_game):
        for name in package.__all__:
            assert getattr(package, name) is not None
            assert name in dir(package)


def test_no_comparison_of_arrays_raises():
    """The comparison that dataclasses make asks whether an array of several numbers is true."""
    of_arrays = []
    for package in (spatial_agents, spatial_game):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "torchrl" not in module.name and not module.name.endswith("__main__"):
                kinds = vars(importlib.import_module(module.name)).values()
                of_arrays += [
                    kind for kind in kinds if dataclasses.is_dataclass(kind) and _holds_arrays(kind)
                ]
    assert {kind.__name__ for kind in of_arrays} > {
        "Recording",
        "Episodes",
        "Counts",
        "Dictionary",
        "TruePhrases",
    }
    assert not [kind for kind in of_arrays if kind.__dataclass_params__.eq]


def _holds_arrays(kind):
    array = re.compile(r"\b(\w*Array|Mask|Numbers|Symbols|Tensor|Episodes|csr_array)\b")
    types = [field.type for field in dataclasses.fields(kind)]
    return any(array.search(each) for each in types if isinstance(each, str))


def test_every_dependency_is_pinned_within_its_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["agents"], *extras["dev"], *extras["sb3"]]
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    pinned = {pin.name.lower().replace("_", "-"): str(pin.specifier).removeprefix("==") for pin in pins}
    for requirement in map(Requirement, wanted):
        if requirement.name != "spatial-game":
            assert requirement.specifier.contains(pinned[requirement.name.lower()]), requirement
    assert not [pin for pin in pins if pin.url or "+" in str(pin.specifier)]


def test_versions_agree():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\nversion: {spatial_game.__version__}\n" in citation
    (top, state) = re.findall(r"^## (\S+)(.*)$", changelog, re.MULTILINE)[0]
    assert top == spatial_game.__version__ or state == " (unreleased)"


def test_everything_says_to_install_from_a_clone():
    """Until the package is on the Python Package Index, `pip install spatial-game` finds nothing."""
    folders = ("docs", "examples", "experiments", "benchmarks", "spatial_game", "agents")
    pages = [
        ROOT / "README.md",
        *(path for folder in folders for path in (ROOT / folder).rglob("*.[mp][dy]")),
    ]
    wrong = [path for path in pages if re.search(r"pip install '?(spatial-game|\.)", path.read_text("utf-8"))]
    assert not wrong
