"""The sizes that the pages of a Parquet file claim, before pyarrow makes room for them.

The header of a page is a Thrift struct in the compact protocol, whose first three fields are the kind of the
page, its size in memory, and its size in the file.
"""

from __future__ import annotations

from typing import Any, BinaryIO

LARGEST_PAGE = 1 << 26
"""The most bytes that a page may take in memory. Writers make pages of about a megabyte."""
_HEADER = 1 << 16  # more bytes than the header of a page has
_BOOLEANS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 7, 8, (9, 10), 12


def check_pages(file: BinaryIO, chunk: Any) -> None:
    """Raise `ValueError` for a page of a column chunk (pyarrow's metadata) that claims too much memory."""
    place = chunk.data_page_offset
    if chunk.has_dictionary_page:
        place = min(place, chunk.dictionary_page_offset)
    end = place + chunk.total_compressed_size
    while place < end:
        file.seek(place)
        header = file.read(min(_HEADER, end - place))
        in_memory, in_file, length = page_header(header)
        if not 0 <= in_memory <= LARGEST_PAGE:
            raise ValueError(
                f"a page must take at most {LARGEST_PAGE:,} bytes in memory; it claims {in_memory:,}"
            )
        if in_file < 0:
            raise ValueError(f"a page must have a size; it claims {in_file:,}")
        place += length + in_file


def page_header(content: bytes) -> tuple[int, int, int]:
    """Return the sizes of a page in memory and in the file, and the length of its header, in bytes."""
    reader = _Thrift(content)
    try:
        sizes = reader.struct()
    except IndexError:
        raise ValueError("the header of a page is damaged") from None
    if not {2, 3} <= sizes.keys():
        raise ValueError("the header of a page must have its sizes; got none")
    return sizes[2], sizes[3], reader.place


class _Thrift:
    """Reads whole numbers of a struct, and skips all else."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def struct(self, depth: int = 0) -> dict[int, int]:
        """Read a struct, and return its whole numbers by the numbers of their fields."""
        if depth > 8:
            raise ValueError("the header of a page is damaged")
        found, field = {}, 0
        while kind := self._byte():
            field = field + (kind >> 4) if kind >> 4 else self._number()
            value = self._value(kind & 15, depth)
            if value is not None:
                found[field] = value
        return found

    def _value(self, kind: int, depth: int) -> int | None:
        if 4 <= kind <= 6:
            return self._number()
        if kind == 3:
            self._byte()
        elif kind == _DOUBLE:
            self.place += 8
        elif kind == _BINARY:
            length = self._varint()
            self.place += length
        elif kind == _STRUCT:
            self.struct(depth + 1)
        elif kind in _LISTS:
            size = self._byte()
            for _ in range(size >> 4 if size >> 4 < 15 else self._varint()):
                self._value(size & 15, depth)
        elif kind not in _BOOLEANS:  # no page header has a map
            raise ValueError("the header of a page is damaged")
        return None

    def _byte(self) -> int:
        self.place += 1
        return self.content[self.place - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
