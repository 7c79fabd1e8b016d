# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity logs PATH -o FILE`."""

from __future__ import annotations

import argparse
import pathlib

from ..checkpoints.problem import Problem, exit_code
from . import tensorboard_files, wandb_file
from .rows import Rows


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m parity logs",
        description="Writes a log of TensorBoard or W&B as JSON lines, after a line that says what it was.",
        epilog="example: python -m parity logs wandb/offline-run-20261125_123708-x1/ -o x1.jsonl",
    )
    parser.add_argument("path", metavar="PATH", help="a file of events or a .wandb file, or the folder that holds them")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="JSON lines to write")
    options = parser.parse_args(words)
    path = pathlib.Path(options.path)
    return exit_code(path, lambda: convert(path, pathlib.Path(options.output)))


def convert(path: pathlib.Path, output: pathlib.Path) -> None:
    """Writes the numbers of a log. Raises Problem."""
    if not path.exists():
        raise Problem(f"cannot read {path} (it does not exist); check the path", 3)
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
