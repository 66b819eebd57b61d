"""Writing through a temporary file: whatever goes wrong, the old file stays, and nothing is left behind."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

from spatial_game.files import replacing, write_text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the files and signals of POSIX")


def run(script):
    """Run a script in a process of its own."""
    before = f"import os, resource, signal, sys\nsys.path[:0] = {sys.path!r}\n"
    before += "from spatial_game.files import replacing\n"
    words = [sys.executable, "-c", before + textwrap.dedent(script)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "play.txt"
    write_text(path, "before")
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["play.txt"]


def test_a_full_disk_leaves_what_was_there(tmp_path):
    path = tmp_path / "play.txt"
    write_text(path, "before")
    done = run(f"""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        try:
            with replacing({str(path)!r}) as temporary:
                temporary.write_text("x" * 50000)
        except OSError as error:
            print("refused:", error.strerror)
    """)
    assert done.stdout.startswith("refused: "), done.stderr
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["play.txt"]


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    path = tmp_path / "play.txt"
    run(f"""
        with replacing({str(path)!r}) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    [left] = os.listdir(tmp_path)
    assert re.fullmatch(r"\.play\.txt\.[0-9a-f]{8}\.tmp", left)
    (tmp_path / ".other.txt.01234567.tmp").write_text("of another file")
    for each in tmp_path.iterdir():
        os.utime(each, (1, 1))
    with replacing(path) as living:
        living.write_text("not stale")
        os.utime(living, (1, 1))
        write_text(path, "whole")
        assert living.exists()
    assert sorted(os.listdir(tmp_path)) == [".other.txt.01234567.tmp", "play.txt"]


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
