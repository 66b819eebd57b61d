"""Sketches of known languages: what they must say, and what they must not say."""

import json
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import integers_at_offsets
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.known import LANGUAGES
from spatial_game.language.page import sketch
from spatial_game.language.page.sentences import sections
from spatial_game.language.page.sketch import Built
from spatial_game.recording import Recording, record

GAME = GameConfig()
EPISODES = 30_000
NEIGHBOURS = {offset: number for number, offset in enumerate(GAME.offsets)}
NOTHING = "There is nothing to learn"
WHOLES, PARTS, WORDS = "mean something as wholes", "are built of parts", "Messages have two parts"
VARYING = "names one integer, but not always at the same place"
CLASSES, FREE, SURE = (
    "that follow no order",
    "free choice among messages, or noise",
    "The sender chooses nothing freely",
)


@cache
def of_known(name, noise=0.0):
    """Return the sketch of a known language."""
    language = LANGUAGES[name](GAME, np.random.default_rng(0), noise=noise)
    episodes = draw_episodes(GAME, EPISODES, np.random.default_rng(1))
    return sketch(count(record(language, None, episodes, GAME)), name=name)


@cache
def of_rule(name, noise=0.0):
    """Return the sketch of a language of this file."""
    rng = np.random.default_rng(0)
    episodes = draw_episodes(GAME, EPISODES, rng)
    seen = integers_at_offsets(GAME, episodes.window)
    message = RULES[name](*(seen[:, NEIGHBOURS[offset]] for offset in (-2, -1, 1, 2)), rng)
    wrong = rng.random(message.shape) < noise
    message = np.where(wrong, (message + rng.integers(1, 26, message.shape)) % 26, message).astype(np.int16)
    return sketch(count(Recording(GAME, window=episodes.window, message=message)), name=name)


def _written(number):
    """Return whole messages (B, 3) that write numbers (B,)."""
    return np.stack([number // 26**2 % 26, number // 26 % 26, number % 26], axis=1)


def _band(value):
    """Return the band of ten integers, or 10 for no cell."""
    return np.where(value < 0, 10, value // 10)


RULES = {
    "smaller": lambda far, left, right, beyond, rng: _written((left < right) * 1),
    "difference": lambda far, left, right, beyond, rng: _written(left - right + 60),
    "bands": lambda far, left, right, beyond, rng: np.stack(
        [_band(left), _band(right), _band(beyond)], axis=1
    ),
    "random": lambda far, left, right, beyond, rng: rng.integers(0, 26, (len(left), 3)),
    "one message": lambda far, left, right, beyond, rng: np.full((len(left), 3), 7),
    "silent slot": lambda far, left, right, beyond, rng: np.stack(
        [np.maximum(left, 0) % 26, np.full(len(left), 3), np.maximum(left, 0) // 26], axis=1
    ),
    "free": lambda far, left, right, beyond, rng: np.stack(
        [np.maximum(left, 0) // 3, rng.integers(0, 2, len(left)), np.maximum(right, 0) // 3], axis=1
    ),
}


def text_of(found):
    """Return all sentences of a sketch."""
    return " ".join(sentence for section in sections(found) for sentence in section.sentences)


@pytest.mark.parametrize(
    ("name", "noise", "says", "never"),
    [
        ("compositional", 0.0, (WORDS, VARYING), (WHOLES, CLASSES, "coarse to fine")),
        ("compositional", 0.05, (WORDS, VARYING, FREE), (WHOLES, CLASSES, SURE)),
        ("compositional-last", 0.0, (WORDS, VARYING), (WHOLES, CLASSES)),
        ("mixed-lengths", 0.0, (VARYING,), (WHOLES, CLASSES)),
        ("tens-offset-units", 0.0, (VARYING,), (WHOLES,)),
        ("slot-invariant", 0.0, (VARYING,), (WHOLES,)),
        ("holistic", 0.0, (WHOLES, VARYING), (WORDS, PARTS, CLASSES, "coarse to fine")),
        ("holistic", 0.05, (WHOLES, FREE), (WORDS, PARTS, CLASSES)),
        (
            "edges-only",
            0.0,
            ("They tell of whether the target is near an end",),
            (VARYING, CLASSES),
        ),
        ("polysemous", 0.0, (VARYING,), (NOTHING,)),
        ("bands", 0.0, ("one left",), (VARYING, CLASSES)),
        ("two-bands", 0.0, ("one left", "one right"), (VARYING, CLASSES)),
        ("bands-in-slots", 0.05, (PARTS, FREE), (VARYING, CLASSES)),
        ("sets", 0.0, (), (NOTHING,)),
        ("class-bit", 0.0, (PARTS, CLASSES), (WHOLES,)),
        ("prefix-code", 0.0, (PARTS,), (WHOLES, CLASSES)),
        ("homonyms", 0.0, (), (NOTHING,)),
        ("zipf-synonyms", 0.0, (), (NOTHING,)),
    ],
)
def test_a_known_language_is_described_as_it_is(name, noise, says, never):
    text = text_of(of_known(name, noise))
    assert [words for words in says if words not in text] == []
    assert [words for words in never if words in text] == []


@pytest.mark.parametrize(
    ("name", "noise", "says", "never"),
    [
        ("smaller", 0.0, (SURE,), (VARYING, CLASSES)),
        ("smaller", 0.1, (FREE,), (VARYING, CLASSES, SURE)),
        ("bands", 0.05, (PARTS, "names what stands one left, one right and two right"), (CLASSES,)),
        ("silent slot", 0.0, ("names what stands one left",), (VARYING, CLASSES)),
        ("free", 0.0, ("names what stands one left and one right", FREE), (SURE,)),
    ],
)
def test_a_language_by_rule_is_described_as_it_is(name, noise, says, never):
    text = text_of(of_rule(name, noise))
    assert [words for words in says if words not in text] == []
    assert [words for words in never if words in text] == []


@pytest.mark.parametrize("name", ["random", "one message"])
def test_where_nothing_is_said_there_is_nothing_to_learn(name):
    found = of_rule(name)
    [section] = sections(found)
    assert found.says_nothing
    assert section.sentences[1].startswith(NOTHING)
    assert not found.words.forms


def test_the_bits_of_free_choice_are_those_of_the_coin():
    free = of_rule("free").repeats
    assert free.pairs > 30
    assert free.free_bits == pytest.approx(1, abs=0.5)  # 38 pairs, and a coin


def test_every_sentence_has_its_figure():
    for found in (
        of_known("class-bit"),
        of_known("compositional"),
        of_rule("smaller"),
        of_rule("bands", 0.05),
    ):
        for section in sections(found):
            for sentence in section.sentences:
                assert any(letter.isdigit() for letter in sentence), sentence


def test_the_bits_of_bands_are_those_of_the_code():
    information = of_rule("bands").information
    left = np.bincount(np.arange(60) // 10) / 60
    told = -(left * np.log2(left)).sum() * 59 / 60  # the left cell is seen by all but the first target
    assert information.whole[NEIGHBOURS[-1]] == pytest.approx(told, abs=0.06)
    assert information.by_slot[0, NEIGHBOURS[-1]] == pytest.approx(told, abs=0.06)
    assert information.by_slot[1:, NEIGHBOURS[-1]].max() < 0.03
    assert information.together.max() < 0.05


def test_the_members_of_classes_are_those_of_the_language():
    one, two, *_ = of_known("class-bit").words.classes
    members = [_members(line) for line in (one, two)]
    assert members[0] | members[1] == set(range(60))
    assert not members[0] & members[1]


def _members(line):
    """Return the integers that a line such as `class A: 0-3, 7 or 9` names."""
    found = set()
    for piece in line.partition(": ")[2].replace(" or ", ", ").split(", "):
        first, _, last = piece.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def test_a_person_with_the_phrasebook_says_what_the_sender_says():
    language = LANGUAGES["two-bands"](GAME, np.random.default_rng(0), noise=0.0)
    found = of_known("two-bands")
    episodes = draw_episodes(GAME, 2_000, np.random.default_rng(9))
    same = (found.phrasebook.send(episodes.window) == language.send(episodes.window)).all(axis=1)
    assert same.mean() > 0.9


@pytest.mark.parametrize("config", [GameConfig(shape=(5, 5), window_radius=1), GameConfig(20, num_visible=1)])
def test_grids_and_hidden_cells_are_described(config):
    language = LANGUAGES["compositional"](config, np.random.default_rng(0), noise=0.0)
    episodes = draw_episodes(config, 20_000, np.random.default_rng(1))
    found = sketch(count(record(language, None, episodes, config)))
    assert found.built.words > 0.5
    assert NOTHING not in text_of(found)
    assert "<" not in text_of(found)


@pytest.mark.parametrize("words", [0.5, 1.5])
@pytest.mark.parametrize(("parts", "wholes", "says"), [(1.0, 9.0, WHOLES), (9.0, 1.0, PARTS)])
def test_words_are_mentioned_beside_parts_and_wholes(words, parts, wholes, says):
    found = of_known("holistic")
    account = replace(found.account, explained_bits=10.0)
    text = text_of(replace(found, account=account, built=Built(words, parts, wholes)))
    assert says in text
    assert ("words for an integer with words for where it stands 15%" in text) == (words == 1.5)
    assert ("words for an integer" in text) == (words == 1.5)


class Read:
    """A recording on a disk, which counts how often it is read."""

    def __init__(self, recording):
        self.recording, self.reads = recording, 0
        self.config, self.provenance, self.num_rows = GAME, {}, len(recording)

    def blocks(self, *, columns=None):
        self.reads += 1
        return self.recording.blocks(columns=columns)


def test_a_large_recording_is_read_once_more_than_for_its_dictionary(monkeypatch):
    monkeypatch.setattr("spatial_game.language.counting.counts.MOST_KEPT", 0)
    language = LANGUAGES["class-bit"](GAME, np.random.default_rng(0), noise=0.05)
    source = Read(record(language, None, draw_episodes(GAME, 5_000, np.random.default_rng(1)), GAME))
    counts = count(source)
    lexicon = Lexicon.from_counts(counts)
    read = source.reads
    found = sketch(counts, lexicon)
    assert source.reads == read + 1
    assert json.dumps(found.to_dict(), allow_nan=False) == json.dumps(sketch(counts).to_dict())


def test_a_recording_without_episodes_is_refused():
    empty = Recording(GAME, window=np.zeros((0, 5), np.int16), message=np.zeros((0, 3), np.int16))
    with pytest.raises(ValueError, match="at least one episode; got none"):
        sketch(count(empty))


def test_a_language_that_a_page_cannot_teach_is_told_in_the_first_line():
    window = draw_episodes(GAME, EPISODES, np.random.default_rng(2)).window
    order = np.argsort(window, axis=1, kind="stable")[:, :3]  # told of all cells together
    said = sections(sketch(count(Recording(GAME, window, order.astype(np.int16)))))[0].sentences
    assert "teach" in said[0]


class _EdgesOnly:
    """A sender that tells whether the target is in the middle, and a receiver that does not listen."""

    def send(self, window):
        return np.repeat(24 + (window[:, [2]] == -1), 3, axis=1).astype(np.int16)

    def choose(self, messages, sequence, candidates):
        return np.zeros(len(messages), dtype=np.int16)


def test_a_map_of_symbols_has_no_messages_for_a_person():
    game = GameConfig(sequence_length=8, num_visible=1)
    agent = _EdgesOnly()
    window = draw_episodes(game, 20_000, np.random.default_rng(2)).window
    pair = SimpleNamespace(sender=agent, receiver=agent, config=game)
    found = sketch(count(Recording(game, window, agent.send(window))), name="edges", pair=pair)
    assert found.phrasebook.map.kind == "symbols"
    content = found.to_dict()
    assert {text for row in content["map"]["message"] for text in row} == {"25"}
    assert {edge["message"] for edge in content["edges"].values()} == {"24 24 24"}
    assert found.heard.phrasebook is None
    assert not any("A person" in line for section in sections(found) for line in section.sentences)
    with pytest.raises(ValueError, match="a map of first symbols"):
        found.phrasebook.send(window)
