"""Maps of known languages that change over the frames."""

import numpy as np
import pytest
from changing_language import EPISODES, GAME, INTEGER, LEFT, MESSAGES, NEW, PLACE

from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.columns import integers_at_offsets
from spatial_game.language.film.maps import map_frames
from spatial_game.language.sketch.usual import NONE


def slow_map(message):
    """Return the message that is sent most often for each integer at each offset; None for no episode."""
    table = {}
    for integer, place, sent in zip(INTEGER, PLACE, message.tolist(), strict=True):
        table.setdefault((integer, place), []).append(tuple(sent))
    return {cell: max(sorted(set(all_)), key=all_.count) for cell, all_ in table.items()}


def test_every_frame_is_the_map_of_the_slow_twin():
    found = map_frames(GAME, EPISODES.window, MESSAGES[None], (0, 1))
    assert found.kind == "columns"
    assert found.message.shape == (1, len(MESSAGES), 8, len(found.offsets))
    for frame, message in enumerate(MESSAGES):
        expected = slow_map(message)
        for (integer, column), row in np.ndenumerate(found.message[0, frame]):
            place = GAME.offsets.index(found.offsets[column])
            said = None if row == NONE else tuple(found.messages[row].tolist())
            assert said == expected.get((integer, place))
    assert found.share[found.message >= 0].min() == 1
    assert found.episodes.sum() == len(INTEGER)


def test_a_message_has_one_colour_in_all_frames_and_a_cell_that_changes_another():
    found = map_frames(GAME, EPISODES.window, MESSAGES[None], (0, 1))
    sent = found.message >= 0
    pairs = set(zip(found.message[sent].tolist(), found.colour[sent].tolist(), strict=True))
    assert len(pairs) == len(found.messages)
    column = found.offsets.index(GAME.offsets[LEFT])
    colours = found.colour[0, :, 3, column].tolist()
    assert colours[2] == colours[3] != colours[1]
    assert found.messages[found.message[0, 2, 3, column]].tolist() == NEW.tolist()


def test_the_best_frame_chooses_the_kind():
    silent_best = map_frames(GAME, EPISODES.window, MESSAGES[None], (0, 0))
    assert silent_best.kind == "symbols"
    assert silent_best.messages.shape[1] == 1


@pytest.mark.parametrize(("second", "kind"), [(False, "strip"), (True, "square")])
def test_messages_about_the_same_cells_have_a_strip_or_a_square(second, kind):
    from spatial_game.config import GameConfig

    game = GameConfig(sequence_length=8, window_radius=1, num_distractors=3)
    episodes = draw_episodes(game, 4_000, np.random.default_rng(0))
    seen = integers_at_offsets(game, episodes.window)
    left, right = (seen[:, game.offsets.index(offset)] + 1 for offset in (-1, 1))
    message = np.column_stack([left, right if second else 0 * left, 0 * left]).astype(np.int16)
    found = map_frames(game, episodes.window, np.stack([0 * message, message])[None], (0, 1))
    assert found.kind == kind
    assert len(found.offsets) == 1 + second
    rows, columns = 8, 8 if second else 1
    assert found.message.shape == (1, 2, rows, columns)
    assert len(np.unique(found.message[0, 0])) <= 2  # one message, and none for an integer beside itself
    assert found.colour.min() >= NONE
