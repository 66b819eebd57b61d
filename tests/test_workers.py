"""Worker processes: what they return, what they say, and how they end."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
import worker_tasks
from waiting import wait_for

from spatial_game.workers import WorkerDied, run_tasks, usable_cores

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def results(function, tasks, workers=2, **options):
    return {done.name: done.result() for done in run_tasks(function, tasks, workers, **options)}


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_there_is_a_core():
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


def test_each_task_yields_its_value_and_what_it_prints_harms_nothing():
    assert results(worker_tasks.double, {str(n): (n,) for n in range(5)}) == {str(n): 2 * n for n in range(5)}
    assert results(worker_tasks.double, {}) == {}


def test_a_worker_does_one_task_after_another():
    found = results(worker_tasks.process_of, {str(n): (n,) for n in range(4)}, workers=1)
    assert len(set(found.values())) == 1
    assert os.getpid() not in found.values()


def test_threads_are_limited():
    assert results(worker_tasks.threads, {"a": (0,)}, threads=3) == {"a": "3"}


def test_what_tasks_say_is_heard_in_order():
    heard = {"a": [], "b": []}
    tasks = {"a": (3,), "b": (2,)}
    found = results(worker_tasks.count_to, tasks, hear=lambda name, content: heard[name].append(content))
    assert found == {"a": "counted", "b": "counted"}
    assert heard == {"a": [0, 1, 2], "b": [0, 1]}


def test_an_error_is_that_of_its_task_and_says_where_it_came_from():
    [done] = run_tasks(worker_tasks.fail, {"a": ("no such thing",)}, 1)
    with pytest.raises(ValueError, match="no such thing") as caught:
        done.result()
    assert "worker_tasks.py" in caught.value.__notes__[0]
    [done] = run_tasks(worker_tasks.fail_oddly, {"a": (0,)}, 1)
    with pytest.raises(RuntimeError, match="Stubborn: an error that does not pickle"):
        done.result()


def test_a_worker_that_dies_leaves_the_other_tasks_alone():
    ends = {d.name: d for d in run_tasks(worker_tasks.die_if, {n: (n, "b") for n in "abc"}, 1)}
    assert (ends["a"].value, ends["c"].value) == ("a", "c")
    assert isinstance(ends["b"].error, WorkerDied)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        pytest.param(signal.SIGTERM, "its process ended by SIGTERM", marks=posix),
        ("no memory", r"its process ended with status 3 \(no memory\)"),
    ],
)
def test_how_a_worker_died_is_told(how, words):
    [done] = run_tasks(worker_tasks.die, {"a": (how,)}, 1)
    with pytest.raises(WorkerDied, match=f"^{words}$"):
        done.result()


@posix
def test_tasks_that_handle_a_stop_still_end_and_no_other_starts():
    stopped = threading.Event()
    ends = run_tasks(
        worker_tasks.until_stopped, {"a": (), "b": (), "c": ()}, 2,
        hear=lambda name, content: stopped.set(), stopped=stopped,
    )  # fmt: skip
    ends = {done.name: done for done in ends}
    assert "c" not in ends
    assert ends["a"].value == "saved" or ends["b"].value == "saved"


@posix
def test_an_error_of_the_listener_ends_the_workers():
    processes = []

    def hear(name, content):
        processes.append(content)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(run_tasks(worker_tasks.sleep, {"a": (0,)}, 1, hear=hear))
    wait_for(lambda: not alive(processes[0]))


@posix
def test_workers_end_with_the_process_that_started_them():
    script = """
        import worker_tasks
        from spatial_game.workers import run_tasks
        list(run_tasks(worker_tasks.sleep, {"a": (0,)}, 1, hear=lambda name, pid: print(pid, flush=True)))
    """
    paths = os.pathsep.join(path for path in sys.path if path)
    starter = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    worker = int(starter.stdout.readline())
    assert alive(worker)
    starter.kill()
    starter.communicate()
    wait_for(lambda: not alive(worker))
