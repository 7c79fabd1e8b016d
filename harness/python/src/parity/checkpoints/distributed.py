# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Folders of torch.distributed.checkpoint, read by its own reader. Its metadata and its entries that are not tensors
are pickles: they may name only the classes of such metadata."""

from __future__ import annotations

import enum
import io
import pathlib
import pickle
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner
from torch.distributed.checkpoint.metadata import Metadata, StorageMeta, TensorStorageMetadata

from ..conversion import Problem, one_line
from .flatten import flatten, group_entries
from .remarks import Remarks
from .safetensors_file import Entry

METADATA = ".metadata"
ALLOWED = {
    ("torch.distributed.checkpoint.metadata", name)
    for name in (
        "BytesStorageMetadata",
        "ChunkStorageMetadata",
        "Metadata",
        "MetadataIndex",
        "StorageMeta",
        "TensorProperties",
        "TensorStorageMetadata",
        "_MEM_FORMAT_ENCODING",
    )
} | {
    ("torch.distributed.checkpoint.filesystem", "_StorageInfo"),
    ("torch", "Size"),
    ("torch.serialization", "_get_layout"),
    ("collections", "OrderedDict"),
    ("pathlib", "PosixPath"),
    ("builtins", "set"),
}


def _member(owner: Any, name: str) -> Any:
    """A member of an enumeration, which Python 3.11 pickles as a call of getattr."""
    if isinstance(owner, type) and issubclass(owner, enum.Enum):
        return owner[name]
    raise pickle.UnpicklingError("it wants builtins.getattr, which could run code")


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "getattr"):
            return _member
        if module == "pathlib._local":  # where Python 3.13 says that pathlib's classes are
            module = "pathlib"
        dtype = getattr(torch, name, None) if module == "torch" else None
        if (module, name) in ALLOWED or isinstance(dtype, torch.dtype):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it wants {module}.{name}, which could run code")


class _Reader(dcp.FileSystemReader):
    """The reader of the format, with metadata that were read without running code."""

    def __init__(self, path: pathlib.Path, metadata: Metadata) -> None:
        super().__init__(path)
        self._read = metadata

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        return self._read


class _Planner(DefaultLoadPlanner):
    """Loads an entry that is not a tensor, without running code."""

    def load_bytes(self, read_item: Any, value: io.BytesIO) -> None:
        name = read_item.dest_index.fqn
        self.original_state_dict[name] = torch.load(value, map_location="cpu", weights_only=True)


def read(path: pathlib.Path, remarks: Remarks) -> list[Entry]:
    """The tensors of a folder, which are read when they are written."""
    metadata = _metadata(path)
    _check_places(path, metadata)
    entries: list[Entry] = []
    for name, one in metadata.state_dict_metadata.items():
        if isinstance(one, TensorStorageMetadata):
            entries.append(_entry(path, metadata, name, one))
        else:
            entries.extend(_value(path, metadata, name, remarks))
    return entries


def _metadata(path: pathlib.Path) -> Metadata:
    try:
        with open(path / METADATA, "rb") as file:
            metadata = _Unpickler(file).load()
        if not isinstance(metadata, Metadata) or not isinstance(metadata.state_dict_metadata, dict):
            raise ValueError("no metadata of torch.distributed.checkpoint")
        if getattr(metadata, "storage_meta", None) is None:
            metadata.storage_meta = StorageMeta()
        return metadata
    except Exception as error:  # a damaged pickle raises anything
        raise Problem(f"cannot read {path / METADATA} ({one_line(error)}); save the checkpoint again") from error


def _check_places(path: pathlib.Path, metadata: Metadata) -> None:
    """Refuses files outside the folder, and shapes with more bytes than the files."""
    names = {info.relative_path for info in metadata.storage_data.values()}
    for name in names:
        if not isinstance(name, str) or pathlib.Path(name).name != name:
            raise Problem(f"cannot read {path} ('{one_line(name)}' is not the name of a file in the folder)")
        if not (path / name).is_file():
            raise Problem(f"cannot read {path} (the file '{one_line(name)}' is not there); copy the whole folder")
    stored = sum((path / name).stat().st_size for name in names)
    claimed = 0
    for one in metadata.state_dict_metadata.values():
        if isinstance(one, TensorStorageMetadata):
            count = one.properties.dtype.itemsize
            for size in one.size:
                count *= size
            claimed += count
    if claimed > stored:
        raise Problem(f"cannot read {path} (its tensors claim {claimed} bytes, and its files have {stored})")


def _load(path: pathlib.Path, metadata: Metadata, name: str, place: Any) -> Any:
    state = {name: place}
    try:
        planner = _Planner(flatten_state_dict=False)
        dcp.load(state, storage_reader=_Reader(path, metadata), planner=planner, no_dist=True)
    except (Exception, dcp.CheckpointException) as error:  # the latter is no Exception
        failures = getattr(error, "failures", {})
        cause = next((failure[0] for failure in failures.values()), error)
        raise Problem(f"cannot read '{one_line(name)}' of {path} ({one_line(cause)}); save it again") from error
    return state[name]


def _entry(path: pathlib.Path, metadata: Metadata, name: str, one: TensorStorageMetadata) -> Entry:
    shape, dtype = tuple(one.size), one.properties.dtype

    def values() -> torch.Tensor:
        _check_chunks(path, name, one)
        loaded: torch.Tensor = _load(path, metadata, name, torch.empty(shape, dtype=dtype))
        return loaded

    return Entry(name, dtype, shape, values)


def _check_chunks(path: pathlib.Path, name: str, one: TensorStorageMetadata) -> None:
    """Refuses a tensor whose chunks do not have each element once. PyTorch's reader leaves the rest as it was."""
    covered = torch.zeros(tuple(one.size), dtype=torch.bool)
    for chunk in one.chunks:
        box = tuple(slice(first, first + size) for first, size in zip(chunk.offsets, chunk.sizes, strict=True))
        part = covered[box]
        if tuple(part.shape) != tuple(chunk.sizes) or bool(part.any()):
            raise Problem(f"cannot read '{one_line(name)}' of {path} (its chunks overlap or leave it); save it again")
        part.fill_(True)
    if not bool(covered.all()):
        missing = covered.numel() - int(covered.count_nonzero())
        raise Problem(
            f"cannot read '{one_line(name)}' of {path} ({missing} of {covered.numel()} elements are in no file); "
            "save it from all ranks"
        )


def _value(path: pathlib.Path, metadata: Metadata, name: str, remarks: Remarks) -> list[Entry]:
    value = _load(path, metadata, name, None)
    if isinstance(value, io.BytesIO):
        remarks.left_out.append(name)
        return []
    grouped = group_entries(name, value)
    return flatten({name: value}, remarks) if grouped is None else grouped
