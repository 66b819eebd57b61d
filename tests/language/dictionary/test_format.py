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

CHANGED = "hash must be that of the content, which was changed (analyse makes one)"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The text of a good file."""
    config = GameConfig(12, num_distractors=2, vocab_size=12, message_length=2)
    path = tmp_path_factory.mktemp("good") / "dictionary.json"
    write_dictionary(dictionary_of(config, OracleSender(config).send, 1_000), path)
    return path.read_text()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"kind": "npmi-table"}, 'kind must be "dictionary" (analyse makes one); got '),
        ({"format_version": 1}, "format_version must be 3 (analyse makes one); got 1"),
        ({"episodes": 999}, "hash must be that of the content, which was changed (analyse makes one); got "),
        (
            {"views": "nonsense"},
            "hash must be that of the content, which was changed (analyse makes one); got ",
        ),
        ({"hash": None}, "hash must be that of the content, which was changed (analyse makes one); got None"),
    ],
)
def test_a_file_that_was_changed_is_refused_in_one_line(written, change, fault, tmp_path):
    path = tmp_path / "dictionary.json"
    path.write_text(json.dumps(json.loads(written) | change))
    with pytest.raises(DictionaryError, match=re.escape(f"{path}: {fault}")) as error:
        read_dictionary(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spoilt", [{"bits": 5}, {"bits": {}}, {"messages": "x"}])
def test_a_hash_that_is_made_anew_saves_no_file_that_does_not_hold_together(written, spoilt, tmp_path):
    content, path = {**json.loads(written), **spoilt}, tmp_path / "dictionary.json"
    del content["hash"]
    path.write_text(json.dumps({**content, "hash": file._hash(content)}))
    with pytest.raises(DictionaryError, match=re.escape(f"{path}: ")) as error:
        read_dictionary(path)
    assert "\n" not in str(error.value)


def test_a_file_may_be_laid_out_in_another_way(written, tmp_path):
    path = tmp_path / "dictionary.json"
    path.write_text(json.dumps(json.loads(written), indent=2))
    assert read_dictionary(path).total == 1_000


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
