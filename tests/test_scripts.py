"""Scripts that no test runs still import names that exist."""

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "experiments", "examples", "maintenance", "docs")
SCRIPTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def imported_names(script):
    """Each name that a script imports from our packages, with its module."""
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spatial_"):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "__name__") for alias in node.names if alias.name.startswith("spatial_"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_names_exist(script):
    for module, name in imported_names(script):
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as missing:
            if not (missing.name or "").startswith("spatial_"):
                continue  # a library that is not installed here
            raise
        if not hasattr(found, name):
            importlib.import_module(f"{module}.{name}")
