"""What the walk-throughs of the documentation show is what their scripts print and draw now."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import walkthroughs as made  # noqa: E402

SCRIPTS = [
    pytest.param(script, id=script.stem, marks=[pytest.mark.slow] if made.is_slow(script) else [])
    for script in made.scripts()
]
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def stored(script: Path) -> str:
    return (made.PAGES / f"{script.stem}.md").read_text("utf-8")


def outputs(page: str) -> list[str]:
    return re.findall(r"```\{code-block\} text\n:class: output\n\n(.*?)\n```", page, re.DOTALL)


def same_but_for_rounding(shown: str, now: str) -> bool:
    """The same words, and numbers within a hundredth: other processors may round networks otherwise."""
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", now).split():
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(now), strict=True)
    values = [(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs]
    return all(abs(a - b) <= max(0.01 * abs(a), 0.02) for a, b in values)


@pytest.mark.parametrize("script", made.scripts(), ids=lambda script: script.stem)
def test_a_page_has_the_text_and_the_code_of_its_script(script: Path) -> None:
    page = stored(script)
    for cell in made.cells(script):
        assert cell.source in page, (
            f"stored before the script was changed: python docs/walkthroughs.py {script.stem}"
        )
    pictures = re.findall(r"!\[([^]]+)\]\(([^)]+)\)", page)
    assert pictures
    for alt, picture in pictures:
        assert len(alt) > 20
        assert (made.PAGES / picture).stat().st_size < 400_000
    assert {path.name for path in (made.PAGES / script.stem).iterdir()} == {Path(p).name for _, p in pictures}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_prints_and_draws_what_is_stored(script: Path, tmp_path: Path) -> None:
    done = made.run(script, tmp_path)
    page = stored(script)
    printed = [cell.printed.strip("\n") for cell in done if cell.printed.strip()]
    for shown, now in zip(outputs(page), printed, strict=True):
        # What is learned depends on the processor in its last digits, and then in all of them.
        assert made.is_slow(script) or same_but_for_rounding(shown, now), now
    drawn = [f"{script.stem}/{path.name}" for cell in done for path in cell.pictures]
    assert drawn == re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)


def test_rounding_is_forgiven_and_nothing_else() -> None:
    assert same_but_for_rounding("won 99.61% of 1,000", "won 99.59% of 1,001")
    assert not same_but_for_rounding("won 99.61% of 1,000", "won 97.61% of 1,000")
    assert not same_but_for_rounding("won 99.61%", "lost 99.61%")
    assert not same_but_for_rounding("1 2", "1 2 3")


def test_a_picture_without_words_is_refused() -> None:
    cell: Any = made.Cell("code", 'figure.savefig("curve.png")', 1)
    with pytest.raises(ValueError, match="a comment must say what it shows"):
        cell.alt("curve.png")
