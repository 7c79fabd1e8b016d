# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a safetensors file tensor by tensor, so that memory holds one at a time."""

from __future__ import annotations

import json
import os
import pathlib
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from ..conversion import Problem, one_line

TYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.bfloat16: "BF16",
    torch.float16: "F16",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2: "F8_E5M2",
    torch.float8_e4m3fnuz: "F8_E4M3FNUZ",
    torch.float8_e5m2fnuz: "F8_E5M2FNUZ",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.uint16: "U16",
    torch.uint32: "U32",
    torch.uint64: "U64",
    torch.bool: "BOOL",
    torch.complex64: "C64",
}


@dataclass
class Entry:
    """A tensor to write. make: returns it, contiguous or not."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    make: Callable[[], Any]

    @property
    def size(self) -> int:
        """Bytes."""
        count: int = self.dtype.itemsize
        for one in self.shape:
            count *= one
        return count


def write(path: pathlib.Path, entries: Iterable[Entry], facts: dict[str, str]) -> None:
    """Writes the file beside its place and moves it there. Entries must have different names."""
    entries = list(entries)
    header: dict[str, Any] = {"__metadata__": facts}
    at = 0
    for entry in entries:
        if entry.dtype not in TYPES:
            raise Problem(
                f"cannot read tensor '{one_line(entry.name)}' ({entry.dtype} has no name in safetensors files); "
                "save it in another dtype"
            )
        if entry.name in header:
            raise Problem(f"cannot read tensor '{one_line(entry.name)}' (two entries have this name); rename one")
        header[entry.name] = {
            "dtype": TYPES[entry.dtype],
            "shape": list(entry.shape),
            "data_offsets": [at, at + entry.size],
        }
        at += entry.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    part = path.with_name(f"{path.name}.part{os.getpid()}")
    try:
        with open(part, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for entry in entries:
                _write_tensor(file, entry)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _write_tensor(file: Any, entry: Entry) -> None:
    try:
        tensor = entry.make().detach().to("cpu").contiguous()
        raw = tensor.reshape(-1).view(torch.uint8) if tensor.numel() > 0 else torch.empty(0, dtype=torch.uint8)
    except RuntimeError as error:  # PyTorch does not do that with such a tensor
        raise Problem(f"cannot read tensor '{one_line(entry.name)}' ({one_line(error)}); save a plain tensor") from error
    if raw.numel() != entry.size:
        raise Problem(
            f"cannot read tensor '{one_line(entry.name)}' ({raw.numel()} bytes in place of {entry.size}); save it again"
        )
    piece = 1 << 26
    for first in range(0, raw.numel(), piece):
        file.write(raw[first : first + piece].numpy().data)
