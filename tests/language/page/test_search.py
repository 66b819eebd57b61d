"""What whole messages mean, how sure that is, and for which windows they were sent."""

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender
from spatial_game.language import Lexicon, count
from spatial_game.language.counting.places import EDGE, edge_names
from spatial_game.language.meaning import Meaning
from spatial_game.language.page import sketch
from spatial_game.language.page.search import NEAR, named_by, readings
from spatial_game.language.page.sentences import sections
from spatial_game.language.players.reading import UNREAD, read_message
from spatial_game.recording import Recording, record

CONFIG = GameConfig(sequence_length=20)


def spoken(noise=0.0, number=4_000):
    rng = np.random.default_rng(1)
    episodes = draw_episodes(CONFIG, number, rng)
    found = record(OracleSender(CONFIG), OracleReceiver(CONFIG), episodes, CONFIG)
    other = found.message[rng.permutation(len(found.message))]
    return Recording(CONFIG, found.window, np.where(rng.random((number, 1)) < noise, other, found.message))


def test_each_reading_has_the_share_in_which_it_is_true():
    recording = spoken(noise=0.2)
    counts = count(recording)
    lexicon = Lexicon.from_counts(counts)
    found = readings(counts, lexicon)
    assert [each.episodes for each in found] == sorted(counts.message_totals.tolist(), reverse=True)
    for each in found[:40]:
        windows = recording.window[(recording.message == each.message).all(axis=1)]
        assert len(windows) == each.episodes
        assert each.windows == tuple(map(tuple, windows[:3].tolist()))
        statements = read_message(lexicon, each.message)
        if each.says == UNREAD:
            assert each.share is None
            continue
        true = [all(s.holds(window, CONFIG) for s in statements) for window in windows[:200]]
        assert each.share == sum(true) / len(true)
    assert min(each.share for each in found if each.share is not None) < 1


def test_what_is_named_is_found_by_its_place():
    one, two, end = Meaning(-1, (3, 4)), Meaning(2, (7,)), Meaning(EDGE, ("end",))
    left, right = CONFIG.offsets.index(-1), CONFIG.offsets.index(2)
    assert named_by([(one,)], CONFIG) == ((left, (3, 4)),)
    assert named_by([(one, two)], CONFIG) == ((left, (3, 4)), (right, (7,)))
    assert named_by([(one,), (end,)], CONFIG) == ((left, (3, 4)), (EDGE, (edge_names(CONFIG).index("end"),)))
    assert named_by([(Meaning(None, (5,)),), (Meaning(1, ()),)], CONFIG) == ((NEAR, (5,)),)


def test_a_language_that_a_page_cannot_teach_is_told_in_the_first_line():
    rng = np.random.default_rng(2)
    window = draw_episodes(CONFIG, 20_000, rng).window
    order = np.argsort(window, axis=1, kind="stable")[:, :3]  # told of all cells together
    said = sections(sketch(count(Recording(CONFIG, window, order.astype(np.int16)))))[0].sentences
    assert "teach" in said[0]
