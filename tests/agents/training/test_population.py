"""Populations, newcomers, generations and histories: what a run does and leaves."""

import csv
import dataclasses
import json

import numpy as np
import pytest
import torch

from spatial_agents.pairs.loading import load_pair
from spatial_agents.pairs.tensor_files import read_tensors
from spatial_agents.recipes import Recipe
from spatial_agents.training import loop
from spatial_agents.training.lesson import lesson_from, lesson_steps
from spatial_agents.training.lives import life, meeting
from spatial_agents.training.population import PopulationTrainer, require_memory
from spatial_agents.training.runs import TrainingDiverged, finished_folders, resume, train, train_all
from spatial_agents.training.state import fresh_state
from spatial_agents.training.trainer import Trainer
from spatial_game.cli.sweep_file import results
from spatial_game.game.held_out import held_out
from spatial_game.units import Place

CPU = torch.device("cpu")
POPULATIONS = {
    "receivers": {"receivers": 3},
    "both, unequal": {"senders": 2, "receivers": 3, "weight_average": 0.9},
    "resets": {"reset": "receivers", "reset_every": 12},
    "turnover": {"senders": 2, "receivers": 2, "reset": "both", "reset_every": 16},
    "partition": {"senders": 2, "receivers": 2, "partition": True},
    "all tasks": {"receivers": 2, "reconstruct": 0.5, "one_factor": 0.5, "start_length": 0},
    "local": {"recipe": "local", "receivers": 2, "hold_out": 0.1, "one_factor": 0.5, "one_factor_start": 0.0},
    "reinforce": {"channel": "reinforce", "receivers": 2},
}


class Killed(Exception):
    pass


def kill(options, monkeypatch, trainer, at):
    """Train until a step, with a checkpoint after each, and leave what a killed process leaves there."""

    class Mortal(trainer):
        def step(self):
            if self.step_number == at:
                raise Killed
            super().step()

    with monkeypatch.context() as patch:
        patch.setattr(loop, trainer.__name__, Mortal)
        with pytest.raises(Killed):
            train(options)


def contents(run):
    """The bytes of all weights below a run."""
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*.safetensors"))}


@pytest.mark.parametrize("changes", POPULATIONS.values(), ids=POPULATIONS)
def test_a_killed_population_goes_on_byte_for_byte(tiny_options, monkeypatch, changes):
    whole, killed = (
        tiny_options(out, checkpoint_seconds=0.0, keep_every=25, **changes) for out in ("whole", "run")
    )
    folders = train(whole)
    kill(killed, monkeypatch, PopulationTrainer, at=23)
    assert finished_folders(killed.out) == []
    assert [folder.name for folder in resume(killed.out)] == [
        folder.name if folder != whole.out else "run" for folder in folders
    ]
    ours, theirs = contents(killed.out), contents(whole.out)
    assert ours.keys() == theirs.keys()
    for name in ours:
        if name == "checkpoint.safetensors":  # it also holds seconds
            one, other = (read_tensors(run / name, "checkpoint")[0] for run in (killed.out, whole.out))
            assert all(np.array_equal(one[key], other[key]) for key in one | other)
        else:
            one, other = (load_pair(run / name).weights_hash for run in (killed.out, whole.out))
            assert one == other, name


def test_a_population_is_a_folder_of_ordinary_pairs(tiny_options):
    options = tiny_options(senders=2, receivers=3)
    folders = train(options)
    assert [folder.name for folder in folders] == ["00", "01", "02"]
    assert finished_folders(options.out) == folders
    pairs = [load_pair(folder) for folder in folders]
    assert len({pair.weights_hash for pair in pairs}) == 3
    windows = np.array([[3, -1, 4], [-1, 2, 5]])
    messages = [pair.sender.send(windows) for pair in pairs]
    assert np.array_equal(messages[0], messages[2])  # both are the first sender
    cards = [json.loads((folder / "card.json").read_text()) for folder in folders]
    assert [card["networks"]["sender"]["number"] for card in cards] == [0, 1, 0]
    assert [card["networks"]["receiver"]["number"] for card in cards] == [0, 1, 2]
    assert len({card["networks"]["receiver"]["weights_seed"] for card in cards}) == 3
    assert "--senders 2 --receivers 3" in cards[1]["command"]
    with (options.out / "metrics.csv").open(newline="") as file:
        assert [row["step"] for row in csv.DictReader(file)] == ["10", "20", "30", "40"]


def test_only_those_who_meet_change(tiny_options):
    options = tiny_options(senders=2, receivers=2, weight_average=0.9)
    trainer = PopulationTrainer([options], CPU)
    for step in range(6):
        before = {each: own.network.state_dict() for each, own in trainer.members.items()}
        before = {each: {n: w.clone() for n, w in weights.items()} for each, weights in before.items()}
        sender, receiver = meeting(options.recipe, options.seed, step)
        trainer.step()
        for each, own in trainer.members.items():
            changed = any(not torch.equal(before[each][n], w) for n, w in own.network.state_dict().items())
            assert changed == (each in (("sender", sender), ("receiver", receiver)))


def test_in_a_partition_a_sender_learns_from_its_own_receivers_only(tiny_options):
    options = tiny_options(senders=2, receivers=2, partition=True)
    trainer = PopulationTrainer([options], CPU)
    for step in range(8):
        sender, receiver = meeting(options.recipe, options.seed, step)
        before = trainer.members["sender", sender].network.hidden_to_symbol.weight.clone()
        trainer.step()
        after = trainer.members["sender", sender].network.hidden_to_symbol.weight
        assert torch.equal(before, after) == (sender != receiver)


def test_the_first_to_meet_change_as_a_pair_does(tiny_options):
    """The first sender and receiver begin as the pair of the same seed. Only clipping would differ."""
    seed = next(s for s in range(20) if meeting(Recipe(receivers=2), s, 0) == (0, 0))
    population = PopulationTrainer([tiny_options(receivers=2, clip_norm=0.0, seed=seed)], CPU)
    pair = Trainer([tiny_options(clip_norm=0.0, seed=seed)], CPU)
    population.step()
    pair.step()
    for name, weight in pair.weights().items():
        torch.testing.assert_close(population.weights(0)[name], weight)


def test_adam_counts_the_steps_of_each_network(tiny_options):
    population = PopulationTrainer([tiny_options(senders=2, receivers=3)], CPU)
    for _ in range(20):
        population.step()
    met = [meeting(population.recipe, 0, step) for step in range(20)]
    for (role, i), member in population.members.items():
        assert int(member.optimiser.steps[0]) == sum(pair[role == "receiver"] == i for pair in met)


def test_a_newcomer_knows_nothing_and_has_no_moments(tiny_options):
    options = tiny_options(reset="receivers", reset_every=12, steps=40, weight_average=0.9)
    trainer = PopulationTrainer([options], CPU)
    for _ in range(12):
        trainer.step()
    sender = trainer.members["sender", 0].network.hidden_to_symbol.weight.clone()
    own = life(options.recipe, "receiver", 0, 12)
    assert (own.number, own.first) == (1, 12)
    trainer._replace("receiver", 0, own)
    member = trainer.members["receiver", 0]
    assert all(int(steps) == 0 for steps in member.optimiser.steps)
    assert all(not moment.any() for moments in member.optimiser.moments.values() for moment in moments)
    for weight, average in zip(member.network.parameters(), member.playing.parameters(), strict=True):
        assert torch.equal(weight, average)
    assert torch.equal(sender, trainer.members["sender", 0].network.hidden_to_symbol.weight)
    assert not torch.equal(
        fresh_state(options, CPU).tensors["receiver/0/pair/candidate_to_hidden.weight"],
        member.network.candidate_to_hidden.weight,
    )


def test_a_population_that_diverges_leaves_its_last_checkpoint(tiny_options, monkeypatch):
    options = tiny_options(receivers=2, checkpoint_seconds=0.0)

    class Spoilt(PopulationTrainer):
        def step(self):
            super().step()
            if self.step_number == 15:
                with torch.no_grad():
                    self.members["receiver", 1].network.candidate_to_hidden.weight[0] = torch.nan

    monkeypatch.setattr(loop, "PopulationTrainer", Spoilt)
    with pytest.raises(TrainingDiverged, match="the last good checkpoint is in"):
        train(options)
    _, header = read_tensors(options.out / "checkpoint.safetensors", "checkpoint")
    assert header["counters"]["step"] == 14


def test_a_population_too_large_for_memory(tiny_options):
    options = tiny_options(senders=1000, receivers=1000, hidden_size=2048)
    with pytest.raises(ValueError, match="senders and receivers must take at most 4 GiB of memory; got 1000"):
        train(options)
    assert not options.out.exists()
    require_memory(tiny_options(senders=2))


@pytest.mark.parametrize("changes", [{"receivers": 2}, {"iterate": 2, "transmission": 20}])
def test_several_populations_are_for_sweeps(tiny_options, changes):
    with pytest.raises(ValueError, match=r"pairs must be 1 with several senders.* sweep.*; got 2"):
        tiny_options(pairs=2, **changes)
    with pytest.raises(ValueError, match="side_by_side must not be batched with populations"):
        tiny_options(side_by_side="batched", **changes)


def test_several_pairs_with_resets_are_trained_in_processes(tiny_options):
    options = tiny_options(pairs=2, reset="receivers", reset_every=12, steps=30, grow_every=10)
    folders = train(options, Place(jobs=2))
    assert [folder.name for folder in folders] == ["00", "01"]
    assert len({load_pair(folder).weights_hash for folder in folders}) == 2


@pytest.mark.usefixtures("quick_units")
def test_populations_and_generations_are_units_of_a_sweep(tiny_options, tmp_path):
    kinds = {"people": {"receivers": 2}, "generations": {"iterate": 2, "transmission": 20}}
    plans = {name: tiny_options(steps=20, **changes) for name, changes in kinds.items()}
    found = train_all(plans, tmp_path / "sweep", Place(jobs=2))
    for name in kinds:
        alone = train(dataclasses.replace(plans[name], out=tmp_path / name))
        assert [folder.name for folder in found[name]] == ["00", "01"]
        hashes = ([load_pair(folder).weights_hash for folder in folders] for folders in (alone, found[name]))
        assert len(set(map(tuple, hashes))) == 1
    rows = results(plans, tmp_path / "sweep")
    names = ["people/00", "people/01", "generations/00", "generations/01"]
    assert [row["pair"] for row in rows] == names
    assert all(row["accuracy"] is not None for row in rows)


# ------------------------------------------------------------------------------------------- generations


def test_generations_are_pairs_and_a_killed_one_goes_on(tiny_options, monkeypatch):
    whole, killed = (
        tiny_options(out, iterate=3, transmission=50, checkpoint_seconds=0.0) for out in ("whole", "run")
    )
    folders = train(whole)
    assert [folder.name for folder in folders] == ["00", "01", "02"]
    train_until = 17

    class Mortal(Trainer):
        def step(self):
            if self.step_number == train_until and self.lesson is not None:
                raise Killed
            super().step()

    with monkeypatch.context() as patch:
        patch.setattr(loop, "Trainer", Mortal)
        with pytest.raises(Killed):
            train(killed)
    assert [folder.name for folder in finished_folders(killed.out)] == ["00"]
    with pytest.raises(ValueError, match=r"resume must name the folder of all generations, .*run; got .*01"):
        resume(killed.out / "01")
    again = resume(killed.out)
    for one, other in zip(folders, again, strict=True):
        assert load_pair(one).weights_hash == load_pair(other).weights_hash
    cards = [json.loads((folder / "card.json").read_text()) for folder in folders]
    assert [card.get("generation") for card in cards] == [None, 1, 2]
    assert all("--iterate 3 --transmission 50" in card["command"] for card in cards)


def test_the_first_generation_is_the_plain_pair(tiny_options):
    [plain] = train(tiny_options("plain"))
    first, *_ = train(tiny_options("run", iterate=2, transmission=50))
    assert load_pair(first).weights_hash == load_pair(plain).weights_hash


def test_a_lesson_has_the_teachers_messages_and_no_new_combinations(tiny_options):
    [folder] = train(tiny_options(hold_out=0.1))
    options = tiny_options(hold_out=0.1, iterate=2, transmission=300)
    teacher = load_pair(folder)
    lesson = lesson_from(teacher, options, 1, CPU)
    windows = lesson.episodes.window.numpy()
    assert len(windows) == 300
    assert np.array_equal(lesson.messages.argmax(dim=2).numpy(), teacher.sender.send(windows))
    assert held_out(options.game, 0.1, options.seed).number(windows).sum() == 0
    batch = lesson.batch(3, options)
    assert torch.equal(batch.messages, lesson.batch(3, options).messages)
    assert len(batch.messages) == options.recipe.episodes(options.game)


def test_a_pupil_comes_to_speak_as_its_teacher(tiny_options):
    [folder] = train(tiny_options(steps=150, start_length=0, learning_rate=0.02))
    options = tiny_options(
        iterate=2, transmission=400, steps=400, start_length=0, learning_rate=0.02, entropy_bonus=0.0
    )
    teacher = load_pair(folder)
    lesson = lesson_from(teacher, options, 1, CPU)
    trainer = Trainer([options], CPU, [fresh_state(options, CPU, 1)], lesson=lesson)

    def agreement():
        windows = lesson.episodes.window
        logits = []

        def choose(scores):
            logits.append(scores)
            return lesson.messages[:, len(logits) - 1]

        trainer.network.sender(windows, choose)
        return float((torch.stack(logits, 1).argmax(2) == lesson.messages.argmax(2)).float().mean())

    before = agreement()
    for _ in range(lesson_steps(options.recipe)):
        trainer.step()
    assert before < 0.5 < 0.8 < agreement()


# ------------------------------------------------------------------------------------------- histories


def test_a_history_is_kept_at_both_ends_and_between(tiny_options):
    [folder] = train(tiny_options(keep_every=15))
    kept = sorted((folder / "history").iterdir())
    assert [path.name for path in kept] == [f"{step:08d}.safetensors" for step in (0, 15, 30, 40)]
    assert load_pair(kept[-1]).weights_hash == load_pair(folder).weights_hash
    assert load_pair(kept[0]).weights_hash != load_pair(kept[1]).weights_hash


def test_resets_end_with_whole_lives():
    assert not Recipe("local").population
    assert Recipe("local", reset="senders", reset_every=5).population
