"""The core stands on its own: no torch, and nothing heavy before it is needed."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys

import spatial_game

# Not by `sys.modules["torch"] = None`: SciPy looks there to see whether an array may be torch's.
BLOCK_TORCH = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, NoTorch())
"""

PLAY = """
import numpy as np
from spatial_game import referential_v0
from spatial_game.game.policies import OracleReceiver, OracleSender
from spatial_game.game.rules import split_receiver_view

env = referential_v0.env()
sender, receiver = OracleSender(env.unwrapped.config), OracleReceiver(env.unwrapped.config)
env.reset(seed=0)
for agent in env.agent_iter():
    view, reward, terminated, truncated, info = env.last()
    if terminated:
        action = None
    elif agent == "sender_0":
        action = sender.send(view[None].astype(np.int16))[0]
    else:
        action = receiver.choose(*split_receiver_view(env.unwrapped.config, view[None]))[0]
    env.step(action)
assert reward == 1.0
"""


def run(code: str) -> str:
    """What a fresh interpreter prints for this code."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules() -> list[str]:
    return [module.name for module in pkgutil.walk_packages(spatial_game.__path__, "spatial_game.")]


def test_there_are_modules_to_import() -> None:
    assert {"spatial_game.game.rules", "spatial_game.referential_v0", "spatial_game.language"} <= set(
        modules()
    )


def test_every_module_imports_without_torch_and_an_episode_plays() -> None:
    imports = "\n".join(
        f"import {name}" for name in modules() if not name.endswith("__main__") and ".adapters." not in name
    )
    run(BLOCK_TORCH + imports + PLAY)


def test_the_package_alone_loads_nothing_heavy() -> None:
    loaded = json.loads(run("import json, sys, spatial_game; print(json.dumps(list(sys.modules)))"))
    heavy = {"torch", "pygame", "PIL", "matplotlib", "pandas", "scipy", "pyarrow"}
    heavy |= {"rich", "cyclopts"}
    assert not heavy & set(loaded)
