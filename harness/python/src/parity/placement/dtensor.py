# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a DTensor that this rank holds."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..native.library import Error
from .layout import Axis, NotRecordable, Placed, layout_text, runs

Ranges = list[tuple[int, int]]


def is_dtensor(value: Any) -> bool:
    return hasattr(value, "_local_tensor") and hasattr(value, "placements") and hasattr(value, "device_mesh")


def version_of(value: Any) -> int:
    """A number that each change in place raises, of a DTensor or its local tensor; 0 without one."""
    return sum(int(getattr(one, "_version", 0)) for one in (value, getattr(value, "_local_tensor", None)))


def part_of(value: Any) -> Placed | None:
    """None: this rank is outside the tensor's mesh. Raises Error if the local tensor contradicts the placements."""
    local = value._local_tensor
    if hasattr(local, "wait"):  # the result of a collective that the trainer has started
        local = local.wait()
    if value.device_mesh.get_coordinate() is None:
        return None
    if hasattr(local, "__create_chunk_list__"):
        return Placed(local, _layout_of_chunks(value, local))
    shape, layout = _planned(value.device_mesh, tuple(value.placements), tuple(value.shape))
    if shape != tuple(local.shape):
        raise Error(
            f"its placements {tuple(value.placements)} on a mesh of shape {tuple(value.device_mesh.shape)} give this "
            f"rank a part of shape {shape} of {tuple(value.shape)}, but its local tensor has {tuple(local.shape)}; "
            "make it with the placements that its values have"
        )
    return Placed(local, layout)


def axes_of(mesh: Any) -> list[Axis]:
    """The dimensions of a DeviceMesh that this rank is part of."""
    names = mesh.mesh_dim_names or [f"mesh.{dim}" for dim in range(mesh.ndim)]
    return [
        Axis(name, at, mesh.size(dim)) for dim, (name, at) in enumerate(zip(names, mesh.get_coordinate(), strict=True))
    ]


@functools.lru_cache(maxsize=4096)
def _planned(mesh: Any, placements: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[tuple[int, ...], str | None]:
    """The shape of this rank's part, and its layout."""
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

    part, offset = compute_local_shape_and_global_offset(shape, mesh, placements)
    axes = axes_of(mesh)
    held: dict[int, Ranges] = {}
    for dim in {placement.dim for placement in placements if _is_shard(placement)}:
        held[dim] = [(offset[dim], offset[dim] + part[dim])] if part[dim] else []
        if any(_is_strided(placement) for placement in placements if _is_shard(placement) and placement.dim == dim):
            held[dim] = _strided(dim, shape[dim], axes, placements)
    found = [_placement(axis, one, held) for axis, one in zip(axes, placements, strict=True)]
    return tuple(part), layout_text(shape, found)


def _placement(axis: Axis, placement: Any, held: dict[int, Ranges]) -> dict[str, Any]:
    if placement.is_replicate():
        return axis.replicate()
    if _is_shard(placement):
        return axis.shard(placement.dim, held[placement.dim])
    reduction = getattr(placement, "reduce_op", None)
    if type(placement).__name__ == "Partial" and reduction in ("sum", "avg"):
        return axis.terms(reduction)
    raise NotRecordable(f"its values wait for a reduction, {placement!r}, that a trace cannot describe")


def _is_shard(placement: Any) -> bool:
    return hasattr(placement, "dim") and not placement.is_partial()


def _is_strided(placement: Any) -> bool:
    return hasattr(placement, "split_factor")


def _strided(dim: int, size: int, axes: Sequence[Axis], placements: Sequence[Any]) -> Ranges:
    """The indices along `dim` that PyTorch's own splitting leaves to this rank, from the first mesh dimension on."""
    import torch

    indices = torch.arange(size).reshape([1] * dim + [-1])
    for axis, placement in zip(axes, placements, strict=True):
        if _is_shard(placement) and placement.dim == dim:
            chunks, _ = placement._split_tensor(indices, axis.size, with_padding=False, contiguous=True)
            indices = chunks[axis.coordinate].reshape([1] * dim + [-1])
    return runs(indices.flatten().tolist())


def _layout_of_chunks(value: Any, local: Any) -> str | None:
    """The layout by boxes of the logical tensor, which the local tensor knows better than the placements do."""
    if any(placement.is_partial() for placement in value.placements):
        raise NotRecordable(f"its values wait for a reduction, {tuple(value.placements)}, and come in chunks")
    boxes = [(tuple(chunk.offsets), tuple(chunk.sizes)) for chunk in local.__create_chunk_list__()]
    shape = tuple(value.shape)
    held = _joined(boxes, shape)
    if tuple(sum(end - first for first, end in ranges) for ranges in held) != tuple(local.shape):
        raise Error(f"its chunks {boxes} do not have the shape {tuple(local.shape)} of its local tensor")
    mesh = value.device_mesh
    coordinate = 0
    for axis in axes_of(mesh):
        coordinate = coordinate * axis.size + axis.coordinate
    found = [
        Axis(f"chunk.{dim}", coordinate, mesh.size()).shard(dim, ranges)
        for dim, ranges in enumerate(held)
        if ranges != [(0, shape[dim])]
    ]
    return layout_text(shape, found)


def _joined(boxes: Sequence[tuple[tuple[int, ...], tuple[int, ...]]], shape: tuple[int, ...]) -> list[Ranges]:
    """The indices along each dimension of boxes that differ along one dimension only."""
    if not boxes:
        return [[] if dim == 0 else [(0, size)] for dim, size in enumerate(shape)]
    held: list[Ranges] = []
    for dim in range(len(shape)):
        ranges = [(offsets[dim], offsets[dim] + sizes[dim]) for offsets, sizes in boxes]
        held.append(ranges[:1] if len(set(ranges)) == 1 else ranges)
    if sum(len(ranges) > 1 for ranges in held) > 1:
        raise NotRecordable(f"its chunks {list(boxes)} are not rows, columns or other slices along one dimension")
    return [[one for one in ranges if one[0] < one[1]] for ranges in held]


def scalar_of(name: str, value: Any) -> Any:
    """A channel's value without communication. Raises Error for a DTensor that ranks have not reduced yet."""
    if not is_dtensor(value):
        return value
    if not all(placement.is_replicate() for placement in value.placements):
        raise Error(f"channel {name} is a DTensor with placements {tuple(value.placements)}; give {name}.full_tensor()")
    return value.to_local()
