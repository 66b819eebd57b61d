"""The data behind the page of a language, and the page as text."""

import base64
import json
import zlib
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from lexicons import has_form

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver, RandomSender
from spatial_game.language import Form, Lexicon, count
from spatial_game.language.sketch import sketch
from spatial_game.recording import NOBODY, Recording, join, record
from spatial_game.web.browse.content import by_frequency, content, evenly
from spatial_game.web.browse.page import page
from spatial_game.web.browse.sample import LOST, UNKNOWN, WON, sample, sent_with

CONFIG = GameConfig(sequence_length=20)
ABOUT = {"title": "a language", "about": ["a sentence"]}


def recorded(number: int = 5_000, config: GameConfig = CONFIG) -> Recording:
    """The oracle pair, with a receiver that guesses in every tenth episode."""
    episodes = draw_episodes(config, number, np.random.default_rng(1))
    found = record(OracleSender(config), OracleReceiver(config), episodes, config)
    guessed = RandomReceiver(config, np.random.default_rng(2)).choose(
        found.message, found.sequence, found.candidates
    )
    return replace(found, choice=np.where(np.arange(number) % 10 == 0, guessed, found.choice))


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded()


@pytest.fixture(scope="module")
def lexicon(recording: Recording) -> Lexicon:
    return Lexicon.from_counts(count(recording))


def packed(recording: Recording, lexicon: Lexicon, most: int = 200_000):
    """Unpack what a page would get, as the page does."""
    found = content(sample([recording], most), count(recording), lexicon, ABOUT)
    raw = zlib.decompress(base64.b64decode(found.packed()))
    size = int.from_bytes(raw[:4], "little")
    header, start, columns = json.loads(raw[4 : 4 + size]), 4 + size, {}
    for name, (width, *shape) in header["columns"].items():
        length = int(np.prod(shape)) * width
        values = np.frombuffer(raw[start : start + length], f"<u{width}").astype(int) - header["above"]
        columns[name] = values.reshape(shape)
        start += length
    assert start == len(raw)
    return header, columns


# --- Samples --------------------------------------------------------------------------------------------


def test_a_small_recording_is_whole_and_a_large_one_an_even_sample(recording):
    whole = sample([recording])
    assert (len(whole.row), whole.total) == (5_000, 5_000)
    assert np.array_equal(whole.episodes.window, recording.window)
    some = sample([recording, recording], 100)
    assert some.total == 10_000
    assert some.row.tolist() == list(range(0, 10_000, 100))
    both = join([recording, recording])
    assert np.array_equal(some.episodes.message, both.message[some.row])
    assert np.array_equal(some.episodes.choice, both.choice[some.row])


def test_wide_windows_leave_room_for_fewer_episodes():
    config = GameConfig(sequence_length=150, window_radius=50)
    episodes = draw_episodes(config, 10_000, np.random.default_rng(0))
    sender = RandomSender(config, np.random.default_rng(0))
    assert len(sample([record(sender, None, episodes, config)]).row) == 1_000_000 // 101


def test_outcomes(recording):
    found = sample([recording]).outcome
    assert set(found.tolist()) == {LOST, WON}
    assert (found == WON).mean() == recording.accuracy
    assert set(sample([replace(recording, choice=None)]).outcome.tolist()) == {UNKNOWN}
    nobody = np.full(5_000, NOBODY, dtype=np.int16)
    assert set(sample([replace(recording, choice=nobody)]).outcome.tolist()) == {UNKNOWN}


def test_the_episodes_of_a_message(recording):
    message = recording.message[17]
    found = sent_with([recording, recording], message)
    here = np.flatnonzero((recording.message == message).all(axis=1))
    assert found.row.tolist() == [*here, *(here + 5_000)]
    assert (found.episodes.message == message).all()


def test_evenly():
    assert evenly(np.arange(10), 20).tolist() == list(range(10))
    assert evenly(np.arange(10), 5).tolist() == [0, 2, 4, 6, 8]
    assert evenly(np.arange(10), 0).tolist() == []


# --- Content --------------------------------------------------------------------------------------------


def test_messages_stand_by_frequency(recording):
    messages, number, ids = by_frequency(recording.message)
    assert np.array_equal(messages[ids], recording.message)
    assert number.sum() == 5_000
    assert (np.diff(number) <= 0).all()


def test_the_columns_are_the_recording_sorted_by_message(recording, lexicon):
    header, columns = packed(recording, lexicon)
    messages = np.repeat(columns["messages"], columns["sent"], axis=0)
    ours = {tuple(row) for row in np.column_stack([recording.window, recording.message]).tolist()}
    assert {tuple(row) for row in np.column_stack([columns["window"].T, messages]).tolist()} == ours
    assert np.bincount(columns["outcome"]).tolist() == [0, *np.bincount(sample([recording]).outcome)[1:]]
    assert header["total"] == 5_000
    assert header["game"]["shape"] == [20]


def test_drawn_episodes_are_those_of_their_rows(recording, lexicon):
    _, columns = packed(recording, lexicon)
    row, drawn = columns["row"], columns["drawn"]
    assert np.array_equal(columns["window"].T[drawn], recording.window[row])
    for name in ("sequence", "candidates", "target_index", "choice", "target_position"):
        assert np.array_equal(columns[name], getattr(recording, name)[row])
    assert (np.diff(drawn) > 0).all()


def test_each_word_has_ten_drawn_episodes_up_to_half_of_them_lost(recording, lexicon):
    header, columns = packed(recording, lexicon)
    outcome, rows = sample([recording]).outcome, columns["row"]
    for entry in header["entries"]:
        form = Form(tuple(entry["symbols"]), entry["slot"])
        has = np.array([has_form(message, form) for message in recording.message.tolist()])
        of_word = rows[has[rows]]
        lost, won = ((outcome == ending) & has for ending in (LOST, WON))
        assert len(of_word) >= min(10, has.sum())
        assert (outcome[of_word] == LOST).sum() >= min(5, lost.sum())
        assert (outcome[of_word] == WON).sum() >= min(5, won.sum())


def test_entries_and_readings_are_those_of_the_lexicon(recording, lexicon):
    header, columns = packed(recording, lexicon)
    assert [entry["count"] for entry in header["entries"]] == [entry.count for entry in lexicon.listed]
    assert [entry["form"] for entry in header["entries"]] == [e.form.pattern(3) for e in lexicon.listed]
    assert len(header["reads"]) == len(header["countsSay"]) == len(columns["messages"])


def test_the_alphabet_adds_up(recording, lexicon):
    header, _ = packed(recording, lexicon)
    for slot in range(3):
        rows = [row for row in header["alphabet"] if row["slot"] == slot]
        assert sum(row["sent"] for row in rows) == 5_000
        assert {row["symbol"] for row in rows} == set(recording.message[:, slot].tolist())
    anywhere = {row["symbol"]: row["sent"] for row in header["alphabet"] if row["slot"] is None}
    for symbol, sent in anywhere.items():
        assert sent == (recording.message == symbol).any(axis=1).sum()


def test_a_symbol_that_says_where_the_target_is_tells_its_bits():
    config = GameConfig(sequence_length=20, vocab_size=2, message_length=1)
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    first = (episodes.mask_column == 0).astype(np.int16)[:, None]
    recording = Recording(config, episodes.window, first)
    header, _ = packed(recording, Lexicon.from_counts(count(recording)))
    bits = {row["symbol"]: row["bits"] for row in header["alphabet"] if row["slot"] == 0}
    assert bits[1] == pytest.approx(np.log2(20), abs=0.1)  # one of 20 places
    assert bits[0] < 0.2


def test_the_layout_of_windows(recording, lexicon):
    header, columns = packed(recording, lexicon)
    offsets = [place["offset"] for place in header["game"]["places"]]
    for mask, cells in enumerate(columns["layout"].tolist()):
        assert [0 if place < 0 else offsets[place] for place in cells] == [cell - mask for cell in range(5)]


def test_the_layout_of_a_grid():
    config = GameConfig(shape=(6, 6), window_radius=1, num_visible=5)
    episodes = draw_episodes(config, 300, np.random.default_rng(0))
    recording = record(RandomSender(config, np.random.default_rng(1)), None, episodes, config)
    header, columns = packed(recording, Lexicon.from_counts(count(recording)))
    assert header["game"]["shape"] == [6, 6]
    offsets = [tuple(place["offset"]) for place in header["game"]["places"]]
    place = columns["layout"][4]  # the target in the middle of 3 x 3 cells
    assert [offsets[i] for i in place[[0, 1, 2, 3]]] == [(-1, -1), (-1, 0), (-1, 1), (0, -1)]
    assert place[4] == -1
    ours = {tuple(row) for row in recording.window.tolist()}
    assert {tuple(row) for row in columns["window"].T.tolist()} == ours  # with -2 in hidden cells


@pytest.mark.parametrize("lacking", ["sequence", "candidates", "choice", "target_index", "target_position"])
def test_a_recording_may_lack_columns(recording, lexicon, lacking):
    _, columns = packed(replace(recording, **{lacking: None}), lexicon)
    assert lacking not in columns
    assert len(columns["drawn"]) > 0


def test_a_recording_of_windows_and_messages_alone(recording, lexicon):
    bare = Recording(CONFIG, recording.window, recording.message)
    _, columns = packed(bare, lexicon)
    assert set(columns["outcome"].tolist()) == {UNKNOWN}
    assert {"sequence", "candidates", "choice"}.isdisjoint(columns)


def test_a_language_without_meaning():
    config = GameConfig(sequence_length=20)
    episodes = draw_episodes(config, 2_000, np.random.default_rng(0))
    recording = record(RandomSender(config, np.random.default_rng(3)), None, episodes, config)
    header, _ = packed(recording, Lexicon.from_counts(count(recording)))
    assert header["entries"] == []
    assert set(header["reads"]) == {"the dictionary does not say"}


# --- The page -------------------------------------------------------------------------------------------


class Outline(HTMLParser):
    """The tags of a page, and the text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        if self.lasttag not in ("script", "style"):
            self.texts.append(data)


def whole(recording, lexicon, about):
    """Return the page of a recording."""
    counts = count(recording)
    return page(content(sample([recording]), counts, lexicon, about), sketch(counts, lexicon))


def test_the_page_needs_nothing_else(recording, lexicon):
    text = whole(recording, lexicon, ABOUT)
    for tag, attributes in Outline(text).tags:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:,") in ("data:,",), tag


HOSTILE = """</script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;'"""


def test_texts_with_markup_stay_texts(recording, lexicon):
    about = {"title": HOSTILE, "about": [HOSTILE]}
    text = whole(recording, lexicon, about)
    plain = whole(recording, lexicon, ABOUT)
    assert [tag for tag, _ in Outline(text).tags] == [tag for tag, _ in Outline(plain).tags]
    assert "".join(Outline(text).texts).count(HOSTILE) == 3


@pytest.mark.slow
def test_two_hundred_thousand_episodes_take_five_megabytes_at_most():
    config = GameConfig()  # the worst case: nothing repeats
    episodes = draw_episodes(config, 200_000, np.random.default_rng(0))
    sender, receiver = (
        kind(config, np.random.default_rng(seed)) for seed, kind in enumerate((RandomSender, RandomReceiver))
    )
    recording = record(sender, receiver, episodes, config)
    text = whole(recording, Lexicon.from_counts(count(recording)), ABOUT)
    assert len(text.encode()) < 5_000_000
