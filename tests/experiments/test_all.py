"""The index of stored figures: every file has a command, and changed figures are found."""

import importlib
import json
import runpy
import sys

import pytest

figures = importlib.import_module("all")


def test_the_programs_of_every_file_exist():
    assert all(figures.version(made) for made in figures.FILES.values())
    assert set(figures.FOLLOWING.values()) <= set(figures.FILES)


SCRIPTS = [*figures.ROOT.glob("experiments/*.py"), *figures.ROOT.glob("benchmarks/*.py")]


@pytest.mark.parametrize(
    "script",
    sorted(s for s in SCRIPTS if s.name not in ("rows.py", "loops.py", "known_languages.py")),
    ids=lambda s: s.name,
)
def test_scripts_tell_what_they_do_and_do_nothing_else(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    try:
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(script), run_name="__main__")
    except ModuleNotFoundError as missing:
        pytest.skip(f"needs {missing.name}")
    assert not ended.value.code
    assert "usage:" in capsys.readouterr().out


def test_the_code_of_a_module_has_no_comments_and_no_docstrings(tmp_path):
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text('"""Say."""\ndef f(x):\n    """Add."""\n    return x + 1  # one more\n')
    other.write_text('"""Tell."""\n\n\ndef f(x):\n    return (x + 1)\n')
    assert figures.code_of(one) == figures.code_of(other)
    other.write_text("def f(x):\n    return x + 2\n")
    assert figures.code_of(one) != figures.code_of(other)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (["a", "7.47 and 7.45", "99.8% (99.1% to 100.0%)"], True),
        (["b", "7.46 and 7.47", "99.8% (99.1% to 100.0%)"], False),
        (["a", "7.46", "99.8% (99.1% to 100.0%)"], False),
    ],
)
def test_rows_are_alike_if_words_are_equal_and_numbers_are_near(other, same):
    assert figures.alike(["a", "7.46 and 7.47", "99.8% (99.1% to 100.0%)"], other) is same


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A folder of stored files with one table, whose program prints one of its rows."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "code.py").write_text("x = 1\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text("x = 1\n")
    (tmp_path / "docs" / "table.csv").write_text("pair,bits\na,1.0\nb,2.0\n")
    made = figures.Made("python code.py", 1, "printf 'pair,bits\\nb,2.01\\n'")
    for name, value in {
        "ROOT": tmp_path,
        "STATIC": tmp_path / "docs",
        "INDEX": tmp_path / "docs" / "index.json",
        "PACKAGES": ("package",),
        "FILES": {"table.csv": made},
        "FOLLOWING": {},
    }.items():
        monkeypatch.setattr(figures, name, value)
    figures.package_code.cache_clear()
    figures.note(["table.csv"])
    yield tmp_path
    figures.package_code.cache_clear()


def test_a_noted_file_holds_until_it_is_edited_or_its_rows_come_out_differently(stored, capsys):
    assert figures.check() == []
    table = stored / "docs" / "table.csv"
    table.write_text("pair,bits\na,1.0\nb,3.0\n")
    edited, differing = figures.check()
    assert "not as its command left it" in edited
    assert "['b', '2.01'] is stored as ['b', '3.0']" in differing
    (stored / "docs" / "stray.csv").write_text("")
    assert any("stray.csv has no command" in fault for fault in figures.check())
    assert "made by older code: none" in capsys.readouterr().out


@pytest.mark.parametrize("changed", ["code.py", "package/module.py"])
def test_files_of_older_code_are_listed_without_a_fault(changed, stored, capsys):
    (stored / changed).write_text("x = 2\n")
    figures.package_code.cache_clear()
    assert figures.check() == []
    assert "made by older code: table.csv" in capsys.readouterr().out
    assert set(json.loads(figures.INDEX.read_text())) == {"table.csv"}
