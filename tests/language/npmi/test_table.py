"""The table of the paper's analysis: its words, its file, and the kinds of its associations."""

import json

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.json_text import to_json
from spatial_game.language.counting.counts import count
from spatial_game.language.npmi.analysis import npmi_table
from spatial_game.language.npmi.referents import KINDS, Referent
from spatial_game.recording import record

GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2)


def oracle_table(config, **settings):
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    recording = record((OracleSender(config), None), episodes, config, provenance={"seed": 7})
    return npmi_table(count(recording), **settings)


@pytest.fixture(scope="module")
def table():
    return oracle_table(GameConfig(20), threshold=0.375)


@pytest.mark.parametrize(
    ("referent", "words"),
    [
        (Referent("begin+1"), "begin+1"),
        (Referent(None, (15,), -1), "15 is 1 left of target"),
        (Referent(None, (15, 3), 2), "15 or 3 is 2 right of target"),
        (Referent(None, (1,)), "integer 1"),
        (Referent(offset=-2), "? is 2 left of target"),
        (Referent(offset=(-2, 1)), "? is two above one right"),
    ],
)
def test_a_referent_in_the_words_of_table_3(referent, words):
    assert str(referent) == words


def test_the_file_has_every_association_and_setting(tmp_path, table):
    for each in (table, oracle_table(GRID, top_n=2, threshold=0.2)):
        each.write(tmp_path / "table.json")
        content = json.loads((tmp_path / "table.json").read_text("utf-8"))
        assert content == json.loads(to_json(each.to_dict()))
        assert (content["kind"], content["format_version"]) == ("npmi-table", 1)
        assert len(content["associations"]) == len(each) > 0
        names = ["ngram", "slot", "referent", "joint", "ngram_total", "referent_total"]
        assert [*content["associations"][0]] == [*names, "npmi", "p_value", "q_value"]


def test_associations_have_a_stable_order_and_figures_that_agree(table):
    assert table.associations == tuple(each for kind in KINDS for each in table.of_kind(kind))
    assert len(table.of_kind("edge")) == 4
    assert table.shown(best=3).records()[0]["meaning"] in ("begin", "begin+1", "end-1", "end")
    assert len(table.shown(best=3).rows) == 12
    for kind, found in table.admitted.items():
        for each in table.of_kind(kind):
            shares = [n / found.total for n in (each.joint, each.ngram_total, each.referent_total)]
            assert each.npmi == pytest.approx(np.log(shares[0] / shares[1] / shares[2]) / -np.log(shares[0]))
    assert "seed 7" in table.signature
    assert table.to_dict()["provenance"][0]["seed"] == 7


def test_the_best_of_a_kind_are_the_most_frequent_in_the_order_of_the_table(table):
    for kind in KINDS:
        every, best = table.of_kind(kind), table.of_kind(kind, 3)
        assert sorted(each.joint for each in best) == sorted(each.joint for each in every)[-3:]
        assert [*best] == [each for each in every if each in best]


def test_the_file_says_in_how_many_episodes_a_visible_integer_is_named(table):
    """The oracle names an integer unless the target is at an edge, and says at which offset it is."""
    of_offset = {each.referent.offset: each.referent_total for each in table.of_kind("offset")}
    at_edges = sum(each.referent_total for each in table.of_kind("edge"))
    named = table.to_dict()["named"]
    assert named == sum(of_offset.values()) == table.counts.total - at_edges


def test_a_table_keeps_its_settings_with_every_default_filled_in(table):
    settings = table.settings
    assert (settings.min_confidence, settings.threshold) == (0.8, 0.375)


def test_an_unknown_kind_is_refused(table):
    with pytest.raises(ValueError, match="kind must be among edge, integer_at, integer, offset; got 'class'"):
        table.of_kind("class")
