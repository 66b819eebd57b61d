"""Files of dictionaries that do not hold together."""

import gzip
import json
import re

import pytest
from helpers.scripted import dictionary_of

from spatial_game.config import GameConfig
from spatial_game.game.oracle import OracleSender
from spatial_game.language import DictionaryError, read_dictionary, write_dictionary
from spatial_game.language.dictionary import file


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The text of a good file."""
    config = GameConfig(12, num_distractors=2, vocab_size=12, message_length=2)
    path = tmp_path_factory.mktemp("good") / "dictionary.json"
    write_dictionary(dictionary_of(config, OracleSender(config).send, 1_000), path)
    return path.read_text()


def changed(path, value):
    """Return a function that puts a value at a path into the content of a file."""

    def change(content):
        *parents, last = path
        for each in parents:
            content = content[each]
        content[last] = value

    return change


def moved(content):
    """Move a number from one symbol's list to the next one's."""
    first, second, *_ = content["variables"][0]["symbols"][0]
    second.append(first.pop())


def heavy(content):
    """Give the symbols and the prior more weight than there is."""
    first = content["variables"][0]
    first["symbols_weight"][0], first["prior_weight"][0] = 0.5, 0.502


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (changed(["kind"], "npmi-table"), 'kind must be "dictionary" (analyse makes one)'),
        (changed(["format_version"], 1), "format_version must be 2 (analyse makes one); got 1"),
        (changed(["messages", 0], [11, 11]), "messages must differ, and be in order; got others"),
        (changed(["message_episodes", 0], 0), "message_episodes must be at least 1; got [0, "),
        (changed(["message_episodes", 0], 1.5), "message_episodes must be whole numbers; got [1.5, "),
        (changed(["variables", 0, "about"], 9), "about must be one of [-4, -3, "),
        (lambda content: content["variables"].append(content["variables"][0]), "about must be one of ["),
        (moved, "symbols must be 12 lists of values and their counts in turn; got 2 of an odd length"),
        (changed(["variables", 0, "symbols_weight", 0], 7), "symbols_weight must be in 0..1; got [7, "),
        (heavy, "symbols_weight and prior_weight of a message must add up to at most 1; got [0.5] and"),
        (changed(["views"], "nonsense"), "views must be those of the config, in order; got 'nonsense'"),
        (changed(["views", 0, 0], "end"), "views must be those of the config, in order; got [['end', "),
        (changed(["views", 0, 2], 0.5), "views must be those of the config, in order; got [['begin', "),
        (lambda content: content["views"].reverse(), "views must be those of the config, in order; got [["),
        (lambda content: content.pop("views"), "must have the field views"),
        (changed(["bits", "messages"], "x"), "bits.messages must be numbers; got 'x'"),
        (changed(["variables", 0, "messages", 0], [12, 1]), "messages must be "),
        (lambda content: content.pop("bits"), "must have the field bits"),
        (changed(["bits"], 5), "bits must be a JSON object; got 5"),
        (changed(["config"], [5]), "config: GameConfig must be a JSON object; got [5]"),
        (changed(["config", "vocab_size"], "x"), "config: vocab_size must be a whole number; got 'x'"),
        (changed(["provenance"], 5), "provenance must be a list; got 5"),
        (changed(["variables"], 5), "variables must be a list; got 5"),
        (changed(["variables", 0], 5), "variables must be a JSON object; got 5"),
        (changed(["variables", 0, "about"], [[1], 2]), "about must be one of ["),
        (changed(["variables", 0, "symbols"], 5), "symbols must be a list; got 5"),
        (changed(["variables", 0, "symbols", 0], 5), "symbols must be a list; got 5"),
        (changed(["variables", 0, "symbols", 0, 0], 5), "symbols must be 12 lists of values"),
        (changed(["variables", 0, "messages", 0], 5), "messages must be "),
        (changed(["variables", 0, "messages", 0, 1], True), "messages must be numbers; got ["),
        (changed(["variables", 0, "messages", 0, 1], "1"), "messages must be numbers; got ["),
        (changed(["variables", 0, "messages", 0, 1], 2**52), "messages must count no more"),
        (changed(["variables", 0, "symbols", 0, 0, 1], 2**52), "symbols must count no more"),
        (changed(["variables", 0, "symbols", 0, 0, 1], 2**53), f"symbols must be in 0..{2**53 - 1}"),
        (changed(["message_episodes", 0], 2**53 - 1), "message_episodes must add up to at most "),
        (changed(["message_episodes", 0], 900), "message_episodes must add up to at most episodes; got "),
        (changed(["episodes"], 2**63), "episodes must be in 1..9007199254740991; got 9223372036854775808"),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused_in_one_line(written, change, fault, tmp_path):
    content, path = json.loads(written), tmp_path / "dictionary.json"
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(DictionaryError, match=re.escape(f"{path}: {fault}")) as error:
        read_dictionary(path)
    assert "\n" not in str(error.value)


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "it.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * 9_999))
    monkeypatch.setattr(file, "MOST_UNPACKED", 9_999)
    with pytest.raises(DictionaryError, match="must unpack to at most 0 MiB; unpack it first"):
        read_dictionary(path)
    monkeypatch.setattr(file, "MOST_UNPACKED", 10_000)
    with pytest.raises(DictionaryError, match="not whole JSON"):
        read_dictionary(path)


def test_nothing_is_compressed_that_would_not_be_read(written, tmp_path, monkeypatch):
    plain, packed = tmp_path / "it.json", tmp_path / "it.json.gz"
    plain.write_text(written)
    dictionary = read_dictionary(plain)
    write_dictionary(dictionary, plain)
    monkeypatch.setattr(file, "MOST_UNPACKED", plain.stat().st_size)
    write_dictionary(dictionary, packed)
    assert read_dictionary(packed).total == dictionary.total
    monkeypatch.setattr(file, "MOST_UNPACKED", plain.stat().st_size - 1)
    with pytest.raises(ValueError, match=r"it\.json\.gz: must unpack to at most 0 MiB"):
        write_dictionary(dictionary, packed)
    write_dictionary(dictionary, plain)
