"""`import` and `export`: files of other tools."""

import json

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.recording import read_recording


@pytest.mark.parametrize(
    ("form", "game"), [("csv", "--shape 4 5 --window-radius 1 --num-visible 2"), ("tensors", "")]
)
def test_what_is_exported_can_be_imported(form, game, result, text):
    text(f"record --agents random --episodes 200 {game} --out before.parquet")
    told = {"csv": "--vocab-size 26", "tensors": ""}
    away = result(f"export before.parquet --format {form} --out there")
    back = result(f"import there --format {form} --out after.parquet {game} {told[form]}")
    assert away["episodes"] == back["episodes"] == 200
    before, after = read_recording("before.parquet"), read_recording("after.parquet")
    assert after.config == before.config
    assert np.array_equal(after.window, before.window)
    assert np.array_equal(after.message, before.message)


def test_the_interactions_of_the_published_code_can_be_imported(folder, result):
    exchange = {
        "sequence": [[k] for k in range(8)],
        "cut_inputs": [[1], [2], [-1], [4], [5]],
        "tds": [[0], [3]],
        "message": [7, 0, 2],
        "guess": 1,
        "target": [3],
        "target_id": [1],
    }
    (folder / "old.json").write_text(json.dumps({"exchange_0": exchange}))
    done = result("import old.json --format interactions --vocab-size 26 --out old.parquet")
    assert done == {"episodes": 1, "recording": "old.parquet"}
    recording = read_recording("old.parquet")
    assert recording.config == GameConfig(8, num_distractors=1)
    assert recording.message.tolist() == [[7, 0, 2]]
