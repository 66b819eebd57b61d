"""Which small faults no test sees: changes a comparison, a sign or a constant of a module, and runs tests.

    python maintenance/mutants.py spatial_game/game/rules.py tests/game
    python maintenance/mutants.py spatial_game/envs/*.py tests/envs --number 10 --seed 1

Each mutant has one change, in a copy of the repository. Those that pass all tests are printed: fix a test,
or see that the change makes no difference.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_SWAPPED = "Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn, And Or, Add Sub, Mult FloorDiv, USub UAdd"
_PAIRS = [[getattr(ast, name) for name in pair.split()] for pair in _SWAPPED.split(", ")]
OTHER = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
PLUGIN = """
from hypothesis import Phase, settings
quick = settings(derandomize=True, database=None, deadline=None, phases=[Phase.explicit, Phase.generate])
settings.register_profile("quick", quick)
settings.load_profile("quick")
"""
"""Hypothesis then has the same examples in each run, and does not look for the shortest one that fails."""


def main() -> None:
    """Print the mutants that survive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, help="modules, then tests")
    parser.add_argument("--number", type=int, default=20, help="mutants of each module, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    modules = [path for path in options.paths if path.parts[0] != "tests"]
    tests = [str(path) for path in options.paths if path.parts[0] == "tests"]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "runs", "__pycache__"))
        (tree / "quick_examples.py").write_text(PLUGIN, "utf-8")
        if not passes(tree, tests):
            sys.exit("error: the tests must pass without a change")
        for module in modules:
            source = (tree / module).read_text("utf-8")
            found = [*mutants(source)]
            drawn = random.Random(options.seed).sample(found, min(options.number, len(found)))
            for line, changed in sorted(drawn):
                (tree / module).write_text(changed, "utf-8")
                if passes(tree, tests):
                    print(f"{module}:{line}: {difference(source, changed)}", flush=True)
            (tree / module).write_text(source, "utf-8")
            print(f"{module}: {len(drawn)} of {len(found)} mutants tried", flush=True)


def mutants(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line of every change, and the module with it."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        changes: dict[str, Any] = {}
        if isinstance(node, ast.Compare):
            changes["ops"] = [OTHER[type(node.ops[0])](), *node.ops[1:]]
        elif type(getattr(node, "op", None)) in OTHER:
            changes["op"] = OTHER[type(node.op)]()  # type: ignore[attr-defined]
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            changes["value"] = not node.value if isinstance(node.value, bool) else node.value + 1
        for name, value in changes.items():
            before = getattr(node, name)
            setattr(node, name, value)
            yield node.lineno, ast.unparse(tree)  # type: ignore[attr-defined]
            setattr(node, name, before)


def passes(tree: Path, tests: list[str]) -> bool:
    """Tell whether tests pass in a copy of the repository. A run that does not end counts as a failure."""
    own = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    settings = {**os.environ, **own}
    plugins = ["-p", "no:cacheprovider", "-p", "quick_examples"]
    command = [sys.executable, "-m", "pytest", "-x", "-q", *plugins, *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=settings, stdout=subprocess.DEVNULL, timeout=600)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def difference(source: str, changed: str) -> str:
    """Return the changed line, as it was and as it is."""
    lines = zip(ast.unparse(ast.parse(source)).splitlines(), changed.splitlines(), strict=True)
    return next(f"{one.strip()}  ->  {other.strip()}" for one, other in lines if one != other)


if __name__ == "__main__":
    main()
