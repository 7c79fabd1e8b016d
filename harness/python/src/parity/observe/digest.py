# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A digest of a tensor that stays on its device, so that nobody waits for it."""

from __future__ import annotations

from typing import Any

MIX = (-0x61C8864680B583EB, -0x00AE502812AA7333, -0x3B314601E57A13AD)  # as in harness/trace/FORMAT.md, signed


def digest_of(tensor: Any) -> Any:
    """An int64 tensor of one element that depends on shape, dtype, and the bits and place of each element."""
    import torch

    values = tensor.detach()
    if values.is_complex():
        values = torch.view_as_real(values.resolve_conj())
    values = values.contiguous().reshape(-1)
    width = values.element_size()
    whole = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[width]
    bits = values.view(whole).to(torch.int64)
    places = torch.arange(1, bits.numel() + 1, dtype=torch.int64, device=bits.device)
    mixed = bits ^ (places * MIX[0])
    mixed = (mixed ^ (mixed >> 32)) * MIX[1]
    mixed = (mixed ^ (mixed >> 29)) * MIX[2]
    salt = sum((number + 1) * size for number, size in enumerate(tensor.shape)) + 1000003 * width
    return (mixed ^ (mixed >> 32)).sum() + salt
