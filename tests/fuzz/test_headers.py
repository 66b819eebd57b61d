"""Headers that claim any game or networks are refused, or read, in little more memory than their files have.

Each input is a small good file, whose header is damaged. That of a recording is signed again, as an attacker
would. The memory of the process is limited meanwhile: a reader that builds what a header claims runs into the
limit.
"""

import copy
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import safetensors
from safetensors.numpy import save_file

from spatial_agents.agent_config import AgentConfig
from spatial_agents.networks import new_pair
from spatial_agents.pairs.pair import load_pair
from spatial_agents.pairs.weights import (
    HEADER_KEY,
    PairWeights,
    as_arrays,
    hash_file,
    write_weights,
)
from spatial_game import GameConfig, OracleReceiver, OracleSender, draw_episodes, read_recording, record
from spatial_game.language import Lexicon, count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.recording.footer import HASH_KEY, UNSIGNED
from spatial_game.recording.footer import sign as sign_recording
from spatial_game.recording.format import METADATA_KEY

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and a limit of memory")

ROOM = 2**29
"""Bytes that reading one file may take beyond what the process has."""
GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=12, message_length=2)
AGENT = AgentConfig(hidden_size=8, inputs="embedding")
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
PARTS = {"game": GAMES, "config": GAMES, "agent": AGENTS}


@pytest.fixture
def little_memory():
    """Limit the memory of this process to what it has and `ROOM` more."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def damaged(header, rng):
    """The same header with one to five sizes replaced; a size has one value throughout."""
    header = copy.deepcopy(header)
    values = {name: rng.choice(len(each)) for part in PARTS.values() for name, each in part.items()}
    for part in PARTS.keys() & header.keys():
        for name in rng.choice([*PARTS[part]], rng.integers(1, 4), replace=False):
            header[part][str(name)] = PARTS[part][name][values[name]]
    return header


def refused(read):
    """Whether a call raised an error of one short line, and what it returned."""
    try:
        return False, read()
    except (ValueError, TypeError) as error:
        said = str(error)
    assert 0 < len(said) < 2_000
    assert "\n" not in said
    return True, None


def tensors_of(path):
    with safetensors.safe_open(path, "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()[HEADER_KEY])  # noqa: SIM118


def sign(path, tensors, header):
    """Write a file whose hash suits what it holds."""
    header = {name: value for name, value in header.items() if name != "file_hash"}
    header["file_hash"] = hash_file(header, tensors)
    save_file(tensors, path, {HEADER_KEY: json.dumps(header)})


@pytest.fixture(params=[60, pytest.param(2_000, marks=pytest.mark.slow)])
def inputs(request):
    """Random generators, one for each input: few in the ordinary tests."""
    return [np.random.default_rng([11, seed]) for seed in range(request.param)]


@pytest.mark.usefixtures("little_memory")
def test_pairs(tmp_path, inputs):
    path = tmp_path / "pair.safetensors"
    weights = new_pair(GAME, AGENT, 0).state_dict()
    write_weights(path, PairWeights(as_arrays(weights), GAME, AGENT, {}))
    tensors, header = tensors_of(path)
    refusals = 0
    for rng in inputs:
        sign(path, tensors, damaged(header, rng))
        refusals += refused(lambda: load_pair(path))[0]
    assert refusals > len(inputs) / 2


@pytest.mark.usefixtures("little_memory")
def test_recordings(tmp_path, inputs):
    path, rng = tmp_path / "play.parquet", np.random.default_rng(1)
    good = record(OracleSender(GAME), OracleReceiver(GAME), draw_episodes(GAME, 400, rng), GAME)
    good.write(path)
    table, refusals = pq.read_table(path), 0
    header = json.loads(table.schema.metadata[METADATA_KEY])
    for rng in inputs:
        text = json.dumps(damaged(header, rng)).encode()
        unsigned = table.replace_schema_metadata({METADATA_KEY: text, HASH_KEY: UNSIGNED})
        pq.write_table(unsigned, path, write_page_checksum=True)
        sign_recording(path)
        failed, read = refused(lambda: read_recording(path))
        refusals += failed
        assert failed or np.array_equal(read.message, good.message)
    assert refusals > len(inputs) / 2


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("analyse", [lexicon_by_npmi, dictionary_of])
def test_lexicons(tmp_path, inputs, analyse):
    path, rng = tmp_path / "lexicon.json", np.random.default_rng(1)
    play = record(OracleSender(GAME), None, draw_episodes(GAME, 2_000, rng), GAME)
    content = analyse(count(play)).to_dict()
    refusals = 0
    for rng in inputs:
        path.write_text(json.dumps(damaged(content, rng)))
        failed, read = refused(lambda: Lexicon.read(path))
        refusals += failed
        assert failed or len(read) == len(content["entries"])
    assert 0 < refusals < len(inputs)
