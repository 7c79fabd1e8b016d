# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a tensor that an object of Megatron-Core's ShardedTensor describes. Megatron is not imported."""

from __future__ import annotations

from typing import Any

from .layout import Axis, NotRecordable, Placed, layout_text


def is_sharded_tensor(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("global_shape", "global_offset", "local_shape", "data"))


def part_of(value: Any) -> Placed | None:
    """None: the object has no data on this rank."""
    if value.data is None:
        return None
    if getattr(value, "flattened_range", None) is not None:
        raise NotRecordable("it is a piece of a flattened tensor; give the tensor before an optimizer flattens it")
    shape, offset = tuple(value.global_shape), tuple(value.global_offset)
    extra = len(shape) - len(tuple(value.local_shape))  # dimensions that only the logical tensor has, such as layers
    local = value.data.reshape((1,) * extra + tuple(value.local_shape))
    counts = getattr(value, "axis_fragmentations", None) or [0] * len(shape)
    found = []
    for dim, (first, size, whole, count) in enumerate(zip(offset, local.shape, shape, counts, strict=True)):
        if size != whole:
            pieces = count or -(-whole // max(1, size))
            place = Axis(f"shard.{dim}", min(pieces - 1, first // max(1, size)), pieces)
            found.append(place.shard(dim, [(first, first + size)] if size else []))
    return Placed(local, layout_text(shape, found))
