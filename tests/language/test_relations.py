"""Synonyms, homonyms, and symbols in two slots, of languages that tests speak."""

from dataclasses import replace

import numpy as np
from helpers.scripted import counts_of, integers_at
from helpers.spoken import GAME, built, cells, said

from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.relations import Agreement, agreement_of_slots, homonyms, synonyms


def test_synonyms_and_homonyms_are_found():
    def doubled(window):
        left, _ = cells(window)
        coin = np.random.default_rng(2).integers(0, 2, len(window))
        return said(left % 18, coin)  # 0 and 18, 1 and 19 have one symbol; each message has a twin

    counts = counts_of(GAME, doubled, 8_000)
    dictionary = build_dictionary(counts)
    readings = interpreter(dictionary).read(dictionary.messages)
    groups = synonyms(readings)
    assert len(groups) >= 16
    for group in groups:
        assert len({dictionary.messages[i, 0] for i in group}) == 1
    assert homonyms(readings) == [i for i, each in enumerate(readings) if len(each.senses) > 1]
    rare = [replace(each, episodes=9) for each in readings]
    assert synonyms(rare) == homonyms(rare) == []
    (sense,) = readings[0].senses
    for other, found in (
        (replace(sense, statements=readings[-1].senses[0].statements), [0]),
        (replace(sense, edges=(1,)), []),  # it says the same of integers
    ):
        assert homonyms([replace(readings[0], senses=(replace(sense, edges=(0,)), other))]) == found


def test_a_message_that_is_sent_at_two_edges_for_one_integer_is_no_homonym():
    def two_left_or_one_right(window):
        two_left, right = integers_at(GAME, window, -2, 1)
        return said(np.where(two_left < 0, 19, two_left % 5), np.where(right < 0, 19, right % 5))

    dictionary = build_dictionary(counts_of(GAME, two_left_or_one_right, 20_000))
    readings = interpreter(dictionary).read(dictionary.messages)
    at_edges = [each for each, (first, *_) in zip(readings, dictionary.messages, strict=True) if first == 19]
    assert any(len(sense.edges) > 1 for each in at_edges for sense in each.senses)
    assert not homonyms(at_edges)


def test_symbols_mean_the_same_in_another_slot_only_if_they_do():
    def both_about_one_left(window):
        left, _ = cells(window)
        return said(left // 2, left // 2)

    def with_codes_of_their_own(window):
        left, _ = cells(window)
        return said(left // 2, np.random.default_rng(5).permutation(10)[left // 2])

    for say, same in ((both_about_one_left, True), (with_codes_of_their_own, False)):
        dictionary = build_dictionary(counts_of(GAME, say, 5_000))
        found = agreement_of_slots(dictionary, np.random.default_rng(0))
        assert (found.same > found.high) == same
        assert ("symbols mean the same" in found.text) == same
        assert ("do not mean the same" in found.text) != same
    assert agreement_of_slots(built("random"), np.random.default_rng(0)) is None
    for same, said_of_it in ((0.04, "do not mean"), (0.2, "mean in part"), (0.6, "mean the same")):
        assert said_of_it in Agreement(same, low=-0.01, high=0.02, symbols=42).text
