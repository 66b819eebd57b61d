from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.language import count
from spatial_game.language.page.html import as_json, page
from spatial_game.language.page.sketch import Sketch, sketch
from spatial_game.recording import record


def test_texts_with_markup_stay_texts(fresh_page: Any) -> None:
    name = "</script><script>alert(1)</script><!--<b>title & more"
    fresh_page.set_content(page(sketched(name)))
    assert fresh_page.title() == fresh_page.inner_text("h1") == f"The language of {name}"
    assert "<" not in as_json({"text": name})


def sketched(name: str, config: GameConfig = GameConfig(20)) -> Sketch:  # noqa: B008 a value
    episodes = draw_episodes(config, 4_000, np.random.default_rng(1))
    found = record(OracleSender(config), OracleReceiver(config), episodes, config)
    return sketch(count(found), name=name)


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """The address of a page, and the readings of its language."""
    found = sketched("the oracle")
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(found), "utf-8")
    return Path(path).as_uri(), found.readings


def asked(page: Any, form: str, text: str) -> str:
    page.fill(f".{form} input", text)
    return str(page.inner_text(f".{form} output"))


def test_a_message_is_read_with_how_sure_that_is(language: tuple[str, Any], fresh_page: Any) -> None:
    address, readings = language
    fresh_page.goto(address)
    for reading in readings[:5]:
        shown = asked(fresh_page, "read", reading.form)
        assert shown.startswith(f"{reading.meaning} – true in {round(100 * reading.share)}% of its episodes")
        assert f"Sent in {reading.episodes} episodes" in shown
        assert reading.windows[0] in shown


def test_what_cannot_be_read_or_found_gets_a_sentence(language: tuple[str, Any], fresh_page: Any) -> None:
    fresh_page.goto(language[0])
    rule = "A message has 3 symbols from 0 to 25"
    assert asked(fresh_page, "read", "a b c") == f"{rule}; got “a”."
    assert asked(fresh_page, "read", "17 3") == f"{rule}; got 2."
    assert asked(fresh_page, "read", "17 3 26") == f"{rule}; got “26”."
    assert "was never sent in 4,000 episodes" in asked(fresh_page, "read", "25 24 23")
    assert asked(fresh_page, "find", "99 one left") == "Integers are 0 to 19; got 99."
    assert "There is no place “nine left”" in asked(fresh_page, "find", "3 nine left")
    assert "Type integers and a place" in asked(fresh_page, "find", "hello")
    assert asked(fresh_page, "say", "99") == "Integers are 0 to 19; got 99."


def test_a_meaning_is_found(language: tuple[str, Any], fresh_page: Any) -> None:
    address, readings = language
    fresh_page.goto(address)
    lines = asked(fresh_page, "find", "7 two left").split("\n")
    assert {"Words", "Messages"} <= {line.partition(":")[0] for line in lines}
    best = lines[next(i for i, line in enumerate(lines) if line.startswith("Messages")) + 1]
    message = best.partition(":")[0]
    assert "7 two left" in next(each.meaning for each in readings if each.form == message)


def test_what_to_say_is_looked_up_and_pointed_at(language: tuple[str, Any], fresh_page: Any) -> None:
    address, readings = language
    sent = {each.form: each.meaning for each in readings}
    fresh_page.goto(address)
    fresh_page.select_option(".say select", label="one left")
    message = asked(fresh_page, "say", "7").partition(" (in ")[0]
    assert sent[message] == "7 one left"
    fresh_page.hover(".drawing svg", position={"x": 363, "y": 555})  # the same cell of the map
    assert fresh_page.inner_text(".here").startswith(f"7 one left: {message} (in ")
    assert fresh_page.inner_text(".here").endswith(" – 7 one left")


def test_the_example_can_be_found_in_a_grid_whose_places_have_and(fresh_page: Any) -> None:
    shape = GameConfig(shape=(6, 6), window_radius=1)
    fresh_page.set_content(page(sketched("a grid", shape)))
    for text in (
        fresh_page.get_attribute(".find input", "placeholder"),
        "32 1 left and 1 up, 5 one right and 7",
    ):
        assert asked(fresh_page, "find", text).startswith("Words: ")
    corner = asked(fresh_page, "find", "the target is at the top and at the left and 5 one right")
    assert corner.startswith("Words: ")


@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_is_cut(width: int, language: tuple[str, Any], fresh_page: Any) -> None:
    fresh_page.set_viewport_size({"width": width, "height": 900})
    fresh_page.goto(language[0])
    parts = "[...document.querySelectorAll('.scroll, .drawing')]"
    assert fresh_page.evaluate(f"{parts}.every(part => part.scrollWidth <= part.clientWidth + 1)")
    assert fresh_page.evaluate("document.documentElement.scrollWidth") == width
