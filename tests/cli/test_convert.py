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
        ("", "the file does not tell its game: give --sequence-length and --vocab-size"),
        ("--sequence-length 8", "the file does not tell its game: give --vocab-size"),
        ("--sequence-length 8 --vocab-size 1", "--vocab-size must be in 2..32767; got 1"),
    ],
)
def test_what_a_file_does_not_tell_is_asked_for_by_the_names_of_options(folder, error, options, fault):
    (folder / "a.csv").write_text("window,message\n? 5 6,1 2\n")
    assert f": {fault}" in error(f"import a.csv --format csv --out a.parquet {options}")
    pq.write_table(pa.table({"window": [[-1, 5, 6]], "message": [[1, 2]]}), "b.parquet")
    assert f": {fault}" in error(f"analyse b.parquet {options}")


def test_an_option_has_its_own_name_in_errors_about_it(made, folder, error):
    assert "--vocab-size must be 25, as given; got 26" in error(
        f"analyse {made}/play.parquet --vocab-size 25"
    )
    (folder / "sequence_length").mkdir()
    said = error("analyse sequence_length/vocab_size --vocab-size 25")
    assert "got sequence_length/vocab_size" in said
