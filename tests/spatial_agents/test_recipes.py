"""The options of training: what recipes say, what is refused, and the command line."""

from pathlib import Path

import numpy as np
import pytest

from spatial_agents.network_config import NetworkConfig
from spatial_agents.pairs.names import PRETRAINED
from spatial_agents.pairs.weights import read_weights
from spatial_agents.recipes import Recipe, TrainOptions, sweep
from spatial_game.cli.app import parse as parse_command
from spatial_game.config import GameConfig
from spatial_game.files import read_json


def parse(line):
    [options] = sweep_of(line)
    return options


def sweep_of(line):
    return parse_command(["train", *line.split()]).runs()


def test_a_recipe_is_the_papers_and_what_is_given_replaces_what_it_says():
    recipe = Recipe("paper")
    assert (recipe.steps, recipe.batch_size, recipe.learning_rate) == (98_000, 2048, 1e-3)
    assert (recipe.schedule, recipe.clip_norm, recipe.temperature) == ("constant", 0, 1)
    assert recipe.start_length == 0
    assert recipe.network_config == NetworkConfig(hidden_size=64, inputs="scalars", scalar_reach=0)
    assert [Recipe(inputs=inputs).steps for inputs in ("scalars", "embedding")] == [70_000, 20_000]
    assert Recipe(steps=5, batch_size=3).steps == 5


def test_the_local_recipe_asks_about_every_cell():
    recipe, grid = Recipe("local", batch_size=100), GameConfig(shape=(6, 7), window_radius=1)
    assert (recipe.network_config.network, recipe.inputs, recipe.every_target) == ("local", "embedding", True)
    assert (recipe.sequences(grid), recipe.episodes(grid)) == (3, 126)
    assert Recipe("curriculum", batch_size=100).episodes(grid) == 100


TWO = GameConfig(num_visible=2)


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        (Recipe, {"recipe": "secret"}, "recipe must be one of paper, .*; got 'secret'$"),
        (Recipe, {"steps": 0}, "steps must be at least 1; got 0"),
        (Recipe, {"learning_rate": 0.0}, "learning_rate must be finite and above 0; got 0.0"),
        (Recipe, {"temperature": float("inf")}, "temperature must be finite and above 0; got inf"),
        (Recipe, {"unseen": 1.0}, "unseen must be at least 0 and below 1; got 1.0"),
        (Recipe, {"learning_rate": "fast"}, "learning_rate must be a number; got 'fast'"),
        (Recipe, {"recipe": "landmark", "inputs": "scalars"}, "inputs must be embedding or one-hot"),
        (Recipe, {"recipe": "local", "fixed_samples": 9}, "fixed_samples must be 0 with recipe local; got 9"),
        (Recipe, {"recipe": "paper", "fixed_samples": 9, "unseen": 0.1}, "samples must be 0 with unseen"),
        (Recipe, {"recipe": "local", "start_visible": 1}, "start_visible must be 0 with recipe local; got 1"),
        (TrainOptions, {"seed": 2**63}, "seed must be in 0..9223372036854775807; got 9223372036854775808"),
        (TrainOptions, {"pairs": 2**63}, "pairs must be in 1..10000; got 9223372036854775808"),
        (Recipe, {"batch_size": 2**63}, "batch_size must be in 1..10000000; got 9223372036854775808"),
        (Recipe, {"recipe": "paper", "fixed_samples": 2**63}, "fixed_samples must be in 0..10000000; got 92"),
        (TrainOptions, {"evaluation_episodes": 2**63}, "evaluation_episodes must be in 1..10000000; got 92"),
        (TrainOptions, {"device": True}, "device must be one of auto, cpu, cuda; got True"),
        (TrainOptions, {"config": "paper"}, "config must be a GameConfig; got 'paper'"),
        (
            TrainOptions,
            {"config": TWO, "recipe": Recipe("landmark", start_visible=3)},
            "start_visible must be at most 2, the number of visible cells; got 3",
        ),
    ],
)
def test_errors_name_field_rule_and_value(kind, changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        kind(**changes)


def test_the_folder_of_a_run_is_a_path():
    assert TrainOptions(out="runs/x").out == Path("runs/x")
    with pytest.raises(TypeError, match="out must be the path of a folder; got 3"):
        TrainOptions(out=3)


def test_the_promised_command_line():
    given = parse("--sequence-length 20 --pairs 2 --seed 3 --recipe paper --steps 9 --out RUN --device cpu")
    expected = {"pairs": 2, "seed": 3, "out": Path("RUN"), "device": "cpu"}
    assert given == TrainOptions(GameConfig(20), Recipe("paper", steps=9), **expected)


def test_several_values_of_options_are_a_run_for_each_combination_in_its_own_folder():
    line = "--temperature 0.5 1 --inputs scalars embedding --game small --shape 4x4 --pairs 2 --out RUN"
    config = GameConfig.small().changed(shape=(4, 4))
    assert sweep_of(line) == [
        TrainOptions(config, recipe, pairs=2, out=Path("RUN", f"inputs={inputs},temperature={temperature}"))
        for inputs in ("scalars", "embedding")
        for temperature in (0.5, 1.0)
        for recipe in [Recipe(inputs=inputs, temperature=temperature)]  # its steps depend on the inputs
    ]
    [only] = sweep(shape=(5, 5), num_integers=30, recipe="local", out="RUN")
    assert only == TrainOptions(GameConfig(shape=(5, 5), num_integers=30), Recipe("local"), out="RUN")
    assert [each.config.sequence_length for each in sweep(sequence_length=[10, 20])] == [10, 20]
    assert sweep(shape=[(5, 9), (6, 6)], out="RUN")[0].out == Path("RUN/shape=5x9")
    with pytest.raises(
        ValueError, match=r"options must be among game, .*; got step \(did you mean \"steps\"\?"
    ):
        sweep(step=1)
    with pytest.raises(ValueError, match="temperature must be finite and above 0; got 0"):
        sweep(temperature=[1, 0])


@pytest.mark.parametrize("values", [(5, 6), range(5, 7), np.array([5, 6]), (n for n in (5, 6)), [5, 6]])
def test_any_sequence_of_values_is_a_sweep(values):
    assert [each.recipe.steps for each in sweep(steps=values, out="RUN")] == [5, 6]


@pytest.mark.parametrize("values", [(), [], range(0), np.zeros(0)])
def test_a_sweep_without_values_is_refused(values):
    with pytest.raises(ValueError, match="steps must have at least one value; got"):
        sweep(steps=values)
    with pytest.raises(ValueError, match="cost must have at least one value; got"):
        sweep(objective_options={"cost": values})


def test_a_sweep_needs_different_values_and_a_dict_for_the_objective():
    with pytest.raises(ValueError, match=r"steps must have different values; got \[5, 6, 5\]"):
        sweep(steps=[5, 6, 5])
    with pytest.raises(ValueError, match=r"objective_options must be a dict; got \[1\]"):
        sweep(objective_options=[1])


def test_the_commands_of_bundled_pairs_are_understood():
    for weights in sorted(PRETRAINED.glob("*/00.safetensors")):
        stored, card = read_weights(weights), read_json(weights.with_suffix(".json"))
        options = parse(card["command"].removeprefix("spatial-game train "))
        assert (options.config, options.recipe.network_config) == (stored.config, stored.network_config)
        assert (options.seed, options.recipe.steps) == (card["seed"], card["steps"])


def test_options_survive_json():
    options = TrainOptions(GameConfig(20), Recipe("paper"), seed=4)
    assert TrainOptions.from_dict(options.to_dict()) == options
    with pytest.raises(ValueError, match=r"TrainOptions fields must be among .*; got 'colour'"):
        TrainOptions.from_dict({**options.to_dict(), "colour": 1})
