"""A page of a recording cannot claim more memory than pages take."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spatial_game import GameConfig, draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.recording import Recording, RecordingError, pages, read_recording
from spatial_game.recording.pages import LARGEST_PAGE, check_pages, page_header

GAME = GameConfig(sequence_length=20)


def varint(number):
    content = b""
    while number > 127:
        content, number = content + bytes([number & 127 | 128]), number >> 7
    return content + bytes([number])


def header(in_memory, in_file):
    """A page's header in Thrift's compact protocol: a data page with two sizes, both in zigzag."""
    return b"\x15\x00\x15" + varint(2 * in_memory) + b"\x15" + varint(2 * in_file) + b"\x00"


@pytest.mark.parametrize("in_memory", [0, 63, 64, LARGEST_PAGE, 2**31 - 1])
def test_sizes_are_those_that_were_written(in_memory):
    content = header(in_memory, 70_000)
    assert page_header(content + b"more") == (in_memory, 70_000, len(content))


@pytest.mark.parametrize("content", [b"", b"\x15", b"\x00", b"\xff" * 40, b"\x1c" * 40])
def test_damaged_headers_are_refused(content):
    with pytest.raises(ValueError, match="header of a page"):
        page_header(content)


OPTIONS = [{}, {"data_page_size": 4_096}, {"data_page_version": "2.0"}, {"use_dictionary": False}]


@pytest.mark.parametrize("options", OPTIONS)
def test_all_pages_of_a_file_are_found(options, tmp_path, monkeypatch):
    table = pa.table({"number": pa.array(np.arange(50_000) % 777, pa.int32())})
    pq.write_table(table, tmp_path / "file", **options)
    sizes = []
    monkeypatch.setattr(pages, "page_header", lambda content: sizes.append(page_header(content)) or sizes[-1])
    chunk = pq.read_metadata(tmp_path / "file").row_group(0).column(0)
    with (tmp_path / "file").open("rb") as file:
        check_pages(file, chunk)
    assert sum(length + in_file for _, in_file, length in sizes) == chunk.total_compressed_size
    assert sum(length + in_memory for in_memory, _, length in sizes) == chunk.total_uncompressed_size


def test_a_recording_with_a_page_that_claims_too_much_is_refused(tmp_path, monkeypatch):
    window = draw_episodes(GAME, 500, np.random.default_rng(0)).window
    Recording(GAME, window, OracleSender(GAME).send(window)).write(tmp_path / "play.parquet")
    assert len(read_recording(tmp_path / "play.parquet")) == 500
    monkeypatch.setattr(pages, "LARGEST_PAGE", 500)
    with pytest.raises(RecordingError, match="a page must take at most 500 bytes in memory"):
        read_recording(tmp_path / "play.parquet")
