"""Reproductions of the oracle, whose figures are known, for the tests of several files."""

from dataclasses import replace

import numpy as np

from helpers.oracle_tables import tables_of
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleCode, OracleReceiver, OracleSender
from spatial_game.game.policies import Agents
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.ngrams import NGram, table_of
from spatial_game.language.npmi.message_types import MESSAGE_TYPES, READABLE, TypeShare
from spatial_game.recording import record
from spatial_game.reproduction.measure_pair import PairToMeasure
from spatial_game.reproduction.phrases import NOTHING, Parts, PhraseTable
from spatial_game.reproduction.results import GridCell, SampleSizes

CONFIG = GameConfig(20)
SIZES = SampleSizes(recorded=10_000, choosing=100, reported=300)


def oracle_pair(name="oracle", sender=None):
    agents = Agents(sender or OracleSender(CONFIG), OracleReceiver(CONFIG), CONFIG)
    about = {"weights_hash": "abc", "inputs": "raw numbers", "recipe": "paper"}
    return PairToMeasure(name=name, family=name, agents=agents, config=CONFIG, **about)


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


def cell(vocabulary, kind="positional", phrases=None):
    none = dict.fromkeys([*MESSAGE_TYPES, READABLE], TypeShare(0, 0.0, 0.0))
    types = none | {kind: TypeShare(1, vocabulary, 0.5)}
    return GridCell(0.5, 1, types, phrases or {})


def with_cells(results, *grids):
    """The same results, with these cells of the grid for each pair, by both estimators."""
    found = [
        {name: replace(each, cells=cells) for name, each in pair.by_estimator.items()}
        for pair, cells in zip(results.pairs.values(), grids, strict=True)
    ]
    return with_pairs(results, by_estimator=found)


def with_phrases(results, kind, found):
    """The same results, in which each pair has these phrases of a kind, by all estimators, in both cells."""
    by_estimator = [
        {
            name: replace(each, phrases={cell: {kind: phrases} for cell in each.phrases})
            for name, each in pair.by_estimator.items()
        }
        for pair, phrases in zip(results.pairs.values(), found, strict=True)
    ]
    return with_pairs(results, by_estimator=by_estimator)


def oracle_counts(config, num_episodes=20_000):
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(0))
    return count(record((OracleSender(config), None), episodes, config))


def oracle_phrases(config, kind):
    """The phrases of a kind in the oracle's code, each part at its slot."""
    code, columns, places = tables_of(OracleCode(config)), columns_of(config), config.offsets
    if kind == "edge":
        edges = {NGram(m, 0): [columns.view(columns.edges.index(e))] for e, m in code.edges.items()}
        return phrases(config, edges)
    if kind == "integer_at":
        cells = {NGram(m, 0): [columns.integer_at(places.index(o), n)] for (n, o), m in code.holistic.items()}
        return phrases(config, cells)
    offsets = {NGram((s,), 0): [columns.integer_at(places.index(o), 0)] for o, s in code.offsets.items()}
    return phrases(config, {NGram(m, 1): [n] for n, m in code.integers.items()}, offsets)


def phrases(config, said, beside=None, fillers=0):
    """The phrases of parts {n-gram: columns}: whole messages, or integers and what stands beside them."""
    first, second = (_parts(config, ngrams or {}) for ngrams in (said, beside))
    second = Parts.nothing(config) if beside is None else second
    return PhraseTable(first, second, config, np.full(config.message_length, fillers))


def _parts(config, ngrams):
    columns = np.full((len(ngrams), 3), NOTHING)
    for row, said in zip(columns, ngrams.values(), strict=True):
        row[: len(said)] = said
    return Parts(table_of([*ngrams], config.message_length), columns)
