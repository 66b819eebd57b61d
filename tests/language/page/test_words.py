"""What whole messages mean, how sure that is, for which windows they were sent, and what they name."""

import numpy as np
from lexicons import entry, lexicon_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language import count
from spatial_game.language.counting.counts import message_ids
from spatial_game.language.counting.places import EDGE, edge_names
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.lexicon.meaning import ANYWHERE, Meaning
from spatial_game.language.page.words import named_by, readings, window_in_words, word_lists
from spatial_game.language.reading import UNREAD, read_messages
from spatial_game.recording import Recording

CONFIG = GameConfig(sequence_length=20)


def test_each_reading_has_the_share_in_which_it_is_true():
    rng = np.random.default_rng(1)
    window = draw_episodes(CONFIG, 2_000, rng).window
    own = OracleSender(CONFIG).send(window)
    message = np.where(rng.random((len(own), 1)) < 0.2, own[rng.permutation(len(own))], own)
    counts = count(Recording(CONFIG, window, message))
    lexicon = dictionary_of(counts)
    found = readings(counts, lexicon, message_ids(counts, message), window)
    assert [each.episodes for each in found] == sorted(counts.message_totals.tolist(), reverse=True)
    for each in found[:40]:
        sent = np.array(each.form.split(), dtype=np.int16)
        windows = window[(message == sent).all(axis=1)]
        assert len(windows) == each.episodes
        assert each.windows == tuple(map(window_in_words, windows[:3].tolist()))
        [statements] = read_messages(lexicon, sent[None])
        if each.meaning == UNREAD:
            assert each.share is None
            continue
        true = [all(s.true_of(window[None], CONFIG)[0] for s in statements) for window in windows[:200]]
        assert each.share == sum(true) / len(true)
    assert min(each.share for each in found if each.share is not None) < 1


def test_what_is_named_is_found_by_its_place():
    one, two, end = Meaning(-1, (3, 4)), Meaning(2, (7,)), Meaning(EDGE, ("end",))
    left, right = CONFIG.offsets.index(-1), CONFIG.offsets.index(2)
    last = len(CONFIG.offsets), (edge_names(CONFIG).index("end"),)
    assert named_by([(one, two), (end,)], CONFIG) == ((left, (3, 4)), (right, (7,)), last)
    assert named_by([(Meaning(None, (5,)),), (Meaning(1, ()),)], CONFIG) == ((ANYWHERE, (5,)),)


def test_entries_are_listed_in_both_directions():
    config = GameConfig(8, vocab_size=4, message_length=2)
    either = [Meaning(EDGE, ("begin",)), Meaning(2, (5,))]
    entries = [
        entry((1, 2), 0, Meaning(1, (4,)), confidence=0.5, count=50),
        entry((1, 2), 0, either, confidence=0.8, count=64),
        entry((3, 0), 0, Meaning(1, (4,)), confidence=1.0, count=70),
    ]
    found = word_lists(lexicon_of(config, entries))
    assert [(line.form, line.meaning, line.share, line.episodes) for line in found.entries] == [
        ("[1, 2]", "4 one right", 0.5, 100),
        ("[1, 2]", "the target is the first (40%) or 5 two right (40%)", 0.8, 80),
        ("[3, 0]", "4 one right", 1.0, 70),
    ]
    assert found.entries[0].says == (("4 one right", ((config.offsets.index(1), (4,)),)),)
    assert (found.homonyms, found.synonyms, found.classes) == (1, 1, ())
    [(form, share), (other, rest)] = found.meanings[0].forms
    assert (form, other, share + rest) == ("[3, 0]", "[1, 2]", 1)
