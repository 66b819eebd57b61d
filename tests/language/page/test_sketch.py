"""Sketches of known languages: what they must say, and what they must not say."""

import json
from dataclasses import replace
from functools import cache
from html import escape

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import values_at_places
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.language.page.html import page
from spatial_game.language.page.sections import BUILT, sections
from spatial_game.language.page.sketch import sketch
from spatial_game.recording import Recording, record

GAME = GameConfig()
EPISODES = 30_000
NEIGHBOURS = {offset: number for number, offset in enumerate(GAME.offsets)}
NOTHING = "There is nothing to learn"
WHOLES, PARTS, WORDS = (BUILT[kind][0] for kind in ("wholes", "parts", "words"))
VARYING = "names one integer, but not always at the same place"
CLASSES, FREE, SURE = (
    "that follow no order",
    "free choice among messages, or noise",
    "it chooses nothing freely",
)


def _written(number):
    """Return whole messages (B, 3) that write numbers (B,)."""
    return np.stack([number // 26**2 % 26, number // 26 % 26, number % 26], axis=1)


def _band(value):
    """Return the band of ten integers, or 10 for no cell."""
    return np.where(value < 0, 10, value // 10)


RULES = {
    "smaller": lambda left, right, beyond, rng: _written((left < right) * 1),
    "left, right and beyond": lambda left, right, beyond, rng: _band(np.stack([left, right, beyond], axis=1)),
    "random": lambda left, right, beyond, rng: rng.integers(0, 5, (len(left), 3)),
    "one message": lambda left, right, beyond, rng: np.full((len(left), 3), 7),
    "silent slot": lambda left, right, beyond, rng: np.stack(
        [np.maximum(left, 0) % 26, np.full(len(left), 3), np.maximum(left, 0) // 26], axis=1
    ),
    "free": lambda left, right, beyond, rng: np.stack(
        [np.maximum(left, 0) // 3, rng.integers(0, 2, len(left)), np.maximum(right, 0) // 3], axis=1
    ),
}
"""Languages of this file: messages of what stands one left, one right and two right."""


def recorded(name, noise=0.0, config=GAME, number=EPISODES):
    """Return a recording of a known language, or of one of this file."""
    rng = np.random.default_rng(0)
    episodes = draw_episodes(config, number, np.random.default_rng(1))
    if name not in RULES:
        return record(LANGUAGES[name](config, rng, noise=noise), None, episodes, config)
    seen = values_at_places(config, episodes.window)[:, :-1]
    message = RULES[name](*(seen[:, NEIGHBOURS[offset]] for offset in (-1, 1, 2)), rng)
    wrong = rng.random(message.shape) < noise
    message = np.where(wrong, (message + rng.integers(1, 26, message.shape)) % 26, message).astype(np.int16)
    return Recording(config, window=episodes.window, message=message)


@cache
def sketch_of(name, noise=0.0):
    return sketch(count(recorded(name, noise)), name=name)


def text_of(found):
    """Return all sentences of a sketch."""
    return " ".join(sentence for section in sections(found) for sentence in section.sentences)


@pytest.mark.parametrize(
    ("name", "noise", "says", "never"),
    [
        ("compositional", 0.05, (WORDS, VARYING, FREE), (WHOLES, CLASSES, "coarse to fine", SURE)),
        ("holistic", 0.0, (WHOLES, VARYING), (WORDS, PARTS, CLASSES, "coarse to fine")),
        ("two-bands", 0.0, ("one left", "one right"), (VARYING, CLASSES)),
        ("bands-in-slots", 0.05, (PARTS, FREE), (VARYING, CLASSES)),
        ("class-bit", 0.0, (PARTS, CLASSES), (WHOLES,)),
        ("smaller", 0.0, (SURE,), (VARYING, CLASSES)),
        ("smaller", 0.1, (FREE,), (VARYING, CLASSES, SURE)),
        (
            "left, right and beyond",
            0.0,
            (PARTS, "names what stands one left, one right and two right"),
            (CLASSES,),
        ),
        ("silent slot", 0.0, ("names what stands one left",), (VARYING, CLASSES)),
        ("free", 0.0, ("names what stands one left and one right", FREE), (SURE,)),
    ],
)
def test_a_language_is_described_as_it_is(name, noise, says, never):
    found = sketch_of(name, noise)
    assert [words for words in says if words not in text_of(found)] == []
    assert [words for words in never if words in text_of(found)] == []
    for section in sections(found):
        for sentence in section.sentences:
            assert any(letter.isdigit() for letter in sentence), sentence


@pytest.mark.parametrize("name", ["random", "one message"])
def test_where_nothing_is_said_there_is_nothing_to_learn(name):
    found = sketch_of(name)
    [section] = sections(found)
    assert found.says_nothing
    assert section.sentences[1].startswith(NOTHING)
    assert not found.words.entries


def test_the_bits_of_free_choice_are_those_of_the_coin():
    free = sketch(count(recorded("free", config=GameConfig(20)))).repeats
    assert free.pairs > 2_000
    assert free.free_bits == pytest.approx(1, abs=0.1)


def test_the_bits_of_bands_are_those_of_the_code():
    information = sketch_of("left, right and beyond").information
    left = np.bincount(np.arange(60) // 10) / 60
    told = -(left * np.log2(left)).sum() * 59 / 60  # the left cell is seen by all but the first target
    assert information.whole[NEIGHBOURS[-1]] == pytest.approx(told, abs=0.06)
    assert information.by_slot[0, NEIGHBOURS[-1]] == pytest.approx(told, abs=0.06)
    assert information.by_slot[1:, NEIGHBOURS[-1]].max() < 0.03


def test_a_person_with_the_phrasebook_says_what_the_sender_says():
    language = LANGUAGES["two-bands"](GAME, np.random.default_rng(0), noise=0.0)
    episodes = draw_episodes(GAME, 2_000, np.random.default_rng(9))
    said = sketch_of("two-bands").phrasebook.send(episodes.window)
    assert (said == language.send(episodes.window)).all(axis=1).mean() > 0.9


@pytest.mark.parametrize(
    "config", [GameConfig(shape=(5, 5), window_radius=1, num_visible=1), GameConfig(20, num_visible=1)]
)
def test_grids_and_hidden_cells_are_described(config):
    found = sketch(count(recorded("compositional", config=config, number=20_000)))
    assert found.built["words"] > 0.5
    assert NOTHING not in text_of(found)
    assert "<" not in text_of(found)


def test_a_page_shows_what_the_terminal_shows():
    found = sketch_of("two-bands")
    written = page(found)
    for section in sections(found):
        assert all(escape(sentence) in written for sentence in section.sentences)
        for title, table in section.tables.items():
            assert title in written
            assert all(escape(cell) in written for row in table.cells for cell in row)


class OnDisk:
    """A recording that counts how often it is read."""

    def __init__(self, recording):
        self.recording, self.reads = recording, 0
        self.config, self.provenance = GAME, {}

    def blocks(self, *, columns=None):
        self.reads += 1
        return self.recording.blocks(columns=columns)


def test_a_large_recording_is_read_once_more_than_for_its_dictionary(monkeypatch):
    monkeypatch.setattr("spatial_game.language.counting.counts.MOST_KEPT", 0)
    source = OnDisk(recorded("class-bit", 0.05, number=2_000))
    counts = count(source)
    lexicon = dictionary_of(counts)
    read = source.reads
    found = sketch(counts, lexicon)
    assert source.reads == read + 1
    assert json.dumps(found.to_dict(), allow_nan=False) == json.dumps(sketch(counts).to_dict())
    assert sketch(counts, replace(lexicon, entries=())).says_nothing


def test_with_few_equal_windows_a_page_does_not_say_that_nothing_is_chosen_freely():
    found = sketch(count(recorded("free", number=3_000)))
    assert found.repeats.pairs < 30
    assert "a window comes again" not in text_of(found)


def test_a_recording_without_episodes_is_refused():
    empty = Recording(GAME, window=np.zeros((0, 5), np.int16), message=np.zeros((0, 3), np.int16))
    with pytest.raises(ValueError, match="at least one episode; got none"):
        sketch(count(empty))
