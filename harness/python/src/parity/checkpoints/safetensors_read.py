# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads safetensors files, or an index of them. Tensors are mapped, so that memory holds what is in use."""

from __future__ import annotations

import json
import pathlib
import struct
from typing import Any

import torch

from ..conversion import Problem, one_line
from .safetensors_file import TYPES, Entry
from .torch_save import INDEX, places_of_index

DTYPES = {name: dtype for dtype, name in TYPES.items()}
MOST_HEADER_BYTES = 100_000_000


def read(path: pathlib.Path) -> list[Entry]:
    """The tensors of a file, or of the files that an index lists. Raises Problem."""
    if not path.name.endswith(INDEX):
        return _entries(path)
    places = places_of_index(path)
    entries: list[Entry] = []
    for file in sorted(set(places.values())):
        found = {entry.name: entry for entry in _entries(path.parent / file)}
        for name in (name for name, place in places.items() if place == file):
            if name not in found:
                raise Problem(
                    f"cannot read {path} ({one_line(file)} has no '{one_line(name)}', which it lists); copy it again"
                )
            entries.append(found[name])
    return entries


def _entries(path: pathlib.Path) -> list[Entry]:
    try:
        size, start, header = _header(path)
        facts = {name: _fact(one) for name, one in header.items() if name != "__metadata__"}
        at = 0
        for _, _, first, last in sorted(facts.values(), key=lambda fact: fact[2:]):
            if first != at or last < first:
                raise ValueError("its tensors overlap or leave a hole")
            at = last
        if start + at != size:
            raise ValueError(f"it has {size} bytes, and its tensors end at {start + at}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error) as error:
        raise Problem(f"cannot read {path} ({one_line(error)}); write it again") from error
    return [_entry(path, size, start, name, fact) for name, fact in facts.items()]


def _header(path: pathlib.Path) -> tuple[int, int, dict[str, Any]]:
    """The size of a file, where its tensors begin, and its header."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        if len(head) < 8:
            raise ValueError("it is cut short")
        length = struct.unpack("<Q", head)[0]
        if length > min(size - 8, MOST_HEADER_BYTES):
            raise ValueError("it is cut short, or no safetensors file")
        header = json.loads(file.read(length).decode("utf-8"), object_pairs_hook=_unique)
    if not isinstance(header, dict):
        raise ValueError("its header is not an object")
    return size, 8 + length, header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("its header has a name twice")
    return members


def _fact(one: dict[str, Any]) -> tuple[torch.dtype, tuple[int, ...], int, int]:
    """dtype, shape, first byte and one past the last byte of a tensor."""
    if one["dtype"] not in DTYPES:
        raise ValueError(f"its dtype {one_line(one['dtype'])} is unknown")
    dtype, shape = DTYPES[one["dtype"]], tuple(one["shape"])
    first, last = one["data_offsets"]
    count = dtype.itemsize
    for length in shape:
        if not isinstance(length, int) or length < 0:
            raise ValueError("a shape is not a list of lengths")
        count *= length
    if not isinstance(first, int) or last - first != count:
        raise ValueError(f"a tensor of {list(shape)} has {last - first} bytes in place of {count}")
    return dtype, shape, first, last


def _entry(path: pathlib.Path, size: int, start: int, name: str, fact: Any) -> Entry:
    dtype, shape, first, last = fact

    def values() -> torch.Tensor:
        if first == last:
            return torch.empty(shape, dtype=dtype)
        raw = torch.from_file(str(path), shared=False, size=size, dtype=torch.uint8)[start + first : start + last]
        aligned = raw if (start + first) % dtype.itemsize == 0 else raw.clone()
        return aligned.view(dtype).reshape(shape)

    return Entry(name, dtype, shape, values)
