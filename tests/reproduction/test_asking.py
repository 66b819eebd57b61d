"""What receivers are asked: phrases that are true, and others that are not; and what they understand."""

import numpy as np
from columns import column_meaning
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import entry, lexicon_of, lexicons
from reproductions import table_of

from spatial_game.config import GameConfig
from spatial_game.game.checks import check_episodes
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.places import EDGE, column_of, edge_names
from spatial_game.language.meaning import Meaning
from spatial_game.reproduction.asking import ask, make_true, shuffled
from spatial_game.reproduction.phrases import KINDS


@settings(max_examples=60, deadline=None)
@given(lexicons(), st.integers(0, 2**32 - 1))
def test_what_is_asked_is_true_in_its_episode_and_is_what_was_drawn(lexicon, seed):
    config, rng = lexicon.config, np.random.default_rng(seed)
    episodes = draw_episodes(config, 40, rng)
    for kind in KINDS:
        table = table_of(kind, lexicon)
        if len(table) == 0:
            continue
        asked, listed = ask(table, episodes, rng), table.entries
        check_episodes(config, asked.episodes)
        assert (asked.said.message >= 0).all()
        for row, (number, mate) in enumerate(table.parts[asked.phrase].tolist()):
            window = asked.episodes.window[row].tolist()
            column, word = window.index(-1), listed[number].meanings[0][0]
            if word.kind == "edge":
                assert (config.edges[column],) == word.values
                continue
            offset = word.place if word.kind == "integer_at" else listed[mate].meanings[0][0].place
            assert 0 <= column + offset < len(window)
            assert window[column + offset] in word.values
            meant = column_meaning(config, int(asked.column[row]))[1:]
            assert meant == (window[column + offset], offset)


def test_arranging_changes_nothing_else_of_the_distribution():
    """Where nothing is named, the targets and the neighbours are as random as before."""
    config = GameConfig(9, num_integers=12, window_radius=1, num_distractors=2)
    episodes = draw_episodes(config, 30_000, np.random.default_rng(0))
    column = np.full(len(episodes), column_of(config, config.offsets.index(1), 7))
    arranged = make_true(config, episodes, column, np.random.default_rng(1))
    places = np.bincount(arranged.target_position, minlength=9)
    assert (np.abs(places[:8] / len(episodes) - 1 / 8) < 0.01).all()
    assert places[8] == 0
    others = np.bincount(arranged.target, minlength=12)
    assert others[7] == 0
    assert (np.abs(np.delete(others, 7) / len(episodes) - 1 / 11) < 0.01).all()
    assert (np.abs(np.bincount(arranged.target_index) / len(episodes) - 1 / 3) < 0.01).all()
    column = np.full(len(episodes), column_of(config, len(config.offsets), edge_names(config).index("begin")))
    at_begin = make_true(config, episodes, column, np.random.default_rng(1))
    assert (at_begin.target_position == 0).all()
    assert np.array_equal(np.sort(at_begin.sequence), np.sort(episodes.sequence))


def test_shuffled_messages_say_something_else():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    names = [entry([0, 0, i], 0, Meaning(EDGE, ("begin",))) for i in range(3)] + [
        entry([1, 1, 1], 0, Meaning(EDGE, ("end",)))
    ]
    table = table_of("edge", lexicon_of(config, names))
    episodes = draw_episodes(config, 300, np.random.default_rng(0))
    asked = ask(table, episodes, np.random.default_rng(1))
    wrong = shuffled(table, asked, np.random.default_rng(2))
    said_begin = asked.said.message[:, 0] == 0
    assert (wrong[said_begin] == 1).all()
    assert (wrong[~said_begin, 0] == 0).all()
    one = table_of("edge", lexicon_of(config, names[:3]))
    asked = ask(one, episodes, np.random.default_rng(1))
    assert (shuffled(one, asked, np.random.default_rng(2)) == -1).all()


def test_a_message_that_says_two_things_is_no_floor_for_either():
    config = GameConfig(12, num_distractors=1, vocab_size=12)
    both = [entry([1, 2, 3], 0, Meaning(-1, (5,))), entry([1, 2, 3], 0, Meaning(1, (9,)))]
    episodes = draw_episodes(config, 300, np.random.default_rng(0))
    table = table_of("integer_at", lexicon_of(config, both))
    asked = ask(table, episodes, np.random.default_rng(1))
    assert (shuffled(table, asked, np.random.default_rng(2)) == -1).all()
    several = [
        entry([1, 1, 1], 0, Meaning(-1, (5, 6, 7))),
        entry([2, 2, 2], 0, Meaning(-1, (6, 7, 8))),
        entry([3, 3, 3], 0, Meaning(-1, (0,))),
    ]
    table = table_of("integer_at", lexicon_of(config, several))
    asked = ask(table, episodes, np.random.default_rng(1))
    wrong = shuffled(table, asked, np.random.default_rng(2))
    says = {e.form.symbols: e.meanings[0][0] for e in several}
    at = asked.episodes.target_position - 1
    left = asked.episodes.sequence[np.arange(300), at]
    assert (wrong >= 0).all()
    for message, integer in zip(wrong.tolist(), left.tolist(), strict=True):
        assert integer not in says[tuple(message)].values
