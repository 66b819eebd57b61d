import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from spatial_agents.recipes import AgentConfig, Recipe, TrainOptions, smaller_shapes
from spatial_game.cli.app import parse as parse_command
from spatial_game.config import GameConfig


def parse(line):
    return parse_command(["train", *line.split()]).options


def test_the_paper_recipe_is_the_papers():
    recipe = Recipe("paper")
    assert (recipe.steps, recipe.batch_size, recipe.learning_rate) == (98_000, 2048, 1e-3)
    assert (recipe.schedule, recipe.settings.clip_norm, recipe.temperature) == ("constant", 0, 1)
    assert recipe.agent == AgentConfig(hidden_size=64, inputs="scalars", scalar_reach=0)
    assert recipe.first_length(GameConfig(60)) == 60


def test_what_is_given_replaces_what_the_recipe_says():
    recipe = Recipe("curriculum", inputs="embedding", steps=5)
    assert (recipe.steps, recipe.batch_size) == (5, 256)
    assert Recipe("curriculum", inputs="embedding").steps == 20_000
    assert Recipe("curriculum", inputs="scalars").steps == 70_000


def test_the_local_recipe_asks_about_every_cell():
    recipe, grid = Recipe("local", batch_size=100), GameConfig(shape=(6, 7), window_radius=1)
    assert (recipe.agent.network, recipe.inputs, recipe.settings.every_target) == ("local", "embedding", True)
    assert (recipe.sequences(grid), recipe.episodes(grid)) == (3, 126)
    assert Recipe("curriculum", batch_size=100).episodes(grid) == 100


@pytest.mark.parametrize(
    ("game", "length"),
    [
        (GameConfig(60), 6),
        (GameConfig(5), 5),
        (GameConfig(60, window_radius=4), 9),
        (GameConfig(30, num_distractors=9), 10),
        (GameConfig(shape=(4, 8), window_radius=1), 9),
        (GameConfig(shape=(4, 8), window_radius=1, num_distractors=13), 16),
    ],
)
def test_the_curriculum_starts_with_the_shortest_sequence_that_can_be_played(game, length):
    assert Recipe("curriculum").first_length(game) == length
    dataclasses.replace(game, sequence_length=length, shape=smaller_shapes(game)[length])  # no ValueError


def test_grids_grow_on_their_shortest_axis():
    shapes = smaller_shapes(GameConfig(shape=(4, 6), window_radius=1))
    assert list(shapes.values()) == [(3, 3), (4, 3), (4, 4), (4, 5), (4, 6)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"recipe": "secret"},
            "recipe must be one of paper, curriculum, local, landmark; got 'secret'$",
        ),
        ({"recipe": "papper"}, r"got 'papper' \(did you mean .paper.\?\)"),
        ({"steps": 0}, "steps must be at least 1; got 0"),
        ({"batch_size": -1}, "batch_size must be at least 1; got -1"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0; got 0.0"),
        ({"temperature": float("nan")}, "temperature must be above 0; got nan"),
        ({"schedule": "cosy"}, "schedule must be one of"),
        ({"inputs": "letters"}, "inputs must be one of scalars, embedding, one-hot; got 'letters'"),
        (
            {"recipe": "landmark", "inputs": "scalars"},
            "inputs must be embedding or one-hot with network landmark; got scalars",
        ),
        ({"recipe": "local", "fixed_samples": 9}, "fixed_samples must be 0 with recipe local; got 9"),
        ({"fixed_samples": 100}, "fixed_samples must be 0 with recipe curriculum; got 100"),
        ({"recipe": "paper", "fixed_samples": 9, "hold_out": 0.1}, "fixed_samples must be 0 with hold_out"),
        ({"recipe": "local", "start_visible": 1}, "start_visible must be 0 with recipe local; got 1"),
        ({"recipe": "landmark", "start_visible": -1}, "start_visible must be at least 0; got -1"),
        ({"hidden_size": 0}, "hidden_size must be at least 1; got 0"),
        ({"hidden_size": 10**12}, "hidden_size must be at most 65536; got 1000000000000"),
        ({"hidden_size": 64.5}, "hidden_size must be a whole number; got 64.5"),
        ({"steps": True}, "steps must be a whole number; got True"),
        ({"entropy_bonus": float("inf")}, "entropy_bonus must be at least 0; got inf"),
        ({"learning_rate": "fast"}, "learning_rate must be a number; got 'fast'"),
        ({"straight_through": 1}, "straight_through must be true or false; got 1"),
    ],
)
def test_errors_name_field_rule_and_value(changes, message):
    with pytest.raises(ValueError, match=message):
        Recipe(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pairs": 0}, "pairs must be at least 1; got 0"),
        ({"seed": -3}, "seed must be at least 0; got -3"),
        ({"device": True}, "device must be text; got True"),
        ({"out": Path("a"), "resume": Path("b")}, "out must be left out with resume, .*; got a"),
    ],
)
def test_options_check_themselves(changes, message):
    with pytest.raises(ValueError, match=message):
        TrainOptions(GameConfig(), Recipe(), **changes)


def test_a_game_whose_pairs_need_too_much_memory_is_refused_before_it_is_trained():
    game = GameConfig(shape=(13,) * 4, window_radius=6)
    with pytest.raises(ValueError, match=r"window_radius must be .*; got 6, for which"):
        TrainOptions(game, Recipe("local"))
    TrainOptions(game, Recipe("curriculum"))


def test_a_sender_sees_no_more_at_first_than_in_the_game():
    game, recipe = GameConfig(num_visible=2), Recipe("landmark", start_visible=3)
    with pytest.raises(
        ValueError, match="start_visible must be at most 2, the number of visible cells; got 3"
    ):
        TrainOptions(game, recipe)


def test_the_promised_command_line():
    options = parse("--sequence-length 20 --pairs 2 --seed 3 --recipe paper --steps 9 --out RUN --device cpu")
    assert options.game == GameConfig(20)
    assert options.recipe == Recipe("paper", steps=9)
    assert (options.pairs, options.seed, options.out, options.device) == (2, 3, Path("RUN"), "cpu")


def test_the_recorded_command_names_the_grid():
    game = GameConfig(shape=(4, 5), window_radius=1, num_visible=2)
    words = TrainOptions(game, Recipe("local", steps=9), seed=3).command("name").split()[2:]
    expected = (
        "--window-radius 1 --num-visible 2 --shape 4 5 --recipe local --steps 9 --seed 3 --out runs/name"
    )
    assert words == expected.split()


@pytest.mark.parametrize(
    "line",
    [
        "--sequence-length 60 --recipe curriculum --inputs embedding --steps 18000 --seed 0",
        "--sequence-length 20 --num-integers 60 --window-radius 1 --recipe paper --seed 7 --pairs 3",
        "--sequence-length 3 --num-distractors 2 --window-radius 1 --seed 0",
        "--recipe curriculum --straight-through --temperature 0.5 --hidden-size 32 --seed 1",
    ],
)
def test_the_recorded_command_trains_the_same(line):
    options = parse(line)
    command = options.command("name")
    assert command.startswith("spatial-game train ")
    assert command.endswith("--out runs/name")
    again = parse(command.removeprefix("spatial-game train "))
    assert dataclasses.replace(again, out=None) == options


def test_options_survive_json():
    options = TrainOptions(GameConfig(20), Recipe("paper"), seed=4)
    assert TrainOptions.from_dict(options.to_dict()) == options
    with pytest.raises(ValueError, match=r"TrainOptions fields must be among .*; got 'colour'"):
        TrainOptions.from_dict({**options.to_dict(), "colour": 1})


def test_options_pairs_and_evaluation_do_without_torch():
    code = (
        "import sys, importlib.util; sys.modules['torch'] = None; importlib.util.find_spec = lambda _: None\n"
        "import spatial_agents, spatial_agents.recipes, spatial_game.game.evaluation\n"
        "from spatial_game import GameConfig\n"
        "spatial_agents.TrainOptions(GameConfig(), spatial_agents.Recipe())\n"
        "assert spatial_agents.load_pair('embed-60').card\n"
        "try:\n    spatial_agents.load_pair('embed-60', device='cuda')\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    install = "install it in the clone with: pip install -e '.[agents]'"
    assert said.strip() == f"device cuda needs torch; {install}"
