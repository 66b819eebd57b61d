"""The arrays of pictures, of languages that tests speak."""

import numpy as np
import pytest
from helpers.scripted import counts_of, left_of
from helpers.spoken import GAME, LANGUAGES, LEFT, RIGHT, SHUFFLED, built, cells, counted, said

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.pictures.colours import (
    GREY,
    LIKELIER,
    NEVER,
    PALETTE,
    RARER,
    USUAL,
    first_colours,
    rgb,
)
from spatial_game.language.pictures.grid import coordinates_around_target, window_lines
from spatial_game.language.pictures.heat import heat_maps, heat_maps_within, values_of
from spatial_game.language.pictures.maps import (
    IMPOSSIBLE,
    maps_of,
    offsets_by_bits,
    speak_of_both,
)
from spatial_game.language.pictures.order import _order, integer_orders
from spatial_game.language.prefixes import prefixes_of

# --- Order --------------------------------------------------------------------------------------------------


def test_integers_stand_by_size_if_neighbours_are_alike_and_by_class_if_not():
    for order in integer_orders(built("bands"), [LEFT, RIGHT]).values():
        assert order.by_size
        assert order.integers.tolist() == list(range(20))
    for order in integer_orders(built("classes"), [LEFT, RIGHT]).values():
        assert not order.by_size
        assert sorted(order.integers.tolist()) == list(range(20))
        of_class = SHUFFLED[order.integers] // 5
        assert np.count_nonzero(np.diff(of_class)) == 3  # each of four classes stands in one piece
    assert integer_orders(built("random"), []) == {}


def test_offsets_have_one_order_unless_that_hides_one_of_them():
    one, other = integer_orders(built("classes"), [LEFT, RIGHT]).values()
    assert one is other

    def differently(window):
        left, right = cells(window)
        return said(left // 2, SHUFFLED[right] // 2)

    counts = counts_of(GAME, differently)
    one, other = integer_orders(build_dictionary(counts), [LEFT, RIGHT]).values()
    for number in (one.integers, SHUFFLED[other.integers]):  # nearly all pairs stand side by side
        assert np.count_nonzero(np.diff(number // 2) == 0) >= 8


# --- Maps ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["names", "bands", "classes", "address"])
def test_the_map_has_the_message_that_is_sent(name):
    shown = maps_of(counted(name), built(name))
    first = shown.maps[0]
    assert (first.of_pair, first.title) == (True, "one left, by one right")
    assert first.axes == ("the integer one left", "the integer one right")
    rows, columns = ([*map(int, names)] for names in (first.rows, first.columns))
    window = np.array(
        [[19 - max(a, b, 17), a, -1, b, 18] for a in rows for b in columns], dtype=np.int16
    )  # what is further away does not matter to these senders
    sent = LANGUAGES[name](window).reshape(20, 20, 3)
    possible = np.array([[a != b for b in columns] for a in rows])
    assert ((first.best == IMPOSSIBLE) == ~possible).all()
    assert (shown.messages[first.best][possible] == sent[possible]).all(axis=1).mean() > 0.99
    assert first.episodes[~possible].sum() == 0
    assert (first.sent <= first.begun).all()
    assert (first.begun <= first.episodes).all()
    assert first.sent.sum() > 0.99 * first.episodes.sum()


def test_cells_count_episodes():
    counts = counted("bands")
    first, single = maps_of(counts, built("bands")).maps
    integer = np.concatenate(
        [columns_of(GAME).at_offsets(window) for _, window, *_ in counts.episodes("this")]
    )
    a, b = 3, 11
    row, column = first.rows.index(str(a)), first.columns.index(str(b))
    assert first.episodes[row, column] == ((integer[:, LEFT] == a) & (integer[:, RIGHT] == b)).sum()
    assert single.rows == ("one left", "one right")
    assert single.episodes[1, single.columns.index("7")] == (integer[:, RIGHT] == 7).sum()
    assert single.axes == ("offset", "the integer there")


def test_a_language_that_names_one_offset_at_a_time_has_no_map_of_pairs_first():
    single, *pairs = maps_of(counted("oracle"), built("oracle")).maps
    assert not single.of_pair
    assert len(single.rows) == len(offsets_by_bits(built("oracle"))) == 4
    assert pairs[0].title == "one left, by two right"
    assert not speak_of_both(built("oracle"), (LEFT, RIGHT + 1))
    assert speak_of_both(built("names"), (LEFT, RIGHT))
    assert (single.sent == single.begun).any()


def test_a_message_stands_only_where_it_says_this_integer():
    def random_of_high_ones(window):
        left, right = cells(window)
        chance = np.random.default_rng(2).integers(0, 15, len(window))
        return said(np.where(left < 15, left, chance), 0 * right)

    counts = counts_of(GAME, random_of_high_ones)
    [single] = maps_of(counts, build_dictionary(counts)).maps
    assert single.rows == ("one left",)
    said_of, integers = single.best[0] != IMPOSSIBLE, np.array(single.columns, dtype=int)
    assert said_of[integers < 15].all()
    assert np.count_nonzero(said_of[integers >= 15]) <= 1  # one member in twenty may be false


def test_guesses_are_where_the_first_symbol_was_never_sent():
    counts = counted("names", 300)
    first = maps_of(counts, build_dictionary(counts)).maps[0]
    assert first.guessed.any()
    assert (first.begun[first.guessed] == 0).all()
    assert not first.guessed[first.best == IMPOSSIBLE].any()


def test_a_language_that_says_nothing_has_no_maps():
    shown = maps_of(counted("random"), built("random"))
    assert shown.maps == () == tuple(shown.colours)
    assert shown.seconds == {}


def test_a_symbol_has_the_colour_of_its_number_if_that_is_free_and_the_eleventh_is_grey():
    stripes = np.repeat(np.arange(12)[None], 3, axis=0)
    stripes[:, -1] = IMPOSSIBLE
    assert first_colours(stripes, IMPOSSIBLE) == dict(enumerate((*PALETTE, GREY)))
    often_twelve = np.array([[12, 12, 12, 2, 2, 23, 0]])
    found = first_colours(often_twelve, IMPOSSIBLE)
    assert list(found) == [12, 2, 0, 23]  # the most frequent one first
    assert found == {12: PALETTE[1], 2: PALETTE[2], 0: PALETTE[0], 23: PALETTE[3]}
    assert first_colours(often_twelve[:, :3], IMPOSSIBLE) == {12: PALETTE[2]}


def linear_light(colours):
    srgb = np.array([rgb(colour) for colour in colours])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def test_heat_maps_can_be_read_in_grey():
    grey = np.cbrt(linear_light([LIKELIER, RARER, NEVER, USUAL]) @ [0.2126, 0.7152, 0.0722])  # by CIE 1976
    assert (np.diff(100 * grey) > 10).all()


def test_colour_blind_people_tell_the_colours_apart():
    """By the matrices of Machado, Oliveira and Fernandes (2009) for those who lack red or green cones."""
    linear = linear_light(PALETTE)
    protan = [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
    deutan = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    for lacks in (np.eye(3), protan, deutan):
        xyz = np.clip(linear @ np.transpose(lacks), 0, 1) @ to_xyz.T / to_xyz.sum(axis=1)
        f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
        lab = np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
        differ = np.linalg.norm(lab[:, None] - lab, axis=2)[~np.eye(len(lab), dtype=bool)]
        assert differ.min() > 10


# --- Heat maps ----------------------------------------------------------------------------------------------


def test_heat_maps_show_what_symbols_say_and_never_what_they_do_not():
    dictionary = built("bands")
    left, right = heat_maps(dictionary, integer_orders(dictionary, [LEFT, RIGHT]))
    assert [(each.slot, each.variable) for each in (left, right)] == [(0, LEFT), (1, RIGHT)]
    assert left.symbols.tolist() == [0, 1, 2, 3]
    assert left.values == tuple(map(str, range(20)))
    named = np.arange(20) // 5 == left.symbols[:, None]
    named[-1, -1] = False  # 19 stands for none
    assert np.isnan(left.lift[~(np.arange(20) // 5 == left.symbols[:, None])]).all()
    assert np.abs(left.lift[named] - 2).max() < 0.25  # four times likelier
    assert left.bits == pytest.approx(2, abs=0.15)  # where there is one
    assert left.episodes.sum() == dictionary.episodes.sum()


def test_a_symbol_that_speaks_of_the_edge_has_a_row_in_a_heat_map_of_the_edge_alone():
    def with_edge(window):
        left, right = cells(window)
        at = left_of(GAME, window)
        rarely = np.arange(len(window)) % 1_000 == 0  # ten episodes of 10,000
        return said(np.where((at < 0) | rarely, 4, left // 5), right // 5)

    dictionary = build_dictionary(counts_of(GAME, with_edge))
    found = heat_maps(dictionary, integer_orders(dictionary, [LEFT, RIGHT]))
    left, edge = (each for each in found if each.slot == 0)
    assert (left.variable, left.symbols.tolist()) == (LEFT, [0, 1, 2, 3])
    assert (edge.variable, sorted(edge.symbols)) == (len(GAME.offsets), [0, 1, 2, 3, 4])
    assert edge.lift[edge.symbols == 4, edge.values.index("the first")] > 3
    assert [each.variable for each in found if each.slot == 1] == [RIGHT]


def test_within_a_first_symbol_the_second_says_what_it_adds():
    counts, dictionary = counted("address"), built("address")
    shown = heat_maps_within(counts, dictionary, 0, integer_orders(dictionary, [LEFT, RIGHT]))
    one = next(each for each in shown if each.variable == LEFT)
    assert one.slot == 1
    assert one.bits == pytest.approx(1, abs=0.1)
    assert np.isnan(one.lift[:, 10:]).all()  # the first symbol excludes them
    for symbol, lift in zip(one.symbols.tolist(), one.lift, strict=True):
        half = symbol // 2
        assert lift[5 * half : 5 * half + 5] == pytest.approx(1, abs=0.2)
        assert np.isnan(lift[5 * (1 - half) : 5 * (1 - half) + 5]).all()


def test_views_are_named_from_left_to_right():
    config = GameConfig(20, num_visible=1)
    seen = values_of(config, len(config.offsets), {})
    assert seen.names[0] == "four left is seen"
    assert seen.names[-1] == "four right is seen"
    assert len(seen.column) == len(columns_of(config).views.share)
    edges = values_of(GAME, len(GAME.offsets), {})
    assert edges.names == ("the first", "the second", "the second last", "the last", "not near an end")
    assert edges.column.tolist() == [0, 1, 2, 3, 4]
    assert edges.coordinates is None


def test_an_order_is_not_mirrored_from_sample_to_sample():
    """Clusters of integers have no direction, so integer 0 is in the first half."""
    firsts = []
    for seed in range(6):
        distance = np.random.default_rng(seed).random((20, 20))
        distance = (distance + distance.T) * (1 - np.eye(20))
        order = _order(distance)
        assert not order.by_size
        mirrored = _order(distance[::-1, ::-1])
        firsts += [each.integers.tolist().index(0) for each in (order, mirrored)]
    assert max(firsts) < 10


def test_cells_of_a_grid_have_coordinates():
    plane, cube = GameConfig(shape=(3, 4), window_radius=1), GameConfig(shape=(3, 3, 3), window_radius=1)
    for config, name, place in (
        (plane, "at the top right", [0, 2]),
        (plane, "not near a border", [1, 1]),
        (cube, "at the top left", [0, 4]),
        (cube, "at the back bottom right", [2, 10]),
    ):
        edges = values_of(config, len(config.offsets), {})
        assert edges.coordinates[edges.names.index(name)].tolist() == place
    alone = plane.changed(num_visible=1)
    seen = values_of(alone, len(alone.offsets), {})
    assert seen.coordinates[seen.names.index("above left is seen")].tolist() == [1, 1]
    assert seen.coordinates[seen.names.index("two right is seen")].tolist() == [2, 4]
    left, behind = cube.offsets.index((0, 0, -1)), cube.offsets.index((1, 0, 0))
    assert coordinates_around_target(cube, [left, behind]).tolist() == [[0, 0], [0, 2], [0, 1]]
    assert window_lines(plane, [10, 2, 3, -1, 5, -2, 7, 8, 9]) == ["10  2  3", " ?  5  *", " 7  8  9"]
    assert window_lines(cube, [*range(13), -1, *range(13, 26)])[1] == " 3  4  5   12  ? 13   20 21 22"
    assert window_lines(GAME, [1, 12, -1, 3, 4]) == ["1 12 ? 3 4"]


@pytest.mark.parametrize(
    ("name", "how", "pair"),
    [
        ("paper-60/7", "address", True),
        ("embed-60/0", "symbol by symbol", True),
        ("landmark-60/0", "symbol by symbol", False),
    ],
)
def test_bundled_pairs_are_seen_as_they_are(name, how, pair):
    played = load_pair(name)
    counts = counts_of(played.config, played.sender.send, 8_000)
    dictionary = build_dictionary(counts)
    shown = maps_of(counts, dictionary)
    assert shown.maps[0].of_pair == pair
    assert {order.by_size for order in shown.orders.values()} == {name == "paper-60/7"}
    assert prefixes_of(counts, dictionary).built == how
