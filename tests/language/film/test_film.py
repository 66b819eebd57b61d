"""The figures of a film, from a reel of a known language that changes."""

import json

import numpy as np
import pytest
from changing_language import EPISODES, GAME, MESSAGES, lexicons

from spatial_game.language.film.film import Reel, film


@pytest.fixture(scope="module")
def shown():
    effects = np.full((2, 4, 2), np.nan)
    effects[0, 3] = 0.5, 0.25
    return film(
        Reel(
            GAME,
            "step",
            (0, 500, 1_000, 1_500),
            ("00", "01"),
            EPISODES.window,
            np.stack([MESSAGES, MESSAGES[[0, 1, 1, 1]]]),
            [lexicons(), [lexicons()[i] for i in (0, 1, 1, 1)]],
            np.array([[0.25, 0.9, 0.8, 0.7], [0.25, 0.9, 0.9, 0.9]]),
            effects,
        )
    )


def test_figures_are_measured_frame_by_frame(shown):
    first, second = shown.figures
    assert [each.accuracy for each in first] == [0.25, 0.9, 0.8, 0.7]
    assert first[0].kept is None
    changed = [(MESSAGES[f] != MESSAGES[f - 1]).any(axis=1).mean() for f in (1, 2, 3)]
    assert [each.kept for each in first[1:]] == pytest.approx([1 - share for share in changed])
    assert [each.kept for each in second[2:]] == [1, 1]
    assert first[0].message_bits == first[0].explained_bits == 0
    assert first[1].explained_bits == lexicons()[1].account.held_out_bits > 4
    assert (first[3].integer_effect, first[3].offset_effect) == (0.5, 0.25)
    assert first[0].integer_effect is None


def test_senders_agree_until_one_of_them_changes(shown):
    shares = shown.agreement[:, 0, 1].tolist()
    assert shares[:2] == [1, 1]
    assert 1 > shares[2] > shares[3]
    assert [of_frame[0].agreement for of_frame in shown.trees] == pytest.approx(shares)


def test_the_film_is_json_and_the_same_each_time(shown):
    content = json.dumps(shown.to_dict(), allow_nan=False)
    assert json.loads(content)["times"] == [0, 500, 1_000, 1_500]
    assert '"[20, 21, 22]"' in content
