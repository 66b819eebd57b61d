"""Trained pairs on their way into the package."""

import gzip
import json
import shutil

import numpy as np
import pytest
import torch
from bundle import bundle, write_dictionary

from spatial_agents import load_pair
from spatial_agents.pairs.names import PRETRAINED, bundled_names, find_pair
from spatial_agents.pairs.weights import read_weights
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.language.dictionary import file


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of three pairs."""
    game = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=5, message_length=2)
    out = tmp_path_factory.mktemp("runs") / "three"
    recipe = Recipe(steps=4, batch_size=8, hidden_size=4)
    train(TrainOptions(game, recipe, pairs=3, seed=5, out=out, evaluation_episodes=200), jobs=1)
    return out


def test_every_pair_of_a_run_gets_its_index(run, tmp_path):
    found = bundle(run, "small", into=tmp_path)
    assert [path.name for path in found] == ["00.safetensors", "01.safetensors", "02.safetensors"]
    for path, folder in zip(found, ("00", "01", "02"), strict=True):
        pair, weights = load_pair(path), read_weights(path).tensors
        for name, given in read_weights(run / folder / "pair.safetensors").tensors.items():
            as_torch_rounds = torch.from_numpy(given).to(torch.bfloat16).to(torch.float32)
            np.testing.assert_array_equal(weights[name], as_torch_rounds)
        result = evaluate_agents(pair, num_episodes=200, seed=pair.card["seed"])
        assert pair.card["evaluation"] == json.loads(json.dumps(result.to_dict()))
        told = [pair.card[field] for field in ("name", "weights_hash", "rounded")]
        assert told == [f"small/{folder}", pair.weights_hash, "bfloat16"]
        assert path.with_suffix(".csv").read_text().splitlines()[-1].startswith("4,")


def test_the_same_pair_may_be_bundled_again_and_another_may_not(run, tmp_path):
    bundle(run, "small", into=tmp_path)
    assert bundle(run, "small", into=tmp_path)
    before = (tmp_path / "small" / "00.safetensors").read_bytes()
    with pytest.raises(ValueError, match="holds another pair"):
        bundle(run / "01", "small", into=tmp_path)
    assert (tmp_path / "small" / "00.safetensors").read_bytes() == before


def test_pairs_are_bundled_without_a_gap(run, tmp_path):
    for index, source, fault in ((1, run, "index must be at most 0"), (0, tmp_path, "finished pair")):
        with pytest.raises(ValueError, match=fault):
            bundle(source, "small", index=index, into=tmp_path)
    part = shutil.copytree(run, tmp_path / "part")
    (part / "01" / "card.json").unlink()
    with pytest.raises(ValueError, match="must have finished its pairs from the first on; got 00, 02"):
        bundle(part, "small", into=tmp_path)


def test_a_dictionary_names_its_pair(run, tmp_path, monkeypatch):
    bundle(run, "small", into=tmp_path)
    found, bundled = write_dictionary("small", num_episodes=2_000, folder=tmp_path), tmp_path / "small"
    assert found == bundled / "00.dictionary.json.gz"
    for module in ("spatial_agents.pairs.names.PRETRAINED", "bundle.PRETRAINED"):
        monkeypatch.setattr(module, tmp_path)
    dictionary = file.read_dictionary(found)
    agents = {"policy": "pair", "name": "small", "index": 0}
    agents["weights_hash"] = load_pair(bundled / "00.safetensors").weights_hash
    assert dictionary.provenance[0]["sender"] == agents
    assert find_pair("small").dictionary == bundled / "00.dictionary.json.gz"
    (bundled / "00.dictionary.json.gz").rename(bundled / "elsewhere")
    assert find_pair("small").dictionary is None
    file.write_dictionary(dictionary, bundled / "00.dictionary.json")
    assert find_pair("small").dictionary == bundled / "00.dictionary.json"
    with pytest.raises(ValueError, match="name must be that of bundled pairs; got large"):
        write_dictionary("large", folder=bundled)


@pytest.mark.parametrize("name", bundled_names())
def test_the_dictionary_of_the_first_pair_of_a_name_is_bundled(name):
    path, card = (find_pair(name).dictionary, json.loads((PRETRAINED / name / "00.json").read_text("utf-8")))
    with gzip.open(path, "rt", encoding="utf-8") as dictionary:  # a line for each field
        line = next(line for line in dictionary if line.startswith(' "provenance": '))
    (origin,) = json.loads(line.partition(":")[2].rstrip(",\n"))
    named = [origin["sender"][field] for field in ("name", "index", "weights_hash")]
    assert named == [name, 0, card["weights_hash"]]
    assert path.stat().st_size <= 300_000
    assert [found.name for found in (PRETRAINED / name).glob("*.dictionary.*")] == [path.name]
