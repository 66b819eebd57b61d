"""The measures of languages that are known, at two sizes, and of recordings that leave them undefined."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

from spatial_game import memory
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.measures import measuring
from spatial_game.language.measures.information import JointCounts, information, information_estimate
from spatial_game.language.measures.register import MEASURES
from spatial_game.language.measures.sample import Sample
from spatial_game.language.measures.structure import consistency, disentanglement, edit_distances
from spatial_game.recording import Recording

GAME = GameConfig()
[INFORMATION] = [each for each in MEASURES if each.estimates is information]
ABOUT_ONE_LEFT = replace(
    INFORMATION, estimates=lambda sample: {"": information_estimate(sample.number, sample.integers[:, 3])}
)
POSITIONAL, SIMILARITY = "positional disentanglement", "topographic similarity"
EDGE = 25  # the symbol for a window without the cell that a language names


def rng(seed=0):
    return np.random.default_rng(seed)


def measured(config, window, message):
    """Return all measures by name."""
    return {m.name: m for m in measuring.all_measures([Recording(config, window, message)], rng())}


# --- Languages of the game of 60 integers -------------------------------------------------------------------


def digits(integer):
    return np.column_stack([integer // 8, integer % 8])


def table(window, random):
    """Say the integer one left, by three symbols without parts."""
    code = rng(99).permutation(26**3)[columns_of(GAME).at_offsets(window)[:, 3]]
    return np.column_stack([code // 676, code // 26 % 26, code % 26])


def where_and_what(window, random):
    """Say one of the four nearest offsets, and in two digits the integer there."""
    known = columns_of(GAME).at_offsets(window)[:, 2:6]
    which = (random.random(known.shape) * (known >= 0)).argmax(axis=1)
    return np.column_stack([which, digits(known[np.arange(len(known)), which])])


def two_classes(window, random):
    """Say the class of the integer one left, and that one right, of six; the third symbol is random."""
    known = columns_of(GAME).at_offsets(window)[:, [3, 4]]
    said = np.where(known < 0, EDGE, known // 10)
    return np.column_stack([said, random.integers(0, 26, len(window))])


def edges(window, random):
    """Say the edge alone, with two random symbols."""
    return np.column_stack([(window == MASK).argmax(axis=1), random.integers(0, 26, (len(window), 2))])


def nothing(window, random):
    return random.integers(0, 26, (len(window), 3))


def noisy(window, random):
    """Say a table of which one message in ten is another one."""
    said = table(window, random)
    return np.where(random.random(len(said))[:, None] < 0.1, random.permutation(said), said)


SEEN = 59 / 60  # of the episodes, those with a cell one left
NOISY = math.log2(60) - 0.1 * 59 / 60 * math.log2(59)
NOISY -= -sum(p * math.log2(p) for p in (0.1 * 59 / 60, 1 - 0.1 * 59 / 60))
NAMED = math.log2(60) * (56 / 4 + 1 / 3 + 1 / 3 + 2 / 3) / 60
TRUTH = {
    table: SEEN * math.log2(60),
    where_and_what: NAMED,
    two_classes: SEEN * math.log2(6),
    edges: 0,
    nothing: 0,
    noisy: SEEN * NOISY,
}


def drawn(language, size):
    """Return the windows and messages of a language."""
    window = draw_episodes(GAME, size, rng(size)).window
    return window, language(window, rng(1)).astype(np.int16)


@cache
def found(language, size):
    """Return all measures of a language by name."""
    return measured(GAME, *drawn(language, size))


@pytest.mark.parametrize(
    ("language", "size"),
    [*((language, 2_000) for language in TRUTH), *((each, 10_000) for each in (two_classes, nothing, noisy))],
)
def test_information_is_near_the_truth_and_its_interval_is_no_wider_than_it_must_be(language, size):
    sample = Sample.of(Recording(GAME, *drawn(language, size)), rng())
    [measure] = measuring.measure_sample(ABOUT_ONE_LEFT, sample, rng())
    assert measure.low - 0.05 <= TRUTH[language] <= measure.high + 0.05
    if language not in (edges, nothing, two_classes) or size == 10_000:  # these have 17,000 messages
        assert measure.value == pytest.approx(TRUTH[language], abs=0.3)
        assert measure.high - measure.low < (1 if size == 10_000 and language is not two_classes else 2)


def test_what_tells_the_edge_tells_no_integer():
    """Without the condition that the cell is seen, the edge alone tells of the integer at each offset."""
    of_edges = found(edges, 2_000)
    edge = of_edges["mutual information, edge"]
    assert edge.low <= sum(-p * math.log2(p) for p in (56 / 60, *[1 / 60] * 4)) <= edge.high
    of_integers = [m for name, m in of_edges.items() if name.startswith("mutual information, integer")]
    assert len(of_integers) == 8
    assert sum((m.low or 0) > 0 for m in of_integers) <= 1
    assert of_edges[POSITIONAL].value is None or of_edges[POSITIONAL].value < 0.01


def test_an_integer_that_is_named_leaves_less_for_the_others():
    """A message that names the integer one left tells that it stands nowhere else: log2 60/59 bits."""
    other = found(table, 2_000)["mutual information, integer at +1"]
    assert other.low <= math.log2(60 / 59) <= other.high
    assert other.maximum == pytest.approx(SEEN * math.log2(60), abs=0.05)


def test_disentanglement_sees_a_slot_for_a_neighbour_and_not_where_and_what():
    two, where = found(two_classes, 2_000), found(where_and_what, 2_000)
    assert two[POSITIONAL].value == pytest.approx(2 / 3, abs=0.05)  # the third slot tells nothing
    for name in (POSITIONAL, "bag-of-symbols disentanglement"):
        assert where[name].value < 0.1
        assert two[name].shuffled < 0.05
    assert where[SIMILARITY].value < 0.1 < two[SIMILARITY].value
    assert any("compositional" in definition.blind_spot for definition in MEASURES)


def test_a_random_sender_has_the_value_by_chance_everywhere():
    random = found(nothing, 2_000)
    for name in (POSITIONAL, "bag-of-symbols disentanglement", "context independence", SIMILARITY):
        assert random[name].value == pytest.approx(random[name].shuffled, abs=0.02)
    entropy = random["message entropy"]
    assert entropy.low < entropy.high <= entropy.maximum  # also where the estimate is above the maximum
    assert entropy.low <= math.log2(26**3) <= entropy.high
    assert entropy.value == pytest.approx(math.log2(26**3), abs=0.25)


# --- Functions of counts ------------------------------------------------------------------------------------


def test_information_counts_nothing_where_nothing_is_shown():
    codes, values = np.array([0, 1, 2, 0, 1, 2] * 100), np.array([0, 1, -1, 0, 1, -1] * 100)
    counts = JointCounts.of(codes, values)
    assert counts.share == pytest.approx(2 / 3)
    assert counts.information == pytest.approx(2 / 3, abs=0.01)
    assert counts.predicted == pytest.approx(2 / 3, abs=0.03)
    for nothing in (np.full(600, -1), np.zeros(600, int)):
        counts = JointCounts.of(codes, nothing)
        assert counts.information == pytest.approx(0)
        assert counts.predicted == 0


def test_many_codes_are_counted_as_few_are():
    codes, values = rng().integers(0, 5, (2, 500))
    few, many = JointCounts.of(codes, values), JointCounts.of(codes * 1000, values)
    assert few.counts.tolist() == many.counts.tolist()
    assert (few.information, few.predicted) == pytest.approx((many.information, many.predicted))
    code, value = np.divmod(few.pairs, 5)
    assert few.counts.tolist() == [
        np.sum((codes == c) & (values == v)) for c, v in zip(code, value, strict=True)
    ]


def test_no_prediction_of_random_values_gains_and_one_of_copies_gains_all():
    codes, other = rng().integers(0, 8, (2, 4_000))
    assert JointCounts.of(codes, other).predicted == 0
    assert JointCounts.of(codes, codes).predicted == pytest.approx(3, abs=0.01)


def test_disentanglement_is_one_for_a_slot_for_each_factor():
    factors = rng().integers(0, 8, (2, 5_000))
    assert disentanglement([*factors], factors) > 0.98
    assert disentanglement([factors[0] + factors[1]], factors) < 0.05
    assert math.isnan(disentanglement([np.zeros(5_000, int)], factors))
    with pytest.raises(ValueError, match="factors must be at least two; got 1"):
        disentanglement([*factors], factors[:1])


@pytest.mark.parametrize(
    ("together", "expected"),
    [
        ([[4, 0], [0, 4]], 1.0),  # a symbol for each cell
        ([[4, 4], [0, 0]], 0.5),  # one symbol for both
        ([[2, 0], [2, 0], [0, 4]], 0.75),  # a synonym
        ([[3, 1], [1, 3]], 9 / 16),
    ],
)
def test_context_independence_of_known_counts(together, expected):
    table = np.array(together)
    found = consistency(sp.csr_array(table), table.sum(axis=1), table.sum(axis=0))
    assert found == pytest.approx(expected)
    assert math.isnan(consistency(sp.csr_array(0 * table), table.sum(axis=1), np.zeros(2)))


def test_context_independence_is_that_of_its_words():
    """The same by loops over symbols and cells."""
    config = GameConfig(6, window_radius=1, num_distractors=1, vocab_size=4, message_length=2)
    window = draw_episodes(config, 300, rng()).window
    message = rng(1).integers(0, 4, (300, 2)).astype(np.int16)
    integers = columns_of(config).at_offsets(window)
    products = []
    for offset, integer in itertools.product(range(integers.shape[1]), range(6)):
        cell = integers[:, offset] == integer
        has = [(message == symbol).any(axis=1) for symbol in range(4)]
        given_symbol = [np.mean(cell[symbol]) for symbol in has]
        best = int(np.argmax(given_symbol))
        if cell.any():
            products.append(given_symbol[best] * np.mean(has[best][cell]))
    value = measured(config, window, message)["context independence"].value
    assert value == pytest.approx(np.mean(products))


def test_edit_distances():
    one = np.array([[1, 2, 3]] * 5)
    other = np.array([[1, 2, 3], [1, 2, 4], [3, 2, 1], [2, 3, 1], [4, 5, 6]])
    assert edit_distances(one, other).tolist() == [0, 1, 2, 2, 3]


def test_edit_distances_do_not_depend_on_how_many_are_made_at_a_time(monkeypatch):
    one, other = np.random.default_rng(0).integers(0, 3, (2, 50, 6))
    whole = edit_distances(one, other)
    monkeypatch.setattr(memory, "AT_ONCE", 1_000)
    assert (edit_distances(one, other) == whole).all()


def test_messages_that_copy_the_window_are_topographic_and_random_ones_are_not():
    config = GameConfig(30, window_radius=1, vocab_size=30, message_length=2)
    episodes = draw_episodes(config, 3000, rng())
    middle = episodes[episodes.mask_column == 1]
    random = RandomSender(config, rng(1)).send(middle.window)
    for message, expected, tolerance in ((middle.window[:, [0, 2]], 1.0, 1e-9), (random, 0.0, 0.04)):
        m = measured(config, middle.window, message)["topographic similarity"]
        assert m.value == pytest.approx(expected, abs=tolerance)
        assert m.shuffled == pytest.approx(0, abs=0.04)
        assert m.low <= m.value <= m.high


def test_information_is_at_most_the_bits_of_an_integer_and_of_a_message():
    game = GameConfig(30, vocab_size=8)
    window = draw_episodes(game, 400, np.random.default_rng(0)).window
    for message, most in ((window[:, 1:4] // 4, np.log2(30)), (window[:, [1]] // 4, 3)):
        config = game.changed(message_length=message.shape[1])
        sample = Sample.of(Recording(config, window, message.clip(0)), np.random.default_rng(1))
        figures = information(sample)
        assert max(each.maximum for each in figures.values()) <= most + 1e-9
