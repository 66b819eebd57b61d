"""Damaged files that carry no checksums: each is refused in one clear line, or read.

Those of recordings and of weights, which carry some, are damaged in tests of their own.
"""

import json
import warnings

import numpy as np
import pytest
from helpers.published import export_interactions

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.folders import options_of, write_config
from spatial_game import GameConfig, OracleReceiver, OracleSender, UserError, draw_episodes, record
from spatial_game.language import build_dictionary, count, interchange, read_dictionary, write_dictionary

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=12, message_length=2)


def damaged(content, rng):
    """A file with a flipped bit, some random bytes, a cut, or something added."""
    data = bytearray(content)
    place = int(rng.integers(0, len(data)))
    match rng.integers(0, 4):
        case 0:
            data[place] ^= 1 << int(rng.integers(0, 8))
        case 1:
            data[place : place + 4] = rng.bytes(4)
        case 2:
            del data[place:]
        case _:
            data[place:place] = rng.bytes(int(rng.integers(1, 9)))
    return bytes(data)


def recording(episodes):
    played = draw_episodes(GAME, episodes, np.random.default_rng(1))
    return record((OracleSender(GAME), OracleReceiver(GAME)), played, GAME)


def read_csv(path):
    return interchange.read_csv(path, **GAME.to_dict())


def read_interactions(path):
    return interchange.read_interactions(path, vocab_size=GAME.vocab_size)


FILES = {
    "dictionary.json": (
        lambda path: write_dictionary(build_dictionary(count(recording(4_000))), path),
        read_dictionary,
    ),
    "play.csv": (lambda path: interchange.export_csv(recording(40), path), read_csv),
    "play.npz": (lambda path: interchange.export_tensors(recording(40), path), interchange.read_tensors),
    "play.json": (lambda path: export_interactions(recording(6), path), read_interactions),
}
"""How a good file is written, and how it is read."""


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_refused_or_read(name, tmp_path):
    write, read = FILES[name]
    path, rng, faults = tmp_path / name, np.random.default_rng(2), []
    write(path)
    content = path.read_bytes()
    for _ in range(30):
        path.write_bytes(damaged(content, rng))
        try:
            read(path)
        except (UserError, OSError) as error:
            faults.append(str(error))
    assert len(faults) > 6
    assert all(0 < len(fault) < 2_000 and "\n" not in fault.strip() for fault in faults)


# --- Another value in a JSON file ------------------------------------------------------------------------

OTHERS = (0, -1, 7.5, 10**6, 2**63, 10**400, 1e300, "x", None, True, [], [[1]], [None], {}, {"a": 1})

JSON_FILES = {
    "dictionary.json": FILES["dictionary.json"],
    "play.json": FILES["play.json"],
    "config.json": (
        lambda path: write_config(path.parent, TrainOptions(GAME, Recipe(steps=5))),
        lambda path: json.dumps(options_of(path.parent).to_dict()),
    ),
}


def paths(content, at=()):
    """The place of every field, and of the first two and the last value of every list."""
    names = content if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for name in {*list(names)[:2], *list(names)[-1:]} if isinstance(content, list) else names:
        yield (*at, name)
        yield from paths(content[name], (*at, name))


@pytest.mark.parametrize("name", JSON_FILES)
def test_another_value_in_a_json_file_is_read_or_refused_in_a_line_that_names_its_place(name, tmp_path):
    write, read = JSON_FILES[name]
    path, rng, faults = tmp_path / name, np.random.default_rng(3), []
    write(path)
    text = path.read_text()
    places = [place for place in paths(json.loads(text)) if "versions" not in place]
    for i in rng.permutation(len(places))[:40]:
        for value in rng.permutation(len(OTHERS))[:5]:
            content = inner = json.loads(text)
            for step in places[i][:-1]:
                inner = inner[step]
            inner[places[i][-1]] = OTHERS[value]
            path.write_text(json.dumps(content))
            try:
                with warnings.catch_warnings(action="error"):
                    read(path)
            except UserError as error:
                faults.append((str(error), places[i], OTHERS[value]))
    assert len(faults) > 40
    for fault, place, value in faults:
        # Where values do not fit together, another field, a column, or the hash of all, may be named.
        fields = [*map(str, place), "column", "words must count", "messages must", "must have", "hash must"]
        assert fault.startswith(f"{path}: "), (place, value)
        assert "\n" not in fault, (place, value)
        assert any(field in fault for field in fields if not field.isdecimal()), (fault, place, value)
