# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity logs PATH -o FILE`."""

from __future__ import annotations

import pathlib

from ..conversion import Conversion, Problem
from . import parquet_file, tensorboard_files, wandb_file
from .rows import Rows


def convert(path: pathlib.Path, output: pathlib.Path) -> None:
    """Writes the numbers of a log. Raises Problem."""
    events, runs, tables = tensorboard_files.find(path), wandb_file.find(path), parquet_file.find(path)
    if len(runs) > 1 or sum(map(bool, (events, runs, tables))) > 1:
        count = len(events) + len(runs) + len(tables)
        raise Problem(f"cannot choose a log in {path} ({count} files could be meant); name one of them")
    rows = Rows(path)
    if events:
        tensorboard_files.read(path, events, rows)
        rows.write(output, "TensorBoard")
    elif runs:
        wandb_file.read(runs[0], rows)
        rows.write(output, "W&B")
    elif tables:
        parquet_file.read(path, tables, rows)
        rows.write(output, "Parquet")
    else:
        raise Problem(f"cannot read {path} (no events of TensorBoard, .wandb or Parquet file); check the path")


COMMAND = Conversion(
    name="logs",
    description="Writes a log of TensorBoard, W&B or Parquet as JSON lines, after a line that says what it was.",
    example="wandb/offline-run-20261125_123708-x1/ -o x1.jsonl",
    path="a file of events, a .wandb or a Parquet file, or the folder that holds them",
    output="JSON lines",
    convert=convert,
)
