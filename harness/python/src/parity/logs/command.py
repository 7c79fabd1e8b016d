# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity logs PATH -o FILE`."""

from __future__ import annotations

import pathlib

from ..conversion import Conversion, Problem, one_line
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
    elif names := _runs_below(path):
        most = 8
        others = f" and {len(names) - most} more" if len(names) > most else ""
        raise Problem(
            f"cannot read {path} (it has neither a trace nor a log itself, and these folders below are runs of their "
            f"own: {one_line(', '.join(names[:most]), 600)}{others}); name one of them"
        )
    else:
        raise Problem(f"cannot read {path} (no events of TensorBoard, .wandb or Parquet file); check the path")


def _runs_below(path: pathlib.Path) -> list[str]:
    """The folders below that hold events of TensorBoard or a .wandb file."""
    if path.is_file():
        return []
    files = [file for pattern in ("*tfevents.*", "*.wandb") for file in path.rglob(pattern)]
    return sorted({str(file.parent) for file in files if tensorboard_files.find(file) or wandb_file.find(file)})


COMMAND = Conversion(
    name="logs",
    description="Writes a log of TensorBoard, W&B or Parquet as JSON lines, after a line that says what it was.",
    example="wandb/offline-run-20261125_123708-x1/ -o x1.jsonl",
    path="a file of events, a .wandb or a Parquet file, or the folder that holds them",
    output="JSON lines",
    convert=convert,
)
