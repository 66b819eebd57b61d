"""Translation between senders whose words are known."""

from dataclasses import replace

import numpy as np
import pytest
from scripted import both_sides, dictionary_of, silent

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
    one = dictionary_of(config, both_sides(config), 500)
    other = dictionary_of(config, lambda window: both_sides(config)(window)[:, :1] // [1, 2], 500)
    messages = np.concatenate([both_sides(config)(windows), [[9, 9]]])  # the last one is unknown
    p, meant, views = one.tables(messages), other.tables(other.messages), columns_of(config).views
    for row, translated in enumerate(translate(messages, one, other)):
        score = np.zeros(len(other.messages))
        for number in range(len(score)):
            agreed = {
                variable: p[variable][row] * meant[variable][number] / other.variables[variable].prior
                for variable in p.keys() & meant.keys()
            }
            for view, offsets in enumerate(views.offsets.tolist()):
                product = agreed[len(config.offsets)][view]
                for offset in agreed.keys() & {*offsets}:
                    product *= agreed[offset].sum()
                score[number] += product
        score *= other.episodes / other.episodes.sum()
        assert score[(other.messages == translated).all(axis=1)] == pytest.approx(score.max())


def test_cells_that_are_seen_in_turn_are_translated():
    """Whoever sees one cell of four says which, and what stands there."""
    config = CONFIG.changed(window_radius=2, num_visible=1)

    def say(window):
        shown = columns_of(config).at_offsets(window)
        return np.column_stack([(shown >= 0).argmax(axis=1), shown.max(axis=1)])

    one = dictionary_of(config, say, 5_000)
    other = dictionary_of(config, lambda window: 15 - say(window)[:, ::-1], 5_000)
    said = say(draw_episodes(config, 500, np.random.default_rng(1)).window)
    assert np.mean((translate(said, one, other) == 15 - said[:, ::-1]).all(axis=1)) > 0.97


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
    with pytest.raises(ValueError, match=r"languages must be of one game to be translated; got L8 w1 c3 .*"):
        translate(np.ones((3, 2), dtype=int), one, other)
    with pytest.raises(ValueError, match="messages must"):
        translate(np.full((3, 2), 16), one, one)
    with pytest.raises(TypeError, match="dictionary must"):
        translate(np.ones((3, 2), dtype=int), one, CONFIG)
