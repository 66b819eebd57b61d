"""With the five libraries of the base alone, everything plays."""

from __future__ import annotations

import subprocess
import sys

EXTRAS = {"scipy", "pyarrow", "rich", "cyclopts", "matplotlib", "torch"}

BLOCK = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
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
        env.close()
    env = module.parallel_env()
    env.reset(seed=0)
    env.step({agent: env.action_space(agent).sample() for agent in env.agents})
"""

ROLES = """
import gymnasium
import spatial_game

names = [name for name in gymnasium.registry if name.startswith("spatial_game/")]
assert len(names) >= 6
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


def run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", BLOCK + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_both_environments_play_and_are_drawn() -> None:
    run(ENVIRONMENTS)


def test_roles_play_with_bundled_pairs() -> None:
    run(ROLES)


def test_bundled_pairs_are_evaluated() -> None:
    run(PAIRS)


def test_the_command_says_what_to_install() -> None:
    code = BLOCK + "from spatial_game.cli import main\nsys.exit(main(['demo']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    expected = (
        "spatial-game: error: cyclopts is not installed; "
        "install it in the clone with: pip install -e '.[analysis]'\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)
