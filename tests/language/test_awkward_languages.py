"""Languages of which little or nothing can be said go through every door of the analyser."""

import re
from dataclasses import asdict
from functools import cache

import numpy as np
import pytest
from helpers.scripted import Scripted, counts_of

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import Agents, RandomReceiver
from spatial_game.json_text import to_json
from spatial_game.language import Reader, Speaker, build_dictionary, compare, npmi_table, probe, translate
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.file import read_dictionary, write_dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import bits_by_variable, dictionary_table
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.measures.measuring import all_measures, measure_table
from spatial_game.language.page.content import make_page
from spatial_game.language.page.html import page_html
from spatial_game.language.page.sections import sections
from spatial_game.language.pictures.figures import bits_figure, heat_figures, map_figure
from spatial_game.studies.combines import combines_by
from spatial_game.studies.sides import Side
from spatial_game.studies.translation import translation
from spatial_game.tables import Table

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
GRID = GAME.changed(shape=(3, 4), vocab_size=30)
HIDDEN = GRID.changed(num_visible=1)


def same(window):
    return np.full((len(window), 2), 3)


def edge(window):
    return columns_of(GAME).edge_of(window)[:, None].repeat(2, axis=1)


def largest(window):
    return window.max(axis=1)[:, None].repeat(2, axis=1)


def own(window):
    """Say another message in each episode."""
    return np.column_stack([np.arange(len(window)) // 8 % 8, np.arange(len(window)) % 8])


LANGUAGES = {
    "one message": (GAME, same, 200),
    "only the edge": (GAME, edge, 400),
    "one episode": (GAME, largest, 1),
    "two episodes": (GAME, largest, 2),
    "none held out": (GAME, largest, 9),
    "each message once": (GAME, own, 64),
    "random": (GAME, lambda window: np.random.default_rng(0).integers(0, 8, (len(window), 2)), 200),
    "two symbols": (GAME.changed(vocab_size=2), lambda window: largest(window) % 2, 200),
    "one slot": (GAME.changed(message_length=1), lambda window: largest(window)[:, :1], 300),
    "a grid": (GRID, largest, 300),
    "hidden cells": (HIDDEN, largest, 300),
    "hidden cells, one message": (HIDDEN, same, 30),
    "hidden cells, three episodes": (HIDDEN, largest, 3),
}
each_language = pytest.mark.parametrize("name", LANGUAGES)


@cache
def counts(name):
    return counts_of(*LANGUAGES[name])


@cache
def dictionary(name):
    return build_dictionary(counts(name))


def deaf(config):
    return RandomReceiver(config, np.random.default_rng(0))


def through_the_dictionary(name, folder):
    write_dictionary(dictionary(name), folder / "dictionary.json")
    found = read_dictionary(folder / "dictionary.json")
    means = interpreter(found)
    yield from (reading_text(reading, means.classes) for reading in means.read(found.messages))
    yield from (dictionary_table(means), bits_by_variable(found))


def through_a_page(name, folder):
    page = make_page(counts(name), dictionary(name), name=name)
    yield page.to_dict()
    yield from (part.to_dict() for part in sections(page))
    assert f"The language of {name}" in page_html(page)
    for figure in (
        *([map_figure(page.maps)] if page.maps.maps else []),
        *(
            figure
            for slot in {shown.slot for shown in page.heat_maps}
            for figure in heat_figures(page.heat_maps, page.dictionary, slot)
        ),
        bits_figure(page.prefixes, page.dictionary),
    ):
        figure.canvas.draw()


def through_a_comparison(name, folder):
    yield compare(counts(name), counts(name)).table
    one = Side(dictionary(name), None)
    yield translation(one, one, 50).to_dict()


def through_measures(name, folder):
    found = all_measures(counts(name).sources, np.random.default_rng(0))
    for each in found:
        assert (each.value is None) == (each.reason is not None)
        assert each.low is None or each.low <= each.value <= each.high
        yield asdict(each)
    yield measure_table(found)


def through_npmi(name, folder):
    for top_n in (1, 2):
        found = npmi_table(counts(name), top_n=top_n, min_count=1)
        yield from (found.to_dict(), found.shown())


def through_a_probe(name, folder):
    config, say, _ = LANGUAGES[name]
    episodes = draw_episodes(config, 60, np.random.default_rng(2))
    found = probe(deaf(config), dictionary(name), episodes, sender=Scripted(say))
    yield from (found.to_dict(), str(found), found.exchange_table)


def through_combines(name, folder):
    config, say, _ = LANGUAGES[name]
    agents = Agents(Scripted(say), deaf(config), config)
    if config.message_length < 2:
        with pytest.raises(UserError, match=r"^message_length must be at least 2"):
            combines_by(dictionary(name), counts(name).messages, agents, 50, 0)
        return
    found = combines_by(dictionary(name), counts(name).messages, agents, 50, 0)
    assert found.results["verdict"] in ("cannot say", "do not combine"), found.summary
    yield from (to_json(found.to_dict()), found.summary, found.table)  # a share of no windows is null


def through_who_speaks_and_reads(name, folder):
    config, *_ = LANGUAGES[name]
    episodes = draw_episodes(config, 30, np.random.default_rng(3))
    messages = Speaker(dictionary(name)).send(episodes.window)
    assert messages.shape == (30, config.message_length)
    bits = Reader(dictionary(name)).bits(messages, episodes.sequence, episodes.candidates)
    assert np.isfinite(bits).all()
    yield translate(messages, dictionary(name), dictionary(name)).tolist()


DOORS = {
    name.removeprefix("through_"): door
    for name, door in dict(globals()).items()
    if name.startswith("through_")
}


@each_language
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_nothing_is_nan_and_nothing_fails(name, door, tmp_path, monkeypatch):
    monkeypatch.setattr("spatial_game.language.measures.measuring.NUM_GROUPS", 3)
    monkeypatch.setattr("spatial_game.language.measures.measuring.NUM_SHUFFLES", 1)
    for found in door(name, tmp_path):
        text = found.to_text() if isinstance(found, Table) else str(found)
        assert not re.search(r"\b(nan|inf|NaN)\b|-0\.0+\b", text), text
        to_json(found)


@pytest.mark.parametrize("door", [build_dictionary, make_page], ids=lambda door: door.__name__)
def test_no_episodes_are_refused_in_one_line(door):
    with pytest.raises(UserError, match=r"^[^\n]* none$"):
        door(counts_of(GAME, same, 0))
