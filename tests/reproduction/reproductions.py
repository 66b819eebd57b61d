"""Reproductions of the oracle, whose figures are known, for the tests of several files."""

from dataclasses import replace

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import table_of
from spatial_game.language.counting.places import column_of
from spatial_game.language.lexicon.entries import fits_in
from spatial_game.language.npmi.analysis import MESSAGE_TYPES, lexicon_by_npmi
from spatial_game.recording import record
from spatial_game.reproduction.measuring import Subject
from spatial_game.reproduction.phrases import NOTHING, Parts, PhraseTable
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


def oracle_lexicon(config, num_episodes=20_000, threshold=0.4):
    return lexicon_by_npmi(oracle_counts(config, num_episodes), threshold=threshold)


def said_by(entries, config):
    """What entries say as parts of phrases."""
    rows = []
    for entry in entries:
        place, values = entry.meanings[0][0].numbers(config)
        rows.append([column_of(config, place or 0, value) for value in values or [0]])
    columns = np.full((len(rows), max(map(len, rows), default=1)), NOTHING)
    for row, said in zip(columns, rows, strict=True):
        row[: len(said)] = said
    forms = table_of([entry.form for entry in entries], config.message_length)
    return Parts(forms, columns, np.zeros((5, len(rows))))


def entries_of(kind, lexicon):
    """The first and the second parts of phrases of a kind: listed entries that suit the lexicon's game."""
    config, kinds = lexicon.config, ("integer", "offset") if kind == "compositional" else (kind, "")
    suiting = [
        entry
        for entry in lexicon.listed
        if fits_in(entry.form, config)
        and (meaning := entry.meanings[0][0]).in_game(config)
        and meaning.values != ("middle",)
    ]
    return [[entry for entry in suiting if entry.kind == kind] for kind in kinds]


def phrases_of(kind, lexicon, fillers=None):
    """The phrases of a kind that such entries make."""
    config, (first, second) = lexicon.config, entries_of(kind, lexicon)
    beside = said_by(second, config) if kind == "compositional" else Parts.nothing(config)
    fillers = np.zeros(config.message_length) if fillers is None else fillers
    return PhraseTable(said_by(first, config), beside, config, fillers)
