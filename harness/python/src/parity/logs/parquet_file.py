# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Parquet files, such as the exported history of a W&B run, read by pyarrow."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import Any

from ..conversion import Problem, missing_package, one_line
from .rows import Rows
from .writers import Scalar, Writers

MAGIC = b"PAR1"
ROWS_AT_ONCE = 4096
NUMBER = "_step"  # W&B's own for each row of a run
STEP_NAMES = (NUMBER, "step", "global_step", "train/global_step", "trainer/global_step", "iteration", "iter")


def find(path: pathlib.Path) -> list[pathlib.Path]:
    """The files of a table in the order of their names, as exports number them."""
    if path.is_file():
        with path.open("rb") as file:
            return [path] if file.read(4) == MAGIC or path.suffix == ".parquet" else []
    return sorted(file for file in path.iterdir() if file.is_file() and file.suffix == ".parquet")


def read(path: pathlib.Path, files: list[pathlib.Path], rows: Rows) -> None:
    """Adds a row for each row of the files, with its numbers. A null is no number."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_package(path, "pyarrow", "Parquet", "pyarrow") from None
    if len(files) > 1:
        rows.notes.append(f"{len(files)} Parquet files are joined in the order of their names")
    writers = Writers(path)
    for file in files:
        try:
            add_part(file.name, _rows(file, rows, pyarrow), rows, writers if len(files) > 1 else None)
        except (pyarrow.ArrowException, OSError) as error:
            raise Problem(f"cannot read {file} ({one_line(str(error), 300)}); copy or export the file again") from error


def add_part(name: str, part: Iterable[dict[str, Any]], rows: Rows, writers: Writers | None) -> None:
    """Adds the rows of a file. writers: the parts before. Raises Problem if they are of another run."""
    is_numbered = False
    if writers:
        writers.begin(name)
    for row in part:
        rows.add(row)
        key = next((key for key in STEP_NAMES if key in row), None)
        if writers and key and row[key] == row[key] // 1:
            is_numbered = is_numbered or key == NUMBER
            for tag, value in row.items():
                if tag != key:
                    writers.add(Scalar(int(row[key]), tag, value, 0.0, True))
    if writers:
        writers.end_part(is_numbered)


def _rows(file: pathlib.Path, rows: Rows, pyarrow: Any) -> Any:
    types = pyarrow.types
    with pyarrow.parquet.ParquetFile(file) as table:
        schema = table.schema_arrow
        numbers = [field.name for field in schema if types.is_integer(field.type) or types.is_floating(field.type)]
        rows.left_out.update(set(schema.names) - set(numbers))
        if len(set(schema.names)) != len(schema.names):
            raise Problem(f"cannot read {file} (two columns have one name); rename one")
        for batch in table.iter_batches(ROWS_AT_ONCE, columns=numbers):
            for row in batch.to_pylist():
                if known := {name: value for name, value in row.items() if value is not None}:
                    yield known
