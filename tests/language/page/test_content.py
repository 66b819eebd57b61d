"""Pages of languages that tests speak: what they must say, and what they must not say."""

import json
import re
from functools import cache
from html import escape

import numpy as np
import pytest
from scripted import Scripted

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import count, message_ids
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.page.content import make_page
from spatial_game.language.page.html import map_places, page_html
from spatial_game.language.page.sections import sections
from spatial_game.recording import Recording, record

GAME = GameConfig(20, vocab_size=20)
NOTHING, TOO_FEW = "The dictionary finds nothing", "There are too few episodes"
NAMES, CLASSES = "name an integer, or leave at most 3", "A class is a set"
STRANGE = "data are of another game"


def cells(window, *offsets):
    """Return the integers at offsets, 19 for none."""
    values = columns_of(GAME).at_offsets(window)[:, [GAME.offsets.index(offset) for offset in offsets]]
    return np.where(values < 0, 19, values)


def said(*symbols):
    """Return messages of three symbols, 0 where fewer are given."""
    silent = [np.zeros_like(symbols[0])] * (3 - len(symbols))
    return np.stack([*symbols, *silent], axis=1).astype(np.int16)


def by_class(window):
    """The second symbol says whether the integer two left is odd, in ten ways each."""
    left, right = cells(window, -2, 1).T
    return said(right, left % 2 * 10 + np.random.default_rng(0).integers(0, 10, len(window)))


def by_wholes(window):
    left, right = cells(window, -1, 1).T
    number = np.random.default_rng(0).permutation(8_000)[20 * left + right]
    return said(number // 400, number // 20 % 20, number % 20)


LANGUAGES = {
    "names": lambda window: said(*cells(window, -1, 1).T),
    "bands": lambda window: said(*(cells(window, -1, 1).T // 10)),
    "class": by_class,
    "wholes": by_wholes,
    "random": lambda window: np.random.default_rng(0).integers(0, 5, (len(window), 3)).astype(np.int16),
    "one message": lambda window: said(np.full(len(window), 7)),
    "oracle": OracleSender(GAME).send,
}


def recorded(name, number=10_000):
    episodes = draw_episodes(GAME, number, np.random.default_rng(1))
    return record(Scripted(LANGUAGES[name]), None, episodes, GAME)


@cache
def page_of(name, number=10_000):
    return make_page(count(recorded(name, number)), name=name)


def text_of(found):
    """Return all sentences of a page."""
    return " ".join(sentence for section in sections(found) for sentence in section.sentences)


@pytest.mark.parametrize(
    ("name", "says", "never"),
    [
        ("names", ("one right in 95%", NAMES), (CLASSES, TOO_FEW, STRANGE)),
        ("bands", (), (NAMES, CLASSES, TOO_FEW, STRANGE)),
        ("class", ("one right in 95% of", CLASSES), (STRANGE, "two left in")),
        ("oracle", ("two left in 20%, one left in 20%, one right in 20%",), (CLASSES, STRANGE)),
        ("random", (NOTHING,), (NAMES, TOO_FEW, STRANGE)),
        ("one message", (NOTHING,), (NAMES, TOO_FEW, STRANGE)),
    ],
)
def test_a_language_is_described_as_it_is(name, says, never):
    text = text_of(page_of(name))
    assert [words for words in says if words not in text] == []
    assert [words for words in never if words in text] == []


def test_the_parts_of_a_page_have_their_order():
    titles = [section.title for section in sections(page_of("names"))]
    assert titles[:3] == ["The game", "What is told", "The alphabet"]
    assert titles[3:] == ["Symbols and whole messages", "Words", "Examples"]
    assert [section.title for section in sections(page_of("random"))] == titles[:2]


def test_the_alphabet_says_what_each_symbol_says_in_its_slot():
    [alphabet] = [section for section in sections(page_of("bands")) if section.title == "The alphabet"]
    rows = {symbol: says for symbol, says, _ in alphabet.tables["Slot 1"].rows}
    assert rows["0"].startswith("0-9 one left (100%)")
    assert "10-19 one left" in rows["1"]
    assert "Slot 3" not in alphabet.tables


def test_a_language_of_few_episodes_says_so():
    assert TOO_FEW in text_of(page_of("wholes", 1_000))
    for number, few in ((1, "1 episode"), (9, "9 episodes")):
        text = text_of(page_of("names", number))
        assert NOTHING in text
        assert f"With more than {few}, it may find something." in text
    assert "With more" not in text_of(page_of("random"))


def test_windows_that_the_game_does_not_draw_are_noticed():
    window = draw_episodes(GAME, 2_000, np.random.default_rng(1)).window
    window = window[(window[:, 1] == 5) & (window[:, 2] == -1)]
    found = make_page(count(Recording(GAME, window, LANGUAGES["names"](window))))
    assert STRANGE in text_of(found)


def test_each_message_has_the_share_of_held_out_episodes_in_which_it_is_true():
    recording = recorded("bands", 1_000)
    counts = count(recording)
    found = make_page(counts)
    held = np.arange(len(recording)) % 10 == 9
    ids = message_ids(counts, recording.message)
    assert [each.episodes for each in found.messages] == sorted(counts.message_totals.tolist(), reverse=True)
    for each in found.messages:
        own = (recording.message == each.symbols).all(axis=1)
        [reading] = interpreter(found.dictionary).read(np.array([each.symbols]))
        assert each.held_out == (own & held).sum()
        assert each.true == reading.true_of(recording.window[own & held]).sum()
    assert sum(each.held_out for each in found.messages) == held.sum()
    assert len(np.unique(ids)) == found.num_messages


def test_a_message_that_says_nothing_is_not_an_untrue_one():
    def often_silent(window):
        says = np.random.default_rng(2).random((len(window), 1)) < 0.5
        return np.where(says, LANGUAGES["names"](window), 0).astype(np.int16)

    episodes = draw_episodes(GAME, 10_000, np.random.default_rng(1))
    text = text_of(make_page(count(record(Scripted(often_silent), None, episodes, GAME))))
    assert re.search(r"is true in (9\d\.\d|100\.0)% of [\d,]+ held-out episodes", text)
    assert re.search(r"called unsure: \d+ messages, [0-3]\.\d% of the episodes", text)
    assert re.search(r"does not say what the others mean: 1 message, (49|5[0-2])\.\d% of the episodes", text)


def test_the_map_has_pairs_or_the_places_of_which_messages_name_one():
    at = GAME.offsets.index
    assert map_places(page_of("names")) == ([at(-1), at(1)], True)
    assert map_places(page_of("oracle")) == ([at(-2), at(-1), at(1), at(2)], False)


def test_grids_and_hidden_cells_are_described():
    config = GameConfig(shape=(3, 4), window_radius=1, num_visible=1)
    episodes = draw_episodes(config, 1_500, np.random.default_rng(1))
    text = text_of(make_page(count(record(OracleSender(config), None, episodes, config))))
    assert NOTHING not in text
    assert "which cells are seen" in text
    assert "<" not in text


def test_a_page_shows_what_the_terminal_shows():
    found = page_of("names")
    written = page_html(found)
    for section in sections(found):
        assert all(escape(sentence) in written for sentence in section.sentences)
        assert all(title in written for title in section.tables)
    assert all(escape(str(each)) in written for each in found.words)


def test_a_large_recording_is_read_once_more_than_for_its_dictionary():
    recording = recorded("bands", 2_000)

    class OnDisk:
        reads, config, provenance = 0, GAME, {}

        def blocks(self, *, columns=None):
            self.reads += 1
            return recording.blocks(columns=columns)

    source = OnDisk()
    found = make_page(count(source))
    assert source.reads == 2
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_counts_without_episodes_are_refused():
    counts = count(recorded("names", 100))
    counts.sources = ()
    with pytest.raises(ValueError, match="needs the episodes; got counts without sources"):
        make_page(counts)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["embed-60/0", "paper-60/0", "landmark-60/0", "local-60/0", "grid-8x8/0"])
def test_pages_say_the_same_in_kind_at_every_size_or_that_there_are_too_few_episodes(name):
    pair = load_pair(name)
    episodes = draw_episodes(pair.config, 200_000, np.random.default_rng(3))
    message = pair.sender.send(episodes.window)
    kinds = []
    for number in (5_000, 20_000, 200_000):
        found = make_page(count(Recording(pair.config, episodes.window[:number], message[:number])))
        if not found.too_few:
            kinds.append([re.sub(r"\d[\d,.]*", "0", sentence) for sentence in text_of(found).split(". ")])
    assert kinds[1:] == kinds[:-1]
