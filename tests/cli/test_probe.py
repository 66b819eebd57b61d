"""`probe`: agents whose language is known."""

from dataclasses import replace

import pytest

from spatial_agents.pairs.names import find_pair
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


def test_a_foreign_dictionary_needs_force(files, text, error):
    mine = {"sender": {"weights_hash": "xyz", "name": "mine", "index": 2}}
    write_dictionary(replace(read_dictionary("dictionary.json"), provenance=(mine,)), "other.json")
    line = "probe oracle --dictionary other.json --episodes 10"
    assert "was made for mine/2, not oracle (--force" in error(line)
    assert "Forced: the dictionary was made for mine/2" in text(f"{line} --force")
    dictionary = read_dictionary(find_pair("landmark-60").dictionary)
    [origin] = dictionary.provenance
    other = {**origin, "sender": {**origin["sender"], "weights_hash": "xyz"}}
    write_dictionary(replace(dictionary, provenance=(origin, other)), "again.json")
    line = "probe landmark-60 --dictionary again.json --episodes 10"
    assert "was made for landmark-60/0 with other weights (--force" in error(line)


# --- Messages of one's own ------------------------------------------------------------------------------


def test_what_a_receiver_makes_of_messages_is_shown(result, text):
    """The oracle's code: slot 1 says the offset, the others the integer."""
    line = "probe oracle --sequence-length 20 --episodes 2000 --message 1 0 7 25 25 25"
    said, nothing = result(line)["messages"]
    assert said["message"] == [1, 0, 7]
    assert said["candidates"][0]["candidate"] == "7 one left"
    assert said["candidates"][0]["chosen"] == 1
    assert 0.03 < said["candidates"][0]["offered"] / 2_000 / 5 < 0.07
    assert nothing["candidates"] == []
    shown = text(line)
    assert "Message 1 0 7, sent in 2,000 episodes" in shown
    assert "The receiver chooses no candidates more often than by chance, 20%." in shown


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("1 2", "message must have 3 symbols, or 3 for each; got 2"),
        ("1 2 26", "message must have symbols of 0 to 25; got '26'"),
    ],
)
def test_what_is_no_message_is_refused(message, fault, error):
    assert fault in error(f"probe oracle --message {message}")
    assert fault in error(f"read oracle {message} --episodes 10")


def test_a_reading_is_asked_as_a_whole_and_second_choices_are_explained(result, prose):
    line = "probe embed-60 --episodes 4000 --message 9 9 20"
    [said] = result(line)["messages"]
    whole, first, *_ = said["candidates"]
    assert whole["candidate"] == "all that the dictionary says"
    assert whole["chosen"] > 0.95
    assert first["chosen"] < 0.7
    shown = prose(line)
    assert "counts the episodes in which the reading is true of exactly one candidate." in shown
    assert "A small share may be a second choice" in shown
