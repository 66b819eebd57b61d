"""What a fresh interpreter loads, and what works with the six libraries of the base alone."""

import pkgutil
import re
import subprocess
import sys

import spatial_game

MISSING = """
import sys
missing = {"torch"}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())  # not sys.modules["torch"] = None: SciPy looks there
"""

BASE = """
missing |= {"scipy", "pyarrow", "rich", "cyclopts", "matplotlib"}
import pettingzoo
for name in ("register", "aec_registry", "parallel_registry"):
    vars(pettingzoo).pop(name, None)  # as older versions are

import gymnasium
import spatial_agents
import spatial_game
from spatial_game import referential_symbol_v0, referential_v0

for module in (referential_v0, referential_symbol_v0):
    for mode, kind in (("ansi", "str"), ("rgb_array", "ndarray")):
        env = module.env(render_mode=mode)
        env.reset(seed=0)
        for agent in env.agent_iter():
            *_, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else env.action_space(agent).sample())
            assert type(env.render()).__name__ == kind
    env = module.parallel_env()
    env.reset(seed=0)
    env.step({agent: env.action_space(agent).sample() for agent in env.agents})

names = [name for name in gymnasium.registry if name.startswith("spatial_game/")]
assert len(names) == 12
for name in names:
    for options in [{}] if "Both" in name else [{"partner": "oracle"}, {"partner": "random"}]:
        env = gymnasium.make(name, **options)
        env.reset(seed=0)
        env.step(env.action_space.sample())
for name in spatial_agents.bundled_names():
    pair = spatial_agents.load_pair(name)
    assert spatial_game.evaluate(pair, num_episodes=100, seed=1).accuracy > 0.8, name
for role in ("Receiver", "Sender"):
    env = gymnasium.make_vec(f"spatial_game/{role}-v0", num_envs=3, partner="paper-60/3")
    env.reset(seed=0)
    env.step(env.action_space.sample())

import numpy as np
episodes = spatial_game.draw_episodes(spatial_game.GameConfig(), 1, np.random.default_rng(0))
evaluation = spatial_game.evaluate(pair, num_episodes=100, seed=1)
for extra, use in {
    "agents": [episodes.to_torch],
    "analysis": [lambda: print(evaluation.overall), lambda: spatial_game.read_recording],
}.items():
    for each in use:
        try:
            each()
        except ModuleNotFoundError as error:
            assert f"pip install -e '.[{extra}]'" in str(error), error
        else:
            raise AssertionError

from spatial_game.cli import main
assert main(["demo"]) == 1
"""

LOADED = """
import spatial_game
heavy = {"scipy", "pyarrow", "matplotlib", "pygame", "PIL", "pandas", "spatial_game.language"}
assert not (heavy | {"rich", "cyclopts"}) & set(sys.modules)

from spatial_game.cli import main
for line in ("--help", "--version", "record --help"):
    main(line.split())
assert not heavy & set(sys.modules)
assert main(["train", "--out", "run"]) == 1
missing.add("pyarrow")
assert main(["demo"]) == 1
missing.remove("pyarrow")
"""


def extras_said(code, folder):
    """Run code in a fresh interpreter in a folder of its own, and return the extras that its errors name."""
    words = [sys.executable, "-c", MISSING + code]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return re.findall(r"^spatial-game: error: .*pip install -e '\.\[(\w+)\]'.*$", done.stderr, re.MULTILINE)


def test_the_base_is_enough_for_environments_roles_and_bundled_pairs(tmp_path):
    assert extras_said(BASE, tmp_path) == ["analysis"]


def test_little_is_loaded_and_every_module_but_adapters_imports_without_torch(tmp_path):
    names = [module.name for module in pkgutil.walk_packages(spatial_game.__path__, "spatial_game.")]
    assert {"spatial_game.game.rules", "spatial_game.language.dictionary.dictionary"} <= set(names)
    imports = [f"import {name}" for name in names if "__main__" not in name and ".adapters." not in name]
    assert extras_said(LOADED + "\n".join(imports), tmp_path) == ["agents", "analysis"]
