"""Files that tests of several commands read, made once, and ways to run a command."""

import json
import shutil

import pytest

from spatial_game.cli import main


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A recording of the oracle, its dictionary, and its CSV."""
    folder = tmp_path_factory.mktemp("made")
    play, dictionary, csv = (str(folder / name) for name in ("play.parquet", "dictionary.json", "play.csv"))
    assert main(["record", "--agents", "oracle", "--episodes", "5000", "--out", play]) == 0
    assert main(["analyse", play, "--out", dictionary]) == 0
    assert main(["export", play, "--format", "csv", "--out", csv]) == 0
    return folder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder, in which each test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def few_are_asked(monkeypatch):
    """Hear the sender and ask the receiver in few episodes; tests/studies has the verdicts of more."""
    monkeypatch.setattr("spatial_game.cli.language.HEARD", 5_000)
    for module in ("language", "commands.describe"):
        monkeypatch.setattr(f"spatial_game.cli.{module}.ASKED", 500)


@pytest.fixture
def files(made, folder):
    """A copy of the files in that folder."""
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def quick_measures(monkeypatch):
    """Measure few episodes, with few copies and groups."""
    for name, number in (("MAX_EPISODES", 700), ("NUM_GROUPS", 3), ("NUM_SHUFFLES", 1)):
        monkeypatch.setattr(f"spatial_game.language.measures.measuring.{name}", number)


@pytest.fixture
def text(capsys):
    """A function that runs a command line, which must succeed, and returns what it prints."""

    def run(line):
        capsys.readouterr()
        assert main(line.split()) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return run


@pytest.fixture
def prose(text):
    """A function that runs a command line, and returns what it prints with single spaces between words."""
    return lambda line: " ".join(text(line).split())


@pytest.fixture
def result(text):
    """A function that runs a command with --json, and returns its result."""
    return lambda line: json.loads(text(f"{line} --json"))


@pytest.fixture
def error(capsys):
    """A function that runs a command line, which must fail, and returns its one line on stderr."""

    def run(line, status=1):
        capsys.readouterr()
        assert main(line if isinstance(line, list) else line.split()) == status
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("spatial-game: error: ")
        assert said.err.count("\n") == 1
        return said.err

    return run
