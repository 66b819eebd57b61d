"""Figures of Matplotlib, and the one that the README shows."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from helpers.spoken import built, counted
from PIL import Image

from spatial_game.language.pictures.chain import chain_of
from spatial_game.language.pictures.figures import chain_figure, heat_figure, map_colours, map_figure
from spatial_game.language.pictures.heat import heat_maps
from spatial_game.language.pictures.maps import IMPOSSIBLE, maps_of

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
    titles = [axis.get_title() for axis in heat_figure(heat, built(name)).axes]
    for each in heat:
        assert any(
            title.startswith(f"slot {each.slot + 1}: ") and f"{each.bits:.1f} bits" in title
            for title in titles
        )


def test_bars_are_never_longer_than_what_is_possible():
    chain, dictionary = chain_of(counted("bands"), built("bands")), built("bands")
    [axis] = chain_figure(chain, dictionary).axes
    ends = {}
    for bar in axis.patches:
        place = round(bar.get_y() + bar.get_height() / 2)
        ends.setdefault(place, []).append(bar.get_x() + bar.get_width())
    assert len(ends) == 4  # the chain, two offsets, the edge
    for most, *others in ends.values():
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
