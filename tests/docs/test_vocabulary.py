"""Words that left, by the table in CONTRIBUTING, do not come back as names, options or headings."""

import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| Left | Now |\n|---|---|\n")[2]
LEFT = [
    word
    for cell in re.findall(r"^\| ([a-z, ]+?) (?:\(|\|)", TABLE, re.MULTILINE)
    for word in cell.split(", ")
]
CODE = [path for folder in ("spatial_game", "agents") for path in (ROOT / folder).rglob("*.py")]


def parts_of(name):
    """A name as its words, between underscores: `_read_lexicon_file_`."""
    return f"_{re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower().strip('_')}_"


@cache
def names_in(path):
    """The names of a file, and the words of its options."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline)
    found = {token.string for token in tokens if token.type == tokenize.NAME}
    return found | {path.stem}


def test_the_table_has_words():
    assert {"lexicon", "sketch", "hold out", "wins", "successes"} <= set(LEFT)
    assert parts_of("LexiconFile") == parts_of("lexicon_file") == "_lexicon_file_"


@pytest.mark.parametrize("word", LEFT)
def test_a_word_that_left_is_no_name(word):
    part = f"_{word.replace(' ', '_')}_"
    back = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in CODE
        for name in names_in(path)
        if part in parts_of(name)
    }
    assert back == set()


@pytest.mark.parametrize("word", LEFT)
def test_a_word_that_left_is_no_option_and_no_heading(word):
    option = re.compile(rf"--{word.replace(' ', '-')}\b|^#+ .*\b{word}\b", re.MULTILINE | re.IGNORECASE)
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    assert [page.name for page in pages if option.search(page.read_text("utf-8"))] == []
