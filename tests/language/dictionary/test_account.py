"""The count in bits, against a program that has the file and the recording alone."""

import json

import bits_of_file
import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import EDGE
from spatial_game.language.dictionary.account import remainders
from spatial_game.language.dictionary.build import describe, dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.language.meaning import Meaning
from spatial_game.recording import Recording, record

SHORT = GameConfig(sequence_length=10)


@pytest.mark.parametrize("name", ["bands", "mixture", "slot-invariant"])
def test_the_file_and_the_recording_give_the_bits_of_the_account(name):
    language = LANGUAGES[name](SHORT, np.random.default_rng(0), noise=0.05)
    recording = record(language, None, draw_episodes(SHORT, 20_000, np.random.default_rng(1)), SHORT)
    lexicon = dictionary_of(count(recording))
    file = json.loads(json.dumps(lexicon.to_dict()))
    window, message = recording.window.tolist(), recording.message.tolist()
    bits = bits_of_file.explained(file, window, message)
    assert bits == pytest.approx(lexicon.account.explained_bits, abs=0.01)
    bits = bits_of_file.explained(file, window[9::10], message[9::10])
    assert bits == pytest.approx(lexicon.account.held_out_bits, abs=0.01)


@pytest.fixture(scope="module")
def edges():
    """A language of three messages: the two edges, and the middle."""
    config = GameConfig(
        sequence_length=4, num_integers=8, window_radius=1, num_distractors=1, message_length=1
    )
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    message = episodes.mask_column[:, None].astype(np.int16)
    return count(Recording(config, window=episodes.window, message=message))


def test_the_account_of_a_language_of_edges(edges):
    lexicon = dictionary_of(edges)
    account = lexicon.account
    share = edges.message_totals / edges.total
    exact = -float((share * np.log2(share)).sum())
    assert account.message_bits == pytest.approx(exact)
    assert exact == pytest.approx(1.5, abs=0.01)  # a quarter, a half, a quarter
    assert account.half_bits == pytest.approx(exact, abs=1e-3)
    # q0 has exact quarters; a rule of probability 0.99999 loses less than 1e-4 bits an episode.
    assert account.explained_bits == pytest.approx(1.5, abs=0.01)
    assert account.held_out_bits == pytest.approx(1.5, abs=0.05)
    assert account.by_place["edge"] == pytest.approx(account.explained_bits)
    assert sum(account.by_place.values()) == pytest.approx(account.explained_bits)
    found = {(entry.form.symbols, entry.meanings[0][0]) for entry in lexicon.listed}
    assert found == {((0,), Meaning(EDGE, ("begin",))), ((2,), Meaning(EDGE, ("end",)))}
    # A set of one of two edges, by its size and its member, and the share: 2 + 1 + 2 + 4 bits, and the form.
    costs = [entry.cost for entry in lexicon.listed] + [rule.cost for rule in lexicon.analysis.defaults]
    assert 1000 * account.kilobits == pytest.approx(sum(costs))
    assert all(9 <= entry.cost <= 13 for entry in lexicon.listed)
    assert all(entry.bits == pytest.approx(2, abs=0.02) for entry in lexicon.listed)


def test_what_is_left_unsaid_names_only_integers_that_were_seen_more_than_expected():
    sender = LANGUAGES["holistic"](SHORT, np.random.default_rng(0), noise=0.3)
    counts = count(record(sender, None, draw_episodes(SHORT, 3_000, np.random.default_rng(1)), SHORT))
    found = remainders(describe(counts).rules, counts)
    assert found
    assert all(share > 0 for each in found for _, share in each.seen)
    assert any(len(each.seen) < 6 for each in found)
