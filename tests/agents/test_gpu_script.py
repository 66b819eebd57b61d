"""The script that trains and measures on a GPU, tried on the CPU with tiny games."""

import json
import tarfile
from importlib.util import find_spec
from pathlib import Path

import gpu
import pytest
import torch
from bundle import bundle

from spatial_agents.networks import layers


def run(out: Path, *stages: str, minutes: float = 5) -> int:
    words = ["--out", str(out), "--toy", "--device", "cpu", "--minutes", str(minutes), *stages]
    return gpu.main(words)


def results(out: Path) -> dict:
    return json.loads((out / "results.json").read_text("utf-8"))


def test_every_stage_runs_and_is_not_run_again(tmp_path, capsys, monkeypatch):
    programs = []
    monkeypatch.setattr(gpu, "program", lambda bench, *words: programs.append(words) or gpu.Checked([]))
    monkeypatch.setattr(gpu, "profiled", lambda bench, step: (step(), (1, {"elementwise": 1e-3}))[1])
    code, found = run(tmp_path), results(tmp_path)
    optional = set() if find_spec("torchrl") else {"play: TorchRL's environment"}
    assert set(found["faults"]) == optional
    assert code == int(bool(optional))
    assert capsys.readouterr().out.endswith(f"left: {'play (1 tasks)' if optional else 'nothing'}\n")
    assert [stage for stage, tasks in found["results"].items() if tasks] == list(gpu.STAGES)
    assert all((gpu.ROOT / path).exists() for path in (programs[0][-1], programs[1][0]))
    assert found["results"]["paper-raw-60"]["train"]["steps"] == 6
    monkeypatch.setattr(gpu, "train", lambda *_: pytest.fail("it is done"))
    run(tmp_path, *gpu.PLANS)
    assert results(tmp_path)["results"]["embed-60"] == found["results"]["embed-60"]


def test_a_program_that_fails_says_why(tmp_path):
    bench = gpu.Bench(tmp_path, torch.device("cpu"), toy=True, minutes=1)
    assert gpu.program(bench, "-c", "print('fine')").said == ["fine"]
    with pytest.raises(RuntimeError, match="broken"):
        gpu.program(bench, "-c", "import sys; sys.exit('broken')")


def test_a_cut_training_continues_as_if_it_had_not_been_cut(tmp_path, monkeypatch, capsys):
    run(tmp_path / "whole", "curriculum-60")
    steps = iter([1.0] * 2 + [0.0] * 100)  # the time is over after the first interval
    with monkeypatch.context() as patch:
        patch.setattr(gpu.Bench, "left", lambda self: next(steps))
        run(tmp_path / "cut", "curriculum-60")
    assert (tmp_path / "cut" / "curriculum-60.pt").is_file()
    assert results(tmp_path / "cut")["results"]["curriculum-60"] == {}
    assert "left: curriculum-60, begun (1 tasks)" in capsys.readouterr().out
    run(tmp_path / "cut", "curriculum-60")
    assert not (tmp_path / "cut" / "curriculum-60.pt").exists()
    hashes = []
    for out in (tmp_path / "whole", tmp_path / "cut"):
        with tarfile.open(out / "curriculum-60.tar") as archive:
            archive.extractall(out, filter="data")
        paths = bundle(out / "curriculum-60", "new", into=out / "bundled")
        hashes.append([json.loads(p.with_suffix(".json").read_text("utf-8"))["weights_hash"] for p in paths])
    assert hashes[0] == hashes[1]
    assert len(hashes[0]) == 2


def test_a_profile_tells_kinds_of_kernels(tmp_path):
    bench = gpu.Bench(tmp_path, torch.device("cpu"), toy=True, minutes=1)
    a = torch.ones(50, 50)
    count, by_kind = gpu.profiled(bench, lambda: (a @ a).sort(), steps=1)
    assert count >= 2
    assert by_kind["products"] > 0
    assert by_kind["drawing"] > 0


def test_bytes_and_operations_are_counted():
    a = torch.ones(10, 20)
    with gpu.Counted() as counted:
        a.mm(a.mT).add_(1)
    assert counted.operations == 2 * 10 * 20 * 10
    # mm reads a and its view and writes 10 x 10; add_ reads and writes the same 10 x 10, counted once
    assert counted.bytes == 4 * (2 * 200 + 100 + 100)


def test_bfloat16_is_that_of_the_recurrences_and_ends_with_the_block():
    before = layers.last_state
    with gpu.precision("bfloat16"):
        assert layers.last_state is not before
    assert layers.last_state is before


def test_an_unknown_stage_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(tmp_path, "fast")
    assert "stages must be of tests, paper-raw-60" in capsys.readouterr().err


def test_a_fault_is_stored_and_tried_again(tmp_path, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(gpu, "train", lambda *_: 1 / 0)
        assert run(tmp_path, "hidden-128") == 1
    assert results(tmp_path)["faults"] == {"hidden-128: train": "ZeroDivisionError: division by zero"}
    assert run(tmp_path, "hidden-128") == 0
    assert results(tmp_path)["faults"] == {}
