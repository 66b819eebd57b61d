"""What tests of several folders share."""

import functools
import gc
import itertools
import json
import os
import shutil
import signal

import pytest

SETTINGS = (
    *("COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR", "DISPLAY", "WAYLAND_DISPLAY"),
    *("PYTHONUNBUFFERED", "SPATIAL_GAME_DEBUG"),
)
"""Variables that change what our programs show; tests begin without them."""
for name in SETTINGS:
    os.environ.pop(name, None)
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the workers share the cores
for name, usual in ("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL):
    number = getattr(signal, name, None)
    if number and signal.getsignal(number) is signal.SIG_IGN:  # of `&` or nohup; child processes inherit it
        signal.signal(number, usual)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Spare the garbage collector what is imported: passing over it took a seventh of the time."""
    gc.disable()
    found = yield
    gc.freeze()
    gc.enable()
    return found


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each worker of `-n` neighbouring tests, so that what a file makes once is made in one worker."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.option.dist == "load" else None


NUMBERS = itertools.count()
"""Python keeps what it has imported, so each module of a test has another name."""


@pytest.fixture(scope="session")
def short_trainings():
    """Validate with few episodes, and ask git once for the commit."""
    from spatial_game.provenance import commit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spatial_agents.training.trainer.VALIDATION_EPISODES", 64)
        for module in ("card", "folders"):
            patch.setattr(f"spatial_agents.training.{module}.commit", functools.cache(commit))
        yield


def pytest_runtest_setup(item):
    """Skip a test whose marker `program` names programs of the system of which none is installed."""
    for marker in item.iter_markers("program"):
        if not any(map(shutil.which, marker.args)):
            pytest.skip(f"needs {marker.args[0]}")


@pytest.fixture
def write_module(tmp_path, monkeypatch):
    """A function that writes a module, which this test alone can import, and returns its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(text):
        name = f"module_{next(NUMBERS)}"
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return write


# --- Command lines ---------------------------------------------------------------------------------------


@pytest.fixture
def few_are_asked(monkeypatch):
    """Hear the sender and ask the receiver in few episodes; tests/studies has the verdicts of more."""
    monkeypatch.setattr("spatial_game.cli.language.HEARD", 5_000)
    for module in ("language", "commands.describe"):
        monkeypatch.setattr(f"spatial_game.cli.{module}.ASKED", 500)


@pytest.fixture
def text(capsys):
    """A function that runs a command line, which must succeed, and returns what it prints."""

    def run(line):
        from spatial_game.cli import main

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
        from spatial_game.cli import main

        capsys.readouterr()
        assert main(line if isinstance(line, list) else line.split()) == status
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("spatial-game: error: ")
        assert said.err.count("\n") == 1
        return said.err

    return run
