"""No command destroys what it reads, or waits for what never ends."""

import os
import shutil
import sys

import pytest

from spatial_agents.pairs.names import PRETRAINED

PIPES = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")


@pytest.fixture
def run(files):
    """A run folder with a trained pair, beside the other files."""
    (files / "run").mkdir()
    shutil.copy(PRETRAINED / "paper-20" / "00.safetensors", files / "run" / "pair.safetensors")
    return files


READ_AND_WRITE = {
    "npmi play.parquet --out OUT": "play.parquet",
    "export play.parquet --format csv --out OUT": "play.parquet",
    "import play.csv --format csv --out OUT": "play.csv",
    "play oracle --dictionary dictionary.json --gif OUT": "dictionary.json",
    "record run --episodes 5 --out OUT": "run/pair.safetensors",
}
"""Command lines that read a file, with an option that would write to OUT."""


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("line", READ_AND_WRITE)
def test_output_never_replaces_input(line, link, run, error):
    source = run / READ_AND_WRITE[line]
    before = source.read_bytes()
    link(source, "out.gif")
    assert error(line.replace("OUT", "out.gif")).endswith(" must not be written: it is a file that is read\n")
    assert source.read_bytes() == before


@PIPES
@pytest.mark.parametrize(
    "line",
    [
        "analyse play.parquet FILE",
        "export FILE --format csv --out out",
        "import FILE --format csv --out out",
        "play oracle --dictionary FILE",
        "play FILE",
        "probe oracle --dictionary FILE",
        "evaluate FILE",
        "reproduce --pairs FILE --out out",
    ],
)
def test_what_is_no_file_is_refused_at_once(line, files, error):
    os.mkfifo("pipe")
    for path in ("missing.parquet", "pipe", "/dev/zero"):
        assert path in error(line.replace("FILE", path))
    assert not os.path.exists("out")
