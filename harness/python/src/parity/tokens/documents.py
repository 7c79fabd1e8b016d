# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The documents of JSONL and Parquet files."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator

from ..conversion import Problem, missing_package, one_line


def documents(path: pathlib.Path, field: str) -> Iterator[str]:
    """The texts of a file, in order. Raises Problem with the line or row of what is not text."""
    if path.suffix == ".parquet":
        return _parquet(path, field)
    if path.suffix in (".jsonl", ".json"):
        return _json_lines(path, field)
    raise Problem(f"cannot read {path} (its name ends in neither .jsonl nor .parquet); rename or convert it")


def _json_lines(path: pathlib.Path, field: str) -> Iterator[str]:
    with path.open("rb") as lines:  # bytes end lines at \n alone, and U+2028 stays in its text
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _text_of(line, f"{path}:{number}", field)


def _text_of(line: bytes, place: str, field: str) -> str:
    try:
        entry = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Problem(f"cannot read {place} (byte {error.start} of the line is not UTF-8); convert the file") from None
    except (ValueError, RecursionError) as error:
        raise Problem(f"cannot read {place} (it is not JSON: {one_line(error)}); write one object a line") from None
    if not isinstance(entry, dict) or field not in entry:
        raise Problem(f"cannot read {place} (it has no field '{field}'); name another with --field")
    return _checked(entry[field], place, field)


def _checked(text: object, place: str, field: str) -> str:
    if not isinstance(text, str):
        given = type(text).__name__
        raise Problem(f"cannot read {place} ('{field}' must be text, not {given}); leave the document out")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem(f"cannot read {place} ('{field}' has half of a surrogate pair); repair the text") from None
    return text


def _parquet(path: pathlib.Path, field: str) -> Iterator[str]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing_package(path, "PyArrow", "Parquet", "pyarrow") from None
    row = 0
    try:
        with parquet.ParquetFile(path) as file:
            if field not in file.schema_arrow.names:
                raise Problem(f"cannot read {path} (it has no column '{field}'); name another with --field")
            for batch in file.iter_batches(columns=[field]):
                for value in batch.column(0):
                    row += 1
                    yield _checked(value.as_py(), f"{path}, row {row}", field)
    except pyarrow.ArrowInvalid as error:
        raise Problem(f"cannot read {path} (it is not whole Parquet: {one_line(error)}); copy it again") from None
