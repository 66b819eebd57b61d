import csv
import json
import signal
import subprocess
import sys
import time

import pytest
import torch
from waiting import wait_for

from spatial_agents.pairs.loading import load_pair
from spatial_agents.training.runs import TrainingFailed, finished_folders, resume, train


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
