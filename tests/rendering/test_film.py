"""The film as a GIF, of a known language that changes."""

import numpy as np
import pytest
from changing_language import EPISODES, GAME, MESSAGES, lexicons
from PIL import Image, ImageColor

from spatial_game.language.film.film import Reel, film
from spatial_game.language.sketch.colours import PALETTE
from spatial_game.rendering.film import LAST_SECONDS, SECONDS, film_gif, picture


def shown(senders=1):
    return film(
        Reel(
            GAME,
            "step",
            (0, 500, 1_000, 1_500),
            tuple(f"{sender:02d}" for sender in range(senders)),
            EPISODES.window,
            np.stack([MESSAGES] * senders),
            [lexicons()] * senders,
            np.full((senders, 4), 0.5),
            np.full((senders, 4, 2), np.nan),
        )
    )


def test_a_gif_has_every_frame_and_waits_at_the_end(tmp_path):
    film_gif(tmp_path / "film.gif", shown())
    times = []
    with Image.open(tmp_path / "film.gif") as gif:
        for frame in range(gif.n_frames):
            gif.seek(frame)
            times.append(gif.info["duration"] / 1000)
    assert times == pytest.approx([SECONDS] * 3 + [LAST_SECONDS])


def test_cells_have_the_colours_of_the_map():
    made = shown()
    for frame in (1, 3):
        colours = made.maps.colour[0, frame]
        used = {ImageColor.getrgb(PALETTE[colour]) for colour in colours[colours >= 0].tolist()}
        pixels = {colour for _, colour in picture(made, frame).getcolors(1 << 20)}
        assert used <= pixels


def test_only_cells_that_change_are_drawn_in_another_way():
    made = shown()
    changed = (made.maps.colour[0, 2] != made.maps.colour[0, 3]).T
    assert changed.any(axis=1).sum() == 1  # in the row of one left
    before, after = (np.asarray(picture(made, frame))[60:140] for frame in (2, 3))
    rows = np.flatnonzero((before != after).any(axis=(1, 2)))
    assert len(rows) == pytest.approx(19, abs=1)


def test_a_population_has_a_map_for_each_of_four_senders():
    heights = [picture(shown(senders), 1).height for senders in (1, 2, 4, 5)]
    assert heights[1] - heights[0] == pytest.approx((heights[2] - heights[0]) / 3, abs=1)
    assert heights[3] == heights[2]
