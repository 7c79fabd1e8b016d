# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The file of an offline run of W&B: a LevelDB log of the messages of W&B's own protocol."""

from __future__ import annotations

import json
import pathlib
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..conversion import Problem, missing_package, one_line
from .rows import Rows

HEAD = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
BLOCK = 32768
PIECE = struct.Struct("<IHB")  # checksum, length and kind
WHOLE, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def find(path: pathlib.Path) -> list[pathlib.Path]:
    if path.is_file():
        with path.open("rb") as file:
            return [path] if file.read(4) == HEAD[:4] or path.suffix == ".wandb" else []
    return sorted(file for file in path.glob("*.wandb") if file.is_file())


def read(path: pathlib.Path, rows: Rows) -> None:
    try:
        from wandb.proto.wandb_internal_pb2 import Record
    except ImportError:
        raise missing_package(path, "W&B", "this format", "wandb") from None
    ended = False
    with path.open("rb") as file:
        for at, data in records(path, file):
            try:
                record = Record.FromString(data)
                kind = record.WhichOneof("record_type")
                row = _row(record.history, rows) if kind == "history" else {}
            except Exception as error:  # a damaged message raises anything
                raise _damage(path, at, f"no message of W&B: {one_line(error)}") from error
            if len(row) > 1:
                rows.add(row)
            ended = ended or kind == "exit"
    if not ended:
        rows.notes.append("the file has no end of the run: it was killed, or still runs")


def _row(history: Any, rows: Rows) -> dict[str, Any]:
    """The numbers of a call of log(). Nested names are joined by "/"."""
    row: dict[str, Any] = {"_step": history.step.num} if history.HasField("step") else {}
    keys = [[item.key] if item.key else list(item.nested_key) for item in history.item]
    media = {tuple(key[:-1]) for key in keys if key[-1] == "_type"}
    for key, item in zip(keys, history.item, strict=True):
        parts = [tuple(key[:end]) for end in range(1, len(key))]
        if part := next((part for part in parts if part in media), None):
            rows.left_out.add("/".join(part))
        else:
            _add("/".join(key), json.loads(item.value_json), row, rows)
    return row


def _add(name: str, value: Any, row: dict[str, Any], rows: Rows) -> None:
    if isinstance(value, dict) and "_type" not in value:
        for key, part in value.items():
            _add(f"{name}/{key}", part, row, rows)
    elif value is None or type(value) in (int, float):
        row[name] = value
    else:
        rows.left_out.add(name)


def records(path: pathlib.Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Place and bytes of each record. Raises Problem at a piece that is cut off or has another checksum."""
    if file.read(len(HEAD)) != HEAD:
        raise _damage(path, 0, "another head, or another version, than W&B's")
    at, inside = len(HEAD), False
    begin, whole = at, b""
    while True:
        left = BLOCK - at % BLOCK
        if left < PIECE.size:  # the rest of a block that holds no piece
            file.read(left)
            at += left
        if not inside:
            begin, whole = at, b""
        head = file.read(PIECE.size)
        if not head and not inside:
            return
        if len(head) < PIECE.size:
            raise _damage(path, begin, "cut off")
        checksum, size, kind = PIECE.unpack(head)
        data = file.read(size)
        if len(data) < size:
            raise _damage(path, begin, "cut off")
        if zlib.crc32(data, zlib.crc32(head[-1:])) != checksum:
            raise _damage(path, begin, "its checksum differs")
        if kind not in ((MIDDLE, LAST) if inside else (WHOLE, FIRST)):
            raise _damage(path, begin, f"a piece of kind {kind}")
        whole += data
        at += PIECE.size + size
        inside = kind in (FIRST, MIDDLE)
        if not inside:
            yield begin, whole


def _damage(path: pathlib.Path, at: int, cause: str) -> Problem:
    return Problem(
        f"cannot read {path} (the record at byte {at}: {cause}); "
        f"copy the file again, or keep what comes before: head -c {at}"
    )
