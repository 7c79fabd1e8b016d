# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Which elements of a tensor a rank holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..placement.dtensor import is_dtensor


def local_part(x: Any) -> tuple[Any, Any]:
    """Returns the tensor that this rank holds, and the places of its elements in the whole tensor."""
    x = waited(x)
    if not is_dtensor(x):
        return x, places_in(tuple(x.shape))
    if any(placement.is_partial() for placement in x.placements):
        raise ValueError(f"a DTensor whose values wait for a reduction ({x.placements}) has no elements yet")
    return waited(x._local_tensor), _cut(places_in(tuple(x.shape)), x.device_mesh, x.placements)


def waited(x: Any) -> Any:
    """Returns the tensor of a collective that may still run."""
    return x.wait() if hasattr(x, "wait") else x


def places_in(shape: Sequence[int]) -> Any:
    """Returns the places of all elements, as a tensor of that shape."""
    import torch

    count = 1
    for size in shape:
        count *= size
    return torch.arange(count).view(shape)


def _cut(places: Any, mesh: Any, placements: Sequence[Any]) -> Any:
    """Cuts as DTensor does, from the first dimension of the mesh on; a rank outside of the mesh holds nothing."""
    coordinate = mesh.get_coordinate()
    if coordinate is None:
        return places.flatten()[:0]
    for dim, placement in enumerate(placements):
        if placement.is_replicate():
            continue
        chunks, _ = placement._split_tensor(places, mesh.size(dim), with_padding=False, contiguous=True)
        places = chunks[coordinate[dim]]
    return places
