"""The page of a language in a browser: it says what Python says."""

import csv
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.scripted import counts_of, integers_at, left_of
from helpers.spoken import GAME, LANGUAGES

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language import Speaker, count
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.page.content import Page, make_page
from spatial_game.language.page.html import page_html
from spatial_game.language.page.messages import true_text
from spatial_game.language.page.symbols import said_by_symbols
from spatial_game.language.pictures.colours import GREY
from spatial_game.language.pictures.grid import window_lines
from spatial_game.recording import Recording

GRID = GameConfig(shape=(4, 4), window_radius=1)


say_bands = LANGUAGES["bands"]
"""A fifth of one left and of one right, then a symbol that says nothing."""


@cache
def page_of_bands() -> Page:
    return make_page(counts_of(GAME, say_bands, 4_000), name="bands")


@cache
def page_of_oracle(name: str, config: GameConfig = GameConfig(20)) -> Page:  # noqa: B008 a value
    return make_page(counts_of(config, OracleSender(config).send, 4_000), name=name)


def show(browser_page: Any, page: Page) -> Any:
    """Show a page, and wait for its script."""
    browser_page.set_content(page_html(page))
    if not page.says_nothing:
        browser_page.wait_for_selector(".look-up:not([hidden])")
    return browser_page


@pytest.fixture
def opened(fresh_page: Any) -> Any:
    """The page of the oracle's language."""
    return show(fresh_page, page_of_oracle("the oracle"))


@pytest.fixture
def bands(fresh_page: Any) -> Any:
    """The page of a language of two bands."""
    return show(fresh_page, page_of_bands())


def here(page: Any) -> str:
    """What stands at the foot of the window."""
    return str(page.evaluate("document.querySelector('.here').textContent"))


def pixel(page: Any, row: int, column: int, rows: int, columns: int) -> tuple[float, float]:
    """Where a cell of the map is, in the canvas, by the number of rows and columns that are shown."""
    left, top, wide, high = page.evaluate(GEOMETRY)
    return left + (column + 0.5) * wide, top + (rows - 1 - row + 0.5) * high


GEOMETRY = """() => {
  const grid = document.querySelector('.map canvas').grid;
  return [grid.left, grid.top, grid.wide, grid.high];
}"""


def test_texts_with_markup_stay_texts(fresh_page: Any) -> None:
    name = "</script><script>alert(1)</script><!--<b>title & more"
    show(fresh_page, replace(page_of_oracle("the oracle"), name=name))
    assert fresh_page.title() == fresh_page.inner_text("h1") == f"The language of {name}"


def test_a_page_without_its_pictures_says_so(fresh_page: Any) -> None:
    without = fresh_page.context.browser.new_page(java_script_enabled=False)
    without.set_content(page_html(page_of_oracle("the oracle")))
    assert without.is_visible("noscript .warning")
    assert without.is_hidden(".drawing")
    without.close()
    html = page_html(page_of_oracle("the oracle"))
    fresh_page.set_content(html.replace("if (language) start();", ""))
    assert fresh_page.is_visible("text=Drawing the map")
    show(fresh_page, page_of_oracle("the oracle"))
    assert fresh_page.locator(".drawing").count() == 0


# --- The pictures -------------------------------------------------------------------------------------------


def test_the_map_answers_to_the_pointer_and_to_keys(bands: Any) -> None:
    first = page_of_bands().maps.maps[0]
    x, y = pixel(bands, 3, 12, 20, 20)
    bands.hover(".map canvas", position={"x": x, "y": y})
    episodes, begun, sent = (int(table[3, 12]) for table in (first.episodes, first.begun, first.sent))
    says = "0 2 0 says: 0-4 one left and 10-14 one right"
    assert here(bands).startswith(f"3 one left and 12 one right → {says}")
    assert here(bands).endswith(
        f"Of {episodes} episodes with both integers, it was sent in {sent}, "
        f"and a message that begins with 0 in {begun}."
    )
    x, y = pixel(bands, 7, 7, 20, 20)
    bands.hover(".map canvas", position={"x": x, "y": y})
    assert here(bands) == "7 one left and 7 one right → integers are different"
    bands.hover("h1")
    assert here(bands) == ""
    bands.locator(".map canvas").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        bands.keyboard.press(key)
    assert here(bands).startswith("1 one left and 1 one right → ")
    bands.keyboard.press("ArrowRight")
    assert here(bands).startswith("1 one left and 2 one right → 0 0 0 says: ")
    bands.keyboard.press("ArrowDown")
    bands.keyboard.press("ArrowDown")
    assert here(bands).startswith("0 one left and 2 one right → ")


def test_one_looks_within_a_first_symbol_and_comes_back(bands: Any) -> None:
    assert bands.inner_text(".heat-title") == "What each symbol says by itself"
    assert bands.locator(".heat canvas").count() == 2
    button = bands.get_by_role("button", name="2", exact=True)
    button.click()
    assert bands.inner_text(".heat-title") == "What the second symbol says after 2"
    assert bands.get_attribute(".choose button[data-symbol='2']", "aria-pressed") == "true"
    assert "Only messages that begin with 2" in bands.inner_text(".caption")
    bands.keyboard.press("Escape")
    assert bands.inner_text(".heat-title") == "What each symbol says by itself"
    button.click()
    x, y = pixel(bands, 0, 0, 5, 20)  # five integers one left have this first symbol
    bands.hover(".map canvas", position={"x": x, "y": y})
    assert here(bands).startswith("10 one left and 0 one right → 2 0 0 says: ")
    bands.hover(".heat canvas", position={"x": 40, "y": 20})
    assert here(bands).startswith("After 2, symbol 1 (")
    bands.locator(".map canvas").focus()
    bands.keyboard.press("Escape")
    assert bands.inner_text(".heat-title") == "What each symbol says by itself"
    bands.keyboard.press("ArrowRight")
    bands.keyboard.press("ArrowRight")
    bands.keyboard.press("Enter")
    assert bands.inner_text(".heat-title") == "What the second symbol says after 0"
    bands.keyboard.press("Escape")
    bands.click(".heat canvas >> nth=0", position={"x": 40, "y": 35})  # the third symbol of the first slot
    assert bands.inner_text(".heat-title") == "What the second symbol says after 2"
    bands.keyboard.press("Escape")
    assert bands.inner_text(".heat-title") == "What each symbol says by itself"
    button.click()
    x, y = pixel(bands, 1, 3, 5, 20)
    bands.click(".map canvas", position={"x": x, "y": y})
    assert bands.inner_text(".heat-title") == "What each symbol says by itself"


def test_heat_maps_say_how_much_likelier_an_integer_is(bands: Any) -> None:
    bands.locator(".heat canvas").first.focus()
    bands.keyboard.press("ArrowRight")
    assert here(bands).startswith("Symbol 0 in slot 1 (")
    times = 2 ** (page_of_bands().heat_maps[0].lift[0, 0].round(1))
    assert f"0 one left is {times:.1f} times likelier than usual" in here(bands)
    for _ in range(7):
        bands.keyboard.press("ArrowRight")
    assert here(bands).endswith(": never with 7 one left")
    label = bands.get_attribute(".heat canvas >> nth=0", "aria-label")
    assert label.startswith("Slot 1 and one left: 4 symbols by 20 values, 1.9 bits.")


def test_a_tap_shows_a_cell_and_does_not_look_within_it(fresh_page: Any) -> None:
    touch = fresh_page.context.browser.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    page = show(touch.new_page(), page_of_bands())
    page.tap(".map canvas", position={"x": 200, "y": 200})
    assert "one left and" in here(page)
    assert page.inner_text(".heat-title") == "What each symbol says by itself"
    touch.close()


def test_the_map_of_single_offsets_is_one_of_those_to_choose(bands: Any) -> None:
    assert bands.locator(".choose option").all_inner_texts() == [
        "one left, by one right",
        "one integer at a time",
    ]
    bands.select_option(".choose select", label="one integer at a time")
    bands.locator(".map canvas").focus()
    bands.keyboard.press("ArrowRight")
    bands.keyboard.press("ArrowDown")
    assert here(bands).startswith("0 one right → ")
    assert "episodes with this integer there" in here(bands)


def test_first_symbols_without_a_colour_of_their_own_stand_behind_a_label(fresh_page: Any) -> None:
    page = make_page(counts_of(GAME, LANGUAGES["names"], 4_000))
    grey = [str(symbol) for symbol, colour in page.maps.colours.items() if colour == GREY]
    show(fresh_page, page)
    _, in_grey = fresh_page.inner_text(".choose").split("all in one grey:")
    assert len(grey) == 10
    assert in_grey.split() == grey


def test_what_was_never_seen_is_hatched_and_guesses_have_a_line(bands: Any) -> None:
    """The cells of a heat map of bands are never seen beyond the band; its map has no guesses."""
    cell = """([row, column, grid]) => {
      const x = grid.left + (column + .5) * grid.wide, y = grid.top + (row + .5) * grid.high;
      const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      pen.drawImage(grid.canvas, 3 - x, 3 - y);
      const { data } = pen.getImageData(0, 0, 6, 6);
      return new Set(new Uint32Array(data.buffer)).size;
    }"""
    colours = "([row, column]) => (" + cell + ")([row, column, document.querySelector('.heat canvas').grid])"
    assert bands.evaluate(colours, [0, 0]) == 1
    assert bands.evaluate(colours, [0, 7]) > 1
    on_map = "([row, column, pale]) => { const { grid } = document.querySelector('.map canvas');"
    on_map += " grid.pale = () => pale; grid.country = null; grid.draw();"
    on_map += "return (" + cell + ")([row, column, grid]); }"
    assert [bands.evaluate(on_map, [2, 7, pale]) > 1 for pale in (False, True)] == [False, True]


def test_nothing_is_cut_at_any_width(fresh_page: Any) -> None:
    parts = "[...document.querySelectorAll('.scroll')]"
    for page in (page_of_bands(), page_of_oracle("a grid", GRID)):
        fresh_page.set_viewport_size({"width": 390, "height": 900})
        show(fresh_page, page)
        fresh_page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        for width in (390, 1600, 1280):
            fresh_page.set_viewport_size({"width": width, "height": 900})
            assert fresh_page.evaluate("document.documentElement.scrollWidth") == width
            assert fresh_page.evaluate(f"{parts}.every(part => part.scrollWidth <= part.clientWidth + 1)")


# --- Ask it -------------------------------------------------------------------------------------------------


def test_a_message_is_read_as_python_reads_it(opened: Any) -> None:
    found = page_of_oracle("the oracle")
    for message in found.messages[::40]:
        for slot, symbol in enumerate(message.symbols, 1):
            opened.get_by_label(f"slot {slot}", exact=True).fill(str(symbol))
        shown = opened.inner_text(".read output")
        text = reading_text(message.reading, found.interpreter.classes, measured=True)
        number, ends = true_text(message)[:-1].split(" (")
        assert shown.startswith(f"{message.text} says: {text} – true in {number} held-out episodes ({ends})")
        assert f"Sent in {message.episodes} of 4,000 episodes" in shown
        window, *_ = window_lines(GAME, message.windows[0])
        assert window in shown
    for slot, symbol in enumerate((0, 0, 25), 1):
        opened.get_by_label(f"slot {slot}", exact=True).fill(str(symbol))
    never, understood, by_themselves, *by_symbol = opened.inner_text(".read output").split("\n")
    assert never == "0 0 25 was never sent in these 4,000 episodes."
    assert understood == "Cannot say whether its symbols combine: no receiver was asked."
    assert by_themselves == "Its symbols say by themselves:"
    says = said_by_symbols(found)
    assert by_symbol[2] == f"25 in slot 3: {'; '.join(says.get((2, 25), ['nothing']))}"
    for slot in (0, 1):
        start = says.get((slot, 0), ["nothing"])[0][:9]
        assert by_symbol[slot].startswith(f"0 in slot {slot + 1}: {start}")
    opened.get_by_label("slot 1", exact=True).fill("26")
    assert opened.inner_text(".read output") == "Symbols are 0 to 25; got 26."


def test_how_often_a_message_was_sent_is_said_though_it_is_not_read_as_a_whole(
    fresh_page: Any, monkeypatch: Any
) -> None:
    counts = counts_of(GAME, say_bands, 4_000)
    order = np.argsort(-counts.message_totals, kind="stable")
    monkeypatch.setattr("spatial_game.language.page.content.MOST", 10)
    for most, row, sent in (
        (
            9_999,
            order[12],
            "{} of 4,000 episodes. Only the 10 messages that were sent most are read as wholes.",
        ),
        (3, order[14], "at most {} of 4,000 episodes, or never."),
    ):
        monkeypatch.setattr("spatial_game.language.page.content.MOST_RARE", most)
        show(fresh_page, make_page(counts))
        for slot, symbol in enumerate(counts.messages[row].tolist(), 1):
            fresh_page.get_by_label(f"slot {slot}", exact=True).fill(str(symbol))
        episodes = counts.message_totals[order[12 if most > 3 else 13]]
        spelt = " ".join(map(str, counts.messages[row].tolist()))
        said = fresh_page.inner_text(".read output").split("\n")[0]
        assert said == f"{spelt} was sent in {sent.format(episodes)}"


def test_the_best_message_is_that_of_the_speaker(opened: Any) -> None:
    speaker = Speaker(page_of_oracle("the oracle").dictionary)
    for place, offset, integer in (("two left", -2, 0), ("two left", -2, 7), ("one right", 1, 19)):
        opened.get_by_label(place, exact=True).fill(str(integer))
        [best] = speaker.say({offset: integer}).tolist()
        assert opened.inner_text(".say output").startswith(" ".join(map(str, best)) + " says: ")
        opened.get_by_label(place, exact=True).fill("")
    opened.select_option(".say select", label="the last")
    assert "the target is the last" in opened.inner_text(".say output")
    opened.get_by_label("one left", exact=True).fill("99")
    assert opened.inner_text(".say output") == "Integers are 0 to 19; got 99."
    for place in ("one left", "two left"):
        opened.get_by_label(place, exact=True).fill("3")
    assert opened.inner_text(".say output") == "Integers are different."


def test_a_message_is_the_answer_only_if_it_says_what_is_asked(bands: Any) -> None:
    bands.get_by_label("one left", exact=True).fill("3")
    assert "0-4 one left" in bands.inner_text(".say output")
    bands.select_option(".say select", label="the last")
    assert "the target is the last and 0-4 one left" in bands.inner_text(".say output")
    bands.select_option(".say select", label="the second last")
    assert bands.inner_text(".say output") == "No message says this."


def test_an_answer_says_what_is_asked_at_least_half_of_the_time(fresh_page: Any) -> None:
    def say_either(window: IntArray) -> IntArray:
        """One right, in one of ten episodes one left."""
        left, right = integers_at(GAME, window, -1, 1)
        rarely = np.random.default_rng(3).random(len(window)) < 0.15
        named = np.maximum(np.where(rarely | (right < 0), left, right), 0)
        return np.column_stack([named, 0 * named, 0 * named]).astype(np.int16)

    show(fresh_page, make_page(counts_of(GAME, say_either, 20_000)))
    fresh_page.get_by_label("one right", exact=True).fill("7")
    assert fresh_page.inner_text(".say output").startswith("7 0 0 says: ")
    assert "7 one left" in fresh_page.inner_text(".say output")
    fresh_page.get_by_label("one right", exact=True).fill("")
    fresh_page.get_by_label("one left", exact=True).fill("7")
    assert fresh_page.inner_text(".say output") == "No message says this."


def test_messages_are_found_by_symbols_and_by_meaning(opened: Any) -> None:
    opened.get_by_text("Messages", exact=True).click()

    def found(text: str) -> list[str]:
        opened.fill(".find input", text)
        return str(opened.inner_text(".find output")).split("\n")

    number, *lines = found("7 two left")
    assert number.endswith(" messages")
    assert lines
    assert all("7 two left" in line for line in lines)
    message = page_of_oracle("the oracle").messages[5]
    assert message.text in found(f"[{', '.join(map(str, message.symbols))}]")[1]
    assert found("nonsense")[0].startswith("0 of ")


def test_words_of_an_import_are_asked_and_shown(fresh_page: Any) -> None:
    episodes = draw_episodes(GAME, 4_000, np.random.default_rng(1))
    words = [f"w{chr(97 + number)}" for number in range(20)]
    sent = Recording(GAME, episodes.window, say_bands(episodes.window), provenance={"symbols": words})
    show(fresh_page, make_page(count(sent)))
    fresh_page.get_by_role("button", name="wc", exact=True).click()
    assert fresh_page.inner_text(".heat-title") == "What the second symbol says after wc"
    for slot, word in enumerate(("wa", "wc", "wa"), 1):
        fresh_page.get_by_label(f"slot {slot}", exact=True).fill(word)
    assert fresh_page.inner_text(".read output").startswith("wa wc wa says: 0-4 one left and 10-14 one right")
    fresh_page.get_by_label("slot 1", exact=True).fill("wz")
    assert fresh_page.inner_text(".read output") == "Symbols are wa to wt; got wz."


def test_members_of_a_long_set_unfold(fresh_page: Any) -> None:
    def say_odd(window: IntArray) -> IntArray:
        left = left_of(GAME, window)
        return np.repeat(left[:, None] % 2, 3, axis=1).astype(np.int16)

    show(fresh_page, make_page(counts_of(GAME, say_odd, 4_000)))
    members = fresh_page.locator(".read output .set > span").first
    assert not members.is_visible()
    fresh_page.locator(".read output .set").first.focus()
    assert members.is_visible()
    assert "0, 2, 4, 6" in members.inner_text() or "1, 3, 5, 7" in members.inner_text()


def test_a_grid_has_small_grids(fresh_page: Any) -> None:
    grid = page_of_oracle("a grid", GRID)
    show(fresh_page, grid)
    edges = next(each for each in grid.heat_maps if each.coordinates is not None)
    assert fresh_page.locator(".small-grids >> nth=0").locator("canvas").count() == len(edges.symbols)
    fresh_page.locator(".small-grids canvas").first.focus()
    fresh_page.keyboard.press("ArrowRight")
    assert re.search("at the top left( is|$)", here(fresh_page))
    for width in (390, 1280):
        fresh_page.set_viewport_size({"width": width, "height": 900})
        left, above = (fresh_page.get_by_label(name, exact=True).bounding_box() for name in ("left", "above"))
        assert left["x"] + left["width"] <= above["x"]
        assert above["y"] + above["height"] <= left["y"]
    fresh_page.get_by_label("above", exact=True).fill("3")
    assert "3 above" in fresh_page.inner_text(".say output")


def test_symbols_that_say_the_same_of_a_grid_share_a_small_grid(fresh_page: Any) -> None:
    def say_border(window: IntArray) -> IntArray:
        """Say 0 or 1 at random at a border, and 2 elsewhere."""
        edge = columns_of(GRID).edge_of(window)
        random = np.random.default_rng(0).integers(0, 2, len(edge))
        symbol = np.where(edge == columns_of(GRID).no_edge, 2, random)
        return np.column_stack([symbol, 0 * symbol, 0 * symbol]).astype(np.int16)

    page = make_page(counts_of(GRID, say_border, 4_000))
    [heat] = page.heat_maps
    lift = np.tile(heat.lift[:1], (len(heat.symbols), 1))
    lift[2] = heat.lift[2]
    show(fresh_page, replace(page, heat_maps=[replace(heat, lift=lift)]))
    one, two, other = map(str, heat.symbols.tolist())
    assert fresh_page.locator(".small-grids > div > p").all_inner_texts() == [f"{one} {two}", other]
    title = fresh_page.inner_text(".small-grids > p")
    assert title.endswith("bits. Each small grid shows this alone: its symbols may differ in integers")
    fresh_page.locator(".small-grids canvas").first.focus()
    fresh_page.keyboard.press("ArrowRight")
    assert re.search(f"Symbol {one} in slot 1 .*; Symbol {two} in slot 1 ", here(fresh_page))


def test_messages_are_saved_as_csv(opened: Any) -> None:
    opened.get_by_text("Messages", exact=True).click()
    with opened.expect_download() as download:
        opened.get_by_role("button", name="Save as CSV").click()
    rows = [*csv.reader(Path(download.value.path()).read_text("utf-8").splitlines())]
    assert rows[0] == ["Message", "Says", "True", "Held out", "Receiver right", "Episodes"]
    first = page_of_oracle("the oracle").messages[0]
    assert rows[1][0] == first.text
    assert rows[1][2:] == [str(first.true.num_correct), str(first.true.trials), "", str(first.episodes)]
    assert len(rows) == 1 + len(page_of_oracle("the oracle").messages)


def test_a_language_that_tells_only_the_edge_has_heat_maps_and_no_map(fresh_page: Any) -> None:
    def say_edge(window: IntArray) -> IntArray:
        return np.repeat(columns_of(GAME).edge_of(window)[:, None], 3, axis=1).astype(np.int16)

    show(fresh_page, make_page(counts_of(GAME, say_edge, 2_000)))
    assert fresh_page.locator(".map canvas").count() == 0
    assert fresh_page.locator(".heat canvas").count() > 0
    fresh_page.select_option(".say select", label="the last")
    assert "3 3 3 says: the target is the last" in fresh_page.inner_text(".say output")


def test_a_language_that_says_nothing_has_no_pictures(fresh_page: Any) -> None:
    silent = counts_of(GAME, lambda window: np.zeros((len(window), 3), np.int16), 2_000)
    show(fresh_page, make_page(silent))
    assert "Nothing that was found" in fresh_page.inner_text("main")
    assert not fresh_page.is_visible(".pictures")
    assert not fresh_page.is_visible(".look-up")


def test_what_symbols_say_of_the_edge_comes_before_the_map_if_it_is_most(fresh_page: Any) -> None:
    def first_is_an_edge(window: IntArray) -> IntArray:
        left = left_of(GAME, window)
        return np.column_stack([columns_of(GAME).edge_of(window), left >= 10, 0 * left]).astype(np.int16)

    for page, first in (
        (make_page(counts_of(GAME, first_is_an_edge, 4_000)), True),
        (page_of_bands(), False),
    ):
        show(fresh_page, page)
        assert fresh_page.locator(".pictures > section").first.locator(".heat").count() == first


def test_of_an_address_the_second_symbol_is_shown_after_the_most_frequent_first_one(fresh_page: Any) -> None:
    show(fresh_page, make_page(counts_of(GAME, LANGUAGES["address"], 10_000)))
    titles = fresh_page.locator(".heat h3").all_inner_texts()
    assert titles[0] == "Slot 1"
    assert re.fullmatch(r"Slot 2, after \d+ in slot 1", titles[1])
    assert len(titles) == 2
