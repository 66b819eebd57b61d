"""Asking receivers of which is known what they understand, and which symbol of a message they mind."""

import json
from collections import Counter

import numpy as np
import pytest
from helpers.scripted import Scripted, dictionary_of, integers_at, silent

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import RandomReceiver
from spatial_game.language import probing
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import UNKNOWN
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.probing import WHOLE, exchange_symbols, probe, understanding
from spatial_game.language.significance import holm

CONFIG = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)
ABSENT = 11
SYNONYMS = 4  # the symbols k and k + 4 say the same


def sides(window):
    """What the two symbols say: the band of the integer one left, and the remainder of that one right."""
    left, right = integers_at(CONFIG, window, -1, 1)
    return np.column_stack([np.where(left < 0, ABSENT, left // 3), np.where(right < 0, ABSENT, right % 4)])


def say(window):
    """Speak with either synonym, at random, but the same for the same windows."""
    said = sides(window)
    second = np.random.default_rng(0).integers(0, 2, said.shape)
    return np.where(said == ABSENT, said, said + SYNONYMS * second).astype(np.int16)


def meant(messages):
    return np.where(messages == ABSENT, messages, messages % SYNONYMS)


class Listener:
    """Chooses the first candidate beside which the symbols that it minds are true."""

    def __init__(self, minds):
        self.minds, self.asked = minds, []

    def choose(self, messages, sequence, candidates):
        self.asked.append((messages, sequence))
        fits = np.ones(candidates.shape, dtype=bool)
        for i, candidate in enumerate(candidates.T):
            here = sides(columns_of(CONFIG).around(sequence, candidate)) == meant(messages)
            fits[:, i] = here[:, self.minds].all(axis=1)
        return np.where(fits.any(axis=1), fits.argmax(axis=1), candidates.shape[1] - 1)


@pytest.fixture(scope="module")
def dictionary():
    return dictionary_of(CONFIG, say)


@pytest.mark.parametrize("minds", [(0, 1), (0,), (1,)])
def test_only_symbols_that_the_receiver_minds_make_a_difference(dictionary, minds):
    episodes, receiver = draw_episodes(CONFIG, 1_500, np.random.default_rng(0)), Listener(minds)
    messages = say(episodes.window)
    found = exchange_symbols(receiver, dictionary, messages, episodes, np.random.default_rng(1))
    for each in (each for each in found if not each.new):
        assert each.unchanged.trials == each.true.trials == each.false.trials > 800
        assert each.true == each.unchanged
        effect = each.true.accuracy - each.false.accuracy
        assert effect > 0.3 if each.slot - 1 in minds else effect == 0
        assert each.difference.value == pytest.approx(effect)
        assert each.difference.p_value < 1e-9 if each.slot - 1 in minds else each.difference.p_value == 1
        assert each.difference.trials == each.true.trials


def test_true_and_false_symbols_both_make_new_messages_or_both_make_known_ones():
    dictionary, receiver = dictionary_of(CONFIG, say, 120), Listener((0, 1))
    episodes = draw_episodes(CONFIG, 300, np.random.default_rng(0))
    found = exchange_symbols(receiver, dictionary, say(episodes.window), episodes, np.random.default_rng(1))
    assert [(each.slot, each.new) for each in found] == [(1, False), (1, True), (2, False), (2, True)]
    for number, (messages, _) in enumerate(receiver.asked[1:]):
        exchanged = found[number // 2]
        assert len(messages) == exchanged.true.trials > 20
        assert ((dictionary.rows(messages) == UNKNOWN) == exchanged.new).all()


def test_one_symbol_is_exchanged_for_a_true_or_a_false_one(dictionary):
    episodes, receiver = draw_episodes(CONFIG, 300, np.random.default_rng(0)), Listener((0, 1))
    exchange_symbols(receiver, dictionary, say(episodes.window), episodes, np.random.default_rng(1))
    (own, _), *asked = receiver.asked
    assert (own == say(episodes.window)).all()
    rows = {tuple(sequence): i for i, sequence in enumerate(episodes.sequence.tolist())}
    for number, (messages, sequence) in enumerate(asked):
        slot, false = divmod(number, 2)
        before = own[[rows[tuple(each)] for each in sequence.tolist()]]
        assert (messages[:, slot] != before[:, slot]).all()
        every = {*range(2 * SYNONYMS), ABSENT} if false else {*range(2 * SYNONYMS)}
        assert {*messages[:, slot].tolist()} == every  # the first and the last of the vocabulary, too
        assert (messages[:, 1 - slot] == before[:, 1 - slot]).all()
        assert ((meant(messages) == meant(before))[:, slot] != false).all()


# --- The probe ----------------------------------------------------------------------------------------------

GAMES = [
    GameConfig(30, window_radius=3, vocab_size=52),
    GameConfig(25, num_integers=40, window_radius=1, num_distractors=9, vocab_size=52, message_length=4),
    GameConfig(20, window_radius=1, vocab_size=60, message_length=1),
    GameConfig(20, num_visible=1),
    GameConfig(shape=(4, 4), window_radius=1),
]


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_the_oracle_speaks_and_is_read_in_games_of_every_shape(config):
    dictionary = dictionary_of(config, OracleSender(config).send, 8_000)
    episodes = draw_episodes(config, 500, np.random.default_rng(1))
    report = probe(OracleReceiver(config), dictionary, episodes, sender=OracleSender(config))
    assert report.own.accuracy == 1
    assert min(report.understood.accuracy, report.read.accuracy) > 0.99
    assert report.relative == report.understood.accuracy
    assert "of what the sender does." in str(report)
    json.dumps(report.to_dict())


def test_a_receiver_that_does_not_listen_is_at_chance(dictionary):
    episodes = draw_episodes(CONFIG, 4_000, np.random.default_rng(1))
    report, again = (
        probe(RandomReceiver(CONFIG, np.random.default_rng(2)), dictionary, episodes) for _ in range(2)
    )
    assert again.to_dict() == report.to_dict()
    assert report.understood.interval[0] < 0.25 < report.understood.interval[1]
    assert report.own is report.read is report.relative is None
    assert "Chance is 25%." in str(report)
    deaf = RandomReceiver(CONFIG, np.random.default_rng(2))
    assert "the dictionary reaches" not in str(probe(deaf, dictionary, episodes, sender=Scripted(say)))
    for each in (each for each in report.exchanges if not each.new):
        assert each.difference.interval[0] < 0 < each.difference.interval[1]
    rows = report.exchange_table.rows
    assert [row[2] for row in rows] == [n for each in report.exchanges if (n := each.true.trials) >= 30]
    for _, _, _, _, true, false, written, *_ in report.exchange_table.cells:
        difference = float(true.rstrip("%")) - float(false.rstrip("%"))
        assert float(written.removesuffix(" pp")) == pytest.approx(difference, abs=0.11)
    assert all(float(row[-1]) > 0.01 for row in rows)


def test_few_episodes_are_no_evidence_that_messages_are_ignored(dictionary):
    """This receiver uses messages; two episodes with a chance of one in four may be luck."""
    for count, is_shown in ((2, False), (200, True)):
        episodes = draw_episodes(CONFIG, count, np.random.default_rng(3))
        report = probe(Listener((0, 1)), dictionary, episodes, CONFIG, sender=Scripted(say))
        found = f"So {count} episodes do not show that it uses messages" in " ".join(report.sentences)
        assert found != is_shown
        assert ("the dictionary reaches" in " ".join(report.sentences)) == is_shown


def test_a_cap_on_the_exchanged_episodes_is_said(dictionary, monkeypatch):
    monkeypatch.setattr(probing, "MOST_EXCHANGES", 300)
    cap = "Symbols are exchanged in the first 300 episodes only."
    for size in 300, 301:
        episodes = draw_episodes(CONFIG, size, np.random.default_rng(1))
        assert (cap in str(probe(Listener((0,)), dictionary, episodes))) == (size == 301)


def test_p_values_of_the_table_are_adjusted_for_the_number_of_rows(dictionary):
    episodes = draw_episodes(CONFIG, 100, np.random.default_rng(1))
    report = probe(Listener((0,)), dictionary, episodes)
    raw = [each.difference.p_value for each in report.exchanges if each.true.trials >= 30]
    assert [row[-1] for row in report.exchange_table.rows] == pytest.approx(holm(raw))
    assert report.exchange_table.rows[0][-1] == pytest.approx(len(raw) * raw[0])


def test_what_says_nothing_is_not_exchanged_and_another_game_is_refused(dictionary):
    episodes = draw_episodes(CONFIG, 100, np.random.default_rng(1))
    report = probe(Listener((0, 1)), silent(CONFIG), episodes, sender=Scripted(say))
    assert report.exchange_table.rows == ()
    json.dumps(report.to_dict())
    with pytest.raises(ValueError, match="config must suit the dictionary: vocab_size"):
        probe(Listener((0, 1)), dictionary, episodes, GameConfig(12, window_radius=1, vocab_size=5))


def test_a_probe_without_episodes_says_so(dictionary):
    none = draw_episodes(CONFIG, 5, np.random.default_rng(0))[:0]
    for sender in (None, OracleSender(CONFIG)):
        report = probe(OracleReceiver(CONFIG), dictionary, none, sender=sender)
        assert report.sentences == [
            "No episode was played, so nothing is known of the receiver. Chance is 25%."
        ]
        assert "nan" not in f"{report} {report.understood}"
        assert "NaN" not in json.dumps(report.to_dict())


# --- One message ----------------------------------------------------------------------------------------


class Favourite:
    """Chooses the candidate that has integer 3 on its left, or else one that is the first."""

    def choose(self, messages, sequence, candidates):
        place = (sequence[:, None] == candidates[:, :, None]).argmax(axis=2)
        left = np.take_along_axis(sequence, np.maximum(place - 1, 0), axis=1)
        liked = 2 * ((left == 3) & (place > 0)) + (place == 0)
        return liked.argmax(axis=1)


def test_what_a_receiver_makes_of_a_message_is_counted_as_one_would_by_hand():
    episodes = draw_episodes(CONFIG, 1_500, np.random.default_rng(0))
    message = np.zeros(2, np.int16)
    offered, chosen = Counter(), Counter()
    choices = Favourite().choose(None, episodes.sequence, episodes.candidates)
    for sequence, candidates, choice in zip(episodes.sequence, episodes.candidates, choices, strict=True):
        for number, candidate in enumerate(candidates):
            place = sequence.tolist().index(candidate)
            kinds = [{0: "it is the first", 11: "it is the last"}.get(place, "it is not near an end")]
            if place > 0:
                kinds.append(f"{sequence[place - 1]} one left")
            offered.update(kinds)
            chosen.update(kinds if number == choice else [])
    found = understanding(Favourite(), message, episodes, CONFIG)
    rows = {row["candidate"]: row for row in found.records()}
    assert next(iter(rows)) == "3 one left"
    assert "it is the first" in rows
    shares = [row["chosen"] for row in rows.values()]
    assert shares == sorted(shares, reverse=True)
    for name, row in rows.items():
        if name in offered:
            assert (row["offered"], row["chosen"]) == (offered[name], chosen[name] / offered[name])
    assert rows["3 one left"]["chosen"] == 1


def test_what_follows_from_a_row_is_left_out():
    """Two left of the target stands an integer only if the target is the last, as windows end there."""

    class PrefersTheLast:
        def choose(self, messages, sequence, candidates):
            return (candidates == sequence[:, -1:]).argmax(axis=1)

    episodes = draw_episodes(CONFIG, 4_000, np.random.default_rng(0))
    found = understanding(PrefersTheLast(), np.zeros(2, np.int16), episodes, CONFIG).records()
    assert [row["candidate"] for row in found] == ["it is the last"]


def test_a_receiver_that_does_not_listen_shows_nothing():
    episodes = draw_episodes(CONFIG, 1_000, np.random.default_rng(0))
    deaf = RandomReceiver(CONFIG, np.random.default_rng(1))
    assert understanding(deaf, np.zeros(2, np.int16), episodes, CONFIG).rows == ()


def test_a_reading_of_two_offsets_has_a_row_of_its_own(dictionary):
    episodes = draw_episodes(CONFIG, 5_000, np.random.default_rng(0))
    message = np.array([0, 1], np.int16)
    [reading] = interpreter(dictionary).read(message[None])
    whole, *others = understanding(Listener((0, 1)), message, episodes, CONFIG, reading).records()
    assert (whole["candidate"], whole["chosen"]) == (WHOLE, 1)
    fit = []
    for sequence, candidates in zip(episodes.sequence, episodes.candidates, strict=True):
        around = (columns_of(CONFIG).around(sequence[None], candidates[[i]]) for i in range(4))
        fit.append(sum((sides(window) == message).all() for window in around))
    assert whole["offered"] == fit.count(1)
    assert {row["candidate"] for row in others} >= {"0 one left", "1 one right"}
    assert all(row["chosen"] < 1 for row in others)
