"""`import` and `export`: files of other tools."""

import numpy as np

from spatial_game.recording import read_recording


def test_tensors_that_are_exported_can_be_imported(result, text):
    """CSV: the pages on recordings and on data of one's own, whose blocks the tests run."""
    text("record random --episodes 200 --out before.parquet")
    away = result("export before.parquet --format tensors --out there")
    back = result("import there --format tensors --out after.parquet")
    assert away["episodes"] == back["episodes"] == 200
    before, after = read_recording("before.parquet"), read_recording("after.parquet")
    assert after.config == before.config
    assert np.array_equal(after.window, before.window)
    assert np.array_equal(after.message, before.message)


def test_letters_of_an_imported_language_stand_wherever_its_messages_do(folder, text, result, error):
    """One slot of letters says the integer one left, and the other one nothing."""
    rng = np.random.default_rng(0)
    windows = np.array([rng.permutation(4)[:2] for _ in range(400)])
    rows = [f"{left} ? {right},{'abcd'[left]} {'xy'[right % 2]}" for left, right in windows]
    (folder / "a.csv").write_text("\n".join(["window,message", *rows]))
    sizes = "--sequence-length 4 --vocab-size 6 --num-distractors 1"
    text(f"import a.csv --format csv --out a.parquet {sizes}")
    [said] = result("read a.parquet c x")["messages"]
    assert said["message"] == [2, 4]
    assert {row["message"] for row in said["entries"]} >= {"[c, m2]"}
    shown = text("read a.parquet c x")
    assert shown == text("read a.parquet 2 4")
    assert "Message c x\n" in shown
    assert "message must have symbols of a to y; got 'z'" in error("read a.parquet c z")
    assert "[a, m2]" in text("analyse a.parquet")
    assert "[a, m2]" in text("npmi a.parquet")
    assert "a x" in text("compare a.parquet a.parquet")


def test_symbols_that_differ_in_capitals_alone_are_warned_of(folder, text):
    rows = ["window_0,window_1,window_2,message", "1,?,2,cb", "2,?,3,Cb", "3,?,1,bb"]
    (folder / "a.csv").write_text("\n".join([*rows, ""]))
    line = "import a.csv --format csv --out a.parquet --sequence-length 8 --vocab-size 5"
    assert "Warning: capitals make other symbols: C and c." in text(line)
    (folder / "a.csv").write_text("\n".join([*rows[:2], rows[3], ""]))
    assert "Warning" not in text(line)
