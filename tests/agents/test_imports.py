"""What the trained pairs and their training load."""

import json
import subprocess
import sys


def loaded_by(module, then=""):
    code = f"import json, sys, {module}\n{then}\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_training_loads_neither_other_parts_nor_the_compiler_of_torch():
    """The compiler takes seconds in every process, and training compiles nothing."""
    loaded = loaded_by("spatial_agents.training.runs, spatial_agents.training.trainer as trainer", TRAIN)
    assert not {"torch._dynamo", "sympy"} & set(loaded)
    parts = {".".join(name.split(".")[:2]) for name in loaded}
    assert "spatial_agents.training" in parts
    for part in ("language", "rendering", "envs", "studies", "reproduction", "cli"):
        assert f"spatial_game.{part}" not in parts


def test_names_of_pairs_and_options_need_no_torch():
    for module in ("spatial_agents", "spatial_agents.recipes", "spatial_agents.pairs.names"):
        assert "torch" not in loaded_by(module)


TRAIN = """
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.config import GameConfig
game = GameConfig(6, window_radius=1, num_distractors=2)
for recipe in (Recipe(weight_average=0.9), Recipe("local")):
    for batched in (False, True):
        options = TrainOptions(game, recipe, validate_every=1)
        trainer.Trainer([options], trainer.torch.device("cpu"), batched=batched).step()
"""
