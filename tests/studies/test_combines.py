"""The verdict on known languages, each with a receiver that knows its rule and one that knows it by heart."""

from functools import partial
from unittest import mock

import numpy as np
import pytest
from known_languages import known_agents, known_language

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Agents, RandomReceiver
from spatial_game.language import build_dictionary, count
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.entropy import plug_in_information
from spatial_game.language.speaking import Speaker
from spatial_game.proportions import share_interval
from spatial_game.recording import record
from spatial_game.studies import composing
from spatial_game.studies.asked import Asked
from spatial_game.studies.combines import (
    FEWEST_TIMES,
    ask,
    combines,
    combines_by,
    degree_of,
    examples,
    judge,
)
from spatial_game.studies.combines_text import sentence
from spatial_game.studies.composing import Composed, _information, offset_code, symbol_by_symbol
from spatial_game.studies.study import Scale
from spatial_game.studies.two_symbols import needing_two

DOES, IN_PART, NOT, CANNOT_SAY = "combine", "combine in part", "do not combine", "cannot say"
VERDICTS = {
    "compositional": DOES,
    "holistic": NOT,
    "by-offset": NOT,
    "half-and-half": IN_PART,
    "classes": DOES,
    "any-order": DOES,
    "two-neighbours": NOT,
}
"""On a receiver that knows the rule."""
CONFIG = GameConfig()


def pair_of(name, *, by_rule=True, gaps=0.0, noise=0.0):
    return known_agents(known_language(name, CONFIG, np.random.default_rng(2), noise), by_rule, gaps)


def counts_of(sender):
    episodes = draw_episodes(CONFIG, 6_000, np.random.default_rng(1))
    return count(record((sender, None), episodes, CONFIG))


@pytest.fixture(scope="module")
def compositional():
    """The dictionary of a symbol for the offset, and two for the integer."""
    return build_dictionary(counts_of(pair_of("compositional").sender))


def asked_of_both(name, gaps):
    """Return the studies of a receiver that knows the rule of a language, and of one that learnt by heart."""
    pairs = [pair_of(name, by_rule=by_rule, gaps=gaps) for by_rule in (True, False)]
    counts = counts_of(pairs[0].sender)
    dictionary = build_dictionary(counts)
    for pair in pairs:
        yield combines_by(dictionary, counts.messages, pair, 3_000, 0)


def test_the_best_message_is_composed_in_whichever_part_it_is_tried(compositional, monkeypatch):
    window = draw_episodes(compositional.config, 50, np.random.default_rng(2)).window
    whole = symbol_by_symbol(compositional, window)
    monkeypatch.setattr(composing, "chunks", lambda rows, size: np.array_split(np.arange(rows), 5))
    parts = symbol_by_symbol(compositional, window)
    assert np.array_equal(parts.message, whole.message)
    assert np.allclose(parts.sure, whole.sure)


def test_symbols_that_contradict_each_other_are_not_composed():
    """Each symbol of an edge says that edge, and no other symbol is sent there."""
    sender = pair_of("bands").sender
    window = draw_episodes(CONFIG, 500, np.random.default_rng(2)).window
    composed = symbol_by_symbol(build_dictionary(counts_of(sender)), window).message
    of_edge = np.isin(composed, sender.edges)
    assert of_edge.any()
    assert (of_edge.all(axis=1) == of_edge.any(axis=1)).mean() > 0.99


@pytest.mark.parametrize("name", VERDICTS)
def test_known_languages_of_which_a_tenth_is_never_said(name):
    for study, verdict in zip(asked_of_both(name, 0.1), (VERDICTS[name], NOT), strict=True):
        assert study.results["verdict"] == verdict
        assert study.results["asked"]["symbol by symbol"]["elsewhere"] < 0.35


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        *((name, NOT) for name in ("holistic", "two-neighbours")),
        *((name, CANNOT_SAY) for name in ("compositional", "classes", "bands", "any-order", "half-and-half")),
    ],
)
def test_of_known_languages_that_say_everything_a_receiver_may_know_all_by_heart(name, verdict):
    for study in asked_of_both(name, 0.0):
        assert study.results["verdict"] == verdict
        assert study.summary.startswith("Cannot say" if verdict == CANNOT_SAY else "Its symbols do not")


@pytest.mark.parametrize(("by_rule", "wrong"), [(True, NOT), (False, DOES)])
def test_noise_does_not_turn_the_verdict(by_rule, wrong):
    """One in ten symbols is wrong, so most of what is never meant is sent now and then."""
    pair = pair_of("compositional", by_rule=by_rule, gaps=0.1, noise=0.1)
    assert combines(pair, 1_000).results["verdict"] != wrong


def test_landmark_combines_and_the_paper_s_networks_do_not():
    for name, verdict in (("landmark-60", DOES), ("paper-60", NOT)):
        study = combines(load_pair(name), 1_000, seed=1)
        assert study.results["verdict"] == verdict
        assert study.size == "n5000+1000"  # recorded, and asked
    assert study.table.cells[0][0] == "the sender's"
    assert study.summary.startswith(
        "Its symbols do not combine. Of the messages that were composed symbol by"
    )


def test_a_dictionary_and_a_receiver_are_enough():
    pair = pair_of("compositional", gaps=0.1)
    speaker = Speaker(build_dictionary(counts_of(pair.sender)))
    study = combines(Agents(speaker, pair.receiver, speaker.config), 2_000)
    assert study.results["verdict"] == DOES


def test_a_code_of_offset_and_integer_is_found(compositional):
    code, sayings = offset_code(compositional), pair_of("compositional").sender.sayings
    assert code.slot == 0
    said = {CONFIG.offsets.index(saying.offsets[0]): saying.messages for saying in sayings}
    named = dict(zip(code.offsets.tolist(), code.symbols.tolist(), strict=True))
    assert named.items() >= {offset: messages[0, 0] for offset, messages in said.items() if offset}.items()
    for slot in (1, 2):
        assert np.array_equal(code.tables[slot].argmax(axis=0), sayings[0].messages[:, slot])


def test_what_symbols_tell_in_each_group_is_that_of_its_table():
    rng = np.random.default_rng(0)
    symbol, group = rng.integers(0, [[5], [4]], (2, 200))
    table = rng.random((200, 7)) * (rng.random((200, 7)) < 0.3)
    for each, bits in enumerate(_information(symbol, group, table, 5)):
        by_symbol = np.array([table[(group == each) & (symbol == other)].sum(axis=0) for other in range(5)])
        assert bits == pytest.approx(plug_in_information(by_symbol) * by_symbol.sum())


SCALE = Scale(0.2, 0.98)


def part_of(accuracy, interval):
    low, high = interval
    return Asked(0.5, 0.5, windows=900, covered=1.0, accuracy=accuracy, low=low, high=high, every=accuracy)


@pytest.mark.parametrize(
    ("accuracy", "interval", "perhaps", "said"),
    [
        (0.73, (0.70, 0.76), ("in part",), "By its interval, it may also be that they combine in part."),
        (0.47, (0.44, 0.50), ("not",), "By its interval, it may also be that they do not combine."),
        (0.80, (0.78, 0.82), (), ""),
    ],
)
def test_a_verdict_says_what_else_its_interval_holds(accuracy, interval, perhaps, said):
    asked = {"symbol by symbol": part_of(accuracy, interval)}
    verdict = judge(SCALE, asked)
    assert verdict.perhaps == perhaps
    assert sentence(verdict, SCALE, asked).endswith(said or "were sent (98.0%).")


@pytest.mark.parametrize(("accuracy", "scaled"), [(0.999, "100%"), (0.15, "0%"), (0.59, "50%")])
def test_no_part_of_the_way_is_below_guessing_or_beyond_what_is_sent(accuracy, scaled):
    asked = {"symbol by symbol": part_of(accuracy, (accuracy - 0.01, accuracy + 0.01))}
    assert f": {scaled} of the way" in sentence(judge(SCALE, asked), SCALE, asked)


def test_of_a_receiver_that_guesses_nothing_is_said():
    sender = pair_of("compositional", gaps=0.1).sender
    guessing = Agents(sender, RandomReceiver(CONFIG, np.random.default_rng(0)), CONFIG)
    study = combines(guessing, 1_000)
    assert study.results["verdict"] == CANNOT_SAY
    assert "of the messages that are sent and need two symbols. One symbol alone may reach" in study.summary


def test_a_receiver_that_hears_one_symbol_does_not_combine():
    """It finds most targets, as few distractors are in the class that the first symbol names."""
    sender, rng = pair_of("classes", gaps=0.1).sender, np.random.default_rng(0)
    language, around = known_language("classes", CONFIG, np.random.default_rng(2)), columns_of(CONFIG).around

    class HearsTheFirst:
        def choose(self, messages, sequence, candidates):
            said = [language.send(around(sequence, each))[:, 0] for each in candidates.T]
            fits = np.stack(said, axis=1) == messages[:, :1]
            return (fits + rng.random(fits.shape) / 2).argmax(axis=1)

    agents = Agents(sender, HearsTheFirst(), CONFIG)
    assert evaluate_agents(agents, 1_000).overall.accuracy > 0.6
    assert combines(agents, 2_000).results["verdict"] == CANNOT_SAY


def test_no_symbol_alone_leads_to_the_target_of_a_message_that_needs_two(compositional):
    """As in the slow and obvious version: the bits of each cell of a window, symbol by symbol."""
    episodes = draw_episodes(CONFIG, 300, np.random.default_rng(3))
    messages = pair_of("compositional").sender.send(episodes.window)
    messages[::10] = messages[::10, :1]  # one symbol, three times
    rows, changed = needing_two(compositional, messages, episodes, np.random.default_rng(4))
    assert len(rows) > 100
    assert not (rows % 10 == 0).any()
    assert np.array_equal(changed.window, episodes.window[rows])
    columns = compositional.columns
    for message, episode in zip(messages[rows], (changed[[i]] for i in range(len(rows))), strict=True):
        windows = [columns.around(episode.sequence, candidate) for candidate in episode.candidates.T]
        for symbol in set(message.tolist()):
            bits = [bits_alone(compositional, message, symbol, window[0]) for window in windows]
            target = bits.pop(episode.target_index[0])
            assert target <= max(bits) + 1e-4


def bits_alone(dictionary, message, symbol, window):
    """Return the bits that a symbol gives for a window, wherever the message has it."""
    columns, total = dictionary.columns, 0.0
    for slot in np.flatnonzero(message == symbol):
        for column in columns.of(window[None])[0]:
            for index, variable in dictionary.informative.items():
                start, stop, _ = columns.about(index).indices(columns.size)
                if start <= column < stop:
                    total += variable.symbol_ratios[slot, symbol, column - start]
    return total


def test_an_example_is_a_message_that_is_understood_for_most_of_its_windows_or_for_few_of_them():
    """The receiver knows the rule of some symbols alone, so other messages are understood by luck."""
    pair = pair_of("half-and-half", gaps=0.1)
    found = combines(pair, 2_000)
    shown = found.results["examples"]
    assert found.results["composed"] == "offset and integer"
    assert shown.keys() == {"right", "wrong"}
    language = known_language("half-and-half", CONFIG, np.random.default_rng(2))
    scale = Scale(1 / CONFIG.num_candidates, found.results["sent"])
    for choice, each in shown.items():
        fits = language.likelihood(np.array([each["message"]]), np.array([each["window"]]))[0] > 0
        assert fits == (choice == "right")
        assert each["trials"] >= FEWEST_TIMES
        ends = map(scale.of, share_interval(each["num_correct"], each["trials"]))
        assert [end > 1 / 2 for end in ends] == [choice == "right"] * 2


def test_a_message_that_is_composed_for_few_windows_is_no_example():
    pair = pair_of("half-and-half", gaps=0.1)
    dictionary = build_dictionary(counts_of(pair.sender))
    sent = np.zeros((1, 3), dtype=np.int16)
    few = partial(examples, pair.receiver, dictionary, "offset and integer", sent, SCALE, 0)
    assert few()
    with mock.patch("spatial_game.studies.combines.EXAMPLES_FROM", FEWEST_TIMES - 1):
        assert few() == {}


def test_never_sent_messages_count_as_all_windows_do(compositional, monkeypatch):
    """A tenth of what a sure composer makes was never sent, and all that an unsure one makes."""
    episodes = draw_episodes(CONFIG, 4_000, np.random.default_rng(0))
    sure = np.arange(4_000) % 2 == 0
    unsent = np.random.default_rng(1).random(4_000) < np.where(sure, 0.1, 1)
    message = np.full((4_000, 3), 25, dtype=np.int16)
    message[unsent] = 7

    class Sure:
        def choose(self, messages, sequence, candidates):
            index = np.argmax(candidates == candidates.min(axis=1, keepdims=True), axis=1)
            for row, right in enumerate(messages[:, 0] == 7):
                number = where[tuple(sequence[row])]
                index[row] = right and sure[number] and episodes.target_index[number]
            return index

    where = {tuple(row): number for number, row in enumerate(episodes.sequence)}
    composed = Composed(message, np.where(sure, 8.0, 2.0))
    known = np.array([[25, 25, 25]])
    monkeypatch.setattr(
        "spatial_game.studies.combines.needing_two",
        lambda dictionary, messages, episodes, rng: (np.arange(len(messages)), episodes),
    )
    found = ask(Sure(), compositional, composed, episodes, known, np.random.default_rng(2))
    assert found.never_sent == pytest.approx(0.55, abs=0.03)
    assert found.accuracy == pytest.approx((1 + 0.2) / 2, abs=0.05)
    assert found.covered == 1


def asked(accuracy, *, low=None, high=None, windows=500, covered=1.0, every=None):
    low, high = accuracy if low is None else low, accuracy if high is None else high
    every = accuracy if every is None else every
    return Asked(0.5, 0.5, windows, covered, accuracy, low, high, 0.2, every)


@pytest.mark.parametrize(
    ("parts", "verdict", "degree"),
    [
        ([asked(0.95)], DOES, "fully"),
        ([asked(0.8)], DOES, "mostly"),
        ([asked(0.6)], IN_PART, "in part"),
        ([asked(0.4)], NOT, "hardly"),
        ([asked(0.4), asked(0.8)], DOES, "mostly"),
        ([asked(0.4), asked(0.9, covered=0.5)], CANNOT_SAY, None),
        ([asked(0.4, every=0.9), asked(0.9, windows=5)], NOT, "hardly"),
        ([asked(0.6, low=0.4, high=0.8)], CANNOT_SAY, None),
        ([asked(0.6, low=0.4, high=0.7)], IN_PART, "in part"),
        ([asked(0.2, windows=5)], CANNOT_SAY, None),
    ],
)
def test_the_verdict_follows_the_way_from_guessing_to_messages_that_are_sent(parts, verdict, degree):
    found = judge(Scale(0.2, 1.0), dict(zip(("symbol by symbol", "offset and integer"), parts, strict=False)))
    assert (found.verdict, found.degree) == (verdict, degree)


def test_each_degree_has_its_share_of_the_way():
    assert [degree_of(way) for way in (1, 0.9, 0.89, 0.67, 0.66, 0.34, 0.33, -1)] == [
        *("fully", "fully", "mostly", "mostly", "in part", "in part", "hardly", "hardly")
    ]
