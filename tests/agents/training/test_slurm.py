"""Pairs as jobs of a real Slurm: pytest -m program, where `sinfo` answers."""

import signal
import subprocess
import sys
import time

import pytest

from spatial_agents.pairs.pair import load_pair
from spatial_agents.training.runs import train, write_config
from spatial_agents.training.trainer import TrainingDiverged

pytest.importorskip("submitit")
pytestmark = [pytest.mark.slow, pytest.mark.program("sbatch")]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """Skip these tests where the commands of Slurm are installed, but no cluster answers."""
    if subprocess.run(["sinfo", "-h"], capture_output=True).returncode:
        pytest.skip("needs a running Slurm")


def driver(run):
    words = ["train", "--resume", str(run), "--on", "slurm", "--slurm", "time=10"]
    return subprocess.Popen([sys.executable, "-m", "spatial_game", *words], stderr=subprocess.PIPE, text=True)


def queued(*words):
    found = subprocess.run(["squeue", "--me", "-h", "-r", "-o", "%i", *words], capture_output=True, text=True)
    return found.stdout.split()


def running():
    return queued("-t", "RUNNING")


def rows(folder):
    table = folder / "metrics.csv"
    return len(table.read_text().splitlines()) if table.is_file() else 0


def test_pairs_that_are_preempted_and_requeued_end_in_the_same_bytes(tiny_options, wait_for):
    options = tiny_options("a folder/run", pairs=2, steps=6000, checkpoint_seconds=0.5)
    write_config(options.out, options, None)
    first = driver(options.out)
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
    wait_for(lambda: not queued(), seconds=600)
    again = driver(options.out)
    _, errors = again.communicate(timeout=900)
    assert again.returncode == 0, errors
    whole = train(tiny_options("whole/run", pairs=2, steps=6000, checkpoint_seconds=0.5), jobs=1)
    for folder in whole:
        disturbed = options.out / folder.name / "pair.safetensors"
        assert load_pair(disturbed).weights_hash == load_pair(folder).weights_hash


def test_what_ends_a_training_on_slurm_is_told_as_locally(tiny_options):
    options = tiny_options(steps=30, recipe="paper", learning_rate=1e30)
    with pytest.raises(TrainingDiverged, match="must stay finite"):
        train(options, on="slurm")


def test_what_slurm_refuses_is_told(tiny_options):
    with pytest.raises(ValueError, match=r"slurm must take the jobs and options; got .*partition"):
        train(tiny_options(pairs=2), on="slurm", slurm=["partition=nowhere"])
