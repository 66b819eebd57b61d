"""The file of a lexicon."""

import gzip
import json

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.language.lexicon.lexicon import Lexicon, LexiconError
from spatial_game.recording import record


@pytest.fixture(scope="module")
def lexicon():
    config = GameConfig(sequence_length=10)
    language = LANGUAGES["two-bands"](config, np.random.default_rng(0))
    episodes = draw_episodes(config, 5000, np.random.default_rng(1))
    return dictionary_of(count(record(language, None, episodes, config)))


def test_a_compressed_lexicon_is_read_as_it_was_written(tmp_path, lexicon):
    for name in ("one.json.gz", "two.json.gz", "plain.json"):
        lexicon.write(tmp_path / name)
        assert Lexicon.read(tmp_path / name) == lexicon
    one, two, plain = (
        (tmp_path / name).read_bytes() for name in ("one.json.gz", "two.json.gz", "plain.json")
    )
    assert one == two
    assert len(one) < len(plain) / 3
    (tmp_path / "cut.json.gz").write_bytes(one[:-20])
    with pytest.raises(LexiconError, match="ended"):
        Lexicon.read(tmp_path / "cut.json.gz")


def test_a_compressed_lexicon_of_too_many_bytes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("spatial_game.language.lexicon.lexicon.MOST_BYTES", 1000)
    (tmp_path / "large.json.gz").write_bytes(gzip.compress(b" " * 100_000))
    with pytest.raises(LexiconError, match="a lexicon must have at most 1000 bytes; got more"):
        Lexicon.read(tmp_path / "large.json.gz")


def test_an_entry_is_written_as_it_is_promised(lexicon):
    entry = next(e for e in lexicon.to_dict()["entries"] if len(e["rules"]) == 2)
    promised = {"form", "slot", "rules", "listed", "npmi", "confidence", "count", "p_value", "bits"}
    assert entry.keys() == promised
    assert [rule["place"] for rule in entry["rules"]] == [-1, 1]
    for rule in entry["rules"]:
        assert all(isinstance(k, int) for k in rule["values"])
        assert 0 < rule["expected"] < rule["probability"] < 1


def a_rule(**changes):
    return {"place": -1, "values": [1], "probability": 0.9, "expected": 0.1, "cost": 9.0} | changes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"alternatives": 3}, "alternatives must be a list; got 3"),
        ({"alternatives": [3]}, "an alternative must be a JSON object; got 3"),
        ({"alternatives": [{"meanings": [], "share": 1}]}, "meanings must be at least one; got none"),
        ({"alternatives": [{"meanings": [2], "share": 1}]}, "meanings must be a whole number .*; got 2"),
        ({"alternatives": [{"meanings": [0]}]}, r"entries\[\d\] must have the field share"),
        ({"rules": [a_rule(values=[], place=None)]}, "only an offset has none"),
        ({"rules": [a_rule(place=0)]}, "place must be 'edge', null or in .*; got 0"),
        ({"form": "x"}, "form must be a list; got 'x'"),
        ({"slot": "x"}, "slot must be a whole number in 0..\\d; got 'x'"),
        ({"npmi": 7}, r"entries\[0\]: npmi must be a number in -1..1; got 7"),
        ({"form": [None, None, None]}, "form must hold at least one symbol that is not null; got none"),
        ({"form": [1, None, 99]}, "form must be a whole number in 0..25; got 99"),
        ({"bits": "many"}, "bits must be a number in .*; got 'many'"),
        ({"rules": []}, "rules must have at least one; got none"),
        ({"rules": [a_rule(), a_rule(place=None)]}, "a word or an offset must be a single one; got 2"),
        ({"rules": [a_rule(values=[]), a_rule(place=1)]}, "a word or an offset must be a single one; got 2"),
        ({"rules": [a_rule(cost=-1)]}, "cost must be a number in .*; got -1"),
        ({"listed": 1}, "listed must be true or false; got 1"),
        ({"rules": [a_rule(place="9")]}, "place must be 'edge', null or in .*; got '9'"),
        ({"rules": [a_rule(values=[10])]}, "a value must be a whole number in 0..9; got 10"),
        ({"rules": [a_rule(values=[1, 1])]}, "values of a meaning must differ.*; got .1, 1."),
        ({"rules": [a_rule(place="edge", values=["north"])]}, "an edge must be among .*; got 'north'"),
        ({"rules": [a_rule(probability=2)]}, "probability must be a number in 0..1; got 2"),
        ({"rules": [a_rule(expected="few")]}, "expected must be a number in 0..1; got 'few'"),
        ({"rules": [a_rule(rest=-1)]}, "rest must be a number in .*; got -1"),
    ],
)
def test_a_bad_entry_is_refused_in_one_line(tmp_path, lexicon, change, words):
    content = lexicon.to_dict()
    content["entries"][0].update(change)
    path = tmp_path / "lexicon.json"
    path.write_text(json.dumps(content))
    with pytest.raises(LexiconError, match=words) as caught:
        Lexicon.read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.pop("entries"), "a lexicon must have the field entries"),
        (lambda c: c["analysis"].update(name="guess"), "analysis must be description; got"),
        (lambda c: c["analysis"]["account"].update(message_bits="x"), "message_bits must be a number in"),
        (lambda c: c["analysis"]["account"].update(by_place={"nowhere": 1}), "by_place must have the fields"),
        (lambda c: c.update(format_version=2), "format_version must be 1; got 2"),
        (lambda c: c.update(format_version=True), "format_version must be 1; got True"),
        (lambda c: c["config"].update(vocab_size=1), "vocab_size must be in 2..32767; got 1"),
        (lambda c: c["entries"][0].pop("npmi"), "entries[0] must have the field npmi"),
        (lambda c: c["entries"].insert(3, c["entries"][1]), "entries[3] repeats entries[1]"),
    ],
)
def test_a_bad_lexicon_is_refused_in_one_line(tmp_path, lexicon, change, words):
    content = json.loads(json.dumps(lexicon.to_dict()))
    change(content)
    path = tmp_path / "lexicon.json"
    path.write_text(json.dumps(content))
    with pytest.raises(LexiconError) as caught:
        Lexicon.read(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_and_truncated_lexicons(tmp_path, lexicon):
    path = tmp_path / "lexicon.json"
    with pytest.raises(LexiconError, match="there is no such file"):
        Lexicon.read(path)
    lexicon.write(path)
    path.write_text(path.read_text()[:-40])
    with pytest.raises(LexiconError, match="not a whole JSON file"):
        Lexicon.read(path)
    path.write_bytes(b"PAR1\xe0")
    with pytest.raises(LexiconError, match="a lexicon is needed; this is a recording"):
        Lexicon.read(path)
    path.write_text("[]")
    with pytest.raises(LexiconError, match="a lexicon must be a JSON object; got \\[\\]"):
        Lexicon.read(path)


@pytest.mark.parametrize(
    "game",
    [
        {"sequence_length": 32767, "window_radius": 16383},
        {"shape": (9, 9, 9, 9), "window_radius": 4, "vocab_size": 32767, "message_length": 1000},
    ],
)
def test_a_lexicon_that_claims_a_huge_game_is_refused_in_a_short_line(lexicon, game):
    content = {**lexicon.to_dict(), "config": GameConfig(**game).to_dict()}
    rules = (a_rule(place="edge", values=["north"]), a_rule(place=0))
    others = [{**content["entries"][0], "rules": [rule]} for rule in rules]
    for entries in ([], *([entry] for entry in others)):
        with pytest.raises(ValueError, match="must ") as caught:
            Lexicon.from_dict({**content, "entries": entries})
        assert len(str(caught.value)) < 400
