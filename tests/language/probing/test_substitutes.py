"""Readers and speakers beside a pair: each figure counted again, one episode at a time."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.message_model import MessageModel
from spatial_game.language.players.statistical_players import StatisticalReader, StatisticalSpeaker
from spatial_game.language.probing.substitutes import compare_readers
from spatial_game.recording import record

CONFIG = GameConfig(20)


@pytest.fixture(scope="module")
def language():
    """Half of a lexicon, so that much is not covered, and a model of few messages."""
    sender = OracleSender(CONFIG)
    counts = count(record(sender, None, draw_episodes(CONFIG, 5_000, np.random.default_rng(0)), CONFIG))
    whole = Lexicon.from_counts(counts, threshold=0.4, select="npmi")
    half = Lexicon(CONFIG, whole.settings, whole.entries[::2], whole.signature)
    return sender, half, MessageModel.from_counts(counts)


def test_the_figures_are_what_one_counts(language):
    sender, lexicon, model = language
    episodes = draw_episodes(CONFIG, 400, np.random.default_rng(1))
    receiver = RandomReceiver(CONFIG, np.random.default_rng(2))
    report = compare_readers(sender, receiver, episodes, lexicon, {"statistics": model})
    again = RandomReceiver(CONFIG, np.random.default_rng(2))  # chooses the same, in the same order
    messages = sender.send(episodes.window)
    chosen = again.choose(messages, episodes.sequence, episodes.candidates)
    assert report.pair.successes == sum(chosen == episodes.target_index)

    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    rows = [i for i in range(400) if decoded.choice[i] >= 0]
    reader = report.readers["dictionary"]
    right = sum(decoded.choice[i] == episodes.target_index[i] for i in rows)
    assert 0 < len(rows) < 400
    assert (reader.coverage.successes, reader.coverage.trials) == (len(rows), 400)
    assert (reader.accuracy.successes, reader.accuracy.trials) == (right, len(rows))
    assert (reader.overall.successes, reader.overall.trials) == (right, 400)
    assert reader.agreement.successes == sum(decoded.choice[i] == chosen[i] for i in rows)
    assert reader.ambiguous.successes == sum(bool(decoded.ambiguous[i]) for i in rows)

    choice = StatisticalReader(model).choose(messages, episodes.sequence, episodes.candidates)
    assert report.readers["statistics"].accuracy.successes == sum(choice == episodes.target_index)
    said = StatisticalSpeaker(model).send(episodes.window)
    assert report.speakers["statistics"].same.successes == sum((said == messages).all(axis=1))
    assert report.speakers["statistics"].coverage.accuracy == 1


def test_statistics_cover_the_messages_that_were_counted(language):
    sender, lexicon, _ = language
    few = count(record(sender, None, draw_episodes(CONFIG, 40, np.random.default_rng(0)), CONFIG))
    episodes = draw_episodes(CONFIG, 500, np.random.default_rng(1))
    models = {"statistics": MessageModel.from_counts(few)}
    report = compare_readers(sender, OracleReceiver(CONFIG), episodes, lexicon, models)
    known = {tuple(row) for row in few.messages.tolist()}
    covered = sum(tuple(row) in known for row in sender.send(episodes.window).tolist())
    assert 0 < covered < 500
    assert report.readers["statistics"].coverage.successes == covered
    assert report.readers["statistics"].accuracy.trials == covered


def test_without_models_only_the_dictionary_reads(language):
    sender, lexicon, _ = language
    episodes = draw_episodes(CONFIG, 50, np.random.default_rng(1))
    report = compare_readers(sender, OracleReceiver(CONFIG), episodes, lexicon)
    assert list(report.readers) == ["dictionary"]
    assert report.speakers == {}
    assert report.pair.accuracy == 1
    assert report.to_dict()["readers"]["dictionary"]["coverage"]["n"] == 50


@pytest.mark.parametrize("length", [12, 30])
def test_a_language_is_read_in_sequences_of_another_length(language, length):
    """As `probe --force` does: the windows are those of the sequences that are played."""
    sender, lexicon, model = language
    played = GameConfig(length, num_integers=max(length, 20))
    episodes = draw_episodes(played, 300, np.random.default_rng(1))
    messages = sender.send(episodes.window)
    report = compare_readers(sender, OracleReceiver(CONFIG), episodes, lexicon, {"statistics": model})
    decoded = Decoder(lexicon, played).decode(messages, episodes.sequence, episodes.candidates)
    assert report.readers["dictionary"].accuracy.successes == sum(decoded.choice == episodes.target_index)
    assert report.readers["dictionary"].accuracy.accuracy > 0.6
    assert report.readers["statistics"].accuracy.accuracy > 0.6
