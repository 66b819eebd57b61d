"""Writing files so that a failure never costs data: under a temporary name first, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; when the block ends well, rename it to `path`.

    If the block raises (a full disk, Ctrl-C), the temporary file is removed and whatever stood at `path`
    before is still there. Missing parent folders are made. A link stays one, and what it leads to is
    replaced; a device or a pipe is written to as it is.
    """
    final = Path(path)
    if final.is_dir():
        raise IsADirectoryError(f"a file is to be written to {final}; that is a folder")
    if final.exists() and not final.is_file():
        yield final
        return
    final = Path(os.path.realpath(path))
    final.parent.mkdir(parents=True, exist_ok=True)
    temporary = final.with_name(f".{final.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        os.replace(temporary, final)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file by way of a temporary one."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
