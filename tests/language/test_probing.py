"""Asking receivers of which is known what they understand, and which part of a message they mind."""

import itertools
import json

import numpy as np
import pytest
from lexicons import entry, lexicon_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes, window_around
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import RandomReceiver
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import EDGE
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.lexicon.meaning import Meaning
from spatial_game.language.players import Composer, Decoder
from spatial_game.language.probing import EXCHANGED, exchange_parts, probe
from spatial_game.recording import record

CONFIG = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)
BANDS = [tuple(range(start, start + 3)) for start in range(0, 12, 3)]
SETS = [(0, 4, 8), (1, 5, 9), (2, 6, 10), (3, 7, 11)]


class Recorder:
    """Chooses by the first symbol, and keeps what it is asked with."""

    def __init__(self):
        self.asked = []

    def choose(self, messages, sequence, candidates):
        self.asked.append((messages, sequence))
        return messages[:, 0] % 2


def language(left, right):
    """Whole messages: the number of a set one left, then that of a set one right."""
    meanings = itertools.product(enumerate(left), enumerate(right))
    return lexicon_of(
        CONFIG,
        [entry([a, b], 0, (Meaning(-1, one), Meaning(1, other)), count=300, confidence=0.99)
         for (a, one), (b, other) in meanings],
    )  # fmt: skip


class Listener:
    """Chooses the first candidate whose neighbours are in the sets of the symbols that it minds."""

    def __init__(self, sets, minds):
        self.sets, self.minds = sets, minds

    def choose(self, messages, sequence, candidates):
        fits = np.ones(candidates.shape, dtype=bool)
        for i, candidate in enumerate(candidates.T):
            position = (sequence == candidate[:, None]).argmax(axis=1)
            window, mask = window_around(CONFIG, sequence, position)
            for slot in self.minds:
                cell = mask + (-1, 1)[slot]
                inside = (cell >= 0) & (cell < window.shape[1])
                value = window[np.arange(len(window)), np.where(inside, cell, 0)]
                meant = np.array(self.sets[slot])[messages[:, slot] % len(self.sets[slot])]
                fits[:, i] &= inside & (meant == value[:, None]).any(axis=1)
        return np.where(fits.any(axis=1), fits.argmax(axis=1), candidates.shape[1] - 1)


@pytest.mark.parametrize(
    ("minds", "band", "some"), [((0, 1), True, True), ((0,), True, False), ((1,), False, True)]
)
def test_only_what_the_receiver_minds_makes_a_difference(minds, band, some):
    lexicon = language(BANDS, SETS)
    episodes = draw_episodes(CONFIG, 1_500, np.random.default_rng(0))
    found = exchange_parts(
        Listener([BANDS, SETS], minds), Composer(lexicon), episodes, np.random.default_rng(1)
    )
    assert list(found) == list(EXCHANGED)
    for kind, minded in (("band", band), ("set", some)):
        part = found[kind]
        assert part.agreeing.trials == part.disagreeing.trials > 800
        effect = part.agreeing.accuracy - part.disagreeing.accuracy
        assert effect > 0.4 if minded else abs(effect) < 0.05
    assert found["class"].agreeing.trials == 0
    assert found["edge"].agreeing.trials == 0


def test_an_offset_is_exchanged_where_messages_name_the_same_integer_at_two():
    entries = [
        entry([k, side], 0, Meaning(offset, (k,)), count=300)
        for k in CONFIG.integers
        for side, offset in ((0, -1), (1, 1))
    ]
    lexicon = lexicon_of(CONFIG, entries)
    episodes = draw_episodes(CONFIG, 600, np.random.default_rng(0))

    class Reader:
        def choose(self, messages, sequence, candidates):
            place = (sequence == messages[:, :1]).argmax(axis=1) + np.where(messages[:, 1] == 0, 1, -1)
            target = sequence[np.arange(len(sequence)), place.clip(0, 11)]
            there = candidates == target[:, None]
            return np.where(there.any(axis=1), there.argmax(axis=1), 0)

    found = exchange_parts(Reader(), Composer(lexicon), episodes, np.random.default_rng(1))
    for kind in ("integer", "offset"):
        assert found[kind].agreeing.trials > 400
        assert found[kind].agreeing.accuracy == 1
        assert found[kind].disagreeing.accuracy < 0.4


def test_the_messages_differ_in_one_part_alone_of_the_same_kind():
    left, edge = [*BANDS[:2], *SETS[2:]], entry([11, 11], 0, Meaning(EDGE, ("begin",)), count=300)
    lexicon = lexicon_of(CONFIG, [*language(left, SETS).entries, edge])
    receiver, episodes = Recorder(), draw_episodes(CONFIG, 400, np.random.default_rng(0))
    exchange_parts(receiver, Composer(lexicon), episodes, np.random.default_rng(1))
    windows = {tuple(s): w for s, w in zip(episodes.sequence.tolist(), episodes.window.tolist(), strict=True)}

    def untrue(message, cells):
        mask = cells.index(MASK)
        sides = [(left[message[0]], mask - 1), (SETS[message[1]], mask + 1)]
        return [not (0 <= at < 3 and cells[at] in values) for values, at in sides]

    assert len(receiver.asked) == 4  # bands and sets, each with a true and with a false part
    for (true, sequence), (false, _) in (receiver.asked[:2], receiver.asked[2:]):
        for one, other, row in zip(true.tolist(), false.tolist(), sequence.tolist(), strict=True):
            wrong = untrue(other, windows[tuple(row)])
            assert (sum(untrue(one, windows[tuple(row)])), sum(wrong)) == (0, 1)
            assert not wrong[0] or (one[0] < 2) == (other[0] < 2)


def test_a_probe_of_a_description_says_what_is_spoken_and_read():
    lexicon = language(BANDS, SETS)

    class Sender:
        def send(self, window):
            return Composer(lexicon).compose(window).message.clip(0)

    episodes = draw_episodes(CONFIG, 800, np.random.default_rng(0))
    report = probe(Listener([BANDS, SETS], (0, 1)), lexicon, episodes, sender=Sender())
    composed = Composer(lexicon).compose(episodes.window)
    assert report.coverage.accuracy == pytest.approx(composed.coverage)
    assert 0.9 < report.relative <= 1
    assert report.read_right.trials == report.read_unique.successes
    assert report.read_right.accuracy > 0.95  # where nothing can be said, this sender says what is false
    assert "a band of integers" in str(report)


def test_a_game_can_have_more_places_than_an_integer_has_bits():
    config = GameConfig(shape=(4, 4, 4), window_radius=1, vocab_size=32, message_length=2)
    offsets = (config.offsets[0], config.offsets[len(config.offsets) // 2], config.offsets[-1])
    words = itertools.product(range(32), enumerate(offsets))
    lexicon = lexicon_of(
        config,
        [
            entry([n, slot], 0, (Meaning(offset, (n,)),), count=300, confidence=0.99)
            for n, (slot, offset) in words
        ],
    )
    episodes = draw_episodes(config, 500, np.random.default_rng(0))
    deaf = RandomReceiver(config, np.random.default_rng(2))
    found = exchange_parts(deaf, Composer(lexicon), episodes, np.random.default_rng(1))
    assert found["integer"].agreeing.trials > 0
    assert found["offset"].agreeing.trials > 0


# --- The probe ----------------------------------------------------------------------------------------------

GAMES = [
    GameConfig(30, window_radius=3, vocab_size=52),
    GameConfig(12, vocab_size=4, message_length=4),
    GameConfig(20, window_radius=1, vocab_size=60, message_length=1),
]


def oracle_lexicon(config):
    episodes = draw_episodes(config, 40_000, np.random.default_rng(0))
    counts = count(record(OracleSender(config), None, episodes, config))
    return dictionary_of(counts)


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_the_oracle_speaks_and_is_read_without_a_fault_in_games_of_every_shape(config):
    lexicon, episodes = oracle_lexicon(config), draw_episodes(config, 1_000, np.random.default_rng(1))
    report = probe(OracleReceiver(config), lexicon, episodes, sender=OracleSender(config))
    assert report.understood.accuracy == report.own.accuracy == report.coverage.accuracy == 1
    messages = OracleSender(config).send(episodes.window)
    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    assert (decoded.choice == episodes.target_index).all()


def test_a_receiver_that_does_not_listen_is_at_chance():
    config, lexicon = GAMES[0], oracle_lexicon(GAMES[0])
    episodes = draw_episodes(config, 4_000, np.random.default_rng(1))
    report, again = (
        probe(RandomReceiver(config, np.random.default_rng(2)), lexicon, episodes) for _ in range(2)
    )
    assert again.to_dict() == report.to_dict()
    assert report.understood.interval[0] < 0.2 < report.understood.interval[1]
    assert report.own is report.relative is None
    assert "chance is 20%" in str(report)


def test_an_empty_lexicon_says_nothing_and_that_of_another_game_is_refused():
    lexicon, episodes = lexicon_of(GAMES[0], []), draw_episodes(GAMES[0], 100, np.random.default_rng(1))
    report = probe(OracleReceiver(GAMES[0]), lexicon, episodes)
    assert (report.coverage.successes, report.understood.successes, report.own) == (0, 0, None)
    assert all(part.agreeing.trials == 0 for part in report.exchanges.values())
    json.dumps(report.to_dict())
    with pytest.raises(ValueError, match="config must suit the lexicon: vocab_size"):
        probe(OracleReceiver(GAMES[1]), lexicon, episodes, GAMES[1])
