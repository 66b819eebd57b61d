"""Pairs as jobs of a real Slurm, which these tests start on this machine: pytest -m slow, as root."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers import slow_networks
from helpers.tiny_pairs import TINY

from spatial_agents.recipes import Recipe, TrainOptions, sweep
from spatial_agents.training import slurm
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import TrainingDiverged
from spatial_game.errors import TrainingFailed

pytest.importorskip("submitit")
pytestmark = pytest.mark.slow
NETWORKS = (slow_networks.Sender, slow_networks.Receiver)
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
SCRIPT = Path(__file__).with_name("one_node_slurm")


@pytest.fixture(scope="module")
def cluster():
    """The folder of a Slurm of one node, which the commands of Slurm find."""
    if os.geteuid() or not all(map(shutil.which, PROGRAMS)):
        pytest.skip(f"needs root, and {', '.join(PROGRAMS)}")
    home = tempfile.mkdtemp(prefix="slurm-")  # a short name, as every socket needs
    os.chmod(home, 0o755)  # munged refuses other folders
    python_path = [
        str(Path(slow_networks.__file__).parents[1]),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", f"{home}/slurm.conf")
        patch.setenv("PYTHONPATH", os.pathsep.join(python_path))  # jobs import the networks
        patch.setenv("SLOW_WHILE", f"{home}/slow")
        try:
            port = 20_000 + os.getpid() % 6_000 * 2
            subprocess.run([SCRIPT, "start", home, str(port)], check=True)
            yield Path(home)
        finally:
            subprocess.run([SCRIPT, "stop", home], check=True)
            shutil.rmtree(home)


@pytest.fixture(autouse=True)
def slow(cluster, monkeypatch):
    """The file that makes steps slow."""
    monkeypatch.setattr(slurm, "POLL_SECONDS", 0.5)
    (cluster / "slow").touch()
    yield cluster / "slow"
    subprocess.run(["scancel", "--me"], check=True)


@pytest.fixture(scope="module")
def undisturbed(cluster, tmp_path_factory):
    """The folders of four pairs that were trained on this machine without Slurm."""
    (cluster / "slow").unlink(missing_ok=True)
    return train(options(tmp_path_factory.mktemp("undisturbed") / "run", 4), NETWORKS, jobs=1)


def options(out, pairs=1):
    recipe = Recipe(steps=300, batch_size=16)  # 150 seconds while steps are slow
    return TrainOptions(TINY, recipe, out=out, pairs=pairs, evaluation_episodes=200, checkpoint_seconds=0.5)


@pytest.fixture
def watch():
    """A function that trains on Slurm in another thread, and returns the future result."""
    with ThreadPoolExecutor() as threads:
        yield lambda run, *words: threads.submit(train, run, NETWORKS, on="slurm", slurm=words)


def weights(folders):
    return [(folder / "pair.safetensors").read_bytes() for folder in folders]


def jobs():
    """The numbers of the jobs that have not ended."""
    listed = subprocess.run(["squeue", "--me", "-h", "-r", "-o", "%i"], capture_output=True, text=True)
    return sorted(listed.stdout.split())


def shown(number):
    """What Slurm shows of a job."""
    words = ["scontrol", "show", "job", number]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def in_the_middle(wait_for):
    """A function that waits until these folders' pairs are some steps further, and returns the jobs."""

    def wait(folders):
        for folder in folders:
            wait_for((folder / "checkpoint.pt").is_file)
            at = (folder / "checkpoint.pt").stat().st_mtime_ns
            wait_for(lambda path=folder / "checkpoint.pt", at=at: path.stat().st_mtime_ns > at)
        return jobs()

    return wait


def call(*words):
    subprocess.run(words, check=True)


def preempt(_number, cluster):
    call("sbatch", "--partition=urgent", "--exclusive", f"--output={cluster}/urgent", "--wrap=sleep 3")


def node_down(_number, _cluster):
    node = os.uname().nodename
    call("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
    # Refused, and not needed, if the node has come back by itself.
    subprocess.run(("scontrol", "update", f"nodename={node}", "state=resume"))


def lose_node(number, cluster):
    """End the node's part of Slurm, until Slurm has given the node up. The job's process goes on."""
    os.kill(int((cluster / "slurmd.pid").read_text()), signal.SIGKILL)
    while "Restarts=0" in shown(number):
        time.sleep(0.1)
    call(SCRIPT, "slurmd", cluster)


@pytest.mark.parametrize(
    "disturb",
    [
        lambda number, _: call("scontrol", "requeue", number),
        lambda number, _: call("scancel", "--signal=USR2", number),
        preempt,
        node_down,
        lose_node,
    ],
    ids=["requeue", "signal", "preempt", "node down", "node lost"],
)
def test_a_job_that_slurm_queues_again_ends_in_the_same_bytes(
    tmp_path, cluster, slow, undisturbed, watch, in_the_middle, wait_for, disturb
):
    run = tmp_path / "a run"
    slow.touch()
    trained = watch(options(run))
    [number] = in_the_middle([run])
    disturb(number, cluster)
    wait_for(lambda: "Restarts=1" in shown(number))
    slow.unlink()
    assert weights(trained.result(timeout=300)) == weights(undisturbed[:1])


def test_a_job_at_its_time_limit_ends_in_the_same_bytes(
    tmp_path, slow, undisturbed, watch, in_the_middle, wait_for
):
    run = tmp_path / "run"
    slow.touch()
    trained = watch(options(run), "time=3")  # the signal comes after one to two minutes
    [number] = in_the_middle([run])
    wait_for(lambda: "Restarts=1" in shown(number))
    slow.unlink()
    assert weights(trained.result(timeout=300)) == weights(undisturbed[:1])


def test_of_four_jobs_two_are_queued_again_and_all_end_in_the_same_bytes(
    tmp_path, slow, undisturbed, watch, in_the_middle, wait_for
):
    run = tmp_path / "run"
    slow.touch()
    trained = watch(options(run, 4))
    numbers = in_the_middle([run / f"{index:02d}" for index in range(4)])
    call("scontrol", "requeue", f"{numbers[1]},{numbers[3]}")
    wait_for(lambda: all("Restarts=1" in shown(number) for number in numbers[1::2]))
    assert not trained.done()
    slow.unlink()
    assert weights(trained.result(timeout=300)) == weights(undisturbed)


def test_a_cancelled_job_is_a_failure_that_is_told_at_once_while_the_others_go_on(
    tmp_path, slow, undisturbed, watch, in_the_middle, wait_for, capfd
):
    run = tmp_path / "run"
    slow.touch()
    trained = watch(options(run, 2))
    first, second = in_the_middle([run / "00", run / "01"])
    call("scancel", first)
    told, fault = [], f"job {first} failed (Slurm's state: CANCELLED); see "
    wait_for(lambda: told.append(capfd.readouterr().err) or fault in "".join(told))
    assert jobs() == [second]
    slow.unlink()
    with pytest.raises(TrainingFailed, match=r"^pair 00: job \S+ failed .*CANCELLED") as failed:
        trained.result(timeout=300)
    assert "pair 01" not in str(failed.value)
    assert weights(watch(options(run, 2)).result(timeout=300)) == weights(undisturbed[:2])


def test_a_job_that_is_killed_is_a_failure(tmp_path, watch, in_the_middle):
    trained = watch(options(tmp_path / "run"))
    [number] = in_the_middle([tmp_path / "run"])
    call("sh", "-c", f"kill -9 $(scontrol listpids {number} | awk '$3 == 0 {{ print $1 }}')")
    with pytest.raises(ChildProcessError, match="FAILED"):
        trained.result(timeout=300)
    assert jobs() == []


def test_after_ctrl_c_the_jobs_go_on(tmp_path, slow, undisturbed, in_the_middle, wait_for):
    run = tmp_path / "run"

    def interrupt():
        in_the_middle([run])
        os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor() as threads:
        threads.submit(interrupt)
        with pytest.raises(KeyboardInterrupt, match="the jobs go on; continue with the same call"):
            train(options(run), NETWORKS, on="slurm")
    slow.unlink()
    wait_for(lambda: not jobs())
    assert weights(train(options(run), NETWORKS, on="slurm")) == weights(undisturbed[:1])


def test_a_sweep_of_populations_with_an_objective_is_one_queue_that_is_left_alone(tmp_path, slow, wait_for):
    def runs(out):
        population = {"senders": 2, "steps": [20, 30], "inputs": "embedding", "batch_size": 16}
        return sweep(**TINY.to_dict(), **population, out=tmp_path / out, evaluation_episodes=200)

    objective = slow_networks.objective
    assert train(runs("swept"), objective=objective, on="slurm", detach=True) == []
    first, second = jobs()
    assert first.partition("_")[0] == second.partition("_")[0]
    slow.unlink()
    wait_for(lambda: not jobs())
    folders = train(runs("swept"), objective=objective, on="slurm")
    assert len(folders) == 4
    assert weights(folders) == weights(train(runs("here"), objective=objective, jobs=1))


def test_what_ends_a_training_on_slurm_is_told_as_locally(tiny_options):
    with pytest.raises(TrainingDiverged, match="must stay finite"):
        train(tiny_options(steps=30, recipe="paper", learning_rate=1e30), on="slurm")


def test_what_slurm_refuses_is_told(tiny_options):
    with pytest.raises(ValueError, match=r"slurm must take the jobs and options; got .*partition"):
        train(tiny_options(pairs=2), on="slurm", slurm=["partition=nowhere"])
