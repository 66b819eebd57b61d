"""`import` and `export`: files of other tools."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spatial_game.recording import read_recording


def test_tensors_that_are_exported_can_be_imported(result, text):
    """CSV: the pages on recordings and on data of one's own, whose blocks the tests run."""
    text("record --agents random --episodes 200 --out before.parquet")
    away = result("export before.parquet --format tensors --out there")
    back = result("import there --format tensors --out after.parquet")
    assert away["episodes"] == back["episodes"] == 200
    before, after = read_recording("before.parquet"), read_recording("after.parquet")
    assert after.config == before.config
    assert np.array_equal(after.window, before.window)
    assert np.array_equal(after.message, before.message)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("", "the file does not tell its game: give sequence_length and vocab_size"),
        ("--sequence-length 8", "the file does not tell its game: give vocab_size"),
        ("--sequence-length 8 --vocab-size 1", "vocab_size must be in 2..32767; got 1"),
    ],
)
def test_what_a_file_does_not_tell_is_asked_for(folder, error, options, fault):
    (folder / "a.csv").write_text("window,message\n? 5 6,1 2\n")
    assert f": {fault}" in error(f"import a.csv --format csv --out a.parquet {options}")
    pq.write_table(pa.table({"window": [[-1, 5, 6]], "message": [[1, 2]]}), "b.parquet")
    assert f": {fault}" in error(f"analyse b.parquet {options}")
