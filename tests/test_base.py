"""What a fresh interpreter loads, and what works with the five libraries of the base alone."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

import spatial_game

EXTRAS = {"scipy", "pyarrow", "rich", "cyclopts", "matplotlib", "torch"}
BLOCK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""

ENVIRONMENTS = """
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
"""

ROLES = """
import gymnasium
import spatial_game

names = [name for name in gymnasium.registry if name.startswith("spatial_game/")]
assert len(names) == 12
for name in names:
    for options in [{}] if "Both" in name else [{"partner": "oracle"}, {"partner": "random"}]:
        env = gymnasium.make(name, **options)
        env.reset(seed=0)
        env.step(env.action_space.sample())
for name in ("spatial_game/Receiver-v0", "spatial_game/Sender-v0"):
    for partner in ("embed-60", "local-60", "paper-60/3"):
        env = gymnasium.make_vec(name, num_envs=3, partner=partner)
        env.reset(seed=0)
        env.step(env.action_space.sample())
"""

PAIRS = """
import spatial_agents

for name in spatial_agents.pair_names():
    pair = spatial_agents.load_pair(name)
    assert spatial_agents.evaluate(pair, num_episodes=500, seed=1).accuracy > 0.9, name
assert not {name.partition(".")[0] for name in sys.modules} & {"torch", "scipy"}
"""

OLD_PETTINGZOO = """
import pettingzoo
for name in ("register", "aec_registry", "parallel_registry"):
    vars(pettingzoo).pop(name, None)
from spatial_game import referential_v0
referential_v0.env().reset(seed=0)
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("code", [ENVIRONMENTS, ROLES, PAIRS], ids=["environments", "roles", "bundled pairs"])
def test_the_base_is_enough_for(code: str) -> None:
    done = run(BLOCK.format(names=EXTRAS) + code)
    assert done.returncode == 0, done.stderr


def test_an_older_pettingzoo_without_registry_will_do() -> None:
    done = run(OLD_PETTINGZOO)
    assert done.returncode == 0, done.stderr


def test_every_module_but_adapters_imports_without_torch() -> None:
    names = [module.name for module in pkgutil.walk_packages(spatial_game.__path__, "spatial_game.")]
    assert {"spatial_game.game.rules", "spatial_game.language.lexicon.meaning"} <= set(names)
    imports = [f"import {name}" for name in names if "__main__" not in name and ".adapters." not in name]
    # Not by `sys.modules["torch"] = None`: SciPy looks there to see whether an array may be torch's.
    done = run("\n".join([BLOCK.format(names={"torch"}), *imports]))
    assert done.returncode == 0, done.stderr


def test_the_package_alone_loads_nothing_heavy() -> None:
    loaded = run("import sys, spatial_game; print(*sys.modules)").stdout.split()
    assert "spatial_game" in loaded
    assert not (EXTRAS | {"pygame", "PIL", "pandas"}) & set(loaded)
