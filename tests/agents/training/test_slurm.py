"""Pairs as jobs of a real Slurm: pytest -m program, where `sinfo` answers."""

import shlex
import signal
import subprocess
import sys
import time

import pytest

from spatial_agents.training.runs import train
from spatial_agents.training.slurm import slurm_options

pytest.importorskip("submitit")


@pytest.fixture(scope="module")
def cluster():
    """Skip these tests where the commands of Slurm are installed, but no cluster answers."""
    if subprocess.run(["sinfo", "-h"], capture_output=True).returncode:
        pytest.skip("needs a running Slurm")


def driver(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "spatial_game.cli", "train", *words, "--on", "slurm", "--slurm", "time=10"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def running():
    found = subprocess.run(["squeue", "--me", "-h", "-r", "-t", "RUNNING", "-o", "%i"], capture_output=True)
    return found.stdout.decode().split()


def rows(folder):
    table = folder / "metrics.csv"
    return len(table.read_text().splitlines()) if table.is_file() else 0


@pytest.mark.slow
@pytest.mark.program("sbatch")
@pytest.mark.usefixtures("cluster")
def test_pairs_that_are_preempted_and_requeued_end_in_the_same_bytes(tiny_options, wait_for):
    options = tiny_options(pairs=2, steps=6000, checkpoint_seconds=0.5)
    line = options.command("run").removeprefix("spatial-game train ").replace("runs/run", str(options.out))
    first = driver(*shlex.split(line))
    for way in (["scancel", "--signal=USR2"], ["scontrol", "requeue"]):
        wait_for(lambda: running() and rows(options.out / "00") > 5, seconds=300)
        time.sleep(2)
        subprocess.run([*way, running()[0]], check=True)
        time.sleep(5)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=60)
    assert first.returncode == 130
    assert errors.splitlines()[-1].endswith(
        f"the jobs go on; continue with --resume {options.out} --on slurm"
    )
    wait_for(lambda: not running(), seconds=600)
    again = driver("--resume", str(options.out))
    _, errors = again.communicate(timeout=900)
    assert again.returncode == 0, errors
    whole = train(tiny_options("whole/run", pairs=2, steps=6000, checkpoint_seconds=0.5), jobs=1)
    for folder in whole:
        disturbed = options.out / folder.name / "pair.safetensors"
        assert disturbed.read_bytes() == (folder / "pair.safetensors").read_bytes()


@pytest.mark.slow
@pytest.mark.program("sbatch")
@pytest.mark.usefixtures("cluster")
def test_what_slurm_refuses_is_told(tiny_options):
    with pytest.raises(ValueError, match=r"slurm must take the jobs and options; got .*partition"):
        train(tiny_options(pairs=2), on="slurm", slurm=["partition=nowhere"])


def test_options_of_slurm():
    assert slurm_options(["gpus_per_node=1", "exclusive"]) == {"gpus-per-node": "1", "exclusive": True}
    for word in ("array=1-3", "a b=1", "x=1\n#SBATCH -p gpu"):
        with pytest.raises(ValueError, match="slurm must be options such as"):
            slurm_options([word])
