"""Files that tests of several commands read, made once."""

import shutil

import pytest

from spatial_game.cli import main


@pytest.fixture(scope="session")
def oracle_files(tmp_path_factory):
    """A recording of the oracle, its dictionary, and its CSV."""
    folder = tmp_path_factory.mktemp("oracle")
    play, dictionary, csv = (str(folder / name) for name in ("play.parquet", "dictionary.json", "play.csv"))
    assert main(["record", "oracle", "--episodes", "5000", "--out", play]) == 0
    assert main(["analyse", play, "--out", dictionary]) == 0
    assert main(["export", play, "--format", "csv", "--out", csv]) == 0
    return folder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder, in which each test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def _quick(few_are_asked):
    pass


@pytest.fixture
def files(oracle_files, folder):
    """A copy of the files in that folder."""
    shutil.copytree(oracle_files, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def quick_measures(monkeypatch):
    """Measure few episodes, with few copies and groups."""
    for name, number in (("MAX_EPISODES", 700), ("NUM_GROUPS", 3), ("NUM_SHUFFLES", 1)):
        monkeypatch.setattr(f"spatial_game.language.measures.measuring.{name}", number)
