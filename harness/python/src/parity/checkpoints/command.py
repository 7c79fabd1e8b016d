# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity checkpoint PATH -o FILE.safetensors`."""

from __future__ import annotations

import pathlib
import warnings

from ..conversion import Conversion, missing_package


def convert(path: pathlib.Path, output: pathlib.Path) -> None:
    """Writes the tensors and numbers of a checkpoint. Raises Problem."""
    try:
        import torch
    except ImportError:
        raise missing_package(path, "PyTorch", "this format", "torch") from None
    from . import safetensors_file
    from .remarks import Remarks

    folder = path.is_dir()
    if folder:
        from .distributed import read  # whose imports take half a second
    else:
        from .torch_save import read
    remarks = Remarks()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entries = read(path, remarks)
        kind = "torch.distributed.checkpoint" if folder else "torch.save"
        safetensors_file.write(output, entries, {"format": kind} | remarks.facts())


COMMAND = Conversion(
    name="checkpoint",
    description="Writes a checkpoint of PyTorch as a safetensors file. No code of the checkpoint runs.",
    example="step-100/ -o step-100.safetensors",
    path="a torch.save file, its index, or a torch.distributed.checkpoint folder",
    output="safetensors file",
    convert=convert,
)
