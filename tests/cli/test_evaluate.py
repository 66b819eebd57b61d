"""`spatial-game evaluate` with several pairs and studies, on tiny pairs that hardly learned anything."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from spatial_agents.pairs.names import pair_names
from spatial_game.cli import main
from spatial_game.cli.players import named_pairs

TINY = [
    *("--sequence-length", "8", "--window-radius", "1", "--num-distractors", "3"),
    *("--vocab-size", "6", "--message-length", "2"),
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two tiny pairs of one run, and the folder that holds it."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("runs")
    arguments = ["train", *TINY, "--steps", "3", "--pairs", "2", "--hidden-size", "8"]
    arguments += ["--side-by-side", "batched", "--evaluation-episodes", "50"]
    assert main([*arguments, "--out", str(folder / "run")]) == 0
    return folder


def run_json(capsys, *arguments):
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_names_stand_for_pairs(runs, monkeypatch):
    monkeypatch.chdir(runs)
    both = [("run/0", "run", 0), ("run/1", "run", 1)]
    assert named_pairs(["run/all"]) == both
    assert named_pairs(["run"]) == both[:1]
    assert named_pairs(["run/1", "run/all", "run/1"]) == both[::-1]
    assert named_pairs(["run/00"]) == [("run/00", "run/00", 0)]  # a folder that is there
    assert named_pairs(["nowhere/1"]) == [("nowhere/1", "nowhere/1", 0)]
    for name in pair_names():
        assert named_pairs([f"{name}/all"])[0][1:] == (name, 0)


def test_an_index_is_the_place_among_all_pairs_finished_or_not(runs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(runs / "run", tmp_path / "run")
    (tmp_path / "run" / "00" / "pair.safetensors").unlink()
    assert named_pairs(["run/all"]) == [("run/1", "run", 1)]
    assert named_pairs(["run/1"]) == [("run/1", "run", 1)]
    from spatial_agents import load_pair

    assert load_pair("run", index=1).card["name"] == "run/01"
    assert main(["evaluate", "run/0"]) == 1
    assert "run/00: the run must be finished; continue it with --resume run" in capsys.readouterr().err
    assert main(["evaluate", "run/2"]) == 1
    assert "index must be less than 2, the pairs of run; got 2" in capsys.readouterr().err
    (tmp_path / "run" / "00" / "config.json").unlink()
    with pytest.raises(ValueError, match="index must be that of a pair of run, 1; got 0"):
        load_pair("run")


def test_all_studies_of_one_pair(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    studies = ["--lengths", "--noise"]
    result = run_json(capsys, "evaluate", "run", "--episodes", "60", "--seed", "2", *studies)
    assert result["pair"] == "run/0"
    assert result["n"] == 60
    assert set(result["lengths_first_integers"]["shortened_by"]) == {"0"}
    assert result["lengths_any_integers"]["integers"] == "any"
    assert len(result["noise"]["by_slot"]) == 2


def test_several_pairs_and_strangers(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    result = run_json(capsys, "evaluate", "run/all", "--cross-play", "--episodes", "60")
    assert [pair["pair"] for pair in result["pairs"]] == ["run/0", "run/1"]
    assert result["cross_play"]["names"] == ["run/0", "run/1"]
    assert main(["evaluate", "run/0", "run/1", "--cross-play", "--episodes", "60"]) == 0
    said = capsys.readouterr().out
    assert "strangers" in said
    assert "worst" in said


def test_another_game_is_played_by_all(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    shorter = ["--sequence-length", "6", "--episodes", "20"]
    result = run_json(capsys, "evaluate", "run/all", "--cross-play", *shorter)
    assert result["cross_play"]["game"].startswith("L6")


FAULTS = {
    "evaluate run --held-out": "held_out needs a pair whose training held combinations out",
    "evaluate run/2": "index must be less than 2, the pairs of run; got 2",
    "evaluate run --noise --episodes 0": "num_episodes must be at least 1; got 0",
    "evaluate run/0 missing": "pair must be a bundled name",
    "evaluate run --vocab-size 7": "vocab_size must be 6, as it was made for; got 7",
}


@pytest.mark.parametrize("line", FAULTS)
def test_mistakes_are_one_line(runs, line, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    assert main(line.split()) == 1
    said = capsys.readouterr().err.strip()
    assert FAULTS[line] in said
    assert len(said.splitlines()) == 1


@pytest.mark.usefixtures("quick_units")
def test_what_was_held_out_of_training_is_asked_for(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    arguments = ["train", *TINY, "--steps", "3", "--hidden-size", "8", "--hold-out", "0.25", "--seed", "4"]
    assert main([*arguments, "--evaluation-episodes", "50", "--out", "run"]) == 0
    result = run_json(capsys, "evaluate", "run", "--held-out", "--episodes", "60")["held_out"]
    assert (result["fraction"], result["combinations"]) == (0.25, 4 * 2)
    assert len(result["held_out"]) == len(result["control"]) == 3
    sizes = ["--window-radius", "1", "--steps", "3", "--hidden-size", "8", "--episodes", "50"]
    assert main(["sweep", "held-out", *sizes, "--values", "0.25", "--out", "swept"]) == 0
    assert "Never seen in training" in capsys.readouterr().out


def test_composition_is_asked_for(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    found = run_json(capsys, "evaluate", "run", "--composition", "--episodes", "200")["composition"]
    assert {"messages", "integer_bits", "offset_bits", "bits_by_chance", "split", "joined"} < set(found)
    assert main(["evaluate", "run", "--composition", "--episodes", "200"]) == 0
    assert "bits about the offset" in capsys.readouterr().out


@pytest.mark.usefixtures("quick_units")
def test_a_sweep_trains_once_and_compares(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    sizes = ["--steps", "3", "--hidden-size", "8", "--pairs", "2", "--episodes", "50"]
    asked = ["sweep", "length", *sizes, "--values", "12", "20", "--out", "swept"]
    result = run_json(capsys, *asked)
    assert [(row["sequence_length"], row["seed"]) for row in result["pairs"]] == [
        (12, 0), (12, 1), (20, 0), (20, 1)
    ]  # fmt: skip
    table = result["studies"]["shorter sequences"]
    assert [(row["training_length"], row["whose"]) for row in table] == [
        (12, "ours, 2"), (20, "ours, 2"), (20, "paper")
    ]  # fmt: skip
    weights = tmp_path / "swept/sequence-length-12_seed-0/pair.safetensors"
    before = weights.stat().st_mtime_ns
    assert main(asked) == 0  # all is there already
    assert weights.stat().st_mtime_ns == before
    said = capsys.readouterr().out
    assert "20   paper" in said
    assert "98.68%" in said
    assert (tmp_path / "swept/shorter-sequences.csv").exists()
    assert main([*asked, "--recipe", "paper"]) == 1
    assert "must hold a run with the same" in capsys.readouterr().err


def test_a_sweep_varies_one_field(tmp_path):
    pytest.importorskip("torch")
    from spatial_game.cli.options import GameOptions
    from spatial_game.cli.sweep import Sweep

    def plans(vary, **options):
        return Sweep(vary, out=tmp_path, game=GameOptions(message_length=2), steps=5, **options)._by_name()

    assert list(plans("vocabulary")) == [f"vocab-size-{size}_seed-0" for size in (13, 26, 52)]
    hidden = plans("hidden", values=(128,), pairs=2, seed=3)
    assert [(plan.recipe.hidden_size, plan.seed) for plan in hidden.values()] == [(128, 3), (128, 4)]
    (length,) = plans("length", values=(40,)).values()
    assert length.game.sequence_length == len(length.game.integers) == 40
    assert (length.game.message_length, length.recipe.steps) == (2, 5)
    with pytest.raises(ValueError, match=r"values of hidden must be whole numbers; got 1\.5"):
        plans("hidden", values=(1.5,))


PLAN = """
sequence-length = 6
window-radius = 1
num-distractors = 2
hidden-size = 8
batch-size = 8
evaluation-episodes = 50
device = "cpu"
steps = 3

[grid]
vocab-size = [4, 8]
seed = [0, 1]
"""


@pytest.mark.usefixtures("quick_units")
def test_a_sweep_from_a_file_trains_what_is_missing(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace("seed = [0, 1]", "seed = [0]"))
    assert main(["sweep", "plan.toml", "--out", "swept"]) == 0
    assert "2 pairs, 2 to train\n" in capsys.readouterr().out
    before = (tmp_path / "swept/vocab-size-4_seed-0/pair.safetensors").stat().st_mtime_ns
    plan.write_text(PLAN)
    assert main(["sweep", "plan.toml", "--out", "swept", "--jobs", "2"]) == 0
    assert "4 pairs, 2 to train\n" in capsys.readouterr().out
    assert (tmp_path / "swept/vocab-size-4_seed-0/pair.safetensors").stat().st_mtime_ns == before
    rows = pq.read_table("swept/results.parquet").to_pylist()
    assert [(row["vocab_size"], row["seed"]) for row in rows] == [(4, 0), (4, 1), (8, 0), (8, 1)]
    assert all(row["n"] == 50 and row["accuracy"] <= 1 for row in rows)
    assert main(["sweep", "plan.toml", "--out", "swept"]) == 0
    assert "4 pairs, 0 to train" in capsys.readouterr().out
    assert run_json(capsys, "status", "swept")["states"] == {"done": 4}
    for name in ("card.json", "checkpoint.safetensors"):  # a pair that fails leaves the others alone
        (tmp_path / "swept/vocab-size-4_seed-0" / name).unlink()
    (tmp_path / "swept/vocab-size-8_seed-1/card.json").unlink()
    assert main(["sweep", "plan.toml", "--out", "swept"]) == 1
    assert "vocab-size-4_seed-0: " in capsys.readouterr().err
    rows = pq.read_table("swept/results.parquet").to_pylist()
    assert [row["accuracy"] is None for row in rows] == [True, False, False, False]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("sweep colours --out swept", "held-out or a .toml file; got colours"),
        ("sweep plan.toml --out swept --steps 3", "steps must be in plan.toml; got 3 as an option"),
        (
            "sweep plan.toml --out swept --vocab-size 3",
            "vocab_size must be in plan.toml; got it as an option",
        ),
        ("sweep bad.toml --out swept", "bad.toml: steps-0: steps must be at least 1; got 0"),
    ],
)
def test_a_sweep_that_cannot_be(tmp_path, capsys, monkeypatch, words, fault):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "bad.toml").write_text("[grid]\nsteps = [0]")
    assert main(words.split()) == 1
    assert fault in capsys.readouterr().err


def run_units_again(folder):
    """Run the command lines of units that are done, as another scheduler may; nothing may be written."""
    before = {path: path.stat().st_mtime_ns for path in folder.parent.rglob("*")}
    for unit in json.loads((folder / "units.json").read_text())["units"]:
        assert main(unit["command"]) == 0
    assert {path: path.stat().st_mtime_ns for path in folder.parent.rglob("*")} == before


@pytest.mark.usefixtures("quick_units")
def test_a_recording_in_parts_keeps_the_parts_that_are_there(capsys, tmp_path):
    out = tmp_path / "recorded"
    asked = ["record", "--agents", "oracle", "--episodes", "1001", "--parts", "2", "--out", str(out)]
    assert main(asked) == 0
    files = [out / "part-000.parquet", out / "part-001.parquet"]
    tables = [pq.read_table(file) for file in files]
    assert [table.num_rows for table in tables] == [500, 501]
    assert tables[0]["window"][:100] != tables[1]["window"][:100]
    before = files[0].stat().st_mtime_ns
    files[1].unlink()
    assert main(asked) == 0
    assert files[0].stat().st_mtime_ns == before
    assert pq.read_table(files[1]).equals(tables[1])
    run_units_again(out / "units")
    capsys.readouterr()
    assert main([*asked[:2], "random", *asked[3:]]) == 1
    assert "agents must be a pair or oracle in units of work; got random" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("record --out x.parquet --on slurm", "on must be local where Slurm's sbatch is missing; got slurm"),
        (
            "record --out x --part 8/8",
            "part must be NUMBER/PARTS, such as 0/8 for the first of eight; got",
        ),
        ("record --out x.parquet --slurm time=5", "slurm must be left out without --on slurm; got time=5"),
        ("train --out x --on slurm", "on must be local where Slurm's sbatch is missing; got slurm"),
    ],
)
def test_places_that_cannot_be(words, fault, capsys, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(words.split()) == 1
    assert fault in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
