"""Damaged inputs: each is refused in one clear line or read as what it was, and none hangs.

Every class of input starts from a good one, which a seeded generator damages: a flipped bit, a cut, a value
of another type. A reader may raise one of the errors that it documents, with a message of one line, or return
what is whole by its own rules. Recordings and weights, which carry checksums, must read as what was written.
"""

import copy
import json
import signal

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
from spatial_game.language import Lexicon, count, interchange
from spatial_game.language.npmi.analysis import lexicon_by_npmi

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "alarm"), reason="Windows has no alarm"),
]

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=12, message_length=2)
ODD_VALUES = (
    None, True, -1, 0, 1, 5, 10**12, -(10**30), 0.5, 1e400, float("nan"), "", "x", "\x1b[31m",
    [], [[]], [5], {}, {"a": 1},
)  # fmt: skip
SECONDS = 60  # that one input may take, on a busy machine, too


@pytest.fixture
def tick(tmp_path, monkeypatch):
    """A function that begins the next input, which ends the test if it hangs."""
    monkeypatch.chdir(tmp_path)

    def give_up(*_):
        raise AssertionError(f"an input took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    yield lambda: signal.alarm(SECONDS)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def refused(call):
    """Whether a call raised an error that users can fix, with a message of one line; and what it returned."""
    try:
        return False, call()
    except (ValueError, TypeError, OSError) as error:
        text = str(error)
    assert text, "an error without a message"
    assert "\n" not in text.strip()
    return True, None


def any_of(values, rng):
    return values[int(rng.integers(0, len(values)))]


def damaged_bytes(content, rng):
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


def damaged_json(content, rng):
    """The same JSON with a value replaced, a key removed, or a list or an object nested too deep."""
    content = copy.deepcopy(json.loads(content))
    place, parent, key = content, None, None
    while isinstance(place, (dict, list)) and len(place) and (parent is None or rng.random() < 0.85):
        keys = list(place) if isinstance(place, dict) else range(len(place))
        parent, key = place, any_of(keys, rng)
        place = place[key]
    match rng.integers(0, 8):
        case 0:
            del parent[key]
        case 1:
            deep = []
            for _ in range(40):
                deep = [deep] if rng.random() < 0.5 else {"a": deep}
            parent[key] = deep
        case _:
            parent[key] = any_of(ODD_VALUES, rng)
    return json.dumps(content).encode()


# --- Files ----------------------------------------------------------------------------------------------


def oracle_recording(episodes):
    rng = np.random.default_rng(1)
    return record(OracleSender(GAME), OracleReceiver(GAME), draw_episodes(GAME, episodes, rng), GAME)


def same_recording(read, good):
    names = ("window", "message", "sequence", "choice")
    same = (np.array_equal(getattr(read, name), getattr(good, name)) for name in names)
    assert read.config == good.config
    assert all(same)


def same_weights(read, good):
    assert (read.game, read.agent, read.provenance) == (good.game, good.agent, good.provenance)
    assert all(np.array_equal(read.tensors[name], good.tensors[name]) for name in good.tensors)


def whole_lexicon(lexicon, _):
    """What every program that reads a lexicon relies on."""
    for entry in lexicon.entries:
        symbols = (symbol for symbol in entry.form.symbols if symbol is not None)
        assert all(0 <= symbol < lexicon.config.vocab_size for symbol in symbols)
        assert -1 <= entry.npmi <= 1
        assert 0 <= entry.confidence <= 1
        assert entry.count >= 0
        assert 0 <= entry.p_value <= 1
        assert 0 <= (entry.q_value or 0) <= 1
        assert entry.meaning


def whole_recording(recording, _):
    assert len(recording)
    assert recording.message.max() < GAME.vocab_size
    assert recording.window.max() < len(GAME.integers)


FILES = {
    "play.parquet": (lambda path: oracle_recording(400).write(path), read_recording, same_recording),
    "pair.safetensors": (
        lambda path: path.write_bytes(find_pair("paper-20").weights.read_bytes()),
        read_weights,
        same_weights,
    ),
    "lexicon.json": (
        lambda path: lexicon_by_npmi(count(oracle_recording(4_000))).write(path),
        Lexicon.read,
        whole_lexicon,
    ),
    "play.csv": (
        lambda path: interchange.export_csv(oracle_recording(40), path),
        lambda path: interchange.read_csv(path, GAME),
        whole_recording,
    ),
    "play.npz": (
        lambda path: interchange.export_tensors(oracle_recording(40), path),
        interchange.read_tensors,
        whole_recording,
    ),
    "play.json": (
        lambda path: export_interactions(oracle_recording(6), path),
        lambda path: interchange.read_interactions(path, vocab_size=GAME.vocab_size),
        whole_recording,
    ),
}
"""How a good file is written, how it is read, and what holds of a damaged one that is read."""


@pytest.mark.parametrize(
    ("name", "damage", "inputs", "least"),
    [
        ("play.parquet", damaged_bytes, 4_000, 3_000),
        ("pair.safetensors", damaged_bytes, 3_000, 2_500),
        ("lexicon.json", damaged_bytes, 2_000, 500),
        ("lexicon.json", damaged_json, 4_000, 1_500),
        ("play.csv", damaged_bytes, 1_000, 200),
        ("play.npz", damaged_bytes, 1_000, 200),
        ("play.json", damaged_json, 1_500, 500),
    ],
)
def test_a_damaged_file_is_refused_or_whole(name, damage, inputs, least, tmp_path, tick):
    write, read, check = FILES[name]
    path, rng = tmp_path / name, np.random.default_rng(2)
    write(path)
    content, good, refusals = path.read_bytes(), read(path), 0
    for _ in range(inputs):
        path.write_bytes(damage(content, rng))
        tick()
        failed, found = refused(lambda: read(path))
        refusals += failed
        if not failed:
            check(found, good)
    assert refusals > least


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "1e400", '"' + "x" * 100, "\x00", ""])
def test_a_text_that_no_lexicon_begins_with_is_refused(tmp_path, text, tick):
    path = tmp_path / "lexicon.json"
    path.write_text(text)
    tick()
    assert refused(lambda: Lexicon.read(path))[0]
