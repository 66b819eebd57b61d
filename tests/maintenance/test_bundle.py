"""Trained pairs on their way into the package."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from bundle import DIGITS, bundle, in_short, rule_in_short, write_lexicons

from spatial_agents import load_pair
from spatial_agents.pairs.names import PRETRAINED, lexicon_path, numbered_pairs, pair_names
from spatial_agents.pairs.tensor_files import read_weights
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game.cli import main
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate
from spatial_game.game.policies import OracleSender
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.account import account
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import record


def small_run(out: Path, seed: int, pairs: int = 1) -> Path:
    game = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=5, message_length=2)
    recipe = Recipe(steps=4, batch_size=8, hidden_size=4)
    few = {"validate_every": 2, "validation_episodes": 64, "evaluation_episodes": 200}
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
    """A folder of bundled pairs, with a lexicon for each of the two."""
    bundle(run, "small", into=tmp_path)
    found = list(write_lexicons("small", num_episodes=2_000, folder=tmp_path))
    assert [path.name for path in found] == ["00.lexicon.json.gz", "01.lexicon.json.gz"]
    for module in ("spatial_agents.pairs.names.PRETRAINED", "bundle.PRETRAINED"):
        monkeypatch.setattr(module, tmp_path)
    return tmp_path


def test_a_lexicon_names_its_pair(bundled: Path) -> None:
    lexicon = Lexicon.read(bundled / "small" / "01.lexicon.json.gz")
    assert lexicon.provenance[0]["sender"] == {
        "policy": "pair",
        "name": "small",
        "index": 1,
        "weights_hash": load_pair(bundled / "small" / "01.safetensors").weights_hash,
    }
    assert lexicon_path("small", 1) == bundled / "small" / "01.lexicon.json.gz"
    (bundled / "small" / "01.lexicon.json.gz").unlink()
    lexicon.write(bundled / "small" / "01.lexicon.json")
    assert lexicon_path("small", 1) == bundled / "small" / "01.lexicon.json"
    with pytest.raises(ValueError, match="name must be that of bundled pairs; got large"):
        list(write_lexicons("large", folder=bundled))


@pytest.mark.parametrize("name", pair_names())
def test_every_bundled_lexicon_names_its_pair(name: str) -> None:
    for index, weights in numbered_pairs(PRETRAINED / name).items():
        path, card = lexicon_path(name, index), json.loads(weights.with_suffix(".json").read_text("utf-8"))
        if path is None:  # it would be too large
            continue
        (origin,) = Lexicon.read(path).provenance
        named = [origin["sender"][field] for field in ("name", "index", "weights_hash")]
        assert named == [name, index, card["weights_hash"]]


def test_a_bundled_lexicon_has_fewer_digits(bundled: Path) -> None:
    pair = load_pair(bundled / "small" / "01.safetensors")
    episodes = draw_episodes(pair.config, 2_000, np.random.default_rng(stream(0, "recording")))
    exact = Lexicon.from_counts(count(record(pair.sender, None, episodes, pair.config)))
    short = Lexicon.read(bundled / "small" / "01.lexicon.json.gz")
    assert [(e.form, e.referent, e.count) for e in short.entries] == [
        (e.form, e.referent, e.count) for e in exact.entries
    ]
    for name, digits in DIGITS.items():
        found, expected = ([getattr(e, name) for e in lexicon.entries] for lexicon in (short, exact))
        assert found == pytest.approx(expected, rel=0.5 * 10.0 ** (1 - digits))
        assert all(num_digits(value) <= digits for value in found)
    assert [rule.probability for rule in short.rules] == [rule.probability for rule in exact.rules]
    assert all(num_digits(min(rule.expected, 1 - rule.expected)) <= 4 for rule in short.rules)


def num_digits(value: float) -> int:
    """Return the number of significant digits."""
    return len(f"{value:.11g}".split("e")[0].strip("-0.").replace(".", ""))


def test_fewer_digits_explain_as_much() -> None:
    config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=14, message_length=2)
    episodes = draw_episodes(config, 5_000, np.random.default_rng(0))
    counts = count(record(OracleSender(config), None, episodes, config))
    exact = Lexicon.from_counts(counts)
    before, after = (account(counts, lexicon.rules, []) for lexicon in (exact, in_short(exact)))
    assert after.explained_bits == pytest.approx(before.explained_bits, abs=1e-3)
    rule = replace(exact.rules[0], probability=0.99999, expected=0.99994)  # in four digits it would be 1
    assert rule_in_short(rule).expected == 0.99994


@pytest.mark.usefixtures("bundled")
def test_a_lexicon_that_is_too_large_is_left_out(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bundle.MOST_BYTES", 500)
    assert list(write_lexicons("small", num_episodes=2_000, folder=tmp_path)) == []
    assert not [*tmp_path.rglob("*.lexicon.json*")]


def test_a_pair_is_played_with_its_own_lexicon(bundled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = ["play", "--episodes", "1", "--agents"]
    assert main([*play, "small/1"]) == 0
    assert "in words" in capsys.readouterr().out
    other = ["--lexicon", str(bundled / "small" / "00.lexicon.json.gz")]
    assert main([*play, "small/1", *other]) == 1
    assert "was made for small/0, not small/1\n" in capsys.readouterr().err
    assert main([*play, "oracle", *other]) == 1
    assert "was made for small/0, not oracle\n" in capsys.readouterr().err
    (bundled / "small" / "01.lexicon.json.gz").unlink()
    assert main([*play, "small/1"]) == 0
    assert "in words" not in capsys.readouterr().out
    assert main([*play, "small/0", *other]) == 0
    assert "in words" in capsys.readouterr().out
