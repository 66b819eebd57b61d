"""The dictionary in arrays says what the slow twin says, on small random languages of all kinds of games."""

import functools
import json

import numpy as np
import pytest
from helpers.slow_dictionary import VIEW, SlowDictionary, in_total, shown_in

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import Reader, Speaker, build_dictionary, count, read_dictionary, write_dictionary
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.build import slot_entropies
from spatial_game.recording import Recording

GAMES = [
    GameConfig(5, num_integers=6, window_radius=1, num_distractors=2, vocab_size=5, message_length=2),
    GameConfig(7, window_radius=2, num_distractors=2, vocab_size=4, message_length=1),
    GameConfig(7, window_radius=2, num_distractors=3, vocab_size=2, message_length=3, num_visible=2),
    GameConfig(shape=(3, 3), window_radius=1, num_distractors=2, vocab_size=3, message_length=2),
    GameConfig(
        shape=(3, 3), window_radius=1, num_distractors=2, vocab_size=2, message_length=2, num_visible=1
    ),
]


def messages_for(config, window, rng):
    """Return messages that tell something: each symbol is a random function of one cell, or is drawn."""
    symbols = rng.integers(0, config.vocab_size, (config.window_size, config.num_integers + 2))
    cells = rng.integers(0, config.window_size, config.message_length)
    message = np.stack([symbols[cell, window[:, cell]] for cell in cells], axis=1)
    drawn = rng.random(message.shape) < rng.random() / 3
    return np.where(drawn, rng.integers(0, config.vocab_size, message.shape), message).astype(np.int16)


def recorded(config, seed):
    """Return a recording of messages that tell something."""
    rng = np.random.default_rng(seed)
    window = draw_episodes(config, 200, rng).window
    return Recording(config, window=window, message=messages_for(config, window, rng))


@functools.cache
def learnt(config, seed):
    """Return a small dictionary, its slow twin, and the held-out messages with their windows."""
    recording = recorded(config, seed)
    window, message, dictionary = recording.window, recording.message, build_dictionary(count(recording))
    slow = SlowDictionary(config, window.tolist(), message.tolist(), dictionary)
    return dictionary, slow, list(zip(map(tuple, message.tolist()), window.tolist(), strict=True))[9::10]


of_small_languages = pytest.mark.parametrize(  # seeds with which messages tell something of several places
    ("config", "seed"), [*zip(GAMES, (4, 4, 4, 3, 1), strict=True)]
)


@of_small_languages
def test_tables_reading_and_speaking_are_those_of_the_slow_twin(config, seed):
    dictionary, slow, _ = learnt(config, seed)
    rng = np.random.default_rng(seed)
    fresh = draw_episodes(config, 12, rng)
    said = rng.integers(0, config.vocab_size, (12, config.message_length)).astype(np.int16)  # not only words
    words, rows = [tuple(each) for each in said.tolist()], dictionary.rows(said)
    for fast, variable in zip(dictionary.variables[:-1], slow.variables.values(), strict=False):
        p = [list(variable.said(word).values()) for word in words]
        np.testing.assert_allclose(fast.by_messages(said, rows), p, rtol=1e-6, atol=1e-12)
    found = Reader(dictionary).bits(said, fresh.sequence, fresh.candidates)
    for number, candidate in enumerate(fresh.candidates.T):
        whole = columns_of(config).around(fresh.sequence, candidate).tolist()
        expected = [slow.bits_of_candidate(*each) for each in zip(words, whole, strict=True)]
        np.testing.assert_allclose(found[:, number], expected, atol=1e-3)
    spoken = map(tuple, Speaker(dictionary).send(fresh.window).tolist())
    for word, window in zip(spoken, fresh.window.tolist(), strict=True):
        assert slow.score(word, window) >= max(slow.score(other, window) for other in slow.often) - 1e-3


@of_small_languages
def test_the_file_has_what_the_slow_twin_counts(config, seed, tmp_path):
    """Its fields are those of the page *Recordings and file formats*."""
    dictionary, slow, _ = learnt(config, seed)
    write_dictionary(dictionary, tmp_path / "dictionary.json")
    content = json.loads((tmp_path / "dictionary.json").read_text())
    words, views = [tuple(message) for message in content["messages"]], {}
    assert dict(zip(words, content["message_episodes"], strict=True)) == slow.often
    for edge, shown, share in content["views"]:
        mask = np.unravel_index(config.edges.index(edge), config.window_shape)
        view = tuple(map(int, mask)), frozenset(place_of(offset) for offset in shown)
        views[view] = len(views)
        assert share == pytest.approx(slow.views[view])
    stored = {place_of(each["about"]): each for each in content["variables"]}
    assert stored.keys() == {place for place, variable in slow.variables.items() if variable.informative}
    for place, variable in ((place, slow.variables[place]) for place in stored):
        number = views if place == VIEW else {integer: integer for integer in config.integers}
        for slot, counts in enumerate(stored[place]["symbols"]):
            for symbol, pairs in enumerate(counts):
                counted = variable.symbol_counts.get((slot, symbol), {})
                assert counts_of(pairs) == {number[value]: often for value, often in counted.items()}
        columns = (stored[place][name] for name in ("messages", "symbols_weight", "prior_weight"))
        for word, pairs, *weights in zip(words, *columns, strict=True):
            kept = variable.message_counts[word] if sum(variable.weights[word]) < 1 - 1e-9 else {}
            assert counts_of(pairs) == {number[value]: often for value, often in kept.items()}
            assert weights == pytest.approx(variable.weights[word], rel=5e-3, abs=1e-8)  # three digits
    write_dictionary(read_dictionary(tmp_path / "dictionary.json"), tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == content


def place_of(stored):
    return tuple(stored) if isinstance(stored, list) else stored


def counts_of(pairs):
    """Return {value: count} from values and their counts in turn."""
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


@of_small_languages
def test_the_bits_are_those_of_the_slow_twin(config, seed):
    dictionary, slow, held = learnt(config, seed)
    possible, of_slots = dictionary.bits.possible_by_variable, slot_entropies(count(recorded(config, seed)))
    for name, symbols_only in (("messages", False), ("symbols", True)):
        found = [slow.bits(*each, symbols_only) for each in held]
        told = [np.mean([by_place.get(place, 0) for by_place, _ in found]) for place in slow.variables]
        too_much = max(told[-1] - possible[-1], 0)  # of the view
        expected = min(np.mean([*map(in_total, found)]) - too_much, dictionary.bits.entropy)
        assert getattr(dictionary.bits, name) == pytest.approx(expected, abs=1e-4)
        assert getattr(dictionary.bits, f"{name}_by_variable") == pytest.approx(
            np.minimum(told, np.minimum(possible, dictionary.bits.entropy)), abs=1e-4
        )
    values = [cells | {VIEW: view} for cells, view in (shown_in(config, window) for _, window in held)]
    for slot, by_place in enumerate(dictionary.bits.slots_by_variable):
        for (place, variable), bits, most in zip(slow.variables.items(), by_place, possible, strict=True):
            told = [
                np.log2(variable.of_symbol(slot, word[slot], shown[place]) / variable.q[shown[place]])
                for (word, _), shown in zip(held, values, strict=True)
                if variable.informative and place in shown
            ]
            assert bits == pytest.approx(min(sum(told) / len(held), most, of_slots[slot]), abs=1e-4)
    assert dictionary.bits.unknown == pytest.approx(np.mean([word not in slow.often for word, _ in held]))
