"""Writing through a temporary file: whatever goes wrong, the old file stays, and nothing is left behind."""

import errno
import os
import sys

import pytest

from spatial_game.errors import UserError
from spatial_game.files import error_text, read_rows, replacing, write_text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the files and signals of POSIX")


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "play.txt"
    write_text(path, "before")
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["play.txt"]


def test_of_several_writers_of_one_path_the_last_to_finish_wins(tmp_path):
    path = tmp_path / "play.txt"
    with replacing(path) as temporary:
        temporary.write_text("last")
        write_text(path, "first")
        assert path.read_text() == "first"
    assert path.read_text() == "last"
    assert os.listdir(tmp_path) == ["play.txt"]


def test_of_a_csv_the_file_is_named(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_bytes(b"step,loss\n\x00\xff,1\n")
    with pytest.raises(UserError, match=f"^{path}: not UTF-8 text; invalid start byte at byte 11$"):
        read_rows(path)
    path.write_text('"a,1\nb,2\n')
    assert read_rows(path) == [["a,1b,2"]]
    path.write_text("x" * 200_000)
    with pytest.raises(UserError, match=f"^{path}: must be a CSV; field larger than field limit"):
        read_rows(path)


def test_an_error_names_the_file_that_was_to_be_written(tmp_path):
    path = tmp_path / "folder" / "play.txt"
    with pytest.raises(OSError, match="No such file") as caught, replacing(path) as temporary:
        temporary.unlink()
        temporary.parent.rmdir()
        temporary.write_text("lost")
    assert error_text(caught.value) == f"{path}: No such file or directory"
    with pytest.raises(OSError, match="No space") as caught, replacing(path):
        raise OSError(errno.ENOSPC, "No space left on device")  # as pyarrow says it
    assert error_text(caught.value) == f"{path}: the disk is full"


def test_an_old_file_keeps_its_mode(tmp_path):
    path = tmp_path / "secret.txt"
    path.touch(0o600)
    write_text(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)


def test_links_stay_and_pipes_are_written_to(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.symlink("folder/play.txt", "link")
    write_text("link", "through the link")
    assert os.path.islink("link")
    assert (tmp_path / "folder" / "play.txt").read_text() == "through the link"
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_text("pipe", "said")
    assert os.read(reader, 10) == b"said"
    os.close(reader)
    with pytest.raises(OSError, match="No space") as caught:
        write_text("/dev/full", "lost")
    assert error_text(caught.value) == "/dev/full: the disk is full"
