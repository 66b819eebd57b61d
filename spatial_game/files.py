"""Reading files, with errors that name them, and writing through a temporary file: no failure costs data."""

from __future__ import annotations

import contextlib
import csv
import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spatial_game.checks import require_object
from spatial_game.errors import UserError
from spatial_game.json_text import from_json, from_utf8, to_json

if sys.platform != "win32":
    import fcntl


@contextlib.contextmanager
def reading(path: str | os.PathLike[str], error: type[UserError]) -> Iterator[Path]:
    """Yield the path of a file to read. Raises an `error` of one line, which names it, for a broken file.

    The block says so by a `UserError` or an `OSError`. Other errors are bugs, and keep their traceback; those
    that a library raises for a broken file, `library_errors` turns into a `UserError`.
    """
    file = Path(path)
    try:
        if not file.exists():
            raise UserError("there is no such file")
        if not file.is_file():
            kind = "folder" if file.is_dir() else "device or pipe"
            raise UserError(f"must be a regular file; got a {kind}")
        yield file
    except OSError as wrong:
        raise error(f"{file}: {wrong.strerror or wrong}") from None
    except UserError as wrong:
        raise error(f"{file}: {wrong}") from None


@contextlib.contextmanager
def library_errors(rule: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise a `UserError` with the rule for errors of these kinds, which a library raises for a broken file.

    Only the call of the library belongs into the block.
    """
    try:
        yield
    except kinds as wrong:
        raise UserError(f"{rule}; {' '.join(str(wrong).split()) or type(wrong).__name__}") from None


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of a CSV. Raises `ValueError`, which names the file, for anything else."""
    with reading(path, UserError) as file:
        lines = from_utf8(file.read_bytes()).splitlines()
        with library_errors("must be a CSV", csv.Error):
            return [*csv.reader(lines)]


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file. Raises `ValueError`, which names the file, for anything else."""
    with reading(path, UserError):
        return dict(require_object("the file", from_json(path.read_bytes())))


def error_text(error: BaseException) -> str:
    """Return why a file could not be read or written; for other errors, their text."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
    return f"{error.filename}: {reason}" if error.filename else reason


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; if the block finishes without an error, rename it to `path`.

    If the block raises (a full disk, Ctrl-C), the temporary file is removed and the old file at `path` stays.
    The new file has the mode of the old one. If the process is killed, the temporary file stays.

    Each call has a temporary file of its own, so several processes may write to one path; the last one to
    finish wins. Missing parent folders are made. A link stays a link, and its target is replaced; a device or
    a pipe is written to directly. An `OSError` of the block that names no file names `path`.
    """
    final = Path(path)
    if final.is_dir():
        raise UserError(f"a file is to be written to {final}; that is a folder")
    if final.exists() and not final.is_file():
        with naming(final):
            yield final
        return
    final = Path(os.path.realpath(path))
    for folder in reversed(final.parents):  # by `parents=True`, Python would recurse, and not end well
        folder.mkdir(exist_ok=True)
    temporary = final.with_name(f".spatial-game-{secrets.token_hex(8)}.tmp")
    try:
        with naming(final, temporary):
            temporary.touch(exist_ok=False)
            with contextlib.suppress(FileNotFoundError):  # there is no old file
                shutil.copymode(final, temporary)
            yield temporary
            os.replace(temporary, final)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def naming(path: Path, temporary: Path | None = None) -> Iterator[None]:
    """Let an `OSError` of the block that names no file, or the temporary one, name `path`."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):
            error.filename = str(path)
        raise


@contextlib.contextmanager
def locked(path: Path, fault: str) -> Iterator[None]:
    """Let one process at a time enter the block for this file, which is made if needed.

    The system releases the lock when the process ends, even if it is killed. No one may replace the file, as
    the lock would stay with the old one. Raises `ValueError` with the text `fault` if another process is in
    the block. Windows and some network file systems have no such lock: there, nothing is locked.
    """
    with path.open("ab") as file:  # network file systems lock only what is open for writing
        try:
            if sys.platform != "win32":
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(fault) from None
        except OSError:  # the file system has no locks
            pass
        yield


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file through a temporary file."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, entirely or not at all."""
    write_text(path, to_json(content, indent=2) + "\n")


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write a binary file through a temporary file; it is on the disk when this returns."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
