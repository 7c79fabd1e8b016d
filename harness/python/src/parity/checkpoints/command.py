# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity checkpoint PATH -o FILE.safetensors`."""

from __future__ import annotations

import argparse
import pathlib
import sys
import warnings

from .problem import Problem, exit_code, one_line


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m parity checkpoint",
        description="Writes a checkpoint of PyTorch as a safetensors file. No code of the checkpoint runs.",
        epilog="example: python -m parity checkpoint step-100/ -o step-100.safetensors",
    )
    parser.add_argument(
        "path", metavar="PATH", help="a torch.save file, its index, or a torch.distributed.checkpoint folder"
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="safetensors file to write")
    options = parser.parse_args(words)
    path = pathlib.Path(options.path)
    return exit_code(path, lambda: convert(path, pathlib.Path(options.output)))


def convert(path: pathlib.Path, output: pathlib.Path) -> None:
    """Writes the tensors and numbers of a checkpoint. Raises Problem."""
    if not path.exists():
        raise Problem(f"cannot read {path} (it does not exist); check the path", 3)
    try:
        import torch
    except ImportError:
        raise Problem(
            f"cannot read {path} ({sys.executable} has no PyTorch, which reads this format); "
            f"run: {sys.executable} -m pip install torch",
            3,
        ) from None
    from . import distributed, safetensors_file, torch_save

    warnings.simplefilter("ignore")
    torch.set_grad_enabled(False)
    left_out: list[str] = []
    folder = path.is_dir()
    entries = distributed.read(path, left_out) if folder else torch_save.read(path, left_out)
    facts = {
        "format": "torch.distributed.checkpoint" if folder else "torch.save",
        "left_out": one_line(", ".join(left_out), 400),
    }
    safetensors_file.write(output, entries, facts)
