"""Damaged files: each is refused in one clear line or read as what it was, in little memory, and none hangs.

Every class of file starts from a good one, which a seeded generator damages: a flipped bit, a cut, a value of
another type, a header that claims another game or other networks, signed again as an attacker would. A reader
may raise one of the errors that it documents, with a message of one line, or return what is whole by its own
rules. Recordings and weights, which carry checksums, must read as what was written.
"""

import copy
import json
import signal
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import safetensors
from published import export_interactions
from safetensors.numpy import save_file

from spatial_agents import load_pair
from spatial_agents.agent_config import AgentConfig
from spatial_agents.networks import networks_of, new_pair
from spatial_agents.pairs.names import find_pair
from spatial_agents.pairs.weights import (
    HEADER_KEY,
    PairWeights,
    as_arrays,
    hash_file,
    read_weights,
    write_weights,
)
from spatial_game import (
    GameConfig,
    OracleReceiver,
    OracleSender,
    draw_episodes,
    read_recording,
    record,
)
from spatial_game.language import Speaker, count, interchange, letters_and_words, read_lexicon, write_lexicon
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.recording.footer import HASH_KEY, UNSIGNED, sign
from spatial_game.recording.format import METADATA_KEY

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc, alarms and a limit of memory")

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=12, message_length=2)
AGENT = AgentConfig(hidden_size=8, inputs="embedding")
ODD_VALUES = (
    None, True, -1, 0, 1, 5, 10**12, -(10**30), 0.5, 1e400, float("nan"), "", "x", "\x1b[31m",
    [], [[]], [5], {}, {"a": 1},
)  # fmt: skip
GAMES = {
    "sequence_length": (None, 8, 60, 28561, 32767),
    "num_integers": (None, 8, 4095, 32767, 10**12),
    "window_radius": (1, 2, 6, 16383),
    "num_distractors": (1, 2, 32766),
    "vocab_size": (2, 12, 4096, 32767),
    "message_length": (1, 2, 1000),
    "shape": (None, [8], [13] * 4, [32767], [181, 181]),
    "num_visible": (None, 1, 28560),
}
AGENTS = {
    "hidden_size": (1, 8, 65_536, 10**12),
    "embedding_size": (1, 16, 65_536),
    "inputs": ("scalars", "embedding", "one-hot"),
    "network": ("sequential", "local", "landmark"),
    "scalar_reach": (0.0, 1e300),
}
CLAIMS = {"game": GAMES, "config": GAMES, "agent": AGENTS}
"""What damaged headers claim."""

SECONDS = 60  # that one input may take, on a busy machine, too
ROOM = 2**29
"""Bytes that reading one file may take beyond what the process has."""


@pytest.fixture
def tick():
    """A function that begins the next input, which ends the test if it hangs; memory is limited meanwhile.

    A reader that builds what a header claims runs into the limit.
    """

    def give_up(*_):
        raise AssertionError(f"an input took more than {SECONDS} s")

    handler, limit = signal.signal(signal.SIGALRM, give_up), resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, limit[1]))
    yield lambda: signal.alarm(SECONDS)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, handler)
    resource.setrlimit(resource.RLIMIT_AS, limit)


def refused(call):
    """Whether a call raised an error that users can fix, with a message of one line; and what it returned."""
    try:
        return False, call()
    except (ValueError, OSError) as error:
        text = str(error)
    assert 0 < len(text) < 2_000
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


def damaged_header(header, rng):
    """The same header with one to three sizes replaced in each part; a size has one value throughout."""
    header = copy.deepcopy(header)
    values = {name: rng.choice(len(each)) for part in CLAIMS.values() for name, each in part.items()}
    for part in CLAIMS.keys() & header.keys():
        for name in rng.choice([*CLAIMS[part]], rng.integers(1, 4), replace=False):
            header[part][str(name)] = CLAIMS[part][name][values[name]]
    return header


# --- Damaged contents -----------------------------------------------------------------------------------


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
    messages = lexicon.messages[:5]
    assert np.isfinite(lexicon.evidence(messages)).all()
    assert all(0 <= reading.true <= 1 for reading in interpreter(lexicon).read(messages))
    assert len(Speaker(lexicon).say({lexicon.config.offsets[0]: 0})) == 1


def whole_recording(recording, _):
    assert len(recording)
    assert recording.message.max() < GAME.vocab_size
    assert recording.window.max() < GAME.num_integers


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
        whole_lexicon,
    ),
    "play.csv": (
        lambda path: interchange.export_csv(oracle_recording(40), path),
        lambda path: interchange.read_csv(path, **GAME.to_dict()),
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


@pytest.mark.slow
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
    assert refused(lambda: read_lexicon(path))[0]


# --- Headers that claim anything --------------------------------------------------------------------------


@pytest.fixture(params=[60, pytest.param(2_000, marks=pytest.mark.slow)])
def inputs(request):
    """Random generators, one for each input: few in the ordinary tests."""
    return [np.random.default_rng([11, seed]) for seed in range(request.param)]


def test_headers_of_pairs(tmp_path, inputs, tick):
    path = tmp_path / "pair.safetensors"
    write_weights(
        path, PairWeights(as_arrays(new_pair(GAME, networks_of(AGENT), 0).state_dict()), GAME, AGENT, {})
    )
    tensors = safetensors.numpy.load_file(path)
    with safetensors.safe_open(path, "np") as file:
        good = json.loads(file.metadata()[HEADER_KEY])
    del good["file_hash"]
    refusals = 0
    for rng in inputs:
        header = damaged_header(good, rng)
        header["file_hash"] = hash_file(header, tensors)
        save_file(tensors, path, {HEADER_KEY: json.dumps(header)})
        tick()
        refusals += refused(lambda: load_pair(path))[0]
    assert refusals > len(inputs) / 2


def test_headers_of_recordings(tmp_path, inputs, tick):
    path, good, refusals = tmp_path / "play.parquet", oracle_recording(400), 0
    good.write(path)
    table = pq.read_table(path)
    for rng in inputs:
        header = damaged_header(json.loads(table.schema.metadata[METADATA_KEY]), rng)
        metadata = {METADATA_KEY: json.dumps(header).encode(), HASH_KEY: UNSIGNED}
        pq.write_table(table.replace_schema_metadata(metadata), path, write_page_checksum=True)
        sign(path)
        tick()
        failed, read = refused(lambda: read_recording(path))
        refusals += failed
        assert failed or np.array_equal(read.message, good.message)
    assert refusals > len(inputs) / 2


def test_headers_of_lexicons(tmp_path, inputs, tick):
    (write, read, check), path, refusals = FILES["lexicon.json"], tmp_path / "lexicon.json", 0
    write(path)
    content, good = json.loads(path.read_text()), read(path)
    for rng in inputs:
        path.write_text(json.dumps(damaged_header(content, rng)))
        tick()
        failed, found = refused(lambda: read(path))
        refusals += failed
        if not failed:
            check(found, good)
    assert 0 < refusals < len(inputs)
