"""The few messages of ONNX that a graph needs, in the wire format of protocol buffers.

The package `onnx` would write them, too, but it is larger than ONNX Runtime itself. The numbers are those of
fields in `onnx.proto` (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

Field = tuple[int, Any]
"""The number of a field, and its value: an int, a float, text, bytes (also of a message) or several."""

IR_VERSION, OPSET = 8, 17
"""The versions of the file format and of the operators. They belong to ONNX 1.12 (2022)."""

_TYPES = {"float32": 1, "int64": 7, "bool": 9}
"""`TensorProto.DataType` by the name of the type in NumPy."""


def message(*fields: Field) -> bytes:
    """Return a message with these fields. Several values become a repeated field."""
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: Any) -> bytes:
    if isinstance(value, (list, tuple)):
        return b"".join(_field(number, each) for each in value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers, as in two's complement
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def tensor(name: str, array: np.ndarray[Any, Any]) -> bytes:
    """Return a `TensorProto`."""
    data = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    return message((1, list(array.shape)), (2, _TYPES[array.dtype.name]), (8, name), (9, data))


def node(
    operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Any]
) -> bytes:
    """Return a `NodeProto`."""
    settings = [_attribute(name, value) for name, value in attributes.items()]
    return message((1, list(inputs)), (2, list(outputs)), (4, operator), (5, settings))


def _attribute(name: str, value: Any) -> bytes:
    """Return an `AttributeProto` of a whole number, of several or of a graph."""
    if isinstance(value, bytes):
        return message((1, name), (6, value), (20, 5))
    if isinstance(value, int):
        return message((1, name), (3, value), (20, 2))
    return message((1, name), (8, list(value)), (20, 7))


def value_info(name: str, dtype: str, shape: Iterable[int | str]) -> bytes:
    """Return a `ValueInfoProto`: the name, type and shape of an input or output; dynamic sizes have names."""
    sizes = [message((2 if isinstance(size, str) else 1, size)) for size in shape]
    tensor_type = message((1, _TYPES[dtype]), (2, message((1, sizes))))
    return message((1, name), (2, message((1, tensor_type))))


def graph(
    name: str,
    nodes: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    tensors: Sequence[bytes] = (),
) -> bytes:
    """Return a `GraphProto`. The inputs and outputs of a graph inside another need only names."""
    return message((1, nodes), (2, name), (5, tensors), (11, inputs), (12, outputs))


def named(name: str) -> bytes:
    """Return a `ValueInfoProto` with only a name."""
    return message((1, name))


def model(graph: bytes) -> bytes:
    """Return a `ModelProto`: the content of an ONNX file."""
    opset = message((1, ""), (2, OPSET))
    return message((1, IR_VERSION), (2, "spatial-game"), (7, graph), (8, opset))


def properties(texts: Mapping[str, str]) -> bytes:
    """Return metadata to append to a `ModelProto`."""
    return message((14, [message((1, key), (2, text)) for key, text in texts.items()]))
