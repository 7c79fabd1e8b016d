# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors and integers of a state dict as entries of a safetensors file."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..conversion import Problem, one_line
from .remarks import Remarks
from .safetensors_file import Entry

WORD = 8  # bytes
PACKED = (torch.quint4x2, torch.quint2x4)  # several elements a byte, of which int_repr() has no shape


def tensor_entries(name: str, tensor: torch.Tensor, remarks: Remarks) -> Iterator[Entry]:
    """The entry of a plain tensor, with the values that a conjugate or negative view stands for, or those of a
    quantised one. Raises Problem for one without plain values, or with more elements than its storage."""
    _require_plain(name, tensor)
    stored = tensor.untyped_storage().nbytes()
    if tensor.numel() * tensor.element_size() > stored:
        raise Problem(
            f"cannot read tensor '{one_line(name)}' (its shape {list(tensor.shape)} takes more than its {stored} bytes)"
        )
    if tensor.is_quantized:
        remarks.quantized.append(name)
        yield from _quantized(name, tensor)
    else:
        yield Entry(name, tensor.dtype, tuple(tensor.shape), lambda: tensor.resolve_conj().resolve_neg())


def _require_plain(name: str, tensor: torch.Tensor) -> None:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        problem = f"{type(tensor).__name__} is not a plain tensor); save the tensors that it consists of"
    elif tensor.is_nested:
        problem = "a nested tensor is not a plain tensor); save it with .unbind()"
    elif tensor.layout is not torch.strided:
        problem = f"a tensor of {tensor.layout} is not a plain tensor); save it with .to_dense()"
    elif tensor.device.type == "meta":
        problem = "it has no values: it is on the device meta); save it from the device that has them"
    elif tensor.dtype in PACKED:
        problem = f"{tensor.dtype} packs several elements into a byte); save it with .dequantize()"
    else:
        return
    raise Problem(f"cannot read tensor '{one_line(name)}' ({problem}")


def _quantized(name: str, tensor: torch.Tensor) -> Iterator[Entry]:
    """NAME.int_repr, NAME.scale and NAME.zero_point, and for one of channels NAME.axis. A value is
    scale * (int_repr - zero_point)."""
    integers = {torch.qint8: torch.int8, torch.quint8: torch.uint8, torch.qint32: torch.int32}[tensor.dtype]
    yield Entry(f"{name}.int_repr", integers, tuple(tensor.shape), tensor.int_repr)
    if tensor.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        scale = torch.tensor(tensor.q_scale(), dtype=torch.float64)
        zero_point = torch.tensor(tensor.q_zero_point(), dtype=torch.int64)
    else:
        axis = torch.tensor(tensor.q_per_channel_axis(), dtype=torch.int64)
        scale, zero_point = tensor.q_per_channel_scales(), tensor.q_per_channel_zero_points()
        yield plain_entry(f"{name}.axis", axis)
    yield plain_entry(f"{name}.scale", scale)
    yield plain_entry(f"{name}.zero_point", zero_point)


def plain_entry(name: str, tensor: torch.Tensor) -> Entry:
    return Entry(name, tensor.dtype, tuple(tensor.shape), lambda: tensor)


def number_entry(name: str, value: bool | int | float, remarks: Remarks) -> Entry:
    """A scalar of bool, int64 or float64. An integer beyond int64 becomes a vector of uint64: its two's complement,
    the lowest word first."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        remarks.long_integers.append(name)
        words = value.bit_length() // (8 * WORD) + 1  # with a bit for the sign
        data = bytearray(value.to_bytes(words * WORD, "little", signed=True))
        return plain_entry(name, torch.frombuffer(data, dtype=torch.uint64))
    dtype = torch.bool if isinstance(value, bool) else torch.int64 if isinstance(value, int) else torch.float64
    return plain_entry(name, torch.tensor(value, dtype=dtype))
