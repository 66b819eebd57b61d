"""Figures of Matplotlib, and the one that the README shows."""

import importlib.util
import itertools
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from helpers.scripted import counts_of
from helpers.spoken import GAME, LEFT, RIGHT, built, counted
from PIL import Image

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.pictures.colours import BAR, GREY, LIKELIER, NEVER, RARER, USUAL, lift_colours, rgb
from spatial_game.language.pictures.figures import bits_figure, heat_figures, map_figure, write_figures
from spatial_game.language.pictures.figures.maps import map_colours
from spatial_game.language.pictures.heat import HeatMap, heat_maps
from spatial_game.language.pictures.maps import IMPOSSIBLE, maps_of
from spatial_game.language.prefixes import prefixes_of

ROOT = Path(__file__).parents[3]


def test_the_map_has_one_colour_for_each_first_symbol_and_a_shade_for_each_second():
    maps = maps_of(counted("bands"), built("bands"))
    shown = maps.maps[0]
    colours = map_colours(maps, shown)
    assert (colours[shown.best == IMPOSSIBLE] == 1).all()
    looks = {}
    for message, colour in zip(
        maps.messages[shown.best].reshape(-1, 3).tolist(), colours.reshape(-1, 3).tolist(), strict=True
    ):
        looks.setdefault(tuple(message[:2]), set()).add(tuple(colour))
    kinds = [next(iter(found - {(1.0, 1.0, 1.0)})) for found in looks.values()]
    assert len(set(kinds)) == 16


@pytest.mark.parametrize("name", ["bands", "oracle"])
def test_axes_have_the_names_of_the_page(name):
    maps = maps_of(counted(name), built(name))
    [axis] = map_figure(maps).axes
    assert axis.get_xlabel() == maps.maps[0].axes[1]
    heat = heat_maps(built(name), maps.orders)
    for each in heat:
        [figure] = heat_figures(heat, built(name), each.slot)
        shown = [axis for axis in figure.axes if axis.get_title("left").endswith(f": {each.bits:.1f} bits")]
        assert {axis.get_ylabel() for axis in shown} == {f"symbol in slot {each.slot + 1}"}
        assert [text.get_text() for text in figure.legends[0].get_texts()][1] == "never"


def test_words_of_an_import_stand_on_the_figures():
    words = [f"w{chr(97 + number)}" for number in range(GAME.vocab_size)]
    of_words = replace(built("bands"), provenance=({"symbols": words},))
    maps = maps_of(counted("bands"), of_words)
    [axis] = map_figure(maps).axes
    assert {text.get_text() for text in axis.texts} == {"wa", "wb", "wc", "wd"}
    [figure] = heat_figures(heat_maps(of_words, maps.orders), of_words, 0)
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["wa", "wb", "wc", "wd"]


def test_a_long_name_stands_within_its_region():
    words = [f"{number:x>{2 + number % 7}}" for number in range(GAME.vocab_size)]
    maps = maps_of(counted("names"), replace(built("names"), provenance=({"symbols": words},)))
    figure = map_figure(maps)
    figure.draw_without_rendering()
    [axis] = figure.axes
    firsts = maps.maps[0].symbols(maps.messages, 0)
    assert len(axis.texts) == 20
    for text in axis.texts:
        box = text.get_window_extent().transformed(axis.transData.inverted())
        rows, columns = (np.round([low, high]).astype(int) for low, high in (box.intervaly, box.intervalx))
        covered = firsts[rows[0] : rows[1] + 1, columns[0] : columns[1] + 1]
        assert {maps.names[symbol] for symbol in covered.ravel()} == {text.get_text()}


def test_a_key_to_long_names_fits_its_figure():
    words = [f"{number:x>{6 + number % 7}}" for number in range(GAME.vocab_size)]
    maps = maps_of(counted("oracle"), replace(built("oracle"), provenance=({"symbols": words},)))
    for number in range(len(maps.maps)):
        figure = map_figure(maps, number)
        figure.draw_without_rendering()
        assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1


def test_a_language_that_says_nothing_has_no_figures():
    config = GameConfig(20, window_radius=1, vocab_size=3, message_length=1)
    counts = counts_of(config, lambda window: np.ones((len(window), 1), dtype=np.int16), 100)
    dictionary = build_dictionary(counts)
    maps = maps_of(counts, dictionary)
    with pytest.raises(UserError, match=r"number must be that of one of 0 maps; got 0"):
        map_figure(maps)
    with pytest.raises(UserError, match=r"slot must be one that has heat maps, of \[\]; got 0"):
        heat_figures(heat_maps(dictionary, maps.orders), dictionary, 0)


def test_colours_of_paper_are_those_of_the_page():
    assert lift_colours(np.array([-9, 0, 9, np.nan])) == pytest.approx(
        np.array([*map(rgb, (RARER, USUAL, LIKELIER, NEVER))])
    )
    styles = files("spatial_game.language.page").joinpath("page.css").read_text("utf-8")
    for name, colour in (
        ("rarer", RARER),
        ("usual", USUAL),
        ("likelier", LIKELIER),
        ("never", NEVER),
        ("line", BAR),
    ):
        assert f"--{name}: light-dark({colour}, " in styles


def test_a_small_grid_for_each_symbol_has_its_coordinates():
    coordinates = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    lift = np.array([[3.0, 0, 0, 0], [0, 0, 0, -3.0]])
    one = HeatMap(0, 8, np.array([4, 7]), np.array([9, 9]), tuple("abcd"), lift, 1.0, coordinates)
    [figure] = heat_figures([one], built("bands"), 0)
    [axis] = figure.axes
    image = axis.images[0].get_array()
    names = {text.get_text(): text.get_position() for text in axis.texts}
    assert [*names] == ["4", "7"]
    for name, colour, (row, column) in (("4", LIKELIER, (0, 0)), ("7", RARER, (1, 1))):
        left, top = names[name]
        assert np.allclose(image[round(top) + 1 + row, round(left + 0.5) + column], rgb(colour))


def test_symbols_whose_small_grids_look_the_same_share_one():
    coordinates = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    lift = np.array([[3.0, 0, 0, np.nan], [0, 0, 0, -3.0], [3.01, 0, 0, np.nan]])
    one = HeatMap(0, 8, np.array([4, 7, 9]), np.full(3, 9), tuple("abcd"), lift, 1.0, coordinates)
    [figure] = heat_figures([one], built("bands"), 0)
    assert [text.get_text() for text in figure.axes[0].texts] == ["7", "4, 9"]


def test_heat_maps_that_are_much_the_same_are_drawn_once():
    rng = np.random.default_rng(0)
    lift = rng.normal(size=(4, 20))
    one = HeatMap(0, LEFT, np.arange(4), np.full(4, 900), tuple(map(str, range(20))), lift, 1.0)
    alike = replace(one, variable=RIGHT, lift=lift + rng.normal(size=(4, 20)) / 10)
    other = replace(one, variable=RIGHT, lift=-lift)
    for second, titles in (
        (alike, ["one left: 1.0 bits (much the same: one right)"]),
        (other, ["one left: 1.0 bits", "one right: 1.0 bits"]),
        (replace(alike, symbols=np.arange(1, 5)), ["one left: 1.0 bits", "one right: 1.0 bits"]),
    ):
        [figure] = heat_figures([one, second], built("bands"), 0)
        assert [axis.get_title("left") for axis in figure.axes] == titles


def test_a_figure_of_many_heat_maps_fits_pages_and_names_each_integer():
    config = GameConfig(60, window_radius=4, vocab_size=26)
    counts = counts_of(config, lambda window: np.full((len(window), 3), 4, dtype=np.int16), 2_000)
    rng = np.random.default_rng(0)
    values = tuple(map(str, rng.permutation(60)))
    lifts, often = rng.normal(size=(8, 26, 60)), np.full(26, 900)
    many = [HeatMap(0, i, np.arange(26), often, values, lift, 1.0) for i, lift in enumerate(lifts)]
    figures = heat_figures(many, build_dictionary(counts), 0)
    assert sum(len(figure.axes) for figure in figures) == len(many)
    for figure in figures:
        width, height = figure.get_size_inches()
        assert width <= 7
        assert height <= 9
        figure.draw_without_rendering()
        for axis in figure.axes:
            ticks = [*axis.xaxis.get_ticklabels(), *axis.xaxis.get_ticklabels(minor=True)]
            assert {each.get_position()[0]: each.get_text() for each in ticks} == dict(enumerate(values))
            lines = axis.xaxis.get_ticklabels(), axis.xaxis.get_ticklabels(minor=True)
            boxes = [[each.get_window_extent() for each in line] for line in lines]
            assert all(a.x1 <= b.x0 for line in boxes for a, b in itertools.pairwise(line))
            assert axis.get_xlabel().startswith("the integer ")


def test_grey_cells_of_single_integers_have_names_and_a_line_crosses_guesses():
    maps = maps_of(counted("oracle"), built("oracle"))
    single = next(each for each in maps.maps if not each.of_pair)
    single.begun[:] = 0
    grey = replace(maps, maps=(single,))
    grey.__dict__["colours"] = dict.fromkeys(maps.colours, GREY)
    [axis] = map_figure(grey).axes
    firsts = single.symbols(maps.messages, 0)
    assert {text.get_text() for text in axis.texts} == {maps.names[i] for i in firsts[firsts >= 0]}
    [guesses] = axis.collections
    assert len(guesses.get_segments()) == np.count_nonzero(firsts >= 0)


def test_text_of_an_svg_is_text(tmp_path):
    [svg, _] = write_figures(tmp_path, {"map": map_figure(maps_of(counted("bands"), built("bands")))}, "", "")
    assert ">the integer one right</text>" in svg.read_text("utf-8")


def test_bars_are_never_longer_than_what_is_possible():
    prefixes, dictionary = prefixes_of(counted("bands"), built("bands")), built("bands")
    [axis] = bits_figure(prefixes, dictionary).axes
    ends = {}
    for bar in axis.patches:
        place = round(bar.get_y() + bar.get_height() / 2)
        ends.setdefault(place, []).append(bar.get_x() + bar.get_width())
    assert len(ends) == 4  # the symbols, two offsets, the edge
    for *others, most in ends.values():
        assert all(end <= most + 1e-9 for end in others)


def test_the_map_in_the_readme_is_drawn_from_the_bundled_pair(tmp_path):
    path = ROOT / "docs" / "images" / "draw.py"
    spec = importlib.util.spec_from_file_location("draw", path)
    draw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw)
    draw.draw_map().savefig(tmp_path / "map.png", dpi=100)
    with Image.open(tmp_path / "map.png") as one, Image.open(path.parent / "map.png") as other:
        assert one.size == other.size
        difference = np.abs(np.asarray(one.convert("RGB")).astype(int) - np.asarray(other.convert("RGB")))
    assert (difference.max(axis=2) <= 16).mean() > 0.97
    assert path.with_name("map.png").stat().st_size < 60_000
