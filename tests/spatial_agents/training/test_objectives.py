"""Objectives and samplers of one's own, populations and sweeps, as their user would use them."""

import csv
import json
import shutil
from functools import partial
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
import torch
from helpers.kinds import TINY
from torch.nn.functional import cross_entropy

from spatial_agents.networks import gumbel_softmax
from spatial_agents.pairs.names import pairs_below
from spatial_agents.pairs.pair import load_pair
from spatial_agents.training.folders import options_of
from spatial_agents.training.objectives import play
from spatial_agents.training.own_code import OwnCode
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import Trainer, TrainingDiverged
from spatial_game.cli import main
from spatial_game.cli.commands.runs import row_of
from spatial_game.config import GameConfig
from spatial_game.errors import AgentsFailed, TrainingFailed
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.seeds import replicate_seeds


def noisy(pair, batch, generator):
    """The usual loss, of messages some of which are lost."""

    def choose_symbol(logits):
        lost = torch.rand(len(logits), generator=generator) < 0.5 * batch.progress
        return gumbel_softmax(logits, generator) * ~lost.view(-1, *[1] * (logits.dim() - 1))

    scores = play(pair, batch, choose_symbol)
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    return loss, {"accuracy": batch.accuracy(scores), "progress": torch.tensor(batch.progress)}


def priced(pair, batch, generator, *, cost=0.5, mode="all"):
    """The usual loss, and a cost on the symbols that are not 0."""
    spoken = []

    def choose_symbol(logits):
        spoken.append(1 - gumbel_softmax(logits, generator)[..., 0].mean())
        return gumbel_softmax(logits, generator)

    scores = play(pair, batch, choose_symbol)
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    length = sum(spoken) if mode == "all" else spoken[0]
    return loss + cost * length, {"accuracy": batch.accuracy(scores), "length": length}


def of_steps(pair, batch, generator, *, steps=3):
    return noisy(pair, batch, generator)


def switched(pair, batch, generator, *, baseline=True):
    return noisy(pair, batch, generator)


def of_indices(pair, batch, generator):
    return play(pair, batch, lambda logits: logits.argmax(dim=-1)).mean(), {}


def failing(pair, batch, generator):
    raise KeyError("no")


def swapped(rng, n):
    return draw_episodes(TINY, n, rng)


def without_default(pair, batch, generator, *, cost):
    return noisy(pair, batch, generator)


def without_accuracy(pair, batch, generator):
    return noisy(pair, batch, generator)[0], {}


def without_gradients(pair, batch, generator):
    loss, figures = noisy(pair, batch, generator)
    return loss.detach(), figures


def for_each_episode(pair, batch, generator):
    return play(pair, batch, lambda logits: logits), {}


def nothing(*given):
    return None


def with_a_number(pair, batch, generator):
    loss, figures = noisy(pair, batch, generator)
    return loss, figures | {"reward": 1.5}


def with_a_vector(pair, batch, generator):
    loss, figures = noisy(pair, batch, generator)
    return loss, figures | {"reward": torch.zeros(2)}


def with_a_column(pair, batch, generator):
    loss, figures = noisy(pair, batch, generator)
    return loss, figures | {"step": torch.tensor(1.0)}


def with_a_late_figure(pair, batch, generator):
    loss, figures = noisy(pair, batch, generator)
    return loss, figures | ({"late": 1.0} if batch.progress > 0.4 else {})


def of_two(pair, batch):
    return None


def drawing_after_nan(pair, batch, generator):
    """Draws symbols, as REINFORCE does, from weights that are NaN after the fourth step."""

    def draw(logits):
        torch.multinomial(logits.softmax(dim=-1).flatten(0, -2), 1, generator=generator)
        return gumbel_softmax(logits, generator)

    scores = play(pair, batch, draw)
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    loss = loss * (float("nan") if batch.progress > 0.4 else 1.0)
    return loss, {"accuracy": batch.accuracy(scores)}


@pytest.fixture
def own_options(tiny_options):
    return lambda out="run", **changes: tiny_options(out, **{"recipe": "local", "steps": 6, **changes})


@pytest.mark.usefixtures("often_logged")
def test_an_objective_of_ones_own_resumes_to_the_same_bytes_and_stands_in_the_card(
    own_options, train_and_kill
):
    [whole] = train(own_options("whole"), objective=noisy)
    cut = own_options("cut", checkpoint_seconds=0.0)
    train_and_kill(5, cut, objective=noisy)
    [again] = train(options_of(cut.out), objective=noisy)
    assert (whole / "pair.safetensors").read_bytes() == (again / "pair.safetensors").read_bytes()
    [usual] = train(own_options("usual"))
    assert load_pair(usual).weights_hash != load_pair(whole).weights_hash
    card = load_pair(whole).card
    assert card["objective"]["name"] == f"{__name__}:noisy"
    assert card["objective"]["source"].startswith("def noisy(")
    assert "temperature" not in card["recipe"]
    header, first, last = (whole / "metrics.csv").read_text().splitlines()
    assert header.endswith(",progress,gradient_norm")
    progress = [float(line.split(",")[-2]) for line in (first, last)]
    assert progress == pytest.approx([(0 + 1 + 2 + 3) / 4 / 6, (4 + 5) / 2 / 6])


def test_a_run_is_continued_with_its_objective_only(own_options, monkeypatch):
    options = own_options()
    train(options, objective=noisy)
    missing = (
        rf"with its objective, {__name__}:noisy; got that of the recipe \(give it as objective= or --obj"
    )
    with pytest.raises(ValueError, match=missing):
        train(options)
    monkeypatch.setattr("inspect.getsource", lambda function: "changed")
    with pytest.raises(ValueError, match=r":noisy; got other source code \(.*, name another folder\)"):
        train(options, objective=noisy)


def test_a_run_with_options_of_its_objective_says_which_objective_is_missing(own_options):
    [folder] = train(own_options(), objective=priced)
    with pytest.raises(ValueError, match=rf"with its objective, {__name__}:priced; got that of the recipe"):
        train(options_of(folder))


def test_an_objective_goes_with_the_inputs_of_any_recipe(own_options):
    # The entropy bonus of this recipe depends on the inputs; it is not an option that was given.
    assert train(own_options(recipe="curriculum", inputs="embedding", steps=1), objective=noisy)


@pytest.mark.parametrize(
    ("objective", "changes", "fault"),
    [
        (without_accuracy, {}, r'objective must return the figure "accuracy"; got \[\]'),
        (
            without_gradients,
            {},
            "objective must return a loss with gradients, a tensor without dimensions; got",
        ),
        (
            for_each_episode,
            {},
            r"objective must return a loss with gradients, a tensor without dimensions; got",
        ),
        (nothing, {}, "objective must return a loss and a dict of figures; got None"),
        (of_two, {}, r"objective must take \(pair, batch, generator\); got \(pair, batch\)"),
        (
            of_indices,
            {},
            r"choose_symbol must return torch.float32 \(.*\), as one_hot .*; got torch.int64 \(",
        ),
        (with_a_vector, {}, 'figure "reward" must be a number, or a tensor without dimensions; got tensor'),
        (with_a_column, {}, "figures must not be named step, episodes, .*; got step"),
        (lambda *given: None, {}, "objective must be a function made with def, .*; got <function <lambda>"),
        (partial(noisy), {}, r"objective must be a function made with def, .*; got functools\.partial"),
        (GameConfig, {}, "objective must be a function made with def, .*; got <class"),
        (noisy, {"temperature": 2.0}, "temperature must be left out with an objective of your own; got 2.0"),
    ],
)
def test_what_is_no_objective_makes_no_folder(own_options, objective, changes, fault):
    options = own_options(**changes)
    with pytest.raises(ValueError, match=fault):
        train(options, objective=objective)
    assert not options.out.exists()


def test_a_figure_may_be_a_plain_number(own_options):
    [folder] = train(own_options(), objective=with_a_number)
    [row] = csv.DictReader((folder / "metrics.csv").read_text().splitlines())
    assert float(row["reward"]) == 1.5


@pytest.mark.usefixtures("often_logged")
@pytest.mark.parametrize(
    "steps", [6, 9]
)  # "late" comes within a row of metrics, or in the first step after one
def test_figures_have_the_same_names_in_each_step(own_options, steps):
    with pytest.raises(
        TrainingFailed, match=r"figures must have the same names in each step; got \['late'\]"
    ):
        train(own_options(steps=steps), objective=with_a_late_figure)


def test_an_error_of_an_objective_begins_with_its_name(own_options):
    with pytest.raises(AgentsFailed, match=rf"^{__name__}:failing failed: KeyError: 'no'"):
        train(own_options(), objective=failing)


def test_an_objective_that_fails_as_weights_are_nan_has_diverged(own_options):
    fault = "loss must stay finite; got nan between steps 1 and 4; the last good checkpoint is of step 3, in"
    way = r"\(repair your own code, and name another folder\)$"
    with pytest.raises(TrainingDiverged, match=f"{fault} .* {way}"):
        train(own_options(checkpoint_seconds=0), objective=drawing_after_nan)


def test_a_run_within_another_one_is_refused(own_options):
    train(own_options(steps=1))
    with pytest.raises(ValueError, match=r"out must not be within another run; got .*run/steps=2"):
        train(own_options("run/steps=2", steps=2))


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_the_command_line_takes_an_objective_as_module_and_function(tmp_path, monkeypatch, capsys, jobs):
    shutil.copy(__file__, tmp_path / "my_objective.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # processes get it
    tiny = ["--game", "tiny", "--recipe", "local", "--steps", "4", "--evaluation-episodes", "50"]
    own = ["--objective", "my_objective:noisy", "--jobs", jobs]
    assert main(["train", *tiny, "--pairs", "2", "--out", "run", *own]) == 0
    (tmp_path / "run" / "01" / "card.json").unlink()
    assert main(["train", "--resume", "run"]) == 1
    assert "run must be continued with its objective, my_objective:noisy; got" in capsys.readouterr().err
    assert main(["train", "--resume", "run", *own]) == 0
    assert "mean" in capsys.readouterr().out


@pytest.mark.usefixtures("often_logged")
def test_the_options_of_an_objective_stand_in_config_and_card_and_change_the_training(
    own_options, train_and_kill
):
    given = {"cost": 2}
    [whole] = train(own_options("whole", objective_options=given), objective=priced)
    [usual] = train(own_options("usual"), objective=priced)
    same, free = (own_options(str(cost), objective_options={"cost": cost}) for cost in (np.float64(0.5), 0.0))
    [same], [free] = train(same, objective=priced), train(free, objective=priced)
    cards = {folder: load_pair(folder).card for folder in (whole, usual, same, free)}
    assert cards[whole]["objective_options"] == {"cost": 2.0, "mode": "all"}
    assert cards[usual]["objective_options"] == {"cost": 0.5, "mode": "all"}
    hashes = {folder: card["weights_hash"] for folder, card in cards.items()}
    assert hashes[usual] == hashes[same]
    assert len(set(hashes.values())) == 3
    cut = own_options("cut", checkpoint_seconds=0.0, objective_options=given)
    train_and_kill(5, cut, objective=priced)
    [again] = train(options_of(cut.out), objective=priced)
    assert load_pair(again).weights_hash == hashes[whole]
    with pytest.raises(ValueError, match=r"must hold a run with the same objective_options, {'cost': 3\.0"):
        train(own_options("whole", objective_options={"cost": 3}), objective=priced)


@pytest.mark.parametrize(
    ("objective", "given", "fault"),
    [
        (
            None,
            {"cost": 1},
            "objective_options must be left out without an objective of your own; got {'cost",
        ),
        (noisy, {"cost": 1}, "objective_options must be among none, keyword-only parameters; got cost"),
        (priced, {"coat": 1}, r'must be among cost, mode, keyword.*; got coat \(did you mean "cost"\?\)'),
        (priced, {"cost": "1"}, "cost must be finite, and of the type of its default 0.5; got '1'"),
        (priced, {"cost": True}, "cost must be finite, and of the type of its default 0.5; got True"),
        (priced, {"cost": float("nan")}, "cost must be finite, and of the type of its default 0.5; got nan"),
        (switched, {"baseline": "no"}, "baseline must be true or false; got 'no'"),
        (priced, {"mode": 1}, "mode must be finite, and of the type of its default 'all'; got 1"),
        (priced, 3, "objective_options must be a dict; got 3"),
        (of_steps, {}, "parameters of an objective must not be named as an option; got steps"),
        (without_default, {}, "default of cost must be a number, a text or true or false; got none"),
    ],
)
def test_options_that_an_objective_does_not_take_make_no_folder(own_options, objective, given, fault):
    with pytest.raises(ValueError, match=fault):
        train(own_options(objective_options=given), objective=objective)
    assert not own_options().out.exists()


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_sweep_over_an_option_of_an_objective(tmp_path, monkeypatch, capsys, jobs):
    shutil.copy(__file__, tmp_path / "my_priced.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    tiny = ["--game", "tiny", "--recipe", "local", "--steps", "2", "--evaluation-episodes", "50"]
    own = ["--objective", "my_priced:priced", "--jobs", jobs]
    words = ["--objective-options", "cost=0", "0.5", "mode=all", "mode=first"]
    assert main(["train", *tiny, *words, *own, "--out", "runs"]) == 0
    (tmp_path / "runs" / "cost=0.5,mode=all" / "card.json").unlink()
    assert main(["train", "--resume", "runs", *own]) == 0
    capsys.readouterr()
    assert main(["runs", "runs", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["pairs"]
    assert {(row["pair"], row["cost"], row["mode"]) for row in rows} == {
        (f"runs/cost={cost},mode={mode}", float(cost), mode)
        for cost in ("0", "0.5")
        for mode in ("all", "first")
    }
    assert main(["runs", "runs"]) == 0
    heading = capsys.readouterr().out.split("\n")[3].split()
    assert heading == ["Pair", "cost", "mode", "Accuracy", "Seconds"]
    assert main(["evaluate", "runs", "--episodes", "50"]) == 0
    assert "mean" not in capsys.readouterr().out
    assert main(["train", *tiny, *own, "--objective-options", "0.5", "--out", "other"]) == 1
    assert "objective_options must begin with a name, such as cost=0.1; got 0.5" in capsys.readouterr().err


@pytest.mark.usefixtures("often_logged")
def test_tensorboard_shows_figures_and_options(own_options):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    [folder] = train(own_options(objective_options={"cost": 0.7}), objective=priced)
    events = EventAccumulator(str(folder / "tensorboard")).Reload()
    assert {"length", "gradient_norm", "loss", "validation_accuracy"} <= {*events.Tags()["scalars"]}
    content = events.PluginTagToContent("hparams")["_hparams_/session_start_info"]
    assert b"temperature" in content
    assert b"cost" in content
    rows = list(csv.DictReader((folder / "metrics.csv").read_text().splitlines()))
    shown = [scalar.value for scalar in events.Scalars("gradient_norm")]
    assert shown == pytest.approx([float(row["gradient_norm"]) for row in rows])


# ------------------------------------------------------------------------------------------- samplers


def at_the_left_end(n, rng):
    """Episodes whose target is the first integer, which no other candidate can be taken for."""
    many = draw_episodes(TINY, 40 * n, rng)
    return many[np.flatnonzero(many.target_position == 0)[:n]]


def fewer_and_fewer(n, rng):
    return draw_episodes(TINY, n - (n > 2), rng)


def reaching_out(n, rng, *, progress=1.0):
    """Targets at the left end first, then at all places."""
    many = draw_episodes(TINY, 40 * n, rng)
    return many[np.flatnonzero(many.target_position <= 6 * progress)[:n]]


def of_another_game(n, rng):
    return draw_episodes(GameConfig.tiny(), n, rng)


def too_few(n, rng):
    return draw_episodes(TINY, 1, rng)


def of_another_generator(n, rng):
    return draw_episodes(TINY, n, np.random.default_rng())


def with_an_option(n, rng, *, reach=2, progress=1.0):
    return draw_episodes(TINY, n, rng)


@pytest.mark.usefixtures("often_logged")
@pytest.mark.parametrize("recipe", ["local", "curriculum"])
def test_a_sampler_draws_the_episodes_of_a_training(own_options, train_and_kill, recipe):
    changes = {"recipe": recipe, "steps": 6, "batch_size": 7}
    [whole] = train(own_options("whole", **changes), sampler=at_the_left_end)
    cut = own_options("cut", checkpoint_seconds=0.0, **changes)
    train_and_kill(5, cut, sampler=at_the_left_end)
    [again] = train(options_of(cut.out), sampler=at_the_left_end)
    assert (whole / "pair.safetensors").read_bytes() == (again / "pair.safetensors").read_bytes()
    card = load_pair(whole).card
    assert card["sampler"]["name"] == f"{__name__}:at_the_left_end"
    assert not {"every_target", "unseen"} & card["recipe"].keys()
    assert card["episodes_seen"] == 6 * 7
    trainer = Trainer(cut, torch.device("cpu"), OwnCode(sampler=at_the_left_end))
    window = trainer.draw().window
    assert window.shape == (7, 3)
    assert (window[:, 0] == MASK).all()
    with pytest.raises(ValueError, match=r"with its sampler, .*:at_the_left_end; got the game's"):
        train(cut)


def test_what_a_sampler_returns_is_checked_in_each_step(own_options):
    with pytest.raises(TrainingFailed, match=r"what sampler\(7, rng\) returns must be a batch of 7; got 6"):
        train(own_options(batch_size=7), sampler=fewer_and_fewer)


def test_a_sampler_knows_the_progress_of_the_training(own_options):
    trainer = Trainer(own_options(batch_size=7), torch.device("cpu"), OwnCode(sampler=reaching_out))
    ends = []
    for trainer.step_number in range(6):
        window = trainer.draw().window
        ends.append((window[:, 0] == MASK).float().mean())
    assert ends[0] == 1
    assert ends[5] < 0.8


@pytest.mark.parametrize(
    ("sampler", "changes", "fault"),
    [
        (swapped, {}, r"sampler must take \(n, rng\); got \(rng, n\)"),
        (too_few, {}, r"what sampler\(2, rng\) returns must be a batch of 2; got 1"),
        (nothing, {}, r"what sampler\(2, rng\) returns must be Episodes; got NoneType"),
        (
            of_another_generator,
            {},
            "sampler must return the same episodes for the same generator, or a resum",
        ),
        (with_an_option, {}, "sampler must have no keyword-only parameter but progress; got reach, progress"),
        (GameConfig, {}, "sampler must be a function made with def, by which its run and card know it; got"),
        (
            of_another_game,
            {},
            r"what sampler\(2, rng\) returns must be of the game, whose sequence_length is 6",
        ),
        (at_the_left_end, {"unseen": 0.2}, "unseen must be left out with a sampler of your own; got 0.2"),
    ],
)
def test_what_is_no_sampler_makes_no_folder(own_options, sampler, changes, fault):
    options = own_options(**changes)
    with pytest.raises(ValueError, match=fault):
        train(options, sampler=sampler)
    assert not options.out.exists()


# ----------------------------------------------------------------------------------------- populations


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


def test_a_population_of_one_pair_is_the_pair(own_options, trained, tiny_options):
    [alone] = train(tiny_options("alone"))
    assert load_pair(alone).weights_hash == load_pair(trained).weights_hash


@pytest.mark.parametrize(
    ("pairs", "spread"), [(1, "one population, so one training"), (2, "over populations")]
)
def test_the_pairs_of_a_population_are_no_sample_of_trainings(tmp_path, monkeypatch, capsys, pairs, spread):
    monkeypatch.chdir(tmp_path)
    tiny = ["--game", "tiny", "--recipe", "local", "--steps", "2", "--evaluation-episodes", "200"]
    population = ["--senders", "2", "--receivers", "2", "--pairs", str(pairs), "--jobs", "1"]
    assert main(["train", *tiny, *population, "--out", "runs", "--json"]) == 0
    shown = capsys.readouterr()
    assert ("pairs: 8, in 2 trainings, 1 at a time (--jobs)\n" in shown.err) is (pairs > 1)
    cards = [pair["card"] for pair in json.loads(shown.out)["pairs"]]
    accuracies = [card["evaluation"]["accuracy"] for card in cards]
    assert main(["train", "--resume", "runs", "--jobs", "1"]) == 0
    shown = capsys.readouterr()
    assert f"already finished: {'8 of 8 pairs' if pairs > 1 else 'runs'}\n" in shown.err
    line = shown.out.splitlines()[-1]
    assert spread in line
    assert ("standard deviation" in line) is (pairs > 1)
    if pairs > 1:
        deviation = stdev([fmean(accuracies[:4]), fmean(accuracies[4:])])
        assert f"standard deviation {deviation:.2%}" in line
    assert main(["evaluate", "runs", "--episodes", "50"]) == 0
    assert f"{pairs} population" in capsys.readouterr().out
    assert main(["runs", "runs"]) == 0
    assert f"{4 * pairs} pairs ({pairs} population" in capsys.readouterr().out


# ---------------------------------------------------------------------------------------------- sweeps


def test_a_sweep_is_trained_resumed_and_shown_without_a_mean_over_settings(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tiny = ["--game", "tiny", "--recipe", "local", "--steps", "2", "--evaluation-episodes", "50"]
    words = ["train", *tiny, "--temperature", "0.5", "1", "--pairs", "2", "--jobs", "1", "--out", "runs"]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert shown.out.count("mean") == 2
    assert "pairs: 4, 1 at a time" in shown.err
    (tmp_path / "runs" / "temperature=1.0" / "01" / "card.json").unlink()
    assert main(["train", "--resume", "runs", "--jobs", "1"]) == 0
    capsys.readouterr()
    assert main(["runs", "runs", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["pairs"]
    assert [(row["pair"], row["temperature"], row["seed"]) for row in rows] == [
        (f"runs/temperature={temperature}/{pair:02d}", temperature, seed)
        for temperature in (0.5, 1.0)
        for pair, seed in enumerate(replicate_seeds(0, 2, "pairs"))
    ]
    assert main(["evaluate", "runs", "--episodes", "50"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("mean of runs/temperature=") == shown.count("worst of runs/temperature=") == 2
    assert main(["train", *tiny, "--steps", "3", "--out", "again"]) == 2
    assert "Parameter --steps specified multiple times" in capsys.readouterr().err
    assert main(["train", *tiny, "--temperature", "1", "1", "--out", "twice"]) == 1
    assert "temperature must have different values; got [1.0, 1.0]" in capsys.readouterr().err
