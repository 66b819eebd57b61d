import re
from typing import Any

import pytest

from spatial_game.rendering import picture
from spatial_game.web.page import asset, fragment, whole_page

SCRIPT = """
const data = JSON.parse([...document.querySelectorAll(".spatial-game-data")].pop().textContent);
document.querySelector("p").textContent = data;
"""


def test_texts_with_markup_stay_texts(fresh_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spatial_game.web.page.asset", {"a.css": "", "a.js": SCRIPT}.__getitem__)
    text = "</script><script>alert(1)</script><!--"
    body = fragment("<p></p>", styles=["a.css"], scripts=["a.js"], data=text)
    page = fresh_page
    page.set_content(whole_page("<b>title & more", body))
    assert page.title() == "<b>title & more"
    assert page.inner_text("p") == text


def test_pages_have_the_colours_of_pictures() -> None:
    colours = {
        value
        for name, value in vars(picture).items()
        if re.fullmatch("_[A-Z_]+", name) and re.fullmatch("#[0-9a-f]{6}", str(value))
    }
    assert len(colours) == 14
    assert colours <= set(re.findall("#[0-9a-f]{6}", asset("common.css")))
