"""The most usual of the true messages, against a slow twin."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.language.counting.columns import candidate_columns, window_columns
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.message_model import MessageModel
from spatial_game.language.players.statistical_players import StatisticalSpeaker, UsualSpeaker
from spatial_game.recording import Recording

CONFIG = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)


class Fussy:
    """Names the left neighbour; the second symbol says whether the right one is large, and must be right."""

    def send(self, window):
        left, right = window[:, 0], window[:, 2]
        return np.column_stack([np.where(left == MASK, 0, left), right >= 6]).astype(np.int16)

    def choose(self, messages, sequence, candidates):
        columns = candidate_columns(CONFIG, sequence, candidates)
        left, right = (
            [[{c // 12: c % 12 for c in cells}.get(place, -1) for cells in row] for row in columns.tolist()]
            for place in (CONFIG.offsets.index(-1), CONFIG.offsets.index(1))
        )
        fits = (np.array(left) == messages[:, :1]) & ((np.array(right) >= 6) == messages[:, 1:])
        return fits.argmax(axis=1)


@pytest.fixture(scope="module")
def language():
    episodes = draw_episodes(CONFIG, 30_000, np.random.default_rng(0))
    counts = count(Recording(CONFIG, episodes.window, Fussy().send(episodes.window)))
    return Lexicon.from_counts(
        counts, threshold=0.3, min_confidence=0.7, select="npmi"
    ), MessageModel.from_counts(counts)


def test_it_says_the_most_probable_of_what_is_true(language):
    lexicon, model = language
    window = draw_episodes(CONFIG, 50, np.random.default_rng(1)).window
    messages = UsualSpeaker(lexicon, model).speak(window)
    says = Decoder(lexicon).true_of(model.counts.messages)(window_columns(CONFIG, window))
    scores = StatisticalSpeaker(model).scores(window_columns(CONFIG, window))
    for row in range(len(window)):
        true = [m for m in range(len(model.counts.messages)) if says[row, m]]
        if not true:
            assert (messages[row] == -1).all()
            continue
        best = max(true, key=lambda m: scores[row, m])
        assert messages[row].tolist() == model.counts.messages[best].tolist()


def test_only_the_model_of_its_game_will_do(language):
    lexicon, model = language
    other = Lexicon(GameConfig(), lexicon.settings, (), "none")
    with pytest.raises(ValueError, match="model must be of the lexicon's game"):
        UsualSpeaker(other, model)
