"""Translation between senders whose words are known."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.scripted import both_sides, dictionary_of, silent

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import translate
from spatial_game.language.counting.columns import columns_of

CONFIG = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=16, message_length=2)
WINDOWS = draw_episodes(CONFIG, 500, np.random.default_rng(1)).window


def renamed(window):
    """The same as `both_sides` with other symbols, and the sides in the other order."""
    return 15 - both_sides(CONFIG)(window)[:, ::-1]


def test_other_words_for_the_same_are_found_and_found_back():
    one, other = dictionary_of(CONFIG, both_sides(CONFIG), 20_000), dictionary_of(CONFIG, renamed, 20_000)
    said, meant = both_sides(CONFIG)(WINDOWS), renamed(WINDOWS)
    assert np.mean((translate(said, one, other) == meant).all(axis=1)) > 0.97
    assert np.mean((translate(meant, other, one) == said).all(axis=1)) > 0.97
    assert np.mean((translate(said, one, one) == said).all(axis=1)) > 0.97


@pytest.mark.parametrize("num_visible", [None, 1])
def test_a_translation_is_the_likeliest_message_by_the_formula(num_visible):
    """Cells that the sender does not see say nothing, so the sum is over what it may have seen."""
    config = replace(CONFIG, num_visible=num_visible)
    windows = draw_episodes(config, 20, np.random.default_rng(1)).window

    def largest(window):
        return window.max(axis=1)[:, None].repeat(2, axis=1)

    def mostly_its_cell(window):
        names_cell = np.random.default_rng(2).random(len(window)) < 0.8
        return np.column_stack([np.where(names_cell, window.argmax(axis=1), 3), window.max(axis=1)])

    one, other = dictionary_of(config, largest, 2_000), dictionary_of(config, mostly_its_cell, 2_000)
    messages = np.concatenate([largest(windows), [[9, 9]]])  # the last one is unknown
    p, meant, views = one.tables(messages), other.tables(other.messages), columns_of(config).views
    seen, heard = (tables.pop(len(config.offsets), views.share[None]) for tables in (p, meant))
    for row, translated in enumerate(translate(messages, one, other)):
        score = other.episodes / other.episodes.sum()
        for number in range(len(score)):
            of_views = seen[row % len(seen)] * heard[number % len(heard)] / views.share
            for view, offsets in enumerate(views.offsets.tolist()):
                for offset in p.keys() & meant.keys() & {*offsets}:
                    of_views[view] *= 8 * p[offset][row] @ meant[offset][number]
            score[number] *= of_views.sum()
        assert score[(other.messages == translated).all(axis=1)] == pytest.approx(score.max())


def test_a_language_of_longer_messages_can_be_translated():
    longer = CONFIG.changed(message_length=3, vocab_size=20)
    other = dictionary_of(longer, lambda window: both_sides(CONFIG)(window)[:, [1, 0, 0]] + 10, 20_000)
    said = both_sides(CONFIG)(WINDOWS)
    found = translate(said, dictionary_of(CONFIG, both_sides(CONFIG), 20_000), other)
    assert np.mean((found == said[:, [1, 0, 0]] + 10).all(axis=1)) > 0.97


def test_what_says_nothing_becomes_the_most_frequent_message():
    other = dictionary_of(CONFIG, both_sides(CONFIG))
    found = translate(np.ones((3, 2), dtype=int), silent(CONFIG), other)
    assert (found == other.messages[other.episodes.argmax()]).all()


def test_languages_of_other_games_and_other_things_are_refused():
    one, other = silent(CONFIG), silent(GameConfig(8, window_radius=1, num_distractors=3))
    with pytest.raises(ValueError, match=r"languages to be translated must be of one game; got L8 w1 c3 .*"):
        translate(np.ones((3, 2), dtype=int), one, other)
    with pytest.raises(ValueError, match="messages must"):
        translate(np.full((3, 2), 16), one, one)
    with pytest.raises(TypeError, match="dictionary must"):
        translate(np.ones((3, 2), dtype=int), one, CONFIG)
