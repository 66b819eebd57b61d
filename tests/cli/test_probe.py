"""`probe`: agents whose language is known."""

import json
from dataclasses import replace

from spatial_agents.pairs.names import find_pair
from spatial_game.agents import load_agents
from spatial_game.language import read_dictionary, write_dictionary


def test_the_oracle_understands_and_speaks_its_dictionary(files, result, text):
    line = "probe oracle --dictionary dictionary.json --episodes 500"
    said = result(line)
    assert said["own"]["accuracy"] == said["read"]["accuracy"] == 1
    assert said["relative"] > 0.97
    assert result(line) == said
    shown = text(line)
    assert "For a true symbol" in shown
    assert "The receiver understands" in shown


def test_a_pair_is_asked_with_its_own_dictionary(result):
    found = result("probe landmark-60 --episodes 300")
    assert found["dictionary"] is None
    assert found["dictionary_weights_hashes"] == [found["weights_hash"]]


def test_agents_that_play_for_their_dictionary_are_loaded_once(result, monkeypatch):
    loaded = []

    def load(name, **options):
        loaded.append(name)
        return load_agents(name, **options)

    for place in ("probe", "read_language"):
        monkeypatch.setattr(f"spatial_game.cli.{place}.load_agents", load)
    monkeypatch.setattr("spatial_game.cli.read_language.EPISODES", 2_000)
    result("probe oracle --episodes 100")
    assert loaded == ["oracle"]


def test_a_foreign_dictionary_needs_force(files, text, error):
    content = json.loads((files / "dictionary.json").read_text())
    content["provenance"] = [{"sender": {"weights_hash": "xyz", "name": "mine", "index": 2}}]
    (files / "other.json").write_text(json.dumps(content))
    line = "probe oracle --dictionary other.json --episodes 10"
    assert "was made for mine/2, not oracle (--force" in error(line)
    assert "Forced: the dictionary was made for mine/2" in text(f"{line} --force")
    dictionary = read_dictionary(find_pair("landmark-60").dictionary)
    [origin] = dictionary.provenance
    other = {**origin, "sender": {**origin["sender"], "weights_hash": "xyz"}}
    write_dictionary(replace(dictionary, provenance=(origin, other)), "again.json")
    line = "probe landmark-60 --dictionary again.json --episodes 10"
    assert "was made for landmark-60/0 with other weights (--force" in error(line)


def test_the_papers_table_is_no_dictionary(files, text, error):
    text("npmi play.parquet --out table.json")
    assert 'table.json: kind must be "dictionary" (analyse makes one); got ' in error(
        "probe oracle --dictionary table.json"
    )
