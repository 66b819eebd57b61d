"""What a job asks of Slurm, and what is made of Slurm's answers, without a Slurm."""

import signal
from types import SimpleNamespace

import pytest

from spatial_agents.training import slurm

pytest.importorskip("submitit")


@pytest.fixture
def job_signal():
    before = signal.getsignal(signal.SIGUSR2)
    yield
    signal.signal(signal.SIGUSR2, before)


@pytest.mark.usefixtures("job_signal")
@pytest.mark.parametrize(("state", "asks"), [("RUNNING", True), ("COMPLETING", False), ("", False)])
def test_only_a_job_that_slurm_lets_run_asks_to_be_queued_again(state, asks, monkeypatch):
    called = []

    def run(words, **_):
        called.append(words[:2])
        return SimpleNamespace(stdout=f"{state}\n")

    def stopped():
        raise KeyboardInterrupt("stopped at step 3")

    monkeypatch.setattr(slurm.subprocess, "run", run)
    monkeypatch.setenv("SUBMITIT_EXECUTOR", "slurm")
    monkeypatch.setenv("SLURM_JOB_ID", "8")
    with pytest.raises(SystemExit, match="stopped at step 3"):
        slurm.call_in_job(stopped)
    assert (["scontrol", "requeue"] in called) == asks


WELL, ERROR = None, RuntimeError("the trace")


def watch(monkeypatch, *looks):
    """Return what is made of two jobs, and the seconds that it took.

    A look, one each second, is what Slurm answers (states by the jobs' numbers, or None) and what the result
    files hold. The last one stays.
    """
    looks, seconds = [None, *looks], 0

    class Job:
        def __init__(self, number):
            self.job_id = number
            self.paths = SimpleNamespace(result_pickle=self, stderr="the log")

        def exists(self):
            return self.job_id in looks[0][1]

        def exception(self):
            return looks[0][1][self.job_id]

        result = exception

    def sleep(_):
        nonlocal seconds
        seconds += 1
        if len(looks) > 1:
            looks.pop(0)

    monkeypatch.setattr(slurm, "time", SimpleNamespace(monotonic=lambda: seconds, sleep=sleep))
    monkeypatch.setattr(slurm, "_states", lambda: looks[0][0])
    return slurm._watch([Job("1_0"), Job("1_1")]), seconds


def states(first, second="COMPLETED"):
    return {"1_0": first, "1_1": second}


def test_a_job_is_waited_for_until_slurm_says_that_it_has_ended(monkeypatch):
    results = {"1_0": ERROR, "1_1": WELL}
    queued_again = [(states("COMPLETING"), results), (states("PENDING"), results)] * 20
    no_answer = [(None, results)] * 40
    end = (states("COMPLETED"), {"1_0": WELL, "1_1": WELL})
    assert watch(monkeypatch, *queued_again, *no_answer, end) == ({"1_0": None, "1_1": None}, 81)


def test_a_result_that_the_file_system_shows_late_counts(monkeypatch):
    late = [({}, {})] * 10
    assert watch(monkeypatch, *late, ({}, {"1_0": WELL, "1_1": WELL})) == ({"1_0": None, "1_1": None}, 11)


def test_a_job_that_ends_without_a_result_is_a_failure(monkeypatch):
    results, seconds = watch(monkeypatch, (states("NODE_FAIL", "FAILED"), {"1_1": ERROR}))
    assert str(results["1_0"]) == "job 1_0 failed (Slurm's state: NODE_FAIL); see the log"
    assert str(results["1_1"]) == "job 1_1 failed (Slurm's state: FAILED); see the log"
    assert seconds == slurm.PATIENCE_SECONDS + 1


def test_a_cancelled_job_is_told_at_once(monkeypatch, capsys):
    told = "job 1_0 failed (Slurm's state: CANCELLED); see the log"
    running = (states("CANCELLED", "RUNNING"), {})
    end = (states("CANCELLED"), {"1_1": WELL})

    results, seconds = watch(monkeypatch, running, running, end)
    assert (str(results["1_0"]), results["1_1"], seconds) == (told, None, 3)
    assert capsys.readouterr().err == told + "\n"
