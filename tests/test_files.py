"""Writing through a temporary file: whatever goes wrong, the old file stays, and nothing is left behind."""

import os
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


def test_what_a_killed_process_left_is_used_by_the_next(tmp_path):
    path = tmp_path / "play.txt"
    run(f"""
        with replacing({str(path)!r}) as temporary:
            temporary.write_text("half, and longer")
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    assert os.listdir(tmp_path) == [".play.txt.tmp"]
    write_text(path, "whole")
    assert os.listdir(tmp_path) == ["play.txt"]
    assert path.read_text() == "whole"


def test_two_processes_do_not_write_one_file(tmp_path):
    path = tmp_path / "play.txt"
    with replacing(path) as temporary:
        temporary.write_text("first")
        with pytest.raises(ValueError, match=r"play\.txt must be written by one process at a time"):
            write_text(path, "second")
    assert path.read_text() == "first"


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
