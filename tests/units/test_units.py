"""Units: what a driver starts, hears and says, and how units end."""

import json
import os
import subprocess
import sys
import textwrap
import threading

import pytest
from waiting import wait_for

from spatial_game.files import locked
from spatial_game.units import Place, Unit, UnitsFailed, run_units, slurm, usable_cores
from spatial_game.units import unit as a_unit
from spatial_game.units.status import status_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

UNIT = """
    import os, signal, sys, time
    from spatial_game.cli.errors import ending_by_signal, report_errors
    from spatial_game.units import as_unit, say, unit

    def act(what, *words):
        if what == "say":
            for i in range(int(words[0])):
                say({"step": i + 1, "steps": int(words[0])})
        elif what == "fail":
            raise ValueError(words[0])
        elif what == "bug":
            raise RuntimeError(words[0])
        elif what == "exit":
            print(words[0], file=sys.stderr, flush=True)
            os._exit(3)
        elif what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "hang":
            unit.FAREWELL = 0.1
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            say({"step": 1})
            time.sleep(600)
        elif what == "sleep":
            say({"step": 1, "steps": 2, "seconds": 10.0})
            time.sleep(600)

    with report_errors() as outcome, ending_by_signal(), as_unit():
        act(*sys.argv[1:])
    say({"ended": outcome.status, "text": outcome.text})
    sys.exit(outcome.status)
"""


@pytest.fixture(autouse=True)
def _small_command(monkeypatch, tmp_path):
    """In the place of `spatial-game`: a program that starts fast and does as it is told."""
    program = tmp_path / "unit.py"
    program.write_text(textwrap.dedent(UNIT))
    monkeypatch.setattr(
        "spatial_game.units.processes.command_line",
        lambda unit: [sys.executable, str(program), *unit.command],
    )


def run(folder, commands, jobs=2, **options):
    units = [Unit(name, tuple(command.split("|"))) for name, command in commands.items()]
    return faults_of(units, folder, Place(jobs=jobs), **options)


def faults_of(*arguments, **options):
    try:
        run_units(*arguments, **options)
    except UnitsFailed as failed:
        return failed.faults
    return {}


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def states(folder):
    return {found.name: found.state for found in status_of(folder)}


def test_there_is_a_core():
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


def test_units_are_heard_in_order_and_end_as_done(tmp_path):
    heard = {"a": [], "b": []}

    def hear(name, report):
        heard[name].append(report.get("step"))

    faults = run(tmp_path / "units", {"a": "say|3", "b": "say|2"}, hear=hear)
    assert faults == {}
    assert heard == {"a": [None, 1, 2, 3], "b": [None, 1, 2]}  # first, where it runs
    assert states(tmp_path) == {"a": "done", "b": "done"}


def test_nothing_to_do(tmp_path):
    assert faults_of([], tmp_path / "units") == {}
    assert faults_of([Unit("a", ("fail", "never started"), done=True)], tmp_path / "units") == {}
    assert states(tmp_path) == {"a": "done"}


def test_a_unit_that_fails_leaves_the_others_alone(tmp_path):
    faults = run(
        tmp_path / "units",
        {"a": "fail|no such\nthing", "b": "bug|a bug", "c": "exit|no memory", "d": "say|1"},
    )
    assert faults == {
        "a": "no such thing",
        "b": "its process ended with status 1 (RuntimeError: a bug)",
        "c": "its process ended with status 3 (no memory)",
    }
    assert states(tmp_path) == {"a": "failed", "b": "failed", "c": "failed", "d": "done"}
    assert {found.name: found.report.get("text") for found in status_of(tmp_path)} == {**faults, "d": None}
    assert "Traceback" in (tmp_path / "units" / "b.log").read_text()


@posix
def test_a_unit_that_is_killed_is_named_and_can_run_again(tmp_path):
    assert run(tmp_path / "units", {"a": "die", "b": "say|1"}, jobs=1) == {
        "a": "its process ended by SIGKILL"
    }
    assert run(tmp_path / "units", {"a": "say|1"}) == {}
    assert states(tmp_path) == {"a": "done"}


@posix
def test_a_stop_ends_units_and_starts_no_other(tmp_path):
    stopped, heard = threading.Event(), set()

    def hear(name, report):
        heard.update([name] if "step" in report else [])
        if heard == {"a", "b"}:
            stopped.set()

    with pytest.raises(KeyboardInterrupt, match="stopped"):
        run(tmp_path / "units", {"a": "sleep", "b": "sleep", "c": "sleep"}, hear=hear, stopped=stopped)
    assert states(tmp_path) == {"a": "stopped", "b": "stopped", "c": "waiting"}
    reports = [json.loads(line) for line in (tmp_path / "units" / "a.jsonl").read_text().split("\n") if line]
    assert reports[-1]["ended"] == 143


@posix
def test_a_unit_that_cannot_end_is_ended(tmp_path):
    stopped = threading.Event()

    def hear(name, report):
        if "step" in report:
            stopped.set()

    with pytest.raises(KeyboardInterrupt, match="stopped"):
        run(tmp_path / "units", {"a": "hang"}, hear=hear, stopped=stopped)
    assert states(tmp_path) == {"a": "stopped"}


@posix
def test_an_error_of_the_listener_ends_the_units(tmp_path):
    processes = []

    def hear(name, report):
        processes.append(report["pid"])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(tmp_path / "units", {"a": "sleep"}, hear=hear)
    assert not alive(processes[0])


@posix
def test_units_end_with_a_driver_that_is_killed(tmp_path):
    script = f"""
        import sys
        from pathlib import Path
        from spatial_game.units import Unit, processes, run_units
        processes.command_line = lambda unit: [sys.executable, {str(tmp_path / "unit.py")!r}, "sleep"]
        hear = lambda name, report: print(report.get("pid"), flush=True)
        run_units([Unit("a", ())], Path({str(tmp_path / "units")!r}), hear=hear)
    """
    paths = os.pathsep.join(path for path in sys.path if path)
    driver = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    process = int(driver.stdout.readline())
    wait_for(lambda: states(tmp_path) == {"a": "running"})
    with pytest.raises(ValueError, match=r"units must not be in use; got one in which another command runs"):
        run(tmp_path / "units", {"a": "say|1"})
    driver.kill()
    driver.communicate()
    wait_for(lambda: not alive(process))
    assert run(tmp_path / "units", {"a": "say|1"}) == {}


def test_a_unit_runs_once_and_only_in_the_folder_of_its_driver(tmp_path, monkeypatch):
    folder = tmp_path / "units"
    folder.mkdir()
    monkeypatch.setattr(a_unit, "FAREWELL", 0.0)
    (folder / "units.json").write_text('{"token": "ours", "units": [], "jobs": {}}')

    def enter(token):
        for name, value in a_unit.new_reports(folder, Unit("a", ()), token).items():
            monkeypatch.setenv(name, value)
        with a_unit.as_unit():
            pass

    with pytest.raises(ValueError, match=r"must be the same folder on all machines; .* does not share"):
        enter("another")
    with (
        locked(folder / "a.jsonl", ""),
        pytest.raises(ValueError, match="a must run once; got one that runs"),
    ):
        enter("ours")
    monkeypatch.setattr(a_unit, "_reports", [])


@posix
@pytest.mark.parametrize("name", ["a.jsonl", "a.log", "lock", "units.json"])
@pytest.mark.parametrize("there", [True, False])
def test_a_link_among_the_files_of_units_is_refused_and_its_target_stays(tmp_path, name, there):
    folder, outside = tmp_path / "units", tmp_path / "outside"
    folder.mkdir()
    if there:
        outside.write_text("precious")
    (folder / name).symlink_to(outside)
    with pytest.raises(ValueError, match=rf"^\S+{name} must be a file of its own; got a link$"):
        run(folder, {"a": "say|1"})
    assert (folder / name).is_symlink()
    assert outside.exists() == there
    assert not there or outside.read_text() == "precious"


@posix
def test_a_link_in_the_place_of_slurms_folder_is_refused(tmp_path):
    (tmp_path / "outside").mkdir(mode=0o755)
    (tmp_path / "slurm").symlink_to(tmp_path / "outside")
    with pytest.raises(ValueError, match="slurm must be a file of its own; got a link"):
        slurm._private(tmp_path / "slurm")
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o755


UNITS = {"units": [{"name": "a", "command": ["train"], "done": False}], "token": "ours", "jobs": {"a": "7"}}


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "null", "7", "{}",
        *(json.dumps(UNITS | {"units": units}) for units in (5, [{}], ["a"])),
    ],
)  # fmt: skip
def test_a_damaged_units_json_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "units").mkdir()
    (tmp_path / "units" / "units.json").write_text(content)
    for use in (lambda: status_of(tmp_path), lambda: run(tmp_path / "units", {"a": "say|1"})):
        with pytest.raises(
            ValueError, match=r"units.json must be as a command wrote it; got one that is dam"
        ):
            use()


@posix
def test_the_time_that_is_left_is_finite(tmp_path):
    (tmp_path / "units.json").write_text(json.dumps(UNITS | {"jobs": {}}))
    (tmp_path / "a.jsonl").write_text('{"step": 1e-300, "steps": 9e14, "seconds": 9e14}\n')
    with locked(tmp_path / "a.jsonl", ""):
        [found] = status_of(tmp_path)
    assert (found.state, found.seconds_left) == ("running", None)


def test_a_line_that_was_cut_off_is_skipped(tmp_path):
    run(tmp_path / "units", {"a": "say|1"})
    with (tmp_path / "units" / "a.jsonl").open("a") as file:
        file.write('{"ended": 1, "te')
    assert states(tmp_path) == {"a": "done"}
    assert run(tmp_path / "units", {"a": "say|1"}) == {}


@posix
def test_status_tells_the_time_that_is_left(tmp_path):
    stopped = threading.Event()

    def hear(name, report):
        if "step" in report:
            wait_for(lambda: status_of(tmp_path)[0].report.get("step") == 1)
            found = status_of(tmp_path)[0]
            assert (found.state, found.seconds_left) == ("running", 10.0)
            stopped.set()

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "units", {"a": "sleep"}, hear=hear, stopped=stopped)


@posix
def test_an_array_is_no_larger_than_slurm_allows(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert slurm.largest_array() == 1000
    (tmp_path / "scontrol").write_text("#!/bin/sh\necho 'MaxArraySize            = 301'\n")
    (tmp_path / "scontrol").chmod(0o755)
    assert slurm.largest_array() == 300


def test_options_are_preferred_to_variables_of_sbatch(monkeypatch):
    given = {"SBATCH_TIMELIMIT": "1", "SBATCH_WAIT": "1", "SBATCH_ACCOUNT": "mine"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with slurm._own_options({"time": "60", "partition": "cpu"}):
        assert {name for name in given if name in os.environ} == {"SBATCH_ACCOUNT"}
    assert {name: os.environ[name] for name in given} == given


def test_the_last_line_of_a_log_is_one_that_says_why(tmp_path):
    log = tmp_path / "log"
    assert a_unit.last_line(log) == ""
    log.write_text("begun\nexecve(): no such file\nsrun: error: task 0: Exited with exit code 2\n\n")
    assert a_unit.last_line(log) == "execve(): no such file"


@pytest.mark.parametrize("name", ["100%j", "a\\b", "a\nb"])
def test_a_folder_whose_name_slurm_would_change(tmp_path, name):
    with pytest.raises(ValueError, match=r"out must be a path without %, \\ and line ends on Slurm; got"):
        slurm._private(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_windows_has_no_slurm(monkeypatch):
    monkeypatch.setattr(a_unit.sys, "platform", "win32")
    with pytest.raises(ValueError, match="on must be local on Windows; got slurm"):
        Place("slurm")


def test_units_of_several_commands_are_told_apart(tmp_path):
    for name in ("one", "two"):
        run(tmp_path / name / "units", {"a": "say|1"})
    assert states(tmp_path) == {"one/units/a": "done", "two/units/a": "done"}


def test_a_folder_without_units(tmp_path):
    with pytest.raises(ValueError, match=r"folder must be that of a command that ran units; got"):
        status_of(tmp_path)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"jobs": -1}, "jobs must be at least 0; got -1"),
        ({"slurm": ("time=5",)}, "slurm must be left out without --on slurm; got time=5"),
        ({"on": "slurm", "slurm": ("time:60",)}, r"slurm must be options such as .*; got time:60"),
        (
            {"on": "slurm", "slurm": ("comment=a\n#SBATCH --wrap=b",)},
            r"slurm must be without control characters; got 'comment=a\\n#SBATCH --wrap=b'",
        ),
        ({"on": "slurm", "slurm": ("array=0-5",)}, "slurm must leave array out, as the units form an array"),
    ],
)
def test_impossible_places(place, message):
    with pytest.raises(ValueError, match=message):
        Place(**place)
