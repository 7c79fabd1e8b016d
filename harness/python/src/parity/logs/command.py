# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity logs PATH -o FILE`."""

from __future__ import annotations

import pathlib

from ..conversion import Conversion, Problem
from . import tensorboard_files, wandb_file
from .rows import Rows


def convert(path: pathlib.Path, output: pathlib.Path) -> None:
    """Writes the numbers of a log. Raises Problem."""
    events, runs = tensorboard_files.find(path), wandb_file.find(path)
    if len(runs) > 1 or (events and runs):
        raise Problem(
            f"cannot choose a log in {path} ({len(events) + len(runs)} files could be meant); name one of them"
        )
    if not events and not runs:
        raise Problem(f"cannot read {path} (no events of TensorBoard and no .wandb file); check the path")
    rows = Rows(path)
    if events:
        tensorboard_files.read(path, events, rows)
    else:
        wandb_file.read(runs[0], rows)
    rows.write(output, "TensorBoard" if events else "W&B")


COMMAND = Conversion(
    name="logs",
    description="Writes a log of TensorBoard or W&B as JSON lines, after a line that says what it was.",
    example="wandb/offline-run-20261125_123708-x1/ -o x1.jsonl",
    path="a file of events or a .wandb file, or the folder that holds them",
    output="JSON lines",
    convert=convert,
)
