# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The elements of a tensor as the C functions take them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from .library import Error

NUMPY_KINDS = {"f": "float", "i": "int", "u": "uint", "b": "bool"}


@dataclass
class Memory:
    """Where the elements of a tensor are. `owner` keeps the memory alive."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # [elements]
    address: int
    owner: Any


def is_torch(value: Any) -> bool:
    """Whether `value` is a tensor of PyTorch. Does not import PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_on_gpu(value: Any) -> bool:
    """Whether `value` is a tensor in memory of a CUDA device."""
    return is_torch(value) and value.device.type == "cuda"


def plain(value: Any) -> Any:
    """A tensor of PyTorch without history, strides of its own and complex numbers; other values as they are."""
    if not is_torch(value):
        return value
    import torch

    value = value.detach()
    if value.layout != torch.strided:
        value = value.to_dense()
    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    return value.resolve_neg()


def snapshot(value: Any) -> Any:
    """A copy of the values as they are now, in host memory."""
    value = plain(value)
    if is_torch(value):
        return value.clone() if value.device.type == "cpu" else to_host(value)
    import numpy

    return numpy.array(value)


def to_host(value: Any) -> Any:
    """A tensor of PyTorch in host memory. Raises Error while a CUDA graph is captured, which a copy would end."""
    if is_on_gpu(value):
        check_no_capture()
    return value.cpu()


def check_no_capture() -> None:
    """Raises Error while a CUDA graph is captured: waiting for the device would break the capture."""
    import torch

    if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
        raise Error("no tensor can be recorded while a CUDA graph is captured; train without graphs to record tensors")


def memory_of(value: Any) -> Memory:
    """The memory of a tensor in host memory, or of anything that NumPy takes for an array."""
    if is_torch(value):
        name = str(value.dtype).removeprefix("torch.")
        return Memory(name, tuple(value.shape), tuple(value.stride()), value.data_ptr(), value)
    import numpy

    array = numpy.asarray(value)
    size = array.dtype.itemsize
    kind = NUMPY_KINDS.get(array.dtype.kind, "")
    name = kind if kind == "bool" else f"{kind}{8 * size}" if kind else array.dtype.name  # bfloat16 of ml_dtypes
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    strides = tuple(stride // max(1, size) for stride in array.strides)
    return Memory(name, array.shape, strides, array.ctypes.data, array)
