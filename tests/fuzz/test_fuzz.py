"""Damaged files: each is refused in one clear line, or read.

Every class of file starts from a good one, which a seeded generator damages. A reader may raise one of the
errors that it documents, with a message of one line. Recordings and weights, which carry checksums, must read
as what was written.
"""

import numpy as np
import pytest
from published import export_interactions

from spatial_agents.pairs.names import find_pair
from spatial_agents.pairs.weights import read_weights
from spatial_game import (
    GameConfig,
    OracleReceiver,
    OracleSender,
    draw_episodes,
    read_recording,
    record,
)
from spatial_game.language import count, interchange, letters_and_words, read_lexicon, write_lexicon

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


def refused(read, path):
    """The error of one line that reading a file raised, or None; and what was read."""
    try:
        return None, read(path)
    except (ValueError, OSError) as error:
        return str(error), None


def oracle_recording(episodes):
    rng = np.random.default_rng(1)
    return record(OracleSender(GAME), OracleReceiver(GAME), draw_episodes(GAME, episodes, rng), GAME)


def same_recording(read, good):
    names = ("window", "message", "sequence", "choice")
    assert read.config == good.config
    assert all(np.array_equal(getattr(read, name), getattr(good, name)) for name in names)


def same_weights(read, good):
    assert (read.game, read.agent, read.provenance) == (good.game, good.agent, good.provenance)
    assert all(np.array_equal(read.tensors[name], good.tensors[name]) for name in good.tensors)


FILES = {
    "play.parquet": (lambda path: oracle_recording(400).write(path), read_recording, same_recording),
    "pair.safetensors": (
        lambda path: path.write_bytes(find_pair("paper-20").weights.read_bytes()),
        read_weights,
        same_weights,
    ),
    "lexicon.json": (
        lambda path: write_lexicon(letters_and_words(count(oracle_recording(4_000))), path),
        read_lexicon,
        None,
    ),
    "play.csv": (
        lambda path: interchange.export_csv(oracle_recording(40), path),
        lambda path: interchange.read_csv(path, **GAME.to_dict()),
        None,
    ),
    "play.npz": (
        lambda path: interchange.export_tensors(oracle_recording(40), path),
        interchange.read_tensors,
        None,
    ),
    "play.json": (
        lambda path: export_interactions(oracle_recording(6), path),
        lambda path: interchange.read_interactions(path, vocab_size=GAME.vocab_size),
        None,
    ),
}
"""How a good file is written, how it is read, and what holds of a damaged one that is read."""


@pytest.mark.parametrize("inputs", [60, pytest.param(2_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_refused_or_read(name, inputs, tmp_path):
    write, read, check = FILES[name]
    path, rng = tmp_path / name, np.random.default_rng(2)
    write(path)
    content, good, refusals = path.read_bytes(), read(path), 0
    for _ in range(inputs):
        path.write_bytes(damaged(content, rng))
        error, found = refused(read, path)
        refusals += error is not None
        assert error is None or (0 < len(error) < 2_000 and "\n" not in error.strip())
        if error is None and check is not None:
            check(found, good)
    assert refusals > inputs / 5
