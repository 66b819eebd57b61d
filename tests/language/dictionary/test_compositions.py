"""Words for integers with words for offsets beside them."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import carrier_mask
from spatial_game.language.counting.places import EDGE, counts_by_place
from spatial_game.language.dictionary.compositions import compositions
from spatial_game.language.dictionary.patterns import patterns
from spatial_game.language.known import LANGUAGES
from spatial_game.recording import record

SHORT = GameConfig(sequence_length=10)


def read(name, num_episodes=5_000):
    """Return a known language, its messages, and the ways to read them."""
    language = LANGUAGES[name](SHORT, np.random.default_rng(0))
    episodes = draw_episodes(SHORT, num_episodes, np.random.default_rng(1))
    counts = count(record(language, None, episodes, SHORT))
    observed = counts_by_place(SHORT, counts.table)
    return language, counts, [*compositions(SHORT, counts.messages, observed, patterns(counts.messages))]


@pytest.mark.parametrize("name", ["compositional", "mixed-lengths", "polysemous", "slot-invariant"])
def test_words_and_offsets_are_found_at_slots_or_at_any_slot(name):
    language, counts, readings = read(name)

    def in_messages(entries):
        return {(carrier_mask([form], counts.messages).tobytes(), meaning) for form, meaning in entries}

    truth = in_messages((form, meaning) for form, [meaning] in language.truth if meaning.place != EDGE)
    parts = [in_messages((p.rule.form, p.rule.meaning) for p in reading.parts) for reading in readings]
    assert truth in parts


@pytest.mark.parametrize("name", ["edges-only", "bands"])
def test_messages_without_words_beside_offsets_are_not_read_as_such(name):
    assert read(name)[2] == []


def test_a_part_counts_the_episodes_in_which_it_is_true():
    _, counts, [reading, *_] = read("compositional")
    words = [part for part in reading.parts if part.rule.is_word]
    assert all(part.joint == part.total for part in reading.parts)  # without noise, they are always true
    assert sum(part.total for part in words) == counts.edges[:, -1].sum()
