"""Trained pairs on their way into the package."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from bundle import bundle, write_lexicon

from spatial_agents import load_pair
from spatial_agents.pairs.names import PRETRAINED, lexicon_path, pair_names
from spatial_agents.pairs.weights import read_weights
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game.cli import main
from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate
from spatial_game.language.dictionary.lexicon import Lexicon


def small_run(out: Path, seed: int, pairs: int = 1) -> Path:
    game = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=5, message_length=2)
    recipe = Recipe(steps=4, batch_size=8, hidden_size=4)
    few = {"evaluation_episodes": 200}
    train(TrainOptions(game, recipe, pairs=pairs, seed=seed, out=out, **few), jobs=1)
    return out


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_run(tmp_path_factory.mktemp("runs") / "two", seed=5, pairs=2)


def test_every_pair_of_a_run_gets_its_index(run: Path, tmp_path: Path) -> None:
    found = bundle(run, "small", into=tmp_path)
    assert [path.name for path in found] == ["00.safetensors", "01.safetensors"]
    for path, folder in zip(found, ("00", "01"), strict=True):
        pair, weights = load_pair(path), read_weights(path).tensors
        for name, given in read_weights(run / folder / "pair.safetensors").tensors.items():
            as_torch_rounds = torch.from_numpy(given).to(torch.bfloat16).to(torch.float32)
            np.testing.assert_array_equal(weights[name], as_torch_rounds)
        result = evaluate(pair, num_episodes=200, seed=5 + int(folder))
        assert pair.card["evaluation"] == json.loads(json.dumps(result.to_dict()))
        assert pair.card["name"] == f"small/{folder}"
        assert pair.card["weights_hash"] == pair.weights_hash
        assert pair.card["rounded"] == "bfloat16"
        metrics = path.with_suffix(".csv").read_text().splitlines()
        assert metrics[0].startswith("step,")
        assert metrics[-1].startswith("4,")


def test_the_same_pair_may_be_bundled_again_and_another_may_not(run: Path, tmp_path: Path) -> None:
    bundle(run, "small", into=tmp_path)
    assert bundle(run, "small", into=tmp_path)
    before = (tmp_path / "small" / "00.safetensors").read_bytes()
    with pytest.raises(ValueError, match="holds another pair"):
        bundle(small_run(tmp_path / "other", seed=9), "small", into=tmp_path)
    assert (tmp_path / "small" / "00.safetensors").read_bytes() == before


def test_a_run_with_an_unfinished_pair_in_its_midst_is_refused(tmp_path: Path) -> None:
    run = small_run(tmp_path / "three", seed=1, pairs=3)
    (run / "01" / "card.json").unlink()
    with pytest.raises(ValueError, match="must have finished its pairs from the first on; got 00, 02"):
        bundle(run, "small", into=tmp_path)
    (run / "02" / "card.json").unlink()
    assert [path.name for path in bundle(run, "small", into=tmp_path)] == ["00.safetensors"]


def test_an_index_leaves_no_gap(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="index must be at most 0"):
        bundle(run, "small", index=1, into=tmp_path)
    with pytest.raises(ValueError, match="finished pair"):
        bundle(tmp_path, "small", into=tmp_path)


@pytest.fixture
def bundled(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two bundled pairs, with a lexicon for the first."""
    bundle(run, "small", into=tmp_path)
    found = write_lexicon("small", num_episodes=2_000, folder=tmp_path)
    assert found == tmp_path / "small" / "00.lexicon.json.gz"
    for module in ("spatial_agents.pairs.names.PRETRAINED", "bundle.PRETRAINED"):
        monkeypatch.setattr(module, tmp_path)
    return tmp_path


def test_a_lexicon_names_its_pair(bundled: Path) -> None:
    lexicon = Lexicon.read(bundled / "small" / "00.lexicon.json.gz")
    assert lexicon.provenance[0]["sender"] == {
        "policy": "pair",
        "name": "small",
        "index": 0,
        "weights_hash": load_pair(bundled / "small" / "00.safetensors").weights_hash,
    }
    assert lexicon_path("small", 0) == bundled / "small" / "00.lexicon.json.gz"
    (bundled / "small" / "00.lexicon.json.gz").unlink()
    assert lexicon_path("small", 0) is None
    lexicon.write(bundled / "small" / "00.lexicon.json")
    assert lexicon_path("small", 0) == bundled / "small" / "00.lexicon.json"
    with pytest.raises(ValueError, match="name must be that of bundled pairs; got large"):
        write_lexicon("large", folder=bundled)


@pytest.mark.parametrize("name", pair_names())
def test_the_lexicon_of_the_first_pair_of_a_name_is_bundled(name: str) -> None:
    path, card = lexicon_path(name, 0), json.loads((PRETRAINED / name / "00.json").read_text("utf-8"))
    assert path is not None
    (origin,) = Lexicon.read(path).provenance
    named = [origin["sender"][field] for field in ("name", "index", "weights_hash")]
    assert named == [name, 0, card["weights_hash"]]
    assert [found.name for found in (PRETRAINED / name).glob("*.lexicon.*")] == [path.name]


def test_a_pair_is_played_with_its_own_lexicon(bundled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = ["play", "--episodes", "1", "--agents"]
    assert main([*play, "small/0"]) == 0
    assert "in words" in capsys.readouterr().out
    given = ["--lexicon", str(bundled / "small" / "00.lexicon.json.gz")]
    for other in ("small/1", "oracle"):
        assert main([*play, other, *given]) == 1
        assert f"was made for small/0, not {other}\n" in capsys.readouterr().err
    assert main([*play, "small/1"]) == 0
    assert "in words" not in capsys.readouterr().out
    assert main([*play, "small/0", *given]) == 0
    assert "in words" in capsys.readouterr().out
