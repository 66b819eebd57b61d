"""Runs: what they leave, that they end in the same bytes however they are stopped, and what is refused."""

import csv
import dataclasses
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from spatial_agents.pairs.pair import load_pair
from spatial_agents.pairs.weights import read_weights
from spatial_agents.training import loop
from spatial_agents.training.folders import finished_folders, options_of, pairs_of, write_config
from spatial_agents.training.loop import STOPPING
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import Trainer
from spatial_game.cli import report_error
from spatial_game.errors import TrainingFailed, UserError
from spatial_game.game.evaluation import evaluate_agents


def rows(folder):
    path = folder / "metrics.csv"
    return list(csv.DictReader(path.read_text().splitlines())) if path.is_file() else []


def last_row(folder):
    return max((int(row["step"]) for row in rows(folder)), default=0)


def saved_step(folder):
    return torch.load(folder / "checkpoint.pt", weights_only=True)["step"]


def weights_of(folder):
    return (folder / "pair.safetensors").read_bytes()


def resume(folder, **settings):
    return train(options_of(folder), **settings)


def program(options, *words):
    """`spatial-game train` with these options, in a process of its own."""
    write_config(options.out, options)
    words = [sys.executable, "-m", "spatial_game", "train", "--resume", str(options.out), *words]
    return subprocess.Popen(words, stderr=subprocess.PIPE, text=True)


# ----------------------------------------------------------------------------------------- what is made


def test_a_run_leaves_what_it_promises(trained):
    files = {"config.json", "checkpoint.pt", "metrics.csv", "tensorboard", "pair.safetensors", "card.json"}
    assert {path.name for path in trained.iterdir()} == {*files, "lock"}
    card = json.loads((trained / "card.json").read_text())
    assert card["weights_hash"] == load_pair(trained).weights_hash
    assert (card["evaluation"]["n"], card["episodes_seen"], card["seed"]) == (200, 55 * 16, 0)
    assert str(trained.parent) not in (trained / "card.json").read_text()
    validated = [(int(row["step"]), row["validation_accuracy"] != "") for row in rows(trained)]
    assert validated == [(50, False), (55, True)]
    assert read_weights(trained / "pair.safetensors").provenance["seed"] == 0


def test_config_and_card_name_the_processor_and_the_code(trained):
    config, card = (json.loads((trained / name).read_text()) for name in ("config.json", "card.json"))
    assert config["host"].items() <= card["host"].items()
    assert config["host"]["instruction_set"] == torch.backends.cpu.get_cpu_capability()
    assert config["host"]["processor"]
    assert card["host"]["device"] == "1 CPU thread"
    assert "commit" in config
    assert config["versions"]["torch"] == torch.__version__


def test_a_run_continues_on_another_processor(trained, tmp_path):
    shutil.copytree(trained, tmp_path / "run")
    path = tmp_path / "run" / "config.json"
    config = json.loads(path.read_text())
    config["host"] = {"processor": "another", "instruction_set": "AVX512", "blas": []}
    path.write_text(json.dumps(config))
    (tmp_path / "run" / "card.json").unlink()
    [folder] = resume(tmp_path / "run")
    assert load_pair(folder).weights_hash == load_pair(trained).weights_hash


VARIANTS = {
    "straight-through": {"straight_through": True, "temperature": 0.7, "schedule": "constant"},
    "fixed samples": {"recipe": "paper", "fixed_samples": 50},
    "local": {"recipe": "local", "unseen": 0.2},
    "landmark": {"recipe": "landmark", "inputs": "one-hot"},
}


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.usefixtures("often_logged")
def test_every_kind_of_run_resumes_to_the_same_bytes_and_plays(tiny_options, train_and_kill, changes):
    short = {"steps": 6, **changes}
    [whole] = train(tiny_options("whole/run", **short))
    options = tiny_options("cut/run", checkpoint_seconds=0.0, **short)
    train_and_kill(5, options)  # after a row of metrics that the checkpoint does not know
    assert (saved_step(options.out), last_row(options.out)) == (2, 4)
    [cut] = resume(options.out)
    assert weights_of(whole) == weights_of(cut)
    without_time = [[{**row, "seconds": ""} for row in rows(run)] for run in (whole, cut)]
    assert without_time[0] == without_time[1]
    pair = load_pair(whole)
    assert pair.network_config == options.recipe.network_config
    assert evaluate_agents(pair, 200, 0).to_dict() == pair.card["evaluation"]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_trains_stops_and_resumes(tiny_options, train_and_kill):
    options = tiny_options(device="cuda", checkpoint_seconds=0.0)
    train_and_kill(53, options)
    assert resume(options.out) == [options.out]
    assert [int(row["step"]) for row in rows(options.out)] == [50, 55]


# ------------------------------------------------------------------------------------------- resuming


def test_the_same_command_continues_a_run_to_the_same_bytes_and_another_is_refused(
    tiny_options, train_and_kill, trained
):
    options, before = tiny_options(), torch.get_rng_state()
    train_and_kill(0, options)
    with pytest.raises(ValueError, match=r"must hold a run with the same seed, 9; got 0"):
        train(dataclasses.replace(options, seed=9))
    [folder] = train(options)
    assert weights_of(folder) == weights_of(trained)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("spoilt", "text"), [(None, ""), ("pair.safetensors", ""), ("card.json", '{"weights_hash": "other"}')]
)
def test_a_finished_run_stays_and_a_pair_that_was_spoilt_is_finished_again(
    trained, tmp_path, capsys, spoilt, text
):
    run = shutil.copytree(trained, tmp_path / "run")
    if spoilt:
        (run / spoilt).write_text(text)
    times = {path: path.stat().st_mtime_ns for path in run.iterdir()}
    assert resume(run) == finished_folders(run) == [run]
    assert (f"already finished: {run}\n" in capsys.readouterr().err) == (spoilt is None)
    assert json.loads((run / "card.json").read_text())["weights_hash"] == load_pair(trained).weights_hash
    assert weights_of(run) == weights_of(trained)
    assert spoilt or times == {path: path.stat().st_mtime_ns for path in run.iterdir()}


@pytest.mark.slow
def test_a_killed_process_resumes_to_the_same_bytes(tiny_options, wait_for):
    options = tiny_options("killed/run", steps=600, checkpoint_seconds=0.1)
    running = program(options)
    wait_for(lambda: last_row(options.out) and saved_step(options.out))
    running.kill()
    running.communicate(timeout=60)
    assert saved_step(options.out) < 600
    resume(options.out)
    [whole] = train(tiny_options("whole/run", steps=600))
    assert load_pair(options.out).weights_hash == load_pair(whole).weights_hash


@pytest.mark.parametrize("name", [name for name in STOPPING if hasattr(signal, name)])
def test_a_signal_stops_a_run_after_the_step_and_saves_it(tiny_options, monkeypatch, name):
    class Stopped(Trainer):
        def step(self):
            super().step()
            if self.step_number == 7:
                signal.raise_signal(getattr(signal, name))

    monkeypatch.setattr(loop, "Trainer", Stopped)
    options = tiny_options()
    with pytest.raises(
        KeyboardInterrupt, match=f"stopped at step 7; continue with --resume {options.out}"
    ) as stopped:
        train(options)
    assert saved_step(options.out) == 7
    assert report_error(stopped.value) == (143 if name == "SIGTERM" else 130)


@pytest.mark.usefixtures("often_logged")
def test_damaged_rows_of_metrics_are_dropped(tiny_options, train_and_kill):
    options = tiny_options(steps=8, checkpoint_seconds=0.0)
    train_and_kill(7, options)
    path = options.out / "metrics.csv"
    header, row = path.read_text().splitlines()
    damaged = row.replace("4", "9" * 5000, 1)
    path.write_text(f"{header}\n{row}\n{damaged}\n")
    resume(options.out)
    assert [row["step"] for row in rows(options.out)] == ["4", "8"]
    path.write_text("\n\n")
    (options.out / "pair.safetensors").unlink()
    resume(options.out)


# -------------------------------------------------------------------------------------- several pairs


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow, id="in processes")])
def test_pairs_are_those_of_their_seeds_alone_and_runs_share_none(tiny_options, capfd, jobs):
    folders = train(tiny_options("many", pairs=2, seed=5, steps=4), jobs=jobs)
    assert [folder.name for folder in folders] == ["00", "01"]
    said = capfd.readouterr().err
    assert said.startswith(f"pairs: 2, {jobs} at a time (--jobs)\n")
    for name in ("00", "01"):
        assert f"{name}  step 4/4" in said
        assert f"{name}  finished" in said
    seeds = [load_pair(folder).card["seed"] for folder in folders]
    assert seeds[0] == 5
    neighbours = [each.seed for each in pairs_of(tiny_options(pairs=2, seed=6), Path("run")).values()]
    assert len({*seeds, *neighbours}) == 4
    [alone] = train(tiny_options("alone", seed=seeds[1], steps=4))
    assert load_pair(folders[1]).weights_hash == load_pair(alone).weights_hash
    assert weights_of(folders[1]) != weights_of(folders[0])
    configs = [json.loads((folder / "config.json").read_text()) for folder in (folders[1], alone)]
    assert len({config["host"].pop("blas")[0] for config in configs}) == 1  # others are loaded by other tests
    assert configs[0] == configs[1]


def test_unfinished_pairs_are_continued_and_one_that_cannot_be_leaves_the_others_alone(tiny_options, capsys):
    options = tiny_options(pairs=3, steps=4)
    folders = train(options, jobs=1)
    weights = weights_of(folders[1])
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
    assert "already finished: 1 of 3 pairs\n" in capsys.readouterr().err
    assert finished_folders(options.out) == folders[:2]
    assert weights_of(folders[1]) == weights
    assert (folders[0] / "checkpoint.pt").stat().st_mtime_ns == before


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopping_a_run_stops_all_its_pairs(tiny_options, wait_for, number):
    options = tiny_options(pairs=3, steps=100_000)
    running = program(options, "--jobs", "2")
    folders = [options.out / "00", options.out / "01"]
    wait_for(lambda: all(map(last_row, folders)))
    running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    if number != signal.SIGKILL:  # a killed process has no last words, but its workers notice
        assert running.returncode == 128 + number
        assert errors.splitlines()[-1].endswith(f"stopped; continue with --resume {options.out}")
    wait_for(lambda: all(saved_step(folder) >= 50 for folder in folders))
    steps = [saved_step(folder) for folder in folders]
    assert not (options.out / "02" / "checkpoint.pt").exists()
    time.sleep(0.3)
    assert [saved_step(folder) for folder in folders] == steps  # nobody goes on


# --------------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("out", "changes", "settings", "fault"),
    [
        ("mine", {}, {}, r"out must be a new or empty folder, or .* which holds something else"),
        ("run", {"device": "cuda"}, {}, "device must be one that is there; got cuda without a CUDA device"),
        ("run", {"unseen": 0.01}, {}, "unseen must be from .*; got 0.01"),
        ("run", {"unseen": 0.6}, {}, "unseen must be from .* for the control; got 0.6"),
        ("run", {}, {"jobs": -1}, "jobs must be at least 0; got -1"),
        ("run", {}, {"detach": True}, "detach must be left out without --on slurm; got True"),
        ("run", {}, {"slurm": ["time=9"]}, "slurm must be left out without --on slurm; got time=9"),
    ],
)
def test_what_cannot_be_trained_changes_no_folder(tiny_options, tmp_path, out, changes, settings, fault):
    if "device" in changes and torch.cuda.is_available():
        pytest.skip("asks for a device that is not there")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").touch()
    with pytest.raises(ValueError, match=fault):
        train(tiny_options(out, **changes), **settings)
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", "precious"]


@pytest.mark.parametrize("options", ["run", ["run"]])
def test_a_folder_alone_is_no_options(options):
    rule = r"options must be TrainOptions, as sweep\(\) or options_of\(folder\) returns; got 'run'"
    with pytest.raises(TypeError, match=rule):
        train(options)


def test_two_runs_in_one_folder_are_refused(tiny_options):
    with pytest.raises(ValueError, match="out must be another folder for each run; got"):
        train([tiny_options(), tiny_options()])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such lock")
def test_a_folder_is_trained_in_by_one_process_at_a_time(tiny_options, monkeypatch):
    options, step = tiny_options(steps=2), Trainer.step

    def step_beside_another(trainer):
        monkeypatch.setattr(Trainer, "step", step)
        write_config(options.out, options)  # as one does that began at the same time
        with pytest.raises(TrainingFailed, match="must not be in use; got one that another"):
            train(options)
        step(trainer)

    monkeypatch.setattr(Trainer, "step", step_beside_another)
    train(options)


def test_a_folder_without_a_whole_config_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"resume must name a run folder, with a config.json"):
        resume(tmp_path)
    for options, fault in (
        ("5", "TrainOptions must be a JSON object; got 5"),
        ('{"config": {}}', "must have the field recipe"),
        ('{"config": 5, "recipe": {}}', "config: GameConfig must be a JSON object; got 5"),
        (
            '{"config": {"shape": ["8"]}, "recipe": {}}',
            "config: shape must hold whole numbers, such as (8, 8); ",
        ),
        ('{"config": {}, "recipe": {"steps": "9"}}', "recipe: steps must be a whole number; got '9'"),
        ('{"config": {}, "recipe": {"step": 9}}', "recipe: Recipe fields must be among "),
        ('{"config": {}, "recipe": {}, "pairs": [2]}', r"pairs must be a whole number; got [2]"),
        (
            '{"config": {}, "recipe": {}, "device": ["cpu"]}',
            "device must be one of auto, cpu, cuda; got ['cpu']",
        ),
    ):
        (tmp_path / "config.json").write_text(f'{{"options": {options}}}')
        with pytest.raises(UserError, match=re.escape(f"config.json: options: {fault}")):
            resume(tmp_path)


@pytest.mark.parametrize(
    ("rate", "pairs", "fault"),
    [
        (1e30, 2, r"pair 00: .*; pair 01: .* must (stay finite|be float32)"),
        (1e13, 1, "must be float32 in .*"),  # too large to be stored
    ],
)
def test_divergence_is_told_and_keeps_the_last_good_checkpoint(tiny_options, capfd, rate, pairs, fault):
    steps = 5 if rate == 1e30 else 2
    options = tiny_options(
        recipe="paper", steps=steps, learning_rate=rate, pairs=pairs, checkpoint_seconds=0.0
    )
    with pytest.raises(TrainingFailed, match=fault):
        train(options, jobs=1)
    folder = options.out if pairs == 1 else options.out / "01"  # the second pair had its turn too
    assert saved_step(folder) <= steps
    assert not (folder / "pair.safetensors").exists()
    assert "finished" not in capfd.readouterr().err


def test_a_bug_in_a_step_is_not_taken_for_a_fault_of_the_run(tiny_options, monkeypatch):
    def step(_):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr(Trainer, "step", step)
    with pytest.raises(ValueError, match="operands could not be broadcast"):
        train(tiny_options(pairs=2), jobs=1)


@pytest.mark.parametrize(
    ("written", "fault"), [(3, "continue from .* --resume"), (0, "no step is saved yet")]
)
def test_a_disk_that_fills_up_leaves_the_last_good_checkpoint(tiny_options, monkeypatch, written, fault):
    options, count = tiny_options(steps=4, checkpoint_seconds=0.0), iter(range(100))

    def nearly_full(_):
        if next(count) == written:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", nearly_full)
        with pytest.raises(OSError, match=rf"checkpoint.pt: the disk is full; {fault}"):
            train(options)
    assert not written or saved_step(options.out) == 2
    assert train(options_of(options.out)) == [options.out]


def test_the_folder_of_a_pair_is_made_when_the_pair_begins(tiny_options, monkeypatch):
    step = Trainer.step

    def step_and_stop(trainer):
        step(trainer)
        signal.raise_signal(signal.SIGINT)

    options = tiny_options(pairs=100)
    monkeypatch.setattr(Trainer, "step", step_and_stop)
    with pytest.raises(KeyboardInterrupt):
        train(options, jobs=1)
    assert sorted(path.name for path in options.out.iterdir()) == ["00", "config.json"]


def test_a_config_asks_for_as_many_pairs_as_the_option_may(tiny_options):
    options = tiny_options()
    write_config(options.out, options)
    config = options.out / "config.json"
    config.write_text(config.read_text().replace('"pairs": 1', f'"pairs": {2**63}'))
    with pytest.raises(ValueError, match=rf"config.json: .* pairs must be in 1..10000; got {2**63}"):
        options_of(options.out)
    assert [path.name for path in options.out.iterdir()] == ["config.json"]
