"""Twenty thousand damaged inputs: each is refused in one clear line or read as what it was, and none hangs.

Every class of input starts from a good one, which a seeded generator damages: a flipped bit, a cut, a value
of another type. A reader may raise one of the errors that it documents, with a message of one line, or return
what is whole by its own rules. Recordings and weights, which carry checksums, must read as what was written.
"""

import copy
import json
import signal
import sys

import gymnasium
import numpy as np
import pytest
import torch

import spatial_game
from spatial_agents.networks import new_pair
from spatial_agents.pairs.weights import PairWeights, read_weights, write_weights
from spatial_agents.recipes import AgentConfig
from spatial_game import (
    GameConfig,
    OracleReceiver,
    OracleSender,
    draw_episodes,
    read_recording,
    record,
    referential_symbol_v0,
    referential_v0,
)
from spatial_game.cli import main
from spatial_game.language import Lexicon, count, interchange

pytestmark = pytest.mark.slow

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=12, message_length=2)
ODD_VALUES = (
    None, True, -1, 0, 1, 5, 10**12, -(10**30), 0.5, 1e400, float("nan"), "", "x", "\x1b[31m",
    [], [[]], [5], {}, {"a": 1},
)  # fmt: skip
SECONDS = 60  # on a busy machine, too


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _no_hang():
    """One input may take `SECONDS`; `tick` begins the next."""
    if not hasattr(signal, "alarm"):  # Windows
        yield lambda: None
        return

    def give_up(*_):
        raise AssertionError(f"an input took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    yield lambda: signal.alarm(SECONDS)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def tick(_no_hang):
    return _no_hang


def one_line(error):
    """An error message for a person: not empty, one line, and no more."""
    text = str(error)
    assert text, "an error without a message"
    assert "\n" not in text.strip(), repr(text)


def refused(call, errors=(ValueError, TypeError, OSError)):
    """Whether a call raised one of these errors, with a message of one line; and what it returned."""
    try:
        return False, call()
    except errors as error:
        one_line(error)
        return True, None


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
    content = copy.deepcopy(content)
    place, parent, key = content, None, None
    while isinstance(place, (dict, list)) and len(place) and (parent is None or rng.random() < 0.85):
        keys = list(place) if isinstance(place, dict) else range(len(place))
        parent, key = place, keys[int(rng.integers(0, len(place)))]
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
            parent[key] = ODD_VALUES[int(rng.integers(0, len(ODD_VALUES)))]
    return content


def oracle_recording(episodes=400):
    rng = np.random.default_rng(1)
    return record(OracleSender(GAME), OracleReceiver(GAME), draw_episodes(GAME, episodes, rng), GAME)


def same_recording(one, other):
    return one.config == other.config and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("window", "message", "sequence", "choice")
    )


def test_a_damaged_recording_is_refused_or_reads_the_same(tmp_path, tick):
    good = oracle_recording()
    path = tmp_path / "good.parquet"
    good.write(path)
    content, rng = path.read_bytes(), np.random.default_rng(2)
    refusals = 0
    for _ in range(4_000):
        path.write_bytes(damaged_bytes(content, rng))
        tick()
        failed, read = refused(lambda: read_recording(path))
        refusals += failed
        assert failed or same_recording(read, good)
    assert refusals > 3_000


@pytest.fixture
def lexicon():
    return Lexicon.by_npmi(count(oracle_recording(4_000)))


def test_a_damaged_lexicon_is_refused_or_whole(tmp_path, lexicon, tick):
    content, path, rng = lexicon.to_dict(), tmp_path / "lexicon.json", np.random.default_rng(3)
    assert lexicon.listed
    refusals = 0
    for _ in range(4_000):
        path.write_text(json.dumps(damaged_json(content, rng)))
        tick()
        failed, read = refused(lambda: Lexicon.read(path))
        refusals += failed
        if not failed:
            check_lexicon(read)
    assert refusals > 1_500


def check_lexicon(lexicon):
    """What every program that reads a lexicon relies on."""
    config = lexicon.config
    for entry in lexicon.entries:
        assert all(0 <= symbol < config.vocab_size for symbol in entry.form.symbols)
        assert -1 <= entry.npmi <= 1
        assert 0 <= entry.confidence <= 1
        assert entry.count >= 0
        assert 0 <= entry.p_value <= 1
        assert 0 <= entry.q_value <= 1
        assert entry.meaning


def test_a_lexicon_of_damaged_bytes_is_refused_or_whole(tmp_path, lexicon, tick):
    path, rng = tmp_path / "lexicon.json", np.random.default_rng(4)
    lexicon.write(path)
    content = path.read_bytes()
    for _ in range(2_000):
        path.write_bytes(damaged_bytes(content, rng))
        tick()
        failed, read = refused(lambda: Lexicon.read(path))
        if not failed:
            check_lexicon(read)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "1e400", '"' + "x" * 100, "\x00", ""])
def test_a_text_that_no_lexicon_begins_with_is_refused(tmp_path, text, tick):
    path = tmp_path / "lexicon.json"
    path.write_text(text)
    tick()
    assert refused(lambda: Lexicon.read(path))[0]


def test_damaged_weights_are_refused_or_read_the_same(tmp_path, tick):
    agent = AgentConfig(hidden_size=8, inputs="embedding")
    torch.manual_seed(0)
    tensors = {name: torch.randn(value.shape) for name, value in new_pair(GAME, agent).state_dict().items()}
    path = tmp_path / "pair.safetensors"
    write_weights(path, PairWeights(tensors, GAME, agent, {"seed": 5, "steps": 10}))
    content, rng = path.read_bytes(), np.random.default_rng(5)
    good, refusals = read_weights(path), 0
    for _ in range(3_000):
        path.write_bytes(damaged_bytes(content, rng))
        tick()
        failed, read = refused(lambda: read_weights(path))
        refusals += failed
        if not failed:
            assert (read.game, read.agent, read.provenance) == (good.game, good.agent, good.provenance)
            assert all(np.array_equal(read.tensors[name], good.tensors[name]) for name in good.tensors)
    assert refusals > 2_500


def test_damaged_exchange_files_are_refused_or_whole(tmp_path, tick):
    good, rng = oracle_recording(40), np.random.default_rng(6)
    written = {
        "a.csv": (interchange.export_csv, lambda path: interchange.read_csv(path, GAME)),
        "a.npz": (interchange.export_tensors, interchange.read_tensors),
    }
    for name, (write, read) in written.items():
        path = tmp_path / name
        write(good, path)
        content = path.read_bytes()
        for _ in range(1_000):
            path.write_bytes(damaged_bytes(content, rng))
            tick()
            failed, found = refused(lambda: read(path))  # noqa: B023
            if not failed:
                assert found.message.max(initial=0) < GAME.vocab_size
                assert found.window.max(initial=0) < len(GAME.integers)


def exchanges(number, rng):
    """Recorded play in the paper's own form."""
    play, content = oracle_recording(number), {}
    for i in range(number):
        content[f"exchange_{i}"] = {
            "sequence": [[int(v)] for v in play.sequence[i]],
            "cut_inputs": [[int(v)] for v in play.window[i]],
            "tds": [int(v) for v in play.candidates[i]],
            "message": [int(v) for v in play.message[i]],
            "guess": int(play.choice[i]),
            "target": [int(play.candidates[i, play.target_index[i]])],
            "target_id": [int(play.target_index[i])],
        }
    return content


def test_damaged_exchanges_are_refused_or_whole(tmp_path, tick):
    rng = np.random.default_rng(7)
    content, path = exchanges(6, rng), tmp_path / "play.json"
    for _ in range(1_500):
        path.write_text(json.dumps(damaged_json(content, rng)))
        tick()
        failed, found = refused(lambda: interchange.read_interactions(path, vocab_size=GAME.vocab_size))
        if not failed:
            assert len(found)
            assert found.message.max() < GAME.vocab_size


def test_odd_arguments_of_environments_are_refused_by_name(tick):
    rng = np.random.default_rng(8)
    names = [
        "sequence_length",
        "window_radius",
        "num_distractors",
        "vocab_size",
        "message_length",
        "lexicon",
        "render_mode",
    ]
    makers = [referential_v0.env, referential_v0.parallel_env, referential_symbol_v0.raw_env]
    makers += [lambda **given: gymnasium.make("spatial_game/Receiver-v0", **given)]
    refusals = 0
    for _ in range(2_000):
        maker = makers[int(rng.integers(0, len(makers)))]
        name = names[int(rng.integers(0, len(names)))]
        value = ODD_VALUES[int(rng.integers(0, len(ODD_VALUES)))]
        if maker is makers[-1] and name == "render_mode" and not isinstance(value, str):
            continue  # `gymnasium.make` itself reads it first, and takes it for a text
        tick()
        failed, env = refused(lambda: maker(**{name: value}))  # noqa: B023
        refusals += failed
        if not failed:
            env.reset(seed=0)
            env.close()
    assert refusals > 1_000


def test_odd_options_seeds_and_actions_are_refused(tick):
    rng = np.random.default_rng(9)
    env = referential_v0.raw_env(sequence_length=8)
    parallel = referential_v0.parallel_env(sequence_length=8)
    refusals = 0
    for _ in range(1_000):
        value = ODD_VALUES[int(rng.integers(0, len(ODD_VALUES)))]
        episode = {"episode": value}
        tick()
        for options in (value, episode):
            refusals += refused(lambda: env.reset(seed=0, options=options))[0]  # noqa: B023
        refusals += refused(lambda: parallel.reset(seed=value))[0]  # noqa: B023
        env.reset(seed=0)
        refusals += refused(lambda: env.step(value))[0]  # noqa: B023
    assert refusals > 2_000


WORDS = (
    "record", "analyse", "probe", "evaluate", "import", "export", "play", "train",
    "--agents", "oracle", "random", "embed-6O", "--episodes", "5", "0", "-1", "nan", "1e9999", "--seed",
    "--out", "--json", "--help", "--sequence-length", "--threshold", "--as", "sender", "", "\x1b[31m",
    "good.parquet", "none.parquet", "folder", "--from", "csv",
)  # fmt: skip


def test_odd_command_lines_end_with_a_status_and_one_line(tmp_path, capsys, monkeypatch, tick):
    rng = np.random.default_rng(10)
    oracle_recording(50).write(tmp_path / "good.parquet")
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr(sys, "stdin", None)
    for _ in range(1_500):
        words = [WORDS[int(i)] for i in rng.integers(0, len(WORDS), rng.integers(1, 6))]
        if {"train", "play"} & set(words) and "--help" not in words:
            words.append("--no-such-option")
        if "record" in words and "--episodes" not in words:
            words += ["--episodes", "5"]  # 200,000 take seconds
        tick()
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code or 0
        said = capsys.readouterr()
        assert status in (0, 1, 2), words
        assert "Traceback" not in said.err, words
        if status:
            assert said.err.strip(), words
            assert "\x1b" not in said.err, words


def test_the_package_was_tried_with_twenty_thousand_inputs():
    """The loops above: keep their sum at 20,000 or more."""
    assert 4_000 + 4_000 + 2_000 + 3_000 + 4 * 1_000 + 1_500 + 2_000 + 4 * 1_000 + 1_500 >= 20_000
    assert spatial_game.__version__
