"""Calls in several processes: results in order, and an end for all processes when one thing goes wrong."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.calls import appears, fail_or_sleep, kill_itself, own_process, square

from spatial_game.processes import UNGUARDED, run_in_processes


def test_one_job_is_this_process():
    seen = []
    assert run_in_processes(square, [(3,), (1,), (2,)], 1, seen.append) == [9, 1, 4]
    assert seen == [9, 1, 4]
    assert run_in_processes(os.getpid, [(), ()], 1) == [os.getpid()] * 2


def test_each_call_has_a_process_and_the_results_are_in_order(tmp_path):
    seen = []
    found = run_in_processes(own_process, [(i, tmp_path) for i in range(3)], 2, seen.append)
    assert [number for number, _ in found] == [0, 1, 2]
    assert sorted(seen) == found
    assert len({os.getpid(), *(process for _, process in found)}) == 4


def test_an_exception_ends_the_other_calls(tmp_path):
    with pytest.raises(ValueError, match="must not be 0") as error:
        run_in_processes(fail_or_sleep, [(0, tmp_path), (1, tmp_path), (2, tmp_path)], 2)
    assert "in fail_or_sleep" in str(error.value.__cause__)  # where it was raised
    assert (tmp_path / "saved").exists()


def test_a_killed_process_is_an_error_at_once(tmp_path):
    with pytest.raises(ChildProcessError, match="killed"):
        run_in_processes(kill_itself, [(0, tmp_path), (1, tmp_path)], 2)
    assert not (tmp_path / "through").exists()


def test_a_process_that_ended_by_itself_was_not_killed():
    with pytest.raises(ChildProcessError, match="a process ended with exit status 3; "):
        run_in_processes(os._exit, [(3,), (3,)], 2)


def test_a_script_without_a_guard_is_told(monkeypatch):
    with pytest.raises(RuntimeError, match="must do its work below"):
        run_in_processes(os._exit, [(UNGUARDED,), (UNGUARDED,)], 2)
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    monkeypatch.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit, match=str(UNGUARDED)):  # a process that begins ends here
        run_in_processes(square, [(1,), (2,)], 2)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.parametrize("end", ["kill", "terminate"])
def test_processes_end_with_the_one_that_began_them(tmp_path, end):
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    text = "from pathlib import Path\nfrom spatial_game.processes import run_in_processes\n"
    text += "from helpers.calls import sleep_until_ended\n"
    text += f"run_in_processes(sleep_until_ended, [(Path(each),) for each in {list(map(str, folders))}], 2)\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    started = {"cwd": Path(__file__).parents[1], "env": environment, "stderr": subprocess.PIPE, "text": True}
    parent = subprocess.Popen([sys.executable, "-c", text], **started)
    assert all(appears(folder / "begun") for folder in folders)
    getattr(parent, end)()
    assert all(appears(folder / "saved") for folder in folders)
    errors = parent.communicate(timeout=20)[1]
    assert (
        errors.count("Traceback")
        == errors.endswith("\nspatial_game.errors.Terminated\n")
        == (end == "terminate")
    )
