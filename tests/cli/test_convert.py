"""`import` and `export`: files of other tools."""

import shlex

import numpy as np
import pytest

from spatial_game.cli import main
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
    shown = text(f"import a.csv --format csv --out a.parquet {sizes}")
    (left, right), (first, second) = windows[0], rows[0].partition(",")[2].split()
    assert f"window {left} ? {right}, message {first} {second}\n" in shown
    [said] = result("read a.parquet c x")["messages"]
    assert said["message"] == [2, 4]
    assert {row["message"] for row in said["entries"]} >= {"[c, m2]"}
    shown = text("read a.parquet c x")
    assert shown == text("read a.parquet 2 4")
    assert "Message c x\n" in shown
    assert "message must have symbols of a to y; got 'z'" in error("read a.parquet c z")
    assert "[a, m2]" in text("analyse a.parquet")
    assert "[a, m2]" in text("npmi a.parquet")
    others = [row.translate(str.maketrans("abcd", "dcba")) for row in rows]
    (folder / "b.csv").write_text("\n".join(["window,message", *others]))
    text(f"import b.csv --format csv --out b.parquet {sizes}")
    assert ",c y," in text("compare a.parquet b.parquet --format csv")


def test_symbols_that_differ_in_capitals_alone_are_warned_of(folder, text):
    rows = ["window_0,window_1,window_2,message", "1,?,2,cb", "2,?,3,Cb", "3,?,1,bb"]
    (folder / "a.csv").write_text("\n".join([*rows, ""]))
    line = "import a.csv --format csv --out a.parquet --sequence-length 8 --vocab-size 5"
    assert "Warning: capitals make other symbols: C and c." in text(line)
    (folder / "a.csv").write_text("\n".join([*rows[:2], rows[3], ""]))
    assert "Warning" not in text(line)


# --- What a table may be ----------------------------------------------------------------------------------

WINDOWS = np.array([np.roll([*np.random.default_rng(row).permutation(9)[:4], -1], 3) for row in range(60)])
"""Windows of five cells with the target in the third one."""


def advised(said):
    """Return the arguments of the command at the end of an error."""
    return shlex.split(said.strip().rpartition("spatial-game ")[2])


@pytest.mark.parametrize(
    ("headers", "message", "more", "guessed"),
    [
        ("l2,l1,here,r1,r2,word", lambda row: "b-a-c", "", "message=word --sequence-length 9 --vocab-size 3"),
        ("l2,l1,here,r1,r2,first,second", lambda row: f"{row % 3},{row % 2}", ",rt", "message=first,second"),
        ("l2,l1,here,r1,r2,w 1,w 2", lambda row: f"{1 + row % 3},1", "", "--first-symbol 1 --vocab-size 3"),
        ("l2,l1,here,r1,r2,word", lambda row: "ab", ",Answer", "choice=Answer"),
        (
            "window_0,window_1,window_2,window_3,window_4,message_0",
            lambda row: "xy"[row % 2],
            "",
            "csv --seq",
        ),
    ],
)
def test_the_command_that_is_advised_for_a_table_imports_it(
    folder, text, error, headers, message, more, guessed
):
    last = {"": "", ",rt": ",0.5", ",Answer": ",0"}[more]
    rows = [
        f"{row},{','.join('?' if cell < 0 else str(cell) for cell in window)},{message(row)}{last}"
        for row, window in enumerate(WINDOWS.tolist())
    ]
    (folder / "my table.csv").write_text("\n".join([f"no,{headers}{more}", *rows]))
    said = error(["describe", "my table.csv"])
    assert guessed in " ".join(advised(said))
    assert main(advised(said)) == 0
    assert np.array_equal(read_recording("my table.parquet").window, WINDOWS)
    (folder / "my table.parquet").unlink()
    again = error(["import", "my table.csv", "--format", "csv", "--out", "my table.parquet"])
    assert advised(again) == advised(said)


def test_what_cannot_be_guessed_of_a_table_is_said(folder, error):
    lines = ["l1,here,r1,word", *(f"{left},{here},{right},ab" for left, here, right in WINDOWS[:, [0, 1, 3]])]
    (folder / "a.csv").write_text("\n".join(lines))
    said = error("read a.csv a b")
    assert "Not found: window (an odd number of neighbouring columns" in said
    assert "--columns window=A,B,...; the file has ['l1', 'here', 'r1', 'word']" in said
    (folder / "a.csv").write_text("window,message\n1 ? 2,ab\n5 ? x,ab\n")
    assert "Guessed: nothing. This does not fit: column window" in error("read a.csv a b")
    (folder / "a.csv").write_text("l,here,r,word\n1,?,2,ab\n3,?,4,ab\n3.5,?,6,ab\n")
    said = error("read a.csv a b")
    assert "window from l, here, r (one ? or -1 in each row)" in said
    assert "This does not fit: column l must be a whole number" in said
