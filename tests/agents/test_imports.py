"""What the trained pairs and their training load."""

import json
import subprocess
import sys


def loaded_by(module):
    code = f"import json, sys, {module}\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_training_loads_no_other_parts():
    loaded = loaded_by("spatial_agents.training.runs")
    parts = {".".join(name.split(".")[:2]) for name in loaded}
    assert "spatial_agents.training" in parts
    for part in ("language", "rendering", "envs", "studies", "reproduction", "cli"):
        assert f"spatial_game.{part}" not in parts


def test_names_of_pairs_and_options_need_no_torch():
    for module in ("spatial_agents", "spatial_agents.recipes", "spatial_agents.pairs.names"):
        assert "torch" not in loaded_by(module)
