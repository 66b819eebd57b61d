"""Populations and sweeps, as their user would use them."""

import json
from pathlib import Path
from statistics import fmean, stdev

import pytest
import torch

from spatial_agents import load_pair
from spatial_agents.pairs.names import pairs_below
from spatial_agents.training.folders import options_of
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import Trainer
from spatial_game.cli import main
from spatial_game.cli.commands.runs import row_of
from spatial_game.game.seeds import replicate_seeds


@pytest.mark.usefixtures("often_logged")
def test_each_sender_with_each_receiver_is_a_pair_and_a_population_resumes_to_the_same_bytes(
    own_options, train_and_kill
):
    folders = train(own_options("whole", senders=2, receivers=3))
    assert [folder.name for folder in folders] == [f"sender{i}-receiver{j}" for i in (0, 1) for j in range(3)]
    pairs = {folder.name: load_pair(folder) for folder in folders}
    assert len({pair.weights_hash for pair in pairs.values()}) == 6
    first, second = (pairs[f"sender1-receiver{j}"].sender.network.start for j in (0, 2))
    assert first == second
    card = pairs["sender1-receiver2"].card
    assert (card["name"], card["sender"], card["receiver"]) == ("whole/sender1-receiver2", 1, 2)
    rows = [row_of(pair, load_pair(pair.name).card) for pair in pairs_below(folders[0].parent)]
    assert [(row["sender"], row["receiver"]) for row in rows] == [(i, j) for i in (0, 1) for j in range(3)]
    assert {row["family"] for row in rows} == {"whole"}
    assert {Path(row["population"]).resolve() for row in rows} == {folders[0].parent.resolve()}
    cut = own_options("cut", senders=2, receivers=3, checkpoint_seconds=0.0)
    train_and_kill(5, cut)
    for whole, again in zip(folders, train(options_of(cut.out)), strict=True):
        assert (whole / "pair.safetensors").read_bytes() == (again / "pair.safetensors").read_bytes()


def test_a_step_changes_the_pair_that_it_draws_and_nobody_else(own_options):
    trainer = Trainer(own_options(senders=2, receivers=2, steps=20), torch.device("cpu"))
    drawn = set()
    for _ in range(12):
        before = {name: weight.clone() for name, weight in trainer.population.named_parameters()}
        sender, receiver = trainer.draw_pair()
        trainer.step()
        changed = {
            ".".join(name.split(".")[:2])
            for name, weight in trainer.population.named_parameters()
            if not torch.equal(weight, before[name])
        }
        assert changed == {f"senders.{sender}", f"receivers.{receiver}"}
        drawn.add((sender, receiver))
    assert len(drawn) == 4


def test_a_population_of_more_pairs_than_episodes_of_a_validation_is_validated(own_options, monkeypatch):
    monkeypatch.setattr("spatial_agents.training.trainer.VALIDATION_EPISODES", 3)
    trainer = Trainer(own_options(senders=2, receivers=2, steps=1), torch.device("cpu"))
    trainer.step()
    assert 0 <= trainer.end_interval().validation_accuracy <= 1


def test_a_run_within_another_one_is_refused(own_options):
    train(own_options(steps=1))
    with pytest.raises(ValueError, match=r"out must not be within another run; got .*run/steps=2"):
        train(own_options("run/steps=2", steps=2))


@pytest.mark.parametrize(
    ("pairs", "spread"), [(1, "one population, so one training"), (2, "over populations")]
)
def test_the_pairs_of_a_population_are_no_sample_of_trainings(in_this_folder, text, capsys, pairs, spread):
    population = f"--senders 2 --receivers 2 --pairs {pairs} --jobs 1 --out runs"
    assert main(f"train {in_this_folder} --steps 2 {population} --json".split()) == 0
    shown = capsys.readouterr()
    assert ("pairs: 8, in 2 trainings, 1 at a time (--jobs)\n" in shown.err) is (pairs > 1)
    found = json.loads(shown.out)["pairs"]
    assert main(["train", "--resume", "runs", "--jobs", "1"]) == 0
    shown = capsys.readouterr()
    assert f"already finished: {'8 of 8 pairs' if pairs > 1 else 'runs'}\n" in shown.err
    line = shown.out.splitlines()[-1]
    assert spread in line
    assert ("standard deviation" in line) is (pairs > 1)
    if pairs > 1:
        accuracies = [pair["card"]["evaluation"]["accuracy"] for pair in found]
        deviation = stdev([fmean(accuracies[:4]), fmean(accuracies[4:])])
        assert f"standard deviation {deviation:.2%}" in line
    assert f"{pairs} population" in text("evaluate runs --episodes 50")
    assert f"{4 * pairs} pairs ({pairs} population" in text("runs runs")


def test_a_sweep_is_trained_resumed_and_shown_without_a_mean_over_settings(
    in_this_folder, tmp_path, text, result, error, capsys
):
    begin = f"train {in_this_folder} --steps 2"
    assert main(f"{begin} --temperature 0.5 1 --pairs 2 --jobs 1 --out runs".split()) == 0
    shown = capsys.readouterr()
    assert shown.out.count("mean") == 2
    assert "pairs: 4, 1 at a time" in shown.err
    (tmp_path / "runs" / "temperature=1.0" / "01" / "card.json").unlink()
    text("train --resume runs --jobs 1")
    rows = result("runs runs")["pairs"]
    assert [(row["pair"], row["temperature"], row["seed"]) for row in rows] == [
        (f"runs/temperature={temperature}/{pair:02d}", temperature, seed)
        for temperature in (0.5, 1.0)
        for pair, seed in enumerate(replicate_seeds(0, 2, "pairs"))
    ]
    said = text("evaluate runs --episodes 50")
    assert said.count("mean of runs/temperature=") == said.count("worst of runs/temperature=") == 2
    assert "Parameter --steps specified multiple times" in error(f"{begin} --steps 3 --out again", 2)
    fault = "temperature must have different values; got [1.0, 1.0]"
    assert fault in error(f"{begin} --temperature 1 1 --out twice")
