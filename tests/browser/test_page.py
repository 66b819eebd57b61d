"""The page of a language in a browser: it says what Python says."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted import Scripted

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray, draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language import Speaker, count
from spatial_game.language.page.content import Page, make_page
from spatial_game.language.page.html import as_json, page_html
from spatial_game.recording import record

GRID = GameConfig(shape=(4, 4), window_radius=1)


@cache
def page_of_oracle(name: str, config: GameConfig = GameConfig(20)) -> Page:  # noqa: B008 a value
    episodes = draw_episodes(config, 4_000, np.random.default_rng(1))
    return make_page(count(record(OracleSender(config), None, episodes, config)), name=name)


@pytest.fixture
def opened(tmp_path: Path, fresh_page: Any) -> Any:
    """The page of the oracle's language."""
    path = tmp_path / "page.html"
    path.write_text(page_html(page_of_oracle("the oracle")), "utf-8")
    fresh_page.goto(path.as_uri())
    return fresh_page


def asked(page: Any, form: str, text: str) -> str:
    page.fill(f".{form} input", text)
    return str(page.inner_text(f".{form} output"))


def test_texts_with_markup_stay_texts(fresh_page: Any) -> None:
    name = "</script><script>alert(1)</script><!--<b>title & more"
    fresh_page.set_content(page_html(replace(page_of_oracle("the oracle"), name=name)))
    assert fresh_page.title() == fresh_page.inner_text("h1") == f"The language of {name}"
    assert "<" not in as_json({"text": name})


def test_forms_answer_as_python_does(opened: Any) -> None:
    """Reading a message, sent or never sent; finding a meaning; what to say; and what has no answer."""
    found = page_of_oracle("the oracle")
    for message in found.messages[::40]:
        text = message.reading.text(found.interpreter.classes)
        shown = asked(opened, "read", str(message))
        assert shown.startswith(
            f"{message}: {text} – true in {message.true} of {message.held_out} held-out episodes"
        )
        assert f"Sent in {message.episodes} episodes" in shown
        assert message.windows[0] in shown
    never, *symbols = asked(opened, "read", "25 24 8").split("\n")
    assert never.startswith("25 24 8 was never sent in 4,000 episodes.")
    assert [line.partition(":")[0] for line in symbols] == ["[m1, m2, 8]"]

    lines = asked(opened, "find", "7 two left").split("\n")
    assert {"Symbols", "Messages"} <= {line.partition(":")[0] for line in lines}
    assert "7 two left" in lines[1]
    assert lines[1].partition(":")[0] in map(str, found.messages)
    form = str(found.messages[0])
    assert asked(opened, "find", f"[{form.replace(' ', ', ')}]") == asked(opened, "read", form)
    assert asked(opened, "find", "the last").startswith("Messages: ")
    speaker = Speaker(found.dictionary)
    for place, offset, integer in (("two left", -2, 0), ("two left", -2, 7), ("one right", 1, 19)):
        opened.get_by_label(place, exact=True).fill(str(integer))
        [best] = speaker.say({offset: integer}).tolist()
        assert opened.inner_text(".say output").startswith(" ".join(map(str, best)) + ": ")
        opened.get_by_label(place, exact=True).fill("")
    opened.select_option(".say select", label="the last")
    assert "the target is the last" in opened.inner_text(".say output")
    for form, text, answer in UNANSWERED:
        opened.fill(f".{form} input >> nth=0", text)
        assert answer in opened.inner_text(f".{form} output")


UNANSWERED = [
    ("read", "a b c", "A message has 3 symbols from 0 to 25; got “a”."),
    ("read", "17 3", "A message has 3 symbols from 0 to 25; got 2."),
    ("read", "17 3 26", "A message has 3 symbols from 0 to 25; got “26”."),
    ("find", "99 one left", "Integers are 0 to 19; got 99."),
    ("find", "3 nine left", "There is no place “nine left”"),
    ("find", "class A two left", "There is no class a; classes are none."),
    ("find", "hello", "Type integers and a place"),
    ("say", "99", "Integers are 0 to 19; got 99."),
]


def test_which_cell_is_seen_is_no_edge(fresh_page: Any) -> None:
    config = GameConfig(20, num_visible=1, message_length=1)

    def say_the_cell(window: IntArray) -> IntArray:
        cell = window.argmax(axis=1) - (window == MASK).argmax(axis=1)
        return (cell + 2 * config.window_radius)[:, None].astype(np.int16)

    episodes = draw_episodes(config, 4_000, np.random.default_rng(1))
    fresh_page.set_content(
        page_html(make_page(count(record(Scripted(say_the_cell), None, episodes, config))))
    )
    assert "seen: one left (100%)" in fresh_page.inner_text("main")
    assert asked(fresh_page, "find", "the last").endswith("Symbols: 0")


def test_the_map_answers_to_the_pointer_and_to_keys_and_nothing_else_is_cut(opened: Any) -> None:
    top = "document.querySelector('.drawing').getBoundingClientRect().top + scrollY"
    before = opened.evaluate(top)
    opened.locator(".drawing").focus()
    opened.keyboard.press("ArrowDown")
    for _ in range(7):
        opened.keyboard.press("ArrowRight")
    shown = opened.inner_text(".here")
    opened.get_by_label("one left", exact=True).fill("7")
    assert shown == f"7 one left → {opened.inner_text('.say output')}"
    opened.hover(".drawing svg", position={"x": 60, "y": 100})
    assert opened.inner_text(".here") != shown
    assert opened.evaluate(top) == before
    parts = "[...document.querySelectorAll('.scroll:not(.drawing)')]"
    for width in (390, 1280):
        opened.set_viewport_size({"width": width, "height": 900})
        assert opened.evaluate(f"{parts}.every(part => part.scrollWidth <= part.clientWidth + 1)")
        assert opened.evaluate("document.documentElement.scrollWidth") == width


def test_places_whose_names_have_and_can_be_found(fresh_page: Any) -> None:
    fresh_page.set_content(page_html(page_of_oracle("a grid", GRID)))
    placeholder = fresh_page.get_attribute(".find input", "placeholder")
    corner = "the target is at the top and at the left and 5 one right"
    for text in (placeholder, "12 1 left and 1 up, 5 one right and 7", corner):
        assert asked(fresh_page, "find", text).startswith("Messages: ")
