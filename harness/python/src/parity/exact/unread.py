# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Refuses that a function reads numbers where no operator sees it, as NumPy does: they would come back as constants."""

from __future__ import annotations

from typing import Any

from torch.overrides import TorchFunctionMode

from .library import operators
from .twin import NUMBERS, Refused

READERS = {"numpy", "tolist", "__array__", "__dlpack__"}


class Unread(TorchFunctionMode):
    """While it is active, Tensor.numpy() and its kin raise Refused for tensors with residues."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in READERS and args and _has_numbers(args[0]):
            raise Refused(f"Tensor.{name}: it reads numbers out; what the program does with them has no residue")
        return func(*args, **(kwargs or {}))


def _has_numbers(x: Any) -> bool:
    import torch

    plain = type(x) in (torch.Tensor, torch.nn.Parameter) and (x.is_floating_point() or x.is_complex())
    return plain and operators().known(x) == NUMBERS
