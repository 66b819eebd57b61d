"""`describe`: a language on one page."""

import re
from xml.etree import ElementTree

from PIL import Image


def test_a_recording_is_described_in_text_json_and_as_a_page(folder, text, result):
    text("record oracle --sequence-length 20 --episodes 2000 --out play.parquet")
    shown = text("describe play.parquet --out page.html")
    parts = (
        "The language of oracle",
        "In short",
        "Examples, symbol by symbol",
        "Messages",
        "Symbols",
        "Slots and order",
    )
    places = [shown.index(f"\n{part}\n") for part in parts]
    assert places == sorted(places)
    assert "written    page.html" in shown
    assert "Warning" not in shown
    written = (folder / "page.html").read_text("utf-8")
    assert "<summary>Symbols</summary>" in written
    assert "Command: spatial-game describe play.parquet</p>" in written
    assert "Do its symbols combine? Cannot say. No receiver was asked." in shown
    found = result("describe play.parquet")
    assert found["combines"]["verdict"] == "cannot say"
    assert found["combines"]["sentence"].startswith("Cannot say whether its symbols combine: no receiver")
    assert found["episodes"] == 2_000
    assert found["bits"]["messages"] > 3
    assert found["written"] == []
    assert found["sections"]["Symbols"]["tables"]["Slot 3"][0].keys() == {"symbol", "says", "episodes"}


def test_a_pair_plays_and_its_receiver_is_asked(folder, prose, monkeypatch):
    monkeypatch.setattr("spatial_game.cli.commands.describe.CHOICES", 1_500)
    shown = prose("describe landmark-60/0 --episodes 2000 --seed 3 --out page.html")
    assert "<div class=ruler" in (folder / "page.html").read_text("utf-8")
    assert "The language of landmark-60/0" in shown
    assert "They combine fully. Of the messages that were composed offset and integer" in shown
    assert "one to the receiver" in shown
    assert re.search(r"The receiver is right in 9\d\.\d% of 1,500 episodes", shown)


def test_windows_of_a_grid_stand_in_their_rows(text):
    shown = text("describe grid-8x8/1 --episodes 3000")
    cells = r"( +(\d+|\?)){3}\n"
    assert re.search(rf"\nIt sees{cells} {{7}}{cells} {{7}}{cells}", shown)
    times = r"\(right for \d+ of \d+ windows\), such as for\n"
    assert re.search(rf"\nNever sent, and understood: [ \d]+ {times}{cells}{cells}{cells}", shown)


def test_pictures_have_their_origin_in_their_metadata(folder, text, monkeypatch):
    monkeypatch.setattr("spatial_game.language.pictures.figures.writing.DOTS", 60)
    command = "describe oracle --episodes 500 --seed 3 --game small"
    text(f"{command} --pictures drawn")
    names = {"map", "symbols-1", "symbols-2", "bits"}
    assert {path.name for path in (folder / "drawn").iterdir()} == {
        f"{name}.{form}" for name in names for form in ("svg", "png")
    }
    origin = ("L8 w1 c3 | v8x2 | n500 | seed 3 | ", f" | spatial-game {command}")
    for name in names:
        with Image.open(folder / "drawn" / f"{name}.png") as picture:
            assert picture.text["Title"] == name
            assert round(picture.info["dpi"][0]) == 60
            of_picture = picture.text["Description"]
        drawing = ElementTree.parse(folder / "drawn" / f"{name}.svg")
        [of_drawing] = drawing.iter("{http://purl.org/dc/elements/1.1/}description")
        for description in (of_picture, of_drawing.text):
            assert (description[: len(origin[0])], description[-len(origin[1]) :]) == origin


def test_a_mixture_of_senders_has_a_warning(text):
    for agents in ("oracle", "random"):
        text(f"record {agents} --game small --episodes 200 --out {agents}.parquet")
    for command in ("describe", "analyse"):
        shown = text(f"{command} oracle.parquet random.parquet")
        assert "these recordings have 2 senders (oracle, random)" in shown
