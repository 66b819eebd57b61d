"""What a fresh interpreter loads, and what works with the five libraries of the base alone."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import spatial_game

BLOCK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""

PLAYS = """
import pettingzoo
for name in ("register", "aec_registry", "parallel_registry"):
    vars(pettingzoo).pop(name, None)  # as older versions are

import gymnasium
import spatial_agents
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
for name in spatial_agents.pair_names():
    pair = spatial_agents.load_pair(name)
    assert spatial_agents.evaluate(pair, num_episodes=100, seed=1).accuracy > 0.8, name
for role in ("Receiver", "Sender"):
    env = gymnasium.make_vec(f"spatial_game/{role}-v0", num_envs=3, partner="paper-60/3")
    env.reset(seed=0)
    env.step(env.action_space.sample())
"""


def run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_base_is_enough_for_environments_roles_and_bundled_pairs() -> None:
    extras = {"scipy", "pyarrow", "rich", "cyclopts", "matplotlib", "torch"}
    run(BLOCK.format(names=extras) + PLAYS)


def test_the_package_loads_nothing_heavy_and_every_module_but_adapters_imports_without_torch() -> None:
    names = [module.name for module in pkgutil.walk_packages(spatial_game.__path__, "spatial_game.")]
    assert {"spatial_game.game.rules", "spatial_game.language.dictionary.lexicon"} <= set(names)
    heavy = {"scipy", "pyarrow", "rich", "cyclopts", "matplotlib", "pygame", "PIL", "pandas"}
    lines = [
        BLOCK.format(names={"torch"}),  # not sys.modules["torch"] = None: SciPy looks there
        f"import spatial_game\nassert not {heavy} & set(sys.modules)",
        *(f"import {name}" for name in names if "__main__" not in name and ".adapters." not in name),
    ]
    run("\n".join(lines))
