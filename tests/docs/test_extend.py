"""Each door of the page *Add your own* opens: its file and its line in the register are enough."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text("utf-8")
LINE = r"With the line `(.*?)` in `(\w+)`.*?`((?:spatial-game|referential).*?)`"
DOORS = re.findall(rf"```python\n((?:(?!```).)*)```\n\n{LINE}", PAGE, re.DOTALL)
START = """
import numpy as np
from pathlib import Path
from spatial_game import GameConfig, OracleSender, draw_episodes, record, referential_v0
from spatial_game.cli import main
Path("play.jsonl").write_text('{"window": [3, -1, 5], "message": [1, 2, 3]}')
episodes = draw_episodes(GameConfig(), 5, np.random.default_rng(0))
record((OracleSender(GameConfig()), None), episodes).write("play.parquet")
"""


def test_each_line_of_the_page_is_tried():
    assert len(DOORS) == PAGE.count("With the line `") > 0


@pytest.mark.slow
@pytest.mark.parametrize(("code", "line", "register", "use"), DOORS, ids=[door[2] for door in DOORS])
def test_a_door_opens(code, line, register, use, tmp_path):
    for package in ("spatial_game", "agents"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    [(folder, file)] = re.findall(rf"`(spatial_game/\S*)NAME.py` \| `{register}`.* in `(\S+)` \|", PAGE)
    key, name = re.findall(r"\w+", line)[:2]
    (tmp_path / folder / f"{key}.py").write_text(code)
    path, needs_import = tmp_path / file, f'"{key}:' not in line
    found = re.search(rf"^{register}\b.* = {{$", path.read_text("utf-8"), re.MULTILINE)
    imports = f"from {folder.replace('/', '.')}{key} import {name}\n" if needs_import else ""
    path.write_text(path.read_text("utf-8").replace(found[0], f"{imports}{found[0]}\n    {line},"), "utf-8")
    if use.startswith("spatial-game"):
        use = f"assert main({shlex.split(use)[1:]}) == 0"
    paths = f"{tmp_path}:{tmp_path / 'agents'}"
    subprocess.run([sys.executable, "-c", START + use], cwd=tmp_path, env={"PYTHONPATH": paths}, check=True)
