"""Tests of what a result says about the code and the machine that made it."""

import shutil
import subprocess

import pytest

import spatial_game
from spatial_game.provenance import CHANGED, commit, hash_of_code
from spatial_game.reproduction.measure_pair import code_version


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of a package in a folder of its own, that passes for this one."""
    (tmp_path / "spatial_game").mkdir()
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "pair.py").touch()
    (tmp_path / "spatial_game" / "__init__.py").touch()
    (tmp_path / "notes.md").touch()
    monkeypatch.setattr("spatial_game.provenance.__file__", str(tmp_path / "spatial_game" / "__init__.py"))
    return tmp_path


def git(folder, *words):
    name = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    return subprocess.run(
        ["git", "-C", str(folder), *name, *words], check=True, capture_output=True, text=True
    ).stdout


def test_an_installed_package_has_no_commit(checkout):
    assert commit() is None
    assert code_version() == spatial_game.__version__


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_checkout_has_a_commit_which_says_if_its_code_was_changed(checkout):
    git(checkout, "init", "-q")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "first")
    name = git(checkout, "rev-parse", "--short=10", "HEAD").strip()
    assert commit() == name
    assert code_version() == f"{spatial_game.__version__} at {name}"
    (checkout / "notes.md").write_text("no code")
    assert commit() == name
    for file in ("spatial_game/__init__.py", "agents/pair.py", "spatial_game/added.py"):
        (checkout / file).write_text("changed")
        assert commit() == name + CHANGED
        git(checkout, "stash", "--include-untracked", "-q")


def test_the_hash_of_code_changes_with_each_file(monkeypatch, tmp_path):
    (tmp_path / "spatial_game" / "game").mkdir(parents=True)
    (tmp_path / "spatial_game" / "game" / "rules.py").touch()

    class Spec:
        submodule_search_locations = (str(tmp_path / "spatial_game"),)

    monkeypatch.setattr(
        "spatial_game.provenance.find_spec", lambda name: Spec if name == "spatial_game" else None
    )
    found = [hash_of_code()]
    for name in ("game/rules.py", "game/added.py"):
        (tmp_path / "spatial_game" / name).write_text("changed")
        found.append(hash_of_code())
    (tmp_path / "spatial_game" / "notes.txt").write_text("no code")
    assert len({*found}) == 3
    assert hash_of_code() == found[-1]
