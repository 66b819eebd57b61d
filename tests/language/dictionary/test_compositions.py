"""Words for integers with words for offsets beside them."""

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.compositions import compositions
from spatial_game.language.dictionary.describe import describe
from spatial_game.language.dictionary.rules import RuleTable
from spatial_game.language.known import LANGUAGES
from spatial_game.recording import record


def test_words_and_offsets_that_make_the_same_of_all_messages_are_tried_once():
    config = GameConfig()
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    counts = count(record(OracleSender(config), None, episodes, config))
    assert len(compositions(counts, counts.messages)) == 1


def test_the_rules_of_words_weigh_messages_as_the_search_did():
    config = GameConfig(sequence_length=20)
    language = LANGUAGES["compositional"](config, np.random.default_rng(0))
    counts = count(record(language, None, draw_episodes(config, 20_000, np.random.default_rng(1)), config))
    description = describe(counts)
    assert description.composition is not None
    words = [rule for rule in description.rules if rule.is_word or rule.is_offset]
    belief = RuleTable(words, config).belief(description.messages)
    weights = description.composition.weights(description.search.observed, description.search.places)
    for ours, searched in zip(belief.weights, weights, strict=True):
        assert (ours is None) == (searched is None)
        if ours is not None:
            np.testing.assert_allclose(ours, searched, rtol=1e-9)
