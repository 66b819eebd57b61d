"""Units as jobs of a real Slurm: pytest -m program, where `sinfo` answers."""

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from waiting import wait_for

from spatial_agents.training.runs import train
from spatial_game.units import Place, Unit, UnitsFailed, run_units, slurm
from spatial_game.units.status import status_of

pytest.importorskip("submitit")
pytestmark = [pytest.mark.slow, pytest.mark.program("sbatch")]


@pytest.fixture(autouse=True, scope="module")
def _slurm_answers():
    """Skip these tests where the commands of Slurm are installed, but no cluster answers."""
    if subprocess.run(["sinfo", "-h"], capture_output=True).returncode:
        pytest.skip("needs a running Slurm")


def on_slurm(*options):
    return Place("slurm", slurm=options or ("time=10",))


def start(options, *words):
    line = options.command("run").removeprefix("spatial-game train ").replace("runs/run", str(options.out))
    return driver(*shlex.split(line), *words)


def driver(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "spatial_game.cli", "train", *words, "--on", "slurm", "--slurm", "time=10"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def in_state(folder, state):
    return [found for found in status_of(folder) if found.state == state]


def process_of(run, name):
    """The last process that trained a pair, as it says itself."""
    lines = (run / "units" / f"{name}.jsonl").read_text().splitlines()
    return int(next(line for line in reversed(lines) if '"pid"' in line).split('"pid": ')[1].strip("}"))


def test_disturbed_pairs_end_in_the_same_bytes(tiny_options):
    """Six pairs; jobs are preempted, queued again and killed, and the driver leaves and comes back."""
    chance = random.Random(7)
    options = tiny_options(pairs=6, steps=1500, checkpoint_seconds=1.0)
    running = start(options)
    wait_for(lambda: (options.out / "units" / "units.json").exists() and in_state(options.out, "running"))
    for what in ("preempt", "requeue", "kill", "leave"):
        wait_for(lambda: [s for s in in_state(options.out, "running") if s.report], seconds=300)
        time.sleep(chance.random() * 3)
        for status in in_state(options.out, "running")[:1]:
            if what == "preempt":
                subprocess.run(["scancel", "--signal=USR2", status.job])
            elif what == "requeue":
                subprocess.run(["scontrol", "requeue", status.job])
            elif what == "kill":
                os.kill(process_of(options.out, status.name), signal.SIGKILL)
        if what == "leave":
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=60)
            assert running.returncode == 130
            assert "jobs go on (spatial-game status" in errors
    again = start(options)
    _, errors = again.communicate(timeout=900)
    if again.returncode:  # the pair that was killed, if this driver was the one that saw it
        assert "ended too early" in errors or "status 137" in errors
        again = driver("--resume", str(options.out))
        again.communicate(timeout=900)
    assert again.returncode == 0
    whole = train(tiny_options("whole/run", pairs=6, steps=1500, checkpoint_seconds=1.0))
    for folder in whole:
        disturbed = options.out / folder.name / "pair.safetensors"
        assert disturbed.read_bytes() == (folder / "pair.safetensors").read_bytes()


def test_a_unit_that_fails_says_so_and_leaves_the_others_alone(tmp_path):
    units = [Unit("good", ("play", "--json")), Unit("bad", ("evaluate", "nobody"))]
    told = []
    with pytest.raises(UnitsFailed, match=r"^bad: pair must be a bundled name") as failed:
        run_units(units, tmp_path / "units", on_slurm(), lambda name, report: told.append(report.get("text")))
    assert re.fullmatch(r"job \d+_0 job \d+_1", " ".join(told[:2]))
    assert list(failed.value.faults) == ["bad"]
    assert (tmp_path / "units" / "slurm").stat().st_mode & 0o777 == 0o700
    assert {found.name: found.state for found in status_of(tmp_path)} == {"good": "done", "bad": "failed"}


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("partition=nowhere", "invalid partition specified: nowhere"),
        ("foo=1", "unrecognized option '--foo=1'"),
    ],
)
def test_what_slurm_refuses_is_told(tmp_path, option, said):
    with pytest.raises(ValueError, match=f"slurm must take the jobs and options; got .*{said}"):
        run_units([Unit("a", ("play",))], tmp_path / "units", on_slurm(option))


def test_a_job_that_leaves_no_trace_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(slurm, "_GRACE", 1.0)
    monkeypatch.setattr(slurm.Jobs, "_command", lambda self, unit: slurm.CommandLine(["false"], "/dev/null"))
    with pytest.raises(UnitsFailed, match=r"a: .*left no trace in"):
        run_units([Unit("a", ("play",))], tmp_path / "units", on_slurm())
