"""Runs: what they leave, that they end in the same bytes however they are stopped, and what is refused."""

import csv
import dataclasses
import json
import shutil
import signal
import subprocess
import sys
import time

import pytest
import torch
from quick_processes import QuickPopen

from spatial_agents.pairs.pair import load_pair
from spatial_agents.pairs.weights import read_weights
from spatial_agents.recipes import TrainOptions
from spatial_agents.training import loop
from spatial_agents.training.runs import TrainingFailed, finished_folders, options_of, train
from spatial_agents.training.trainer import Trainer
from spatial_game.game.evaluation import evaluate


def rows(folder):
    path = folder / "metrics.csv"
    return list(csv.DictReader(path.read_text().splitlines())) if path.is_file() else []


def last_row(folder):
    return max((int(row["step"]) for row in rows(folder)), default=0)


def saved_step(folder):
    return torch.load(folder / "checkpoint.pt", weights_only=True)["step"]


def pair_of(folder):
    return (folder / "pair.safetensors").read_bytes()


def resume(folder, **settings):
    return train(options_of(folder), **settings)


class Killed(Exception):
    pass


def train_and_kill(options, monkeypatch, at):
    """Train until a step, and leave what a killed process leaves there."""

    class Mortal(Trainer):
        def step(self):
            if self.step_number == at:
                raise Killed
            super().step()

    with monkeypatch.context() as patch:
        patch.setattr(loop, "Trainer", Mortal)
        with pytest.raises(Killed):
            train(options)


@pytest.fixture
def finished(trained, tmp_path):
    """A copy of that run."""
    return shutil.copytree(trained, tmp_path / "run")


# ----------------------------------------------------------------------------------------- what is made


def test_a_run_leaves_what_it_promises(trained):
    files = {"config.json", "checkpoint.pt", "metrics.csv", "tensorboard", "pair.safetensors", "card.json"}
    assert {path.name for path in trained.iterdir()} == files
    card = json.loads((trained / "card.json").read_text())
    assert card["weights_hash"] == load_pair(trained).weights_hash
    assert (card["evaluation"]["n"], card["episodes_seen"], card["seed"]) == (200, 100 * 32, 0)
    assert card["command"].endswith(f"--out runs/{trained.name}")
    assert str(trained.parent) not in (trained / "card.json").read_text()
    validated = [(int(row["step"]), row["validation_accuracy"] != "") for row in rows(trained)]
    assert validated == [(50, False), (100, True)]
    assert read_weights(trained / "pair.safetensors").provenance["seed"] == 0


def test_the_seed_decides_everything(tiny_options, trained):
    before = torch.get_rng_state()
    [same], [other] = train(tiny_options("a/run")), train(tiny_options("b/run", seed=2))
    assert pair_of(same) == pair_of(trained) != pair_of(other)
    assert torch.equal(torch.get_rng_state(), before)


VARIANTS = {
    "straight-through": {"straight_through": True, "temperature": 0.7, "schedule": "linear"},
    "fixed samples": {"recipe": "paper", "fixed_samples": 50},
    "local": {"recipe": "local", "hold_out": 0.2},
    "landmark": {"recipe": "landmark", "inputs": "one-hot"},
}


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_every_kind_of_run_resumes_to_the_same_bytes_and_plays(tiny_options, monkeypatch, changes):
    short = {"steps": 60, "checkpoint_seconds": 0.0, **changes}
    [whole] = train(tiny_options("whole/run", **short))
    options = tiny_options("cut/run", **short)
    train_and_kill(options, monkeypatch, at=53)  # between two rows of metrics
    [cut] = resume(options.out)
    assert pair_of(whole) == pair_of(cut)
    without_time = [[{**row, "seconds": ""} for row in rows(run)] for run in (whole, cut)]
    assert without_time[0] == without_time[1]
    pair = load_pair(whole)
    assert pair.agent == options.recipe.agent
    assert evaluate(pair, 200, 0).to_dict() == pair.card["evaluation"]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_trains_stops_and_resumes(tiny_options, monkeypatch):
    options = tiny_options(device="cuda", checkpoint_seconds=0.0)
    train_and_kill(options, monkeypatch, at=63)
    assert resume(options.out) == [options.out]
    assert [int(row["step"]) for row in rows(options.out)] == [50, 100]


# ------------------------------------------------------------------------------------------- resuming


def test_the_same_command_continues_a_run_and_another_is_refused(tiny_options, monkeypatch, trained):
    options = tiny_options()
    train_and_kill(options, monkeypatch, at=0)
    with pytest.raises(ValueError, match=r"must hold a run with the same seed, 9; got 0"):
        train(dataclasses.replace(options, seed=9))
    [folder] = train(options)
    assert pair_of(folder) == pair_of(trained)


def test_resuming_a_finished_run_changes_nothing(finished):
    before = {path: path.read_bytes() for path in finished.iterdir() if path.is_file()}
    assert resume(finished) == [finished]
    assert {path: path.read_bytes() for path in finished.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("name", ["pair.safetensors", "card.json"])
def test_a_finished_pair_that_was_spoilt_is_finished_again(finished, trained, name):
    (finished / name).write_text('{"half')
    assert resume(finished) == [finished]
    assert pair_of(finished) == pair_of(trained)
    assert finished_folders(finished) == [finished]


@pytest.mark.skipif(sys.platform != "linux", reason="forks where it is safe")
def test_a_stopped_process_resumes_to_the_same_bytes(tiny_options, tmp_path, wait_for):
    """Each signal ends the run, which goes on until the next."""
    options = tiny_options("stopped/run", steps=600, checkpoint_seconds=0.05)
    line = options.command("run").removeprefix("spatial-game train ").replace("runs/run", str(options.out))
    words, reached = line.split(), 0
    for name in ("SIGKILL", "SIGTERM"):
        said = tmp_path / name
        with said.open("ab") as log:
            program = [sys.executable, "-m", "spatial_game.cli", "train", *words]
            process = QuickPopen(program, stdout=log, stderr=log)
        wait_for(lambda before=reached: last_row(options.out) > before)
        process.send_signal(signal.Signals[name])
        assert process.wait(timeout=60) == {"SIGKILL": -9, "SIGTERM": 130}[name]
        assert not (options.out / "pair.safetensors").exists()
        assert reached < saved_step(options.out) < 600
        words, reached = ["--resume", str(options.out)], last_row(options.out)
    assert f"continue with --resume {options.out}" in said.read_text()
    resume(options.out)
    [whole] = train(tiny_options("whole/run", steps=600))
    assert load_pair(options.out).weights_hash == load_pair(whole).weights_hash


# -------------------------------------------------------------------------------------- several pairs


def test_pairs_in_processes_are_those_of_their_seeds_alone(tiny_options, capfd):
    folders = train(tiny_options("many", pairs=2, seed=5, steps=20), jobs=2)
    assert [folder.name for folder in folders] == ["00", "01"]
    said = capfd.readouterr().err
    for name in ("00", "01"):
        assert f"{name}  step 20/20" in said
        assert f"{name}  finished" in said
    [alone] = train(tiny_options("alone", seed=6, steps=20))
    assert load_pair(folders[1]).weights_hash == load_pair(alone).weights_hash
    assert pair_of(folders[1]) != pair_of(folders[0])
    assert (folders[1] / "config.json").read_text() == (alone / "config.json").read_text()


def test_unfinished_pairs_are_continued_and_one_that_cannot_be_leaves_the_others_alone(tiny_options):
    options = tiny_options(pairs=3, steps=20)
    folders = train(options, jobs=1)
    weights = pair_of(folders[1])
    for path in folders[1].iterdir():  # as if never trained
        if path.is_file() and path.name != "config.json":
            path.unlink()
    (folders[2] / "card.json").unlink()
    spoilt = folders[2] / "checkpoint.pt"
    spoilt.write_bytes(spoilt.read_bytes()[:100])
    before = (folders[0] / "checkpoint.pt").stat().st_mtime_ns
    assert finished_folders(options.out) == folders[:1]
    with pytest.raises(TrainingFailed, match=r"^pair 02: .*must be a whole checkpoint [^;]*; [^;]*$"):
        resume(options.out, jobs=1)
    assert finished_folders(options.out) == folders[:2]
    assert pair_of(folders[1]) == weights
    assert (folders[0] / "checkpoint.pt").stat().st_mtime_ns == before


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopping_a_run_stops_all_its_pairs(tiny_options, wait_for, number):
    options = tiny_options(pairs=3, steps=100_000)
    line = options.command("run").removeprefix("spatial-game ").replace("runs/run", str(options.out))
    words = [sys.executable, "-m", "spatial_game.cli", *line.split(), "--jobs", "2"]
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    folders = [options.out / "00", options.out / "01"]
    wait_for(lambda: all(map(last_row, folders)))
    running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    if number == signal.SIGINT:  # a killed process has no last words, but its workers notice
        assert running.returncode == 130
        assert errors.splitlines()[-1].endswith(f"stopped; continue with --resume {options.out}")
    wait_for(lambda: all(saved_step(folder) >= 50 for folder in folders))
    steps = [saved_step(folder) for folder in folders]
    assert not (options.out / "02" / "checkpoint.pt").exists()
    time.sleep(0.3)
    assert [saved_step(folder) for folder in folders] == steps  # nobody goes on


# --------------------------------------------------------------------------------------------- faults


def test_a_run_is_never_overwritten(tiny_options):
    options = tiny_options()
    options.out.mkdir()
    (options.out / "precious").write_text("mine")
    with pytest.raises(ValueError, match=r"out must be a new or empty folder, or .* which holds something"):
        train(options)
    assert [path.name for path in options.out.iterdir()] == ["precious"]


def test_what_is_no_run(tmp_path):
    with pytest.raises(ValueError, match="out must name a folder for the run; got none"):
        train(TrainOptions())
    with pytest.raises(ValueError, match=r"resume must name a run folder, with a config.json"):
        resume(tmp_path)
    for options in ('{"game": {}}', '{"game": {}, "recipe": {}, "device": ["cpu"]}'):
        (tmp_path / "config.json").write_text(f'{{"options": {options}}}')
        with pytest.raises(ValueError, match=r"config.json: must hold the options of a run; "):
            resume(tmp_path)


@pytest.mark.skipif(torch.cuda.is_available(), reason="asks for a device that is not there")
def test_a_device_that_is_not_there(tiny_options):
    options = tiny_options(device="cuda")
    with pytest.raises(ValueError, match="device must be one that is there; got cuda without a CUDA device"):
        train(options)
    assert not options.out.exists()


@pytest.mark.parametrize("pairs", [1, 2])
def test_divergence_stops_with_a_word_and_keeps_the_last_good_checkpoint(tiny_options, pairs):
    options = tiny_options(recipe="paper", steps=30, learning_rate=1e30, pairs=pairs, checkpoint_seconds=0.0)
    fault = r"must (stay finite|be float32 in .*); got .* at step .*last good checkpoint"
    with pytest.raises(TrainingFailed, match=fault):
        train(options, jobs=1)
    folder = options.out if pairs == 1 else options.out / "01"  # the second pair had its turn too
    assert saved_step(folder) < 30
    assert not (folder / "pair.safetensors").exists()


def test_weights_too_large_to_be_stored_are_a_divergence(tiny_options):
    options = tiny_options(recipe="paper", steps=2, learning_rate=1e13, pairs=2)
    with pytest.raises(TrainingFailed, match=r"pair 00: .* must be float32 .*; pair 01: .* must be float32"):
        train(options, jobs=1)


def test_a_bug_in_a_step_is_not_taken_for_a_fault_of_the_run(tiny_options, monkeypatch):
    def step(_):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr(Trainer, "step", step)
    with pytest.raises(ValueError, match="operands could not be broadcast"):
        train(tiny_options(pairs=2), jobs=1)


def test_a_disk_that_fills_up_leaves_the_last_good_checkpoint(tiny_options, monkeypatch):
    options, count = tiny_options(checkpoint_seconds=0.0), iter(range(100))

    def nearly_full(_):
        if next(count) == 3:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", nearly_full)
        with pytest.raises(OSError, match=r"^the disk is full; continue from the last good .* --resume"):
            train(options)
    assert saved_step(options.out) == 2
