# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a plain tensor whose dimensions a text names, such as "t h[tp]".

A name stands for each dimension, in order. In brackets follow the mesh dimensions that shard it, the outermost first.
`h=10[tp]` states the size of the logical tensor, which is otherwise the part's size times that of the mesh dimensions.
`s[cp:zigzag]` gives a rank the chunks i and 2 n - 1 - i, `h[tp:stride=2]` the chunks i and n + i. `h[tp:sum]` and
`h[tp:avg]` do not shard the dimension: the values are terms of a sum or a mean over `tp`. Mesh dimensions that the text
leaves out hold the same values.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..native.library import Error
from .dtensor import axes_of
from .layout import Axis, layout_text, runs

DIMENSION = re.compile(r"^([^\s\[\]=]+?)(?:=(\d+))?(?:\[([^\[\]]*)\])?$")
STRIDE = re.compile(r"stride=([1-9]\d*)")
REDUCTIONS = {"sum": "sum", "partial": "sum", "avg": "avg"}


def axes(mesh: Any) -> tuple[Axis, ...]:
    """The axes of a DeviceMesh, or of a mapping from a name to a process group or to (coordinate, size)."""
    if mesh is None:
        return ()
    if hasattr(mesh, "mesh_dim_names"):
        return () if mesh.get_coordinate() is None else tuple(axes_of(mesh))
    if not isinstance(mesh, Mapping):
        raise Error(f"a mesh is a DeviceMesh or a mapping from names to process groups, not a {type(mesh).__name__}")
    return tuple(_axis(name, place) for name, place in mesh.items())


def _axis(name: str, place: Any) -> Axis:
    if isinstance(place, Sequence):
        return Axis(name, int(place[0]), int(place[1]))
    import torch.distributed as dist

    return Axis(name, dist.get_rank(place), dist.get_world_size(place))


@functools.lru_cache(maxsize=4096)
def layout_of(dims: str, known: tuple[Axis, ...], shape: tuple[int, ...]) -> str | None:
    """The layout of a part of this shape. Raises Error if the text does not describe it."""
    words = re.sub(r"\s*,\s*", ",", dims).split()
    if len(words) != len(shape):
        raise Error(f'its dims "{dims}" name {len(words)} dimensions, but it has {len(shape)}')
    by_name = {axis.name: axis for axis in known}
    found: dict[str, dict[str, Any]] = {axis.name: axis.replicate() for axis in known}
    global_shape = []
    for dim, (word, size) in enumerate(zip(words, shape, strict=True)):
        given, cuts, terms = _parsed(dims, word, by_name)
        for axis, reduction in terms:
            found[axis.name] = axis.terms(reduction)
        whole = given if given is not None else _whole(size, [axis for axis, _ in cuts])
        indices: Sequence[int] = range(whole)
        for axis, order in cuts:
            indices = _cut(indices, axis, order)
        if len(indices) != size:
            raise Error(
                f'its dims "{dims}" give this rank {len(indices)} of {whole} indices of {word}, but it has {size}'
            )
        for axis, _ in cuts:
            found[axis.name] = axis.shard(dim, runs(indices))
        global_shape.append(whole)
    return layout_text(global_shape, list(found.values()))


def _parsed(
    dims: str, word: str, known: Mapping[str, Axis]
) -> tuple[int | None, list[tuple[Axis, str]], list[tuple[Axis, str]]]:
    """The size that a word states, the axes that cut its dimension, and those along which its values are terms."""
    match = DIMENSION.match(word)
    if match is None:
        raise Error(
            f'cannot read "{word}" of its dims "{dims}"; write a name, =SIZE and [MESH DIMENSIONS], as in h[tp]'
        )
    cuts, terms = [], []
    for one in filter(None, (match[3] or "").split(",")):
        name, _, how = one.partition(":")
        if name not in known:
            names = ", ".join(known) or "none"
            raise Error(f'its dims "{dims}" name the mesh dimension {name} (known: {names}); give mesh= with that name')
        if how in REDUCTIONS:
            terms.append((known[name], REDUCTIONS[how]))
        elif how in ("", "zigzag") or STRIDE.fullmatch(how):
            cuts.append((known[name], how))
        else:
            raise Error(f'its dims "{dims}" have {name}:{how}; known: zigzag, stride=N, sum, avg')
    return int(match[2]) if match[2] else None, cuts, terms


def _whole(size: int, cuts: Sequence[Axis]) -> int:
    for axis in cuts:
        size *= axis.size
    return size


def _cut(indices: Sequence[int], axis: Axis, order: str) -> Sequence[int]:
    """What an axis leaves of the indices, in chunks as torch.chunk makes them."""
    stride = STRIDE.fullmatch(order)
    pieces = axis.size * (int(stride[1]) if stride else 2 if order else 1)
    step = max(1, -(-len(indices) // pieces))
    chosen = list(range(axis.coordinate, pieces, axis.size))
    if order == "zigzag":
        chosen[1] = pieces - 1 - axis.coordinate
    return [index for piece in chosen for index in indices[piece * step : (piece + 1) * step]]
