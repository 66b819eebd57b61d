"""Do large work in parts, and refuse what needs more memory than is free.

Otherwise, the system may stop this or another program.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from spatial_game.checks import shortened
from spatial_game.errors import UserError

UNCHECKED = 1 << 28
"""Fewer bytes are taken without asking the system, which takes as long as an episode: 256 MiB."""
AT_ONCE = 1 << 26
"""Bytes of an array that is made in parts, part by part: 64 MiB."""
_MOST = 1 << 40  # where the system does not tell
_CGROUP = Path("/sys/fs/cgroup")


def chunks(rows: int, bytes_per_row: int) -> Iterator[slice]:
    """Yield slices of the rows in order, of at most `AT_ONCE` bytes each, or of one row."""
    size = max(1, AT_ONCE // max(bytes_per_row, 1))
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def require_memory(name: str, value: object, num_bytes: int, instead: str) -> None:
    """Raise `ValueError` if a value needs more bytes than are free. `instead`: what to do then."""
    if num_bytes > UNCHECKED and num_bytes > (free := free_bytes()):
        rule = f"{name} must fit into the free memory of {free / 2**30:.1f} GiB"
        needs = f"which needs {num_bytes / 2**30:.3g} GiB"
        raise UserError(f"{rule}; got {shortened(value)}, {needs}: {instead}")


def free_bytes() -> int:
    """Return the bytes that this process can still take of the machine, its container and `ulimit -v`."""
    limits = [_MOST]
    with contextlib.suppress(OSError, KeyError):
        limits.append(1024 * _numbers(Path("/proc/meminfo"))["MemAvailable:"])
    with contextlib.suppress(OSError, ValueError, KeyError):
        most = int((_CGROUP / "memory.max").read_text())
        limits.append(most - _numbers(_CGROUP / "memory.stat")["anon"])
    with contextlib.suppress(ImportError, OSError):
        import resource  # not on Windows

        if (most := resource.getrlimit(resource.RLIMIT_AS)[0]) != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limits.append(most - pages * os.sysconf("SC_PAGE_SIZE"))
    return max(0, min(limits))


def _numbers(file: Path) -> dict[str, int]:
    """Return the lines of a file of the system: a name and a number each."""
    return {
        words[0]: int(words[1]) for line in file.read_text().splitlines() if len(words := line.split()) > 1
    }
