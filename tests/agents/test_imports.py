"""What the trained pairs and their training load."""

import subprocess
import sys


def loaded_by(module):
    code = f"import sys, {module}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_training_loads_no_other_parts():
    parts = {".".join(name.split(".")[:2]) for name in loaded_by("spatial_agents.training.runs")}
    assert "spatial_agents.training" in parts
    others = ("language", "rendering", "envs", "studies", "reproduction", "cli")
    assert not parts & {f"spatial_game.{part}" for part in others}
