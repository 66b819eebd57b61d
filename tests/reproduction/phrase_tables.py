"""Phrases of lexicons that are known."""

import numpy as np

from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.rules import fits_in
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.recording import record
from spatial_game.reproduction.phrases import PhraseTable, entries_of


def table_of(kind, lexicon, fillers=None):
    """The phrases of a kind in a lexicon, of entries that fit into its messages."""
    entries = [entry for entry in entries_of(lexicon, kind) if fits_in(entry.form, lexicon.config)]
    return PhraseTable(kind, entries, lexicon.config, fillers)


def oracle_lexicon(config, num_episodes=20_000, threshold=0.4):
    """The lexicon of the oracle, by NPMI."""
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(0))
    return lexicon_by_npmi(count(record(OracleSender(config), None, episodes, config)), threshold=threshold)
