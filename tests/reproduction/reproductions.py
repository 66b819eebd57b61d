"""Reproductions of the oracle, whose figures are known, for the tests of several files."""

from dataclasses import replace

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import table_of
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.npmi.analysis import MESSAGE_TYPES, analyses
from spatial_game.recording import record
from spatial_game.reproduction.measuring import Subject
from spatial_game.reproduction.phrases import NOTHING, Parts, PhraseTable, parts_of
from spatial_game.reproduction.results import Cell, Sizes, TypeShare

CONFIG = GameConfig(20)
SIZES = Sizes(recorded=20_000, choosing=100, reported=300)


def subject(name="oracle", sender=None):
    agents = {"sender": sender or OracleSender(CONFIG), "receiver": OracleReceiver(CONFIG), "config": CONFIG}
    about = {"weights_hash": "abc", "inputs": "raw numbers", "recipe": "paper"}
    return Subject(name=name, family=name, **agents, **about)


def family(results, number=6, **changes):
    """Results in which several pairs of one family, of the paper's length, are like the oracle."""
    oracle = results.pairs["oracle"]
    names = [f"o/{i}" for i in range(number)]
    alike = {"config": CONFIG.changed(sequence_length=60), "family": "o", **changes}
    return replace(results, pairs={name: replace(oracle, **{"name": name, **alike}) for name in names})


def with_pairs(results, **changes):
    """The same results, in which a field of each pair has another of these values."""
    (name, values), *_ = changes.items()
    pairs = zip(results.pairs.items(), values, strict=True)
    return replace(results, pairs={key: replace(pair, **{name: value}) for (key, pair), value in pairs})


def cell(vocabulary, kind="positional"):
    types = dict.fromkeys(MESSAGE_TYPES, TypeShare(0.0, 0.0)) | {kind: TypeShare(vocabulary, 0.5)}
    return Cell(0.5, 1, types)


def with_cells(results, *grids):
    """The same results, with these cells of the grid for each pair, by both estimators."""
    found = [
        {name: replace(each, cells=cells) for name, each in pair.by_estimator.items()}
        for pair, cells in zip(results.pairs.values(), grids, strict=True)
    ]
    return with_pairs(results, by_estimator=found)


def oracle_counts(config, num_episodes=20_000):
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(0))
    return count(record(OracleSender(config), None, episodes, config))


def oracle_phrases(config, kind, num_episodes=20_000, threshold=0.4):
    """The phrases of a kind in the oracle's language."""
    [found] = analyses(oracle_counts(config, num_episodes), NpmiSettings(threshold=threshold))
    return PhraseTable(*parts_of(found, kind), config, np.zeros(config.message_length))


def phrases(config, said, beside=None, fillers=0):
    """The phrases of parts {form: columns}: of whole messages, or of integers and what stands beside them."""
    first, second = (_parts(config, forms or {}) for forms in (said, beside))
    second = Parts.nothing(config) if beside is None else second
    return PhraseTable(first, second, config, np.full(config.message_length, fillers))


def _parts(config, forms):
    columns = np.full((len(forms), 3), NOTHING)
    for row, said in zip(columns, forms.values(), strict=True):
        row[: len(said)] = said
    return Parts(table_of([*forms], config.message_length), columns, np.zeros((5, len(forms))))
