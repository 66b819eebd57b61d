"""The page of a language in a real browser, compared with the recording that it was made from."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lexicons import has_form

from spatial_game.cli import main
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomReceiver, RandomSender
from spatial_game.language import Lexicon
from spatial_game.language.dictionary.referents import parts_of
from spatial_game.language.dictionary.words import Words, edge_in_words
from spatial_game.recording import Recording, read_recording, record

VIEWS = [
    "sketch",
    "dictionary",
    "messages",
    "lost",
    "alphabet",
    "meaning",
    "example",
    "word/3",
    "symbol/5",
    "episode/7",
]
SEARCHES = ["meaning/18%2C%201%20left", "example/21.22._.3.5"]
AS_NEW = """(view) => {
  const { page } = document.querySelector(".language");
  page.kept.forEach((each) => each.remove());
  page.kept.clear();
  history.pushState(null, "", `#${view}`);
  page.show(true);
}"""
TYPED = {-1: "_", -2: "*"}
IS_READY = """() => [...document.querySelectorAll(".view > div:not([hidden]) .table")]
  .every((table) => table.querySelector(".tabulator-row") && table.previousSibling.textContent)"""
HOSTILE = "<img src=x onerror=document.title='broken'>"


@dataclass(frozen=True)
class Shown:
    """A page, and what it was made from."""

    url: str
    recording: Recording
    lexicon: Lexicon


def browsed(folder: Path, recording: Path, *options: str) -> str:
    """Make the page of a recording, and return its address."""
    out = folder / "language.html"
    assert main(["browse", str(recording), "--out", str(out), *options]) == 0
    return out.as_uri()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("language")
    play, lexicon = folder / "play.parquet", folder / "lexicon.json"
    assert main(["record", "--agents", "embed-60", "--episodes", "20000", "--out", str(play)]) == 0
    assert main(["analyse", str(play), "--out", str(lexicon)]) == 0
    url = browsed(folder, play, "--lexicon", str(lexicon))
    return Shown(url, read_recording(play), Lexicon.read(lexicon))


@pytest.fixture(scope="module")
def page(shared_page: Any, shown: Shown) -> Any:
    """Return the page of embed-60, which is loaded once."""
    shared_page.goto(shown.url)
    shared_page.wait_for_function("document.querySelector('.language')?.page")  # its data are unpacked later
    return shared_page


def visit(page: Any, view: str = "dictionary") -> None:
    """Show a view as new, and wait for its tables."""
    page.evaluate(AS_NEW, view)
    page.wait_for_function(IS_READY)


def eventually(value: Callable[[], Any], expected: Any) -> None:
    """Wait until a value is what is expected."""
    end = time.monotonic() + 20
    while value() != expected and time.monotonic() < end:
        time.sleep(0.05)
    assert value() == expected


def column(page: Any, field: str) -> list[str]:
    """Return what stands in a column of the table, as far as it is drawn."""
    return page.locator(f".tabulator-cell[tabulator-field={field}]:visible").all_inner_texts()


def numbers(texts: list[str]) -> list[float]:
    return [float(text.replace(",", "").rstrip("%")) for text in texts]


# --- The sketch -----------------------------------------------------------------------------------------


def test_the_sketch_is_the_first_view_and_its_map_answers(page, shown):
    visit(page, "sketch")
    drawing, here = page.locator(".sketch:visible .drawing svg"), page.locator(".sketch:visible .here")
    drawing.hover(position={"x": 300, "y": 200})
    eventually(lambda: "one left and" in here.inner_text(), True)
    answer = r"\d+ one left and \d+ two left: (\d+ \d+ \d+ \(in \d+% of \d+ episodes\)|nothing was sent)"
    assert re.search(answer, here.inner_text())


def test_the_look_ups_say_and_read(page, shown):
    visit(page, "sketch")
    rows = shown.recording.window[(shown.recording.window[:, 2] == -1)]
    left, beyond = int(rows[0, 1]), int(rows[0, 0])
    page.locator(".say input").nth(0).fill(str(left))
    page.locator(".say input").nth(1).fill(str(beyond))
    said = page.locator(".say output").inner_text()
    assert re.match(r"\d+ \d+ \d+ \(in ", said)
    page.locator(".read input").fill(said.partition(" (")[0])
    assert f"{left}" in page.locator(".read output").inner_text()
    page.locator(".read input").fill("25 24 23")
    assert "not among the most frequent" in page.locator(".read output").inner_text()


# --- Tables ---------------------------------------------------------------------------------------------


def test_the_dictionary_is_grouped_by_kind_and_sorts(page, shown):
    visit(page)
    assert page.title() == "Dictionary – The language of embed-60/0"
    page.locator(".tabulator-group").first.wait_for()
    assert "Words for edges" in page.locator(".tabulator-group").first.inner_text()
    assert f"{len(shown.lexicon.listed)} of {len(shown.lexicon.listed)} rows" in page.inner_text(".tools")
    of_kind = sorted((entry.count for entry in shown.lexicon.of_kind("edge")), reverse=True)
    shown_first = numbers(column(page, "count"))[: min(8, len(of_kind))]
    assert shown_first == of_kind[: len(shown_first)]
    page.get_by_role("button", name="Episodes").click()  # sorted the other way
    number = len(shown_first)
    eventually(lambda: numbers(column(page, "count"))[:number], of_kind[::-1][:number])


def test_headings_are_reached_and_sort_by_keyboard(page, shown):
    visit(page, "messages")
    totals = np.unique(shown.recording.message, axis=0, return_counts=True)[1]
    assert numbers(column(page, "sent"))[:5] == sorted(totals.tolist())[::-1][:5]
    page.get_by_role("button", name="Episodes").focus()
    page.keyboard.press("Enter")
    eventually(lambda: numbers(column(page, "sent"))[:5], sorted(totals.tolist())[:5])
    header = page.locator(".tabulator-col[tabulator-field=sent]")
    assert header.get_attribute("aria-sort") == "ascending"


def test_tables_search_and_filter(page, shown):
    visit(page)
    entries, status = shown.lexicon.listed, page.locator(".tools [role=status]")
    page.get_by_label("Search: Dictionary").fill("the target is the first")
    words = Words(entries)
    asked = {"the", "target", "is", "first"}  # in any order: also "the second (84%) or the first (16%)"
    found = sum(asked <= set(words.of_entry(entry).split()) for entry in entries)
    eventually(status.inner_text, f"{found} of {len(entries)} rows")
    assert found > 0
    page.get_by_label("Search: Dictionary").fill("")
    page.get_by_label("Filter: Confidence").press_sequentially("100")
    sure = sum(round(entry.confidence, 4) >= 1 for entry in entries)
    eventually(status.inner_text, f"{sure} of {len(entries)} rows")


def test_from_a_word_to_an_episode_and_back(page, shown):
    visit(page)
    page.get_by_label("Filter: Form").press_sequentially("25")
    every = f"{len(shown.lexicon.listed)} of"
    page.wait_for_function(
        "(all) => !document.querySelector('[role=status]').textContent.startsWith(all)", arg=every
    )
    form = page.locator(".tabulator-cell[tabulator-field=form] a:visible").first
    name = form.inner_text()
    form.click()
    page.wait_for_selector("article")
    assert page.locator("h2:visible").first.inner_text().startswith(name)
    assert page.evaluate("document.activeElement.tagName") == "H2"
    row = page.locator("article:visible").first.get_attribute("data-row")
    page.locator("article:visible h4 a").first.click()
    heading = page.locator("h2:visible").first
    eventually(heading.inner_text, f"Episode {int(row) + 1:,}")
    page.go_back()
    eventually(lambda: heading.inner_text().startswith(name), True)
    page.go_back()
    eventually(heading.inner_text, "Dictionary")
    assert page.get_by_label("Filter: Form").input_value() == "25"


# --- Episodes and counts --------------------------------------------------------------------------------


EPISODE = """(article) => {
  const sections = [...article.querySelectorAll("section")];
  const texts = (of, selector) => [...of.querySelectorAll(selector)].map((each) => each.innerText);
  return {
    row: Number(article.dataset.row),
    cells: sections.slice(0, 4).map((section) => texts(section, ".cell")),
    target: texts(sections[0], ".target"),
    candidates: texts(sections[0], ".candidate").length,
    seen: texts(sections[0], ".window"),
    text: article.innerText,
    label: article.querySelector(".episode").getAttribute("aria-label"),
  };
}"""
"""What a picture of an episode shows: all at once, as each question to a browser takes a while."""


def cells(locator: Any) -> list[str]:
    return locator.locator(".cell").all_inner_texts()


def compare(article: Any, recording: Recording) -> int:
    """Compare a picture of an episode with its row; return the row."""
    shown = article.evaluate(EPISODE)
    columns = {name: column[shown["row"]].tolist() for name, column in recording.columns().items()}
    target = columns["candidates"][columns["target_index"]]
    chosen = columns["candidates"][columns["choice"]]
    seen = ["?" if value < 0 else str(value) for value in columns["window"]]
    others = [list(map(str, columns[name])) for name in ("sequence", "message", "candidates")]
    assert shown["cells"] == [others[0], seen, *others[1:]]
    assert shown["target"] == [str(target)]
    assert shown["candidates"] == len(columns["candidates"])
    assert sorted(shown["seen"]) == sorted(v for v in seen if v != "?")
    verdict = "Right" if target == chosen else "Wrong"
    assert f"{verdict}: the receiver chose {chosen}" in shown["text"]
    assert f"The receiver chooses {chosen}" in shown["label"]
    return int(shown["row"])


def test_an_answer_that_is_left_at_once_is_not_drawn(fresh_page, shown):
    fresh_page.goto(shown.url)
    fresh_page.wait_for_function(IS_READY)
    fresh_page.evaluate(
        """(views) => {
          for (const view of views) {
            history.pushState(null, "", `#${view}`);
            document.querySelector(".language").page.show(true);
          }
        }""",
        [SEARCHES[0], "alphabet"],
    )
    fresh_page.wait_for_function(IS_READY)


def test_the_ten_episodes_behind_twenty_words(page, shown):
    wrong = shown.recording.choice != shown.recording.target_index
    distinct, ids = np.unique(shown.recording.message, axis=0, return_inverse=True)
    entries = shown.lexicon.listed
    for number in np.linspace(0, len(entries) - 1, 20).astype(int).tolist():
        visit(page, f"word/{number}")
        has = np.array([has_form(message, entries[number].form) for message in distinct.tolist()])[ids]
        articles = page.locator("article:visible")
        rows = [compare(articles.nth(i), shown.recording) for i in range(articles.count())]
        assert len(set(rows)) == len(rows) == min(10, has.sum())
        assert has[rows].all()
        least = min(5, int((has & wrong).sum()), 10)
        assert wrong[rows].sum() >= least
        assert f"{has.sum():,} episodes have the form" in page.inner_text(".view > div:not([hidden])")


def test_what_stands_where_is_counted(page, shown):
    ids, number = np.unique(shown.recording.message, axis=0, return_counts=True)
    message = ids[number.argmax()]
    visit(page, f"message/{'.'.join(map(str, message))}")
    has = (shown.recording.message == message).all(axis=1)
    inner = has & (shown.recording.window[:, 2] == -1)
    values, totals = np.unique(shown.recording.window[inner, 1], return_counts=True)
    at_start = has & (shown.recording.window[:, 1] == -1)
    assert not at_start.any() or totals.sum() > 0
    title = page.locator(".portrait title", has_text=re.compile(rf"^{values[totals.argmax()]} one left"))
    counted = sum(
        int(((shown.recording.window[:, mask - 1] == values[totals.argmax()]) & has & at).sum())
        for mask in range(1, 5)
        for at in [shown.recording.window[:, mask] == -1]
    )
    assert title.text_content().endswith(f"({counted:,})")


def test_words_for_edges_show_where_the_target_is(page, shown):
    listed = shown.lexicon.listed
    number = next(i for i, entry in enumerate(listed) if entry.kind == "edge")
    name = next(iter(parts_of(listed[number].referent))).name
    place = shown.recording.config.edges.index(name)
    at = shown.recording.window[:, place] == -1
    has = np.array([has_form(message, listed[number].form) for message in shown.recording.message.tolist()])
    visit(page, f"word/{number}")
    heading, picture = page.locator("h3:visible").first, page.locator(".portrait").first
    assert heading.inner_text() == "Where the target is"
    assert picture.locator("rect.meant").count() == 1
    told = picture.get_attribute("aria-label")
    of_these, of_all = re.search(
        rf"{edge_in_words(name)[14:]}: ([\d.]+)%, of all episodes ([\d.]+)%", told
    ).groups()
    assert float(of_these) == pytest.approx(100 * at[has].mean(), abs=0.51)
    assert float(of_all) == pytest.approx(100 * at.mean(), abs=0.51)


def test_search_by_meaning(page, shown):
    visit(page, "meaning")
    page.get_by_label("Meaning", exact=True).fill("18, 1 left")
    page.keyboard.press("Enter")
    page.wait_for_selector("article")
    window = shown.recording.window
    true = sum(int(((window[:, mask] == -1) & (window[:, mask - 1] == 18)).sum()) for mask in range(1, 5))
    assert f"This was true in {true:,} of 20,000 episodes" in page.inner_text(".view > div:not([hidden])")
    assert sum(numbers(column(page, "number"))) <= true
    first = page.locator(".view ul:visible li").first.inner_text()
    assert "18 one left" in first
    for article in page.locator("article:visible").all():
        row = compare(article, shown.recording)
        mask = int((window[row] == -1).argmax())
        assert window[row, mask - 1] == 18


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("18-20 one left and the last", None),
        ("-1", "An integer is missing"),
        ("99, 1 left", "Integers are 0 to 59; got 99"),
        ("left of eighteen", "is not understood"),
        ("the first", None),
        ("18 + 20, 2 right", None),
    ],
)
def test_what_may_be_asked(page, shown, asked, words):
    visit(page, "meaning")
    page.get_by_label("Meaning", exact=True).fill(asked)
    page.keyboard.press("Enter")
    alerts = page.locator("[role=alert]:visible")
    if words is None:
        page.get_by_text("This was true in").and_(page.locator(":visible")).first.wait_for()
        assert alerts.count() == 0
    else:
        alerts.wait_for()
        assert words in alerts.inner_text()


def test_three_ways_to_ask_for_a_neighbour_find_the_same(page, shown):
    found = []
    for asked in ("18 one left", "18 left", "left of 18", "18, 1 left"):
        visit(page, "meaning")
        page.get_by_label("Meaning", exact=True).fill(asked)
        page.keyboard.press("Enter")
        page.wait_for_selector("text=This was true in")
        found.append(re.search(r"This was true in [\d,]+", page.inner_text(".view > div:not([hidden])"))[0])
    assert len(set(found)) == 1


def test_search_by_example(page, shown):
    window = shown.recording.window[4]
    text = " ".join("_" if value < 0 else str(value) for value in window)
    visit(page, "example")
    page.get_by_label("Window").fill(text)
    page.get_by_role("button", name="Search", exact=True).click()
    first = page.locator("tbody tr:visible").first
    first.wait_for()
    assert cells(first) == ["?" if value < 0 else str(value) for value in window]
    assert first.locator("a").inner_text() == " ".join(map(str, shown.recording.message[4]))
    assert first.locator("td").nth(3).inner_text() == "0"
    same = shown.recording.window[(shown.recording.window == -1).argmax(axis=1) == (window == -1).argmax()]
    differing = np.sort((same != window).sum(axis=1))[:10].tolist()
    assert [
        int(t.locator("td").nth(3).inner_text()) for t in page.locator("tbody tr:visible").all()
    ] == differing
    page.locator("form:visible input").fill("1 2 3")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]:visible")
    assert page.locator("[role=alert]:visible").inner_text() == "A window must have 5 cells; got 3."


def test_the_bundled_pair_says_what_it_said(page, shown):
    visit(page, "example/1.2._.3.4")
    assert page.locator("h3:visible", has_text="What embed-60 says").count() == 1
    windows, messages = shown.recording.window[:500].tolist(), shown.recording.message[:500].tolist()
    said = page.evaluate(
        "windows => windows.map((w) => document.querySelector('.language').page.pair.send(w))", windows
    )
    assert sum(one != other for one, other in zip(said, messages, strict=True)) <= 1  # a near tie


def test_lost_episodes_are_all_there(page, shown):
    visit(page, "lost")
    wrong = np.flatnonzero(shown.recording.choice != shown.recording.target_index)
    assert f"wrong in {len(wrong):,} of 20,000 episodes" in page.inner_text(".view > div:not([hidden])")
    assert page.locator(".tools [role=status]").inner_text() == f"{len(wrong)} of {len(wrong)} rows"
    assert set(numbers(column(page, "episode"))) <= set((wrong + 1).tolist())


# --- Screens, keyboards, and browsers without JavaScript ------------------------------------------------


@pytest.mark.parametrize("width", [390, 1280])
def test_no_view_is_wider_than_the_screen(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    for view in [*VIEWS, *SEARCHES]:
        visit(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        if page.locator(".tabulator:visible").count():
            assert page.locator(".tabulator-row:visible").count() > 3, view


@pytest.mark.parametrize(("scheme", "dark"), [("dark", True), ("light", False)])
def test_dark_screens_get_dark_colours(page, scheme, dark):
    page.emulate_media(color_scheme=scheme)
    visit(page)
    for selector in (".language", ".tabulator-row", ".tabulator-header"):
        colour = page.locator(selector).first.evaluate("e => getComputedStyle(e).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", colour)[:3])) < 300) is dark, (selector, colour)


def test_without_javascript_the_page_says_what_is_missing(browser, shown):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(shown.url)
    assert page.inner_text(".trouble") == "This page needs JavaScript."
    assert not page.locator("nav").is_visible()
    context.close()


def test_a_browser_that_cannot_unpack_says_so(browser, shown):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(shown.url)
    page.get_by_text("This browser cannot show the page").wait_for()
    context.close()


def test_unknown_addresses_say_so(page, shown):
    for view in ("word/99999", "word/x", "message/1.1.1.1", "symbol/99", "episode/-1", "episode/999999"):
        visit(page, view)
        assert page.locator("h2:visible").inner_text() == "Not found"
    visit(page, "nothing")
    assert page.locator("h2:visible").first.inner_text() == "The language"


# --- Other recordings -----------------------------------------------------------------------------------


def test_markup_in_names_stays_text(fresh_page, shown, tmp_path):
    page = fresh_page
    named = {"policy": "pair", "name": HOSTILE, "index": 0}
    recording = dataclasses.replace(shown.recording, provenance={"sender": named})
    file = tmp_path / f"{HOSTILE.replace('/', '')}.parquet"
    recording.write(file)
    lexicon = dataclasses.replace(shown.lexicon, provenance=(), signature=HOSTILE)
    lexicon.write(tmp_path / "lexicon.json")
    url = browsed(tmp_path, file, "--lexicon", str(tmp_path / "lexicon.json"))
    page.goto(url)
    page.wait_for_selector(".sketch svg")
    assert page.inner_text("h1") == f"The language of {HOSTILE}/0"
    assert page.locator("img").count() == 0
    page.goto(f"{url}#message/{HOSTILE}")
    page.goto(f"{url}#meaning/{HOSTILE}")
    page.wait_for_selector("[role=alert]:visible")
    assert page.locator("img").count() == 0
    assert page.title() != "broken"


def test_a_grid_with_hidden_cells(fresh_page, tmp_path):
    page = fresh_page
    config = GameConfig(shape=(6, 6), window_radius=1, num_visible=5)
    episodes = draw_episodes(config, 500, np.random.default_rng(0))
    sender, receiver = (
        RandomSender(config, np.random.default_rng(1)),
        RandomReceiver(config, np.random.default_rng(2)),
    )
    recording = record(sender, receiver, episodes, config)
    recording.write(tmp_path / "grid.parquet")
    url = browsed(tmp_path, tmp_path / "grid.parquet")
    page.goto(f"{url}#episode/3")
    sections = page.locator("section.card")
    sections.first.wait_for()
    row = int(page.locator("[data-row]").get_attribute("data-row"))
    assert cells(sections.nth(0)) == list(map(str, recording.sequence[row]))
    seen = {-1: "?", -2: ""}
    assert cells(sections.nth(1)) == [seen.get(value, str(value)) for value in recording.window[row].tolist()]
    tops = (
        sections.nth(0)
        .locator(".cell")
        .evaluate_all("cells => cells.map((c) => c.getBoundingClientRect().top)")
    )
    assert len(set(tops)) == 6
    window, at = recording.window.reshape(-1, 3, 3), 7
    true = sum(
        int(((window[:, i, j] == -1) & (window[:, i - 1, j + 1] == at)).sum()) for i in (1, 2) for j in (0, 1)
    )
    page.goto(f"{url}#meaning/{at}, 1 right and 1 up")
    page.wait_for_selector(f"text=This was true in {true} of 500 episodes")
    page.goto(f"{url}#example")
    asked, other = ([TYPED.get(v, str(v)) for v in recording.window[row].tolist()] for row in (7, 8))
    page.locator("form:visible input").fill(" ".join(asked))
    page.keyboard.press("Enter")
    page.locator("tbody tr:visible").first.wait_for()
    drawn = [seen.get(value, str(value)) for value in recording.window[7].tolist()]
    assert cells(page.locator("tbody tr:visible").first.locator("td").first) == drawn
    page.locator("form:visible input").fill(" ".join(other).replace("*", "1", 1))
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]:visible")
    assert page.inner_text("[role=alert]:visible") == "A window must have 3 hidden cells, each a *; got 2."


@pytest.mark.parametrize("name", ["seen-60/3", "seen-8x8"])  # local networks, and landmark networks
def test_networks_say_what_they_said_of_hidden_cells(fresh_page, tmp_path, name):
    page, play = fresh_page, tmp_path / "play.parquet"
    assert main(["record", "--agents", name, "--episodes", "200", "--out", str(play)]) == 0
    page.goto(browsed(tmp_path, play))
    recording = read_recording(play)
    said = page.evaluate(
        "windows => windows.map((w) => document.querySelector('.language').page.pair.send(w))",
        recording.window.tolist(),
    )
    assert said == recording.message.tolist()
    visit(page, "example/" + ".".join(TYPED.get(v, str(v)) for v in recording.window[0].tolist()))
    spoken = page.locator("h3", has_text=f"What {name} says").locator("xpath=following-sibling::div[1]")
    assert cells(spoken) == list(map(str, recording.message[0]))


def test_a_recording_of_windows_and_messages_alone(fresh_page, shown, tmp_path):
    page = fresh_page
    bare = Recording(shown.recording.config, shown.recording.window, shown.recording.message)
    bare.write(tmp_path / "bare.parquet")
    shown.lexicon.write(tmp_path / "lexicon.json")
    url = browsed(tmp_path, tmp_path / "bare.parquet", "--lexicon", str(tmp_path / "lexicon.json"))
    page.goto(f"{url}#word/3")
    article = page.locator("article").first
    article.wait_for()
    assert page.evaluate("document.querySelector('.language').page.pair") is None
    assert article.locator("section").count() == 2
    assert "does not say what the receiver chose" in article.inner_text()
    page.goto(f"{url}#lost")
    page.wait_for_selector("text=The recording does not say what the receiver chose.")
