"""The hash of a Parquet file's footer, which has its metadata; page checksums cover the rest of a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from spatial_game.recording.format import RecordingError

HASH_KEY = b"spatial_game_hash"
"""The metadata with the hash of the whole footer."""
NO_CHECKSUM = b"the hash of this footer, with this text in place of the hash".ljust(64, b".")


def write_checksum(path: Path) -> None:
    """Write the hash of its footer, its checksum, into a file that has `NO_CHECKSUM` in its place."""
    footer = _footer_of(path)
    with path.open("r+b") as file:
        file.seek(-8 - len(footer), os.SEEK_END)
        file.write(footer.replace(NO_CHECKSUM, _hash_of(footer)))


def check(path: Path, metadata: Mapping[bytes, bytes]) -> None:
    """Raise `RecordingError` for a wrong hash of the footer; files of other programs have none."""
    stored = metadata.get(HASH_KEY)
    if stored is not None and stored != _hash_of(_footer_of(path).replace(stored, NO_CHECKSUM)):
        raise RecordingError(
            f"the footer does not match its hash; the file is damaged, or another program changed it "
            f"(and should have left out the metadata {HASH_KEY.decode()})"
        )


def _footer_of(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        size = int.from_bytes(file.read(4), "little")
        file.seek(-8 - size, os.SEEK_END)
        return file.read(size)


def _hash_of(footer: bytes) -> bytes:
    """Return the hash of a footer that has `NO_CHECKSUM` in its place."""
    return hashlib.sha256(footer).hexdigest().encode()
