"""The pages and notebooks of the walk-throughs show what their scripts print and draw now."""

from __future__ import annotations

import base64
import json
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


def same_but_for_rounding(shown: str, now: str) -> bool:
    """The same words, and numbers within a hundredth: other processors may round networks otherwise."""
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", now).split():
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(now), strict=True)
    values = [(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs]
    return all(abs(a - b) <= max(0.01 * abs(a), 0.02) for a, b in values)


@pytest.mark.parametrize("script", made.scripts(), ids=lambda script: script.stem)
def test_a_page_has_the_text_the_code_and_the_captions_of_its_script(script: Path) -> None:
    page = (made.PAGES / f"{script.stem}.md").read_text("utf-8")
    again = f"stored before the script was changed: python docs/walkthroughs.py {script.stem}"
    assert all(cell.source in page for cell in made.cells(script)), again
    done = made.stored(script)
    assert page == made.page(script, done, page[page.rindex("---") :].rstrip("\n")), again
    pictures = [picture for cell in done for picture in cell.pictures]
    assert pictures
    assert all(picture.stat().st_size < 400_000 for picture in pictures)
    assert set((made.PAGES / script.stem).iterdir()) == set(pictures)


@pytest.mark.parametrize("script", made.scripts(), ids=lambda script: script.stem)
def test_a_notebook_has_the_code_and_the_output_of_its_page(script: Path) -> None:
    done = made.stored(script)
    notebook = json.loads(json.dumps(made.notebook(done)))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    texts = [text(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    assert not re.search(r"\.md|\{\w+\}`", "".join(texts))
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [text(cell) for cell in codes] == [cell.source for cell in done if cell.kind == "code"]
    outputs = [output for cell in codes for output in cell["outputs"]]
    printed = ["".join(output["text"]) for output in outputs if output["output_type"] == "stream"]
    assert printed == [cell.printed for cell in done if cell.printed]
    drawn = [base64.b64decode(o["data"]["image/png"]) for o in outputs if o["output_type"] == "display_data"]
    assert drawn == [picture.read_bytes() for cell in done for picture in cell.pictures]


def text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_notebook_prints_and_draws_what_is_stored(script: Path, tmp_path: Path) -> None:
    shown = [cell for cell in made.stored(script) if cell.kind == "code"]
    now = made.run(made.notebook_code(made.notebook(shown)), script, tmp_path)
    for before, after in zip(shown, now, strict=True):
        # What is learnt differs between processors in its last digits, and then in all of them.
        printed = after.printed.strip("\n")
        assert made.is_slow(script) or same_but_for_rounding(before.printed, printed), printed
        assert [path.name for path in before.pictures] == [path.name for path in after.pictures]


def test_rounding_is_forgiven_and_nothing_else() -> None:
    assert same_but_for_rounding("won 99.61% of 1,000", "won 99.59% of 1,001")
    assert not same_but_for_rounding("won 99.61% of 1,000", "won 97.61% of 1,000")
    assert not same_but_for_rounding("won 99.61%", "lost 99.61%")
    assert not same_but_for_rounding("1 2", "1 2 3")


def test_a_picture_without_a_title_and_a_caption_is_refused() -> None:
    cell = made.Cell("code", '# A title alone.\nfigure.savefig("curve.png")', 1)
    with pytest.raises(ValueError, match=r'above "curve.png" there must be a comment "# TITLE'):
        cell.caption("curve.png")
    cell.source = '# A title. And, a caption. In two sentences.\nfigure.savefig("curve.png")'
    assert cell.caption("curve.png") == ("A title", "And, a caption. In two sentences.")


def test_a_notebook_names_other_pages_without_linking_to_them() -> None:
    assert made.without_links("Read [more](../x.md#y) on [](../language.md).") == "Read more on *language*."
    assert made.without_links("A {term}`slot` and {term}`slots <slot>`.") == "A slot and slots."
    assert made.without_links("[PettingZoo](https://pettingzoo.farama.org)").startswith("[PettingZoo]")


def test_notebooks_are_written_for_all_walk_throughs(tmp_path: Path) -> None:
    made.write_notebooks(tmp_path / "notebooks")
    names = [path.stem for path in sorted((tmp_path / "notebooks").iterdir())]
    assert names == [script.stem for script in made.scripts()]
