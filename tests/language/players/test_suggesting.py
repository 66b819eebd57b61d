"""What a person could say: true, and in words."""

import numpy as np
import pytest
from lexicons import description_of, entry, lexicon_of

from spatial_agents.pairs.names import find_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.meaning import Meaning
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.reading import in_words
from spatial_game.language.players.suggesting import suggestions


def test_suggestions_are_true_and_in_words():
    config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)
    entries = [
        entry([k], slot, Meaning(offset, (k,)), confidence=0.95, count=500)
        for slot, offset in ((0, -1), (1, 1))
        for k in config.integers
    ]
    found = suggestions(Composer(lexicon_of(config, entries)), np.array([[3, MASK, 5]]))
    assert found[0] == ([3, 5], "3 one left and 5 one right")
    assert 1 <= len(found) <= 2


def test_messages_of_which_only_unlisted_entries_speak_are_not_suggested():
    config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)
    unlisted = entry([3, 5], 0, Meaning(-1, (3,)), listed=False)
    for entries in ([unlisted], []):
        composer = Composer(description_of(config, entries))
        assert suggestions(composer, np.array([[3, MASK, 5]])) == []


@pytest.mark.parametrize("name", ["embed-60", "paper-60"])
def test_no_suggestion_of_a_trained_pair_is_untrue(name):
    lexicon = Lexicon.read(find_pair(name).lexicon)
    composer, said = Composer(lexicon), 0
    for window in draw_episodes(lexicon.config, 4, np.random.default_rng(1)).window:
        for message, _ in suggestions(composer, window[None]):
            assert "untrue here" not in in_words(lexicon, message, window)
            said += 1
    assert said >= 4
