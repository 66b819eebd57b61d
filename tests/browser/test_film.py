"""The page of a film in a real browser, compared with the film that it was made from."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from kept_runs import write_history

from spatial_game.cli import main

SENT = """() => { const { map } = document.querySelector(".film").film;
  return map.data.map.map((row) => row.map((m) => (m < 0 ? null : map.data.messages[m]))); }"""


class Shown(NamedTuple):
    url: str
    film: dict[str, Any]


def shown(folder: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> Shown:
    capsys.readouterr()
    words = ["film", str(run), "--out", str(folder / "film.html"), "--episodes", "2000", "--json"]
    assert main(words) == 0
    return Shown((folder / "film.html").as_uri(), json.loads(capsys.readouterr().out))


@pytest.fixture
def pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shown:
    return shown(tmp_path, write_history(tmp_path / "run", {0: 1, 500: 2, 1000: 3, 1500: 3}), capsys)


@pytest.fixture
def population(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shown:
    for name, last in (("00", 2), ("01", 3), ("02", 2)):
        write_history(tmp_path / "run" / name, {0: 1, 10: last})
    return shown(tmp_path, tmp_path / "run", capsys)


def in_words(film: dict[str, Any], sender: int, frame: int) -> list[list[str | None]]:
    """Return the messages of a map, as the page writes them."""
    spoken = [" ".join(map(str, message)) for message in film["map"]["messages"]]
    return [[None if m < 0 else spoken[m] for m in row] for row in film["map"]["message"][sender][frame]]


def test_the_slider_shows_each_frame_by_keyboard(fresh_page: Any, pair: Shown) -> None:
    page, film = fresh_page, pair.film
    page.goto(pair.url)
    assert page.inner_text(".now") == "step 1,500"
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    for frame in (2, 1, 0):
        page.keyboard.press("ArrowLeft")
        assert page.inner_text(".now") == f"step {film['times'][frame]:,}"
        assert page.evaluate(SENT) == in_words(film, 0, frame)
        right = f"{film['figures'][0][frame]['accuracy']:.1%}"
        assert f"right in {right} of the episodes" in slider.get_attribute("aria-valuetext")
        assert page.locator(".curve b").first.inner_text() == right


def test_the_film_plays_to_its_end(fresh_page: Any, pair: Shown) -> None:
    page = fresh_page
    page.clock.install(time=datetime(2026, 1, 1))
    page.goto(pair.url)
    page.clock.pause_at(datetime(2026, 1, 2))  # from now on, time passes only as told
    page.get_by_role("button", name="Play").click()
    assert page.inner_text(".now") == "step 0"
    page.clock.run_for(800)
    assert page.inner_text(".now") == "step 500"
    page.clock.run_for(5_000)
    assert page.inner_text(".now") == "step 1,500"
    assert page.get_by_role("button", name="Play").is_visible()


def test_a_cell_tells_its_message_in_every_frame(fresh_page: Any, pair: Shown) -> None:
    page, film = fresh_page, pair.film
    page.goto(pair.url)
    page.locator(".drawing svg").first.hover(position={"x": 200, "y": 100})
    told = re.match(r"(\d+) .*?: (?:first symbol )?([\d ]+) \(in", page.inner_text(".here"))
    assert told is not None
    integer, message = told.groups()
    assert message in in_words(film, 0, 3)[int(integer)]
    page.get_by_role("slider").fill("0")
    assert page.inner_text(".here").startswith(f"{integer} ")


def test_the_map_and_the_figures_are_there_in_words(fresh_page: Any, pair: Shown) -> None:
    page, film = fresh_page, pair.film
    page.goto(pair.url)
    page.click(".in-words summary")
    rows = page.locator(".in-words tbody tr")
    rows.nth(9).wait_for()
    assert rows.count() == 10
    expected = {message for message in in_words(film, 0, 3)[4] if message}
    assert set(re.findall(r"(\d[\d ]*) \(", rows.nth(4).inner_text())) == expected
    page.click(".all-figures summary")
    first = page.locator(".all-figures tbody tr").first.inner_text()
    assert f"{film['figures'][0][0]['accuracy']:.1%}" in first


def test_words_are_filtered_and_follow_the_frame(fresh_page: Any, pair: Shown) -> None:
    page, words = fresh_page, pair.film["words"][0]
    page.goto(pair.url)
    which = page.locator("[data-which]")
    counts = {
        "all": len(words),
        "drift": sum(len(word["stays"]) > 1 for word in words),
        "new": sum(any(stay["first"] == 3 for stay in word["stays"]) for word in words),
        "die": sum(word["stays"][-1]["last"] < 3 for word in words),
        "now": sum(any(s["first"] <= 3 <= s["last"] for s in word["stays"]) for word in words),
    }
    for name, number in counts.items():
        which.select_option(name)
        assert page.inner_text(".number").startswith(f"{number} of {len(words)} words")
    which.select_option("all")
    page.locator("[data-search]").fill(words[0]["form"])
    assert page.locator(".words li b").all_inner_texts() == [words[0]["form"]]


def test_dialects_of_a_population(fresh_page: Any, population: Shown) -> None:
    page, film = fresh_page, population.film
    page.goto(population.url)
    cells = page.locator(".matrix tbody tr")
    assert cells.count() == 3
    shares = sorted(page.locator(".matrix td").all_inner_texts())
    assert shares == sorted(f"{share:.0%}" for row in film["agreement"][1] for share in row)
    assert page.locator(".tree path").count() == 2
    page.locator("[data-sender]").select_option("1")
    assert page.evaluate(SENT) == in_words(film, 1, 1)
    page.get_by_role("slider").fill("0")
    assert set(page.locator(".matrix td").all_inner_texts()) == {"100%"}


@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_is_wider_than_the_screen(fresh_page: Any, population: Shown, width: int) -> None:
    fresh_page.set_viewport_size({"width": width, "height": 800})
    fresh_page.goto(population.url)
    assert fresh_page.evaluate("document.documentElement.scrollWidth") == width
