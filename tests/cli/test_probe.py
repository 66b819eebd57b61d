"""`probe`: agents whose language is known."""

import json

import pytest


def test_the_oracle_understands_and_speaks_its_lexicon(files, result, text):
    line = "probe oracle --lexicon lexicon.json --episodes 1000"
    said = result(line)
    assert said["coverage"]["accuracy"] == said["ordinary"]["accuracy"] == 1
    assert said["spoken"]["relative"] > 0.97
    assert result(line) == said
    shown = text(line)
    assert "Understood if it agrees" in shown
    assert "that the lexicon alone composes" in shown


def test_a_pair_is_asked_with_its_own_lexicon(result):
    found = result("probe embed-60 --episodes 300")
    assert found["lexicon"] is None
    assert found["lexicon_weights_hashes"] == [found["weights_hash"]]


@pytest.fixture
def changed(files):
    """A function that writes a lexicon with other content."""

    def change(**content):
        lexicon = json.loads((files / "lexicon.json").read_text())
        (files / "other.json").write_text(json.dumps(lexicon | content))

    return change


def test_a_foreign_lexicon_needs_force(changed, text, error):
    changed(provenance=[{"sender": {"weights_hash": "xyz", "name": "mine", "index": 2}}])
    line = "probe oracle --lexicon other.json --episodes 10"
    assert "was made for mine/2, not oracle (--force" in error(line)
    assert "Forced: the lexicon was made for mine/2" in text(f"{line} --force")


def test_an_empty_lexicon_is_reported_and_not_guessed_with(changed, result, text):
    changed(entries=[])
    line = "probe oracle --lexicon other.json --episodes 100"
    assert result(line)["coverage"]["wins"] == 0
    assert "The lexicon can express 0.0% of ordinary episodes" in text(line)
