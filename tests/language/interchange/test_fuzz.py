"""Damaged and crafted files: every reader returns a recording or one line that names the file."""

import json

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomReceiver, RandomSender
from spatial_game.language.interchange import (
    InterchangeError,
    export_csv,
    export_tensors,
    read_csv,
    read_interactions,
    read_tensors,
)
from spatial_game.recording import RecordingError, read_recording, record

GAME = GameConfig(9, window_radius=2, num_distractors=3, vocab_size=26, message_length=3)
NASTY = [
    b"[" * 3_000, b"{", b"null", b"NaN", b"-1", b"1e400", b"9" * 5_000, b'"\\ud800"', b"\xff\xfe", b"\x00",
    b"true", b"[]", b'{"a": 1}', b"\x1b[31m", b"\n", b",", b'"', b"70000", b"1.5",
]  # fmt: skip


def exchanges(recording, path):
    content = {
        f"exchange_{i}": {
            "sequence": recording.sequence[i].tolist(),
            "cut_inputs": recording.window[i].tolist(),
            "tds": recording.candidates[i].tolist(),
            "message": recording.message[i].tolist(),
            "guess": int(recording.choice[i]),
            "target": int(recording.candidates[i, recording.target_index[i]]),
            "target_id": int(recording.target_index[i]),
        }
        for i in range(len(recording))
    }
    path.write_text(json.dumps(content))


FORMATS = {
    "interactions": (exchanges, read_interactions),
    "csv": (export_csv, lambda path: read_csv(path, GAME)),
    "tensors": (export_tensors, read_tensors),
    "recording": (lambda recording, path: recording.write(path), read_recording),
}


def damaged(whole, rng):
    """The bytes with one to three flips, cuts, copies or nasty tokens."""
    for _ in range(rng.integers(1, 4)):
        at, to = sorted(rng.integers(0, len(whole) + 1, 2).tolist())
        nasty = NASTY[rng.integers(len(NASTY))]
        flip = bytes([whole[at] ^ 1 << int(rng.integers(8))]) if at < len(whole) else b""
        middle, rest = [
            (flip, at + 1),
            (b"", len(whole)),
            (b"", to),
            (whole[at:to], at),
            (nasty, at),
            (nasty, at + len(nasty)),
        ][rng.integers(6)]
        whole = whole[:at] + middle + whole[rest:]
    return whole


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("inputs", [150, pytest.param(3_500, marks=pytest.mark.slow)])
def test_damaged_files_are_read_or_refused_in_one_line(tmp_path, form, inputs):
    rng = np.random.default_rng(inputs)
    recording = record(RandomSender(GAME, rng), RandomReceiver(GAME, rng), draw_episodes(GAME, 6, rng), GAME)
    write, read = FORMATS[form]
    path = tmp_path / "file"
    write(recording, path)
    whole, errors = path.read_bytes(), []
    for _ in range(inputs):
        path.write_bytes(damaged(whole, rng))
        try:
            read(path)
        except (InterchangeError, RecordingError) as error:
            errors.append(str(error))
    assert len(errors) > inputs / 4
    for error in errors:
        assert error.startswith(f"{path}: "), error
        assert error.isprintable(), error
