import csv
import dataclasses
import functools
import json
import os
import signal
import subprocess
import sys
import time

import pytest
import torch
from quick_processes import QuickPopen
from waiting import wait_for

from spatial_agents.pairs.loading import load_pair
from spatial_agents.pairs.weights import read_weights
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training import loop
from spatial_agents.training.runs import TrainingFailed, finished_folders, resume, train
from spatial_agents.training.trainer import Trainer
from spatial_game.game.evaluation import evaluate


def rows(folder):
    with (folder / "metrics.csv").open(newline="") as file:
        return list(csv.DictReader(file))


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


# ----------------------------------------------------------------------------------------- what is made


def test_a_run_leaves_what_it_promises(tiny_options):
    [folder] = train(tiny_options())
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "config.json", "checkpoint.pt", "metrics.csv", "tensorboard",
        "pair.safetensors", "card.json",
    }  # fmt: skip
    card = json.loads((folder / "card.json").read_text())
    assert card["weights_hash"] == load_pair(folder).weights_hash
    assert card["evaluation"]["n"] == 200
    assert card["episodes_seen"] == 100 * 32
    assert card["command"].endswith(f"--out runs/{folder.name}")
    assert str(folder.parent) not in (folder / "card.json").read_text()
    assert [int(row["step"]) for row in rows(folder)] == [50, 100]
    assert [row["validation_accuracy"] != "" for row in rows(folder)] == [False, True]
    assert card["seed"] == 0
    assert read_weights(folder / "pair.safetensors").provenance["seed"] == 0


def test_the_seed_decides_everything(tiny_options):
    files = []
    for out, seed in (("a/run", 1), ("b/run", 1), ("c/run", 2)):
        [folder] = train(tiny_options(out, seed=seed))
        files.append((folder / "pair.safetensors").read_bytes())
    assert files[0] == files[1]
    assert (
        load_pair(folder).weights_hash
        != json.loads((folder / "../../a/run/card.json").read_text())["weights_hash"]
    )


def test_global_generators_are_left_alone(tiny_options):
    before = torch.get_rng_state()
    train(tiny_options(steps=10))
    assert torch.equal(torch.get_rng_state(), before)


VARIANTS = {
    "straight-through": {"straight_through": True, "temperature": 0.7},
    "fixed samples": {"recipe": "paper", "fixed_samples": 50},
    "linear rate": {"schedule": "linear"},
    "one-hot": {"inputs": "one-hot"},
    "local": {"recipe": "local", "hold_out": 0.2},
    "landmark": {"recipe": "landmark"},
}


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_every_kind_of_run_resumes_to_the_same_bytes_and_plays(tiny_options, monkeypatch, changes):
    short = {"steps": 20, "checkpoint_seconds": 0.0, **changes}
    [whole] = train(tiny_options("whole/run", **short))
    options = tiny_options("cut/run", **short)
    train_and_kill(options, monkeypatch, at=13)  # between two rows of metrics
    [cut] = resume(options.out)
    assert (whole / "pair.safetensors").read_bytes() == (cut / "pair.safetensors").read_bytes()
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


def test_a_resumed_run_ends_in_the_same_bytes(tiny_options, monkeypatch):
    [whole] = train(tiny_options("whole/run"))
    options = tiny_options("cut/run", checkpoint_seconds=0.0)
    train_and_kill(options, monkeypatch, at=63)  # between two rows of metrics
    [cut] = train(dataclasses.replace(options, out=None, resume=options.out))
    assert load_pair(whole).weights_hash == load_pair(cut).weights_hash
    without_time = [[{**row, "seconds": ""} for row in rows(run)] for run in (whole, cut)]
    assert without_time[0] == without_time[1]


def test_the_same_command_continues_a_run_and_another_is_refused(tiny_options, monkeypatch):
    options = tiny_options(checkpoint_seconds=0.0)
    train_and_kill(options, monkeypatch, at=0)
    with pytest.raises(ValueError, match=r"must hold a run with the same seed, 9; got 0"):
        train(dataclasses.replace(options, seed=9))
    longer = dataclasses.replace(options.recipe, steps=99)
    with pytest.raises(ValueError, match=r"must hold a run with the same steps, 99; got \d+ "):
        train(dataclasses.replace(options, recipe=longer))
    [folder] = train(options)
    [whole] = train(tiny_options("whole/run", checkpoint_seconds=0.0))
    assert (folder / "pair.safetensors").read_bytes() == (whole / "pair.safetensors").read_bytes()


def test_resuming_a_finished_run_changes_nothing(tiny_options):
    [folder] = train(tiny_options())
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert resume(folder) == [folder]
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.skipif(sys.platform != "linux", reason="forks where it is safe")
def test_a_killed_process_resumes_to_the_same_bytes(tiny_options, tmp_path):
    """Each signal ends the run, which goes on until the next."""
    options = tiny_options("killed/run", steps=1000, checkpoint_seconds=0.05)
    line = options.command("run").removeprefix("spatial-game train ").replace("runs/run", str(options.out))
    words, reached = line.split(), 0
    for name in ("SIGKILL", "SIGTERM"):
        said = tmp_path / name
        with said.open("ab") as log:
            program = [sys.executable, "-m", "spatial_game.cli", "train", *words]
            process = QuickPopen(program, stdout=log, stderr=log)
        wait_for(lambda before=reached: last_row(options.out) > before)
        process.send_signal(signal.Signals[name])
        status = process.wait(timeout=60)
        assert not (options.out / "pair.safetensors").exists()
        if name != "SIGKILL":
            assert status == 130
            assert f"continue with --resume {options.out}" in said.read_text()
        step = torch.load(options.out / "checkpoint.pt", weights_only=True)["step"]
        assert reached < step < 1000
        words, reached = ["--resume", str(options.out)], max(step, last_row(options.out))
    resume(options.out)
    [whole] = train(tiny_options("whole/run", steps=1000))
    assert load_pair(options.out).weights_hash == load_pair(whole).weights_hash


def last_row(folder):
    found = rows(folder) if (folder / "metrics.csv").is_file() else []
    return int(found[-1]["step"]) if found else 0


def test_a_run_goes_on_as_it_began_or_not_at_all(tiny_options, monkeypatch):
    options = tiny_options(checkpoint_seconds=0.0)
    train_and_kill(options, monkeypatch, at=25)
    config = options.out / "config.json"
    begun = config.read_text()
    for name, value in {"seed": 99, "recipe.learning_rate": 0.5, "recipe.steps": 20}.items():
        changed = json.loads(begun)
        (changed["options"]["recipe"] if "." in name else changed["options"])[name.split(".")[-1]] = value
        config.write_text(json.dumps(changed))
        rule = rf"{name.split('.')[-1]} must stay .*, with which the run began"
        with pytest.raises(ValueError, match=rule):
            resume(options.out)
    config.write_text(begun)
    with pytest.raises(
        ValueError, match="steps must be left out with resume, which goes on with 100; got 30"
    ):
        train(dataclasses.replace(tiny_options(steps=30), out=None, resume=options.out))
    with pytest.raises(ValueError, match="inputs must be left out with resume"):
        train(TrainOptions(options.game, Recipe(inputs="one-hot"), resume=options.out))
    checkpoint = options.out / "checkpoint.pt"
    kept, metrics = checkpoint.read_bytes(), (options.out / "metrics.csv").read_bytes()
    checkpoint.unlink()
    with pytest.raises(ValueError, match=r"must be there to continue the run, which has a metrics\.csv"):
        resume(options.out)
    assert (options.out / "metrics.csv").read_bytes() == metrics
    checkpoint.write_bytes(kept)
    resume(options.out)
    [whole] = train(dataclasses.replace(options, out=options.out.parent / "whole"))
    assert load_pair(options.out).weights_hash == load_pair(whole).weights_hash


def test_a_finished_pair_that_was_spoilt_is_finished_again(tiny_options):
    [folder] = train(tiny_options())
    names = ("pair.safetensors", "card.json")
    whole = [(folder / name).read_bytes() for name in names]
    card = json.loads(whole[1])
    cards = ['{"half', json.dumps({**card, "seconds": None}), json.dumps({**card, "evaluation": {"n": 1}})]
    for spoil in (
        (folder / names[0]).unlink,
        *(functools.partial((folder / names[1]).write_text, text) for text in cards),
    ):
        spoil()
        assert resume(folder) == [folder]
        assert (folder / names[0]).read_bytes() == whole[0]
        assert json.loads((folder / names[1]).read_bytes())["weights_hash"] in whole[1].decode()


# -------------------------------------------------------------------------------------- several pairs


def test_pairs_in_processes_are_those_of_their_seeds_alone(tiny_options, capfd):
    folders = train(tiny_options("many", pairs=2, seed=5, steps=20), jobs=2)
    assert [folder.name for folder in folders] == ["00", "01"]
    [alone] = train(tiny_options("alone", seed=6, steps=20))
    assert (folders[1] / "pair.safetensors").read_bytes() != (folders[0] / "pair.safetensors").read_bytes()
    same = [load_pair(folder).weights_hash for folder in (folders[1], alone)]
    assert same[0] == same[1]
    configs = [json.loads((folder / "config.json").read_text()) for folder in (folders[1], alone)]
    assert configs[0] == configs[1]
    said = capfd.readouterr().err
    for name in ("00", "01"):
        assert f"{name}  step 20/20" in said
        assert f"{name}  finished" in said


def test_unfinished_pairs_are_continued_and_one_that_cannot_be_leaves_the_others_alone(tiny_options):
    options = tiny_options(pairs=3, steps=20)
    folders = train(options, jobs=1)
    weights = (folders[1] / "pair.safetensors").read_bytes()
    for path in folders[1].iterdir():  # as if never trained
        if path.is_file() and path.name != "config.json":
            path.unlink()
    (folders[2] / "card.json").unlink()
    spoilt = folders[2] / "checkpoint.pt"
    spoilt.write_bytes(spoilt.read_bytes()[:100])
    before = (folders[0] / "checkpoint.pt").stat().st_mtime_ns
    assert finished_folders(options.out) == folders[:1]
    with pytest.raises(TrainingFailed, match=r"^pair 02: .*must be a whole checkpoint; [^;]*$"):
        resume(options.out, jobs=1)
    assert finished_folders(options.out) == folders[:2]
    assert (folders[1] / "pair.safetensors").read_bytes() == weights
    assert (folders[0] / "checkpoint.pt").stat().st_mtime_ns == before


def command(options):
    line = options.command("run").removeprefix("spatial-game ").replace("runs/run", str(options.out))
    return [*line.split(), "--jobs", "2"]


def step_in(folder):
    return torch.load(folder / "checkpoint.pt", weights_only=True)["step"]


def begun(folder):
    table = folder / "metrics.csv"
    return table.is_file() and len(list(csv.DictReader(table.open()))) > 1


def require_saved(out):
    """Two of three pairs were training; they have saved their work and stopped."""
    folders = [out / "00", out / "01"]
    wait_for(lambda: all(step_in(folder) >= 50 for folder in folders))
    assert not (out / "02" / "checkpoint.pt").exists()
    steps = [step_in(folder) for folder in folders]
    time.sleep(0.3)
    assert [step_in(folder) for folder in folders] == steps  # nobody goes on


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopping_all_saves_all(tiny_options, number):
    options = tiny_options(pairs=3, steps=100_000)
    words = [sys.executable, "-m", "spatial_game.cli", *command(options)]
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: begun(options.out / "00") and begun(options.out / "01"))
    running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    if number == signal.SIGINT:  # a killed process has no last words, but its workers notice
        assert running.returncode == 130
        assert errors.splitlines()[-1].endswith(f"stopped; continue with --resume {options.out}")
    require_saved(options.out)


# --------------------------------------------------------------------------------------------- faults


def test_a_run_is_never_overwritten(tiny_options):
    options = tiny_options()
    options.out.mkdir()
    (options.out / "precious").write_text("mine")
    with pytest.raises(ValueError, match=r"out must be a new or empty folder, or .* which holds something"):
        train(options)
    assert [path.name for path in options.out.iterdir()] == ["precious"]


def test_what_is_no_run(tiny_options, tmp_path):
    with pytest.raises(ValueError, match="out must name a folder for the run; got none"):
        train(dataclasses.replace(tiny_options(), out=None))
    with pytest.raises(ValueError, match=r"resume must name a run folder, with a config.json"):
        resume(tmp_path)
    (tmp_path / "config.json").write_text('{"options": {"game": {}}}')
    with pytest.raises(ValueError, match=r"config.json: must hold the options of a run"):
        resume(tmp_path)


@pytest.mark.parametrize("device", [True, 3, None, ["cpu"], "tpu", "cuda:99"])
def test_a_config_with_another_device_is_one_line(tiny_options, device):
    [folder] = train(tiny_options(steps=10))
    config = json.loads((folder / "config.json").read_text())
    config["options"]["device"] = device
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"config.json: must hold the options .*; device must be one of"):
        resume(folder)


@pytest.mark.skipif(torch.cuda.is_available(), reason="asks for a device that is not there")
def test_a_device_that_is_not_there(tiny_options):
    options = tiny_options(device="cuda")
    with pytest.raises(ValueError, match="device must be one that is there; got cuda without a CUDA device"):
        train(options)
    assert not options.out.exists()


@pytest.mark.parametrize("pairs", [1, 2])
def test_divergence_stops_with_a_word_and_keeps_the_last_good_checkpoint(tiny_options, pairs):
    options = tiny_options(recipe="paper", steps=30, learning_rate=1e30, pairs=pairs, checkpoint_seconds=0.0)
    with pytest.raises(
        TrainingFailed, match=r"must (stay finite|be in .*); got .* at step .*last good checkpoint"
    ):
        train(options, jobs=1)
    folder = options.out if pairs == 1 else options.out / "01"  # the second pair had its turn too
    assert torch.load(folder / "checkpoint.pt", weights_only=True)["step"] < 30
    assert not (folder / "pair.safetensors").exists()


def test_a_disk_that_fills_up_leaves_the_last_good_checkpoint(tiny_options, monkeypatch):
    options = tiny_options(checkpoint_seconds=0.0)
    count = iter(range(100))

    def nearly_full(_):
        if next(count) == 3:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", nearly_full)
        with pytest.raises(OSError, match=r"^the disk is full; continue from the last good .* --resume"):
            train(options)
    assert torch.load(options.out / "checkpoint.pt", weights_only=True)["step"] == 2
    resume(options.out)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("name", ["checkpoint.pt", "metrics.csv", "pair.safetensors"])
def test_a_pipe_in_a_run_is_refused(tiny_options, name):
    [folder] = train(tiny_options(steps=10))
    (folder / "card.json").unlink()
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(ValueError, match=rf"{name}: a regular file is needed; this is none"):
        resume(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
@pytest.mark.parametrize("name", ["checkpoint.pt", "metrics.csv", "config.json"])
def test_a_link_in_a_run_is_refused_and_its_target_stays(tiny_options, tmp_path, name):
    [folder] = train(tiny_options(steps=10))
    (folder / "card.json").unlink()
    (folder / name).rename(tmp_path / "outside")
    (folder / name).symlink_to(tmp_path / "outside")
    before = (tmp_path / "outside").read_bytes()
    with pytest.raises(ValueError, match=rf"{name} must be a file of its own; got a link"):
        resume(folder)
    assert (tmp_path / "outside").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_links_of_the_jobs_of_a_run_are_no_fault(tiny_options):
    [folder] = train(tiny_options(steps=10))
    (folder / "card.json").unlink()
    jobs = folder / "slurm"
    jobs.mkdir()
    (jobs / ".submission_file_1.sh").symlink_to(jobs / "1_submission.sh")  # as submitit leaves one
    assert resume(folder)
