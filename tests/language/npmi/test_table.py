"""The table of the paper's analysis: its words, its file, and what a damaged file is told."""

import json
from dataclasses import replace

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import Form
from spatial_game.language.npmi.analysis import npmi_table
from spatial_game.language.npmi.table import KINDS, NpmiEntry, NpmiTable, NpmiTableError, Referent
from spatial_game.recording import record

GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2)


def oracle_table(config, **settings):
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    recording = record(OracleSender(config), None, episodes, config, provenance={"seed": 7})
    return npmi_table(count(recording), **settings)


@pytest.fixture(scope="module")
def table():
    return oracle_table(GameConfig(20), threshold=0.375)


@pytest.mark.parametrize(
    ("referent", "kind", "words"),
    [
        (Referent("begin+1"), "edge", "begin+1"),
        (Referent(None, (15,), -1), "integer_at", "15 is 1 left of target"),
        (Referent(None, (15, 3), 2), "integer_at", "15 or 3 is 2 right of target"),
        (Referent(None, (1,)), "integer", "integer 1"),
        (Referent(offset=-2), "offset", "? is 2 left of target"),
        (Referent(offset=(-2, 1)), "offset", "? is 1 right and 2 up"),
    ],
)
def test_a_referent_in_the_words_of_table_3(referent, kind, words):
    assert (referent.kind, str(referent)) == (kind, words)


@pytest.mark.parametrize("settings", [{"top_n": 2, "threshold": 0.2}, {"estimator": "code"}])
def test_a_table_is_read_as_it_was_written(tmp_path, table, settings):
    for each in (table, oracle_table(GameConfig(20), **settings), oracle_table(GRID, **settings)):
        each.write(tmp_path / "table.json")
        assert NpmiTable.read(tmp_path / "table.json") == each
        assert len(each) > 0


def test_entries_have_a_stable_order_and_figures_that_agree(table):
    kinds = [entry.referent.kind for entry in table.entries]
    assert kinds == sorted(kinds, key=[*KINDS].index)
    assert len(table.of_kind("edge")) == 4
    assert table.shown(best=3).records()[0]["meaning"] in ("begin", "begin+1", "end-1", "end")
    assert len(table.shown(best=3).rows) == 12
    for entry in table.entries:
        whole = table.named if entry.referent.kind == "offset" else table.episodes
        shares = [n / whole for n in (entry.joint, entry.form_total, entry.referent_total)]
        assert entry.npmi == pytest.approx(np.log(shares[0] / shares[1] / shares[2]) / -np.log(shares[0]))
    assert "seed 7" in table.signature
    assert table.provenance[0]["seed"] == 7


def test_the_file_says_what_it_is(table):
    content = table.to_dict()
    assert (content["kind"], content["format_version"]) == ("npmi-table", 1)
    entry = NpmiEntry(Form((7,), None), Referent(offset=-1), 5, 6, 7, 0.5, 0.01, 0.02)
    assert json.loads(json.dumps(entry.to_dict())) == {
        "form": [7],
        "slot": None,
        "referent": {"offset": -1},
        "joint": 5,
        "form_total": 6,
        "referent_total": 7,
        "npmi": 0.5,
        "p_value": 0.01,
        "q_value": 0.02,
    }


FAULTS = [
    (lambda c: c.update(kind="dictionary"), "kind must be npmi-table; got 'dictionary'"),
    (lambda c: c.update(format_version=True), "format_version must be 1; got True"),
    (lambda c: c.pop("kind"), "must have the field kind"),
    (lambda c: c["config"].update(vocab_size=1), "vocab_size must be in 2..32767; got 1"),
    (lambda c: c["settings"].update(min_count=0), "min_count must be at least 1; got 0"),
    (lambda c: c["settings"].update(colour=1), "NpmiSettings fields must be among"),
    (lambda c: c.update(signature=1), "signature must be a text; got 1"),
    (lambda c: c.update(named=10**6), "named must be in 0..20000; got 1000000"),
    (lambda c: c["types"].pop("reserved"), "must have the field reserved"),
    (lambda c: c["types"]["integer"].update(episodes=2), "episodes must be in 0..1; got 2"),
    (lambda c: c["entries"].append(c["entries"][0]), "must differ in form or referent; entries[166] repeats"),
]
ENTRY_FAULTS = [
    ({"form": []}, "form must hold 1 to 3 symbols; got 0"),
    ({"form": [26]}, "form must be in 0..25; got 26"),
    ({"slot": 2}, "slot must be in 0..0; got 2"),
    ({"joint": 10**6}, "joint must be in 1.."),
    ({"npmi": 7}, "npmi must be in -1..1; got 7"),
    ({"referent": {}}, "referent must have the field edge, or integers, offset or both; got {}"),
    ({"referent": {"edge": "begin", "offset": 1}}, "referent must have the field edge, or integers"),
    (
        {"referent": {"edge": "middle"}},
        "edge must be among ('begin', 'begin+1', 'end-1', 'end'); got 'middle'",
    ),
    ({"referent": {"integers": [20]}}, "integers must be in 0..19; got 20"),
    ({"referent": {"integers": [1, 1]}}, "integers must be one or more that differ; got [1, 1]"),
    ({"referent": {"integers": []}}, "integers must be one or more that differ; got []"),
    ({"referent": {"offset": 5}}, "offset must be in [-4, -3, -2, -1, 1, 2, 3, 4]; got 5"),
    ({"referent": {"offset": [1]}}, "offset must be in [-4, -3, -2, -1, 1, 2, 3, 4]; got [1]"),
    ({"referent": {"offset": 1.0}}, "offset must be in"),
]
ENTRY_FAULTS = [
    (lambda c, change=change: c["entries"][0].update(change), f"entries[0]: {words}")
    for change, words in ENTRY_FAULTS
]


@pytest.mark.parametrize(("damage", "words"), FAULTS + ENTRY_FAULTS)
def test_a_damaged_file_is_refused_in_one_line(tmp_path, table, damage, words):
    path = tmp_path / "table.json"
    table.write(path)
    content = json.loads(path.read_text("utf-8"))
    damage(content)
    path.write_text(json.dumps(content))
    with pytest.raises(NpmiTableError) as caught:
        NpmiTable.read(path)
    assert f"{path}: " in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[", "3", '{"kind": NaN}', "[" * 100_000])
def test_what_is_no_table_is_refused(tmp_path, text):
    (tmp_path / "table.json").write_text(text)
    with pytest.raises(NpmiTableError, match=r"table\.json: "):
        NpmiTable.read(tmp_path / "table.json")
    with pytest.raises(NpmiTableError, match=r"there is no such file|must be a regular file"):
        NpmiTable.read(tmp_path / "none.json")


def test_a_kind_that_is_none_is_refused(table):
    with pytest.raises(ValueError, match="kind must be among edge, integer_at, integer, offset; got 'class'"):
        table.of_kind("class")
    assert replace(table, entries=()).of_kind("edge") == ()
