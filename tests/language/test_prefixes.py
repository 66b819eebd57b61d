"""What the prefixes of messages tell, of languages that tests speak."""

import numpy as np
import pytest
from helpers.spoken import GAME, LANGUAGES, built, counted

from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.prefixes import bits_without_order, prefixes_of, with_messages
from spatial_game.recording import Recording


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("bands", "symbol by symbol"),
        ("address", "address"),
        ("wholes", "whole"),
        ("names", "symbol by symbol"),
    ],
)
def test_prefixes_tell_how_messages_are_built(name, how):
    prefixes = prefixes_of(counted(name), built(name))
    two = prefixes_of(with_two_symbols(name), build_dictionary(with_two_symbols(name)))
    assert two.built == how
    assert list(prefixes.bits) == sorted(prefixes.bits)
    assert sum(prefixes.added) == pytest.approx(prefixes.bits[-1])
    assert prefixes.bits[-1] == pytest.approx(built(name).bits.messages, abs=0.02)


def with_two_symbols(name):
    counts = counted(name)
    return with_messages(counts, counts.messages[:, :2])


def test_an_address_of_two_parts_tells_two_bits_and_two_more():
    first, second, third = prefixes_of(counted("address"), built("address")).added
    assert first == pytest.approx(2, abs=0.15)
    assert second == pytest.approx(2, abs=0.2)
    assert third == pytest.approx(0, abs=0.02)


def test_counts_of_cut_messages_are_those_of_cut_recordings():
    episodes = draw_episodes(GAME, 2_000, np.random.default_rng(1))
    sent = LANGUAGES["names"](episodes.window)
    cut = with_messages(
        count(Recording(GAME, episodes.window, sent)),
        count(Recording(GAME, episodes.window, sent)).messages[:, :1],
    )
    own = count(Recording(GAME.changed(message_length=1), episodes.window, sent[:, :1]))
    assert (cut.messages == own.messages).all()
    assert (cut.table != own.table).nnz == 0
    assert (cut.held_out != own.held_out).nnz == 0
    assert cut.config == own.config


def test_order_matters_where_slots_are_about_different_offsets():
    whole = built("names").bits.messages
    assert bits_without_order(counted("names"), built("names")) < 0.9 * whole
    unordered = built("one slot for both").bits.messages
    found = bits_without_order(counted("one slot for both"), built("one slot for both"))
    assert found == pytest.approx(unordered, abs=0.02)
