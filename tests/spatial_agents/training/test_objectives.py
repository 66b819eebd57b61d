"""Objectives of one's own, as their user would use them."""

import csv
import shutil
from functools import partial

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from spatial_agents import load_pair
from spatial_agents.networks import gumbel_softmax
from spatial_agents.training.folders import options_of
from spatial_agents.training.objectives import play
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import TrainingDiverged
from spatial_game import GameConfig
from spatial_game.cli import main
from spatial_game.errors import AgentsFailed, TrainingFailed


def noisy(pair, batch, generator):
    """The usual loss, of messages some of which are lost."""

    def choose_symbol(logits):
        lost = torch.rand(len(logits), generator=generator) < 0.5 * batch.progress
        return gumbel_softmax(logits, generator) * ~lost.view(-1, *[1] * (logits.dim() - 1))

    scores = play(pair, batch, choose_symbol)
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    return loss, {"accuracy": batch.accuracy(scores), "progress": torch.tensor(batch.progress)}


def returning(change):
    """An objective that returns what a function makes of the loss, the figures and the batch of `noisy`."""

    def objective(pair, batch, generator):
        return change(*noisy(pair, batch, generator), batch)

    return objective


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


def of_indices(pair, batch, generator):
    return play(pair, batch, lambda logits: logits.argmax(dim=-1)).mean(), {}


def for_each_episode(pair, batch, generator):
    return play(pair, batch, lambda logits: logits), {}


def failing(pair, batch, generator):
    raise KeyError("no")


def drawing_after_nan(pair, batch, generator):
    """Draws symbols, as REINFORCE does, from weights that are NaN after the fourth step."""

    def draw(logits):
        torch.multinomial(logits.softmax(dim=-1).flatten(0, -2), 1, generator=generator)
        return gumbel_softmax(logits, generator)

    scores = play(pair, batch, draw)
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    loss = loss * (float("nan") if batch.progress > 0.4 else 1.0)
    return loss, {"accuracy": batch.accuracy(scores)}


# Parameters of objectives, which no test calls


def of_two(pair, batch): ...


def of_steps(pair, batch, generator, *, steps=3): ...


def switched(pair, batch, generator, *, baseline=True): ...


def without_default(pair, batch, generator, *, cost): ...


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
    missing = rf"with its objective, {__name__}:noisy; got that of the recipe \(give it as objective= or --o"
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


NO_LOSS = "objective must return a loss with gradients, a tensor without dimensions; got"
NO_FUNCTION = "objective must be a function made with def, .*; got"
NOT_EACH = r"choose_symbol must return torch.float32 \(.*\), as one_hot .*; got torch.int64 \("
NOT_ONE = 'figure "reward" must be a number, or a tensor without dimensions; got tensor'


@pytest.mark.parametrize(
    ("objective", "changes", "fault"),
    [
        (returning(lambda *_: None), {}, "objective must return a loss and a dict of figures; got None"),
        (returning(lambda loss, *_: (loss, {})), {}, r'return the figure "accuracy"; got \[\]'),
        (returning(lambda loss, figures, _: (loss.detach(), figures)), {}, NO_LOSS),
        (for_each_episode, {}, NO_LOSS),
        (returning(lambda loss, figures, _: (loss, figures | {"reward": torch.zeros(2)})), {}, NOT_ONE),
        (returning(lambda loss, figures, _: (loss, figures | {"step": 1.0})), {}, "named step, .*; got step"),
        (of_two, {}, r"objective must take \(pair, batch, generator\); got \(pair, batch\)"),
        (of_indices, {}, NOT_EACH),
        (lambda *given: None, {}, f"{NO_FUNCTION} <function <lambda"),
        (partial(noisy), {}, rf"{NO_FUNCTION} functools\.partial"),
        (GameConfig, {}, f"{NO_FUNCTION} <class"),
        (noisy, {"temperature": 2.0}, "temperature must be left out with your own objective; got 2.0"),
    ],
)
def test_what_is_no_objective_makes_no_folder(own_options, objective, changes, fault):
    options = own_options(**changes)
    with pytest.raises(ValueError, match=fault):
        train(options, objective=objective)
    assert not options.out.exists()


def test_a_figure_may_be_a_plain_number(own_options):
    plain = returning(lambda loss, figures, _: (loss, figures | {"reward": 1.5}))
    [folder] = train(own_options(), objective=plain)
    [row] = csv.DictReader((folder / "metrics.csv").read_text().splitlines())
    assert float(row["reward"]) == 1.5


@pytest.mark.usefixtures("often_logged")
@pytest.mark.parametrize("steps", [6, 9])
def test_figures_have_the_same_names_in_each_step(own_options, steps):
    """One that is new comes within a row of metrics, or in the first step after one."""
    late = returning(
        lambda loss, figures, batch: (loss, figures | ({"late": 1.0} if batch.progress > 0.4 else {}))
    )
    with pytest.raises(TrainingFailed, match=r"have the same names in each step; got \['late'\]"):
        train(own_options(steps=steps), objective=late)


def test_an_error_of_an_objective_begins_with_its_name(own_options):
    with pytest.raises(AgentsFailed, match=rf"^{__name__}:failing failed: KeyError: 'no'"):
        train(own_options(), objective=failing)


def test_an_objective_that_fails_as_weights_are_nan_has_diverged(own_options):
    fault = "loss must stay finite; got nan between steps 1 and 4; the last good checkpoint is of step 3, in"
    way = r"\(repair your own code, and name another folder\)$"
    with pytest.raises(TrainingDiverged, match=f"{fault} .* {way}"):
        train(own_options(checkpoint_seconds=0), objective=drawing_after_nan)


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_the_command_line_takes_an_objective_as_module_and_function(
    in_this_folder, tmp_path, text, capsys, jobs
):
    shutil.copy(__file__, tmp_path / "my_objective.py")
    own = f"--objective my_objective:noisy --jobs {jobs}"
    text(f"train {in_this_folder} --steps 4 --pairs 2 --out run {own}")
    (tmp_path / "run" / "01" / "card.json").unlink()
    assert main(["train", "--resume", "run"]) == 1
    assert "run must be continued with its objective, my_objective:noisy; got" in capsys.readouterr().err
    assert "mean" in text(f"train --resume run {own}")


# --- Its options ------------------------------------------------------------------------------------------


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
        (None, {"cost": 1}, "must be left out without an objective of your own; got {'cost"),
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
def test_a_sweep_over_an_option_of_an_objective(in_this_folder, tmp_path, text, result, error, jobs):
    shutil.copy(__file__, tmp_path / "my_priced.py")
    begin, own = f"train {in_this_folder} --steps 2", f"--objective my_priced:priced --jobs {jobs}"
    text(f"{begin} {own} --objective-options cost=0 0.5 mode=all first --out runs")
    (tmp_path / "runs" / "cost=0.5,mode=all" / "card.json").unlink()
    text(f"train --resume runs {own}")
    assert {(row["pair"], row["cost"], row["mode"]) for row in result("runs runs")["pairs"]} == {
        (f"runs/cost={cost},mode={mode}", float(cost), mode)
        for cost in ("0", "0.5")
        for mode in ("all", "first")
    }
    heading = text("runs runs").split("\n")[3].split()
    assert heading == ["Pair", "cost", "mode", "Accuracy", "Seconds"]
    assert "mean" not in text("evaluate runs --episodes 50")
    fault = "objective_options must begin with a name, such as cost=0.1; got 0.5"
    assert fault in error(f"{begin} {own} --objective-options 0.5 --out other")
    fault = "must name each parameter once, with all its values (cost=0 0.1); got cost twice"
    for again in "cost=0.5", "--objective-options cost=0.5":
        assert fault in error(f"{begin} {own} --objective-options cost=0 {again} --out other")


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
