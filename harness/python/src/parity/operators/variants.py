# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The same rows computed in other surroundings, for the relation `invariant`.

Each variant gives outputs that hold the leading rows of the usual call's: its name is "AXIS.NUMBER"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from .call import leaves

Inputs = dict[str, Any]
Call = Callable[[Inputs], dict[str, torch.Tensor]]
PADDING = 7


class Axis:
    """A dimension of the inputs by its symbol."""

    def __init__(self, symbol: str, problem: Any, point: int) -> None:
        self.size = int(problem.points[point]["sizes"].get(symbol, 0))
        self.dims = {
            one["name"] + (f".{item}" if one["list"] else ""): spec["shape"].index(symbol)
            for one in problem.inputs
            for item, spec in enumerate(one.get("tensors", []))
            if symbol in spec["shape"]
        }
        self.output = next(iter(self.dims.values()), 0)

    def change(self, inputs: Inputs, how: Callable[[torch.Tensor, int], torch.Tensor]) -> Inputs:
        """The inputs, those with this dimension replaced by how(tensor, dimension)."""
        return map_tensors(inputs, lambda name, one: how(one, self.dims[name]) if name in self.dims else one)

    def rows(self, outputs: dict[str, torch.Tensor], count: int) -> dict[str, torch.Tensor]:
        """The leading rows of outputs."""
        return {name: one.narrow(self.output, 0, count) for name, one in outputs.items()}


def map_tensors(inputs: Inputs, change: Callable[[str, torch.Tensor], torch.Tensor]) -> Inputs:
    changed: Inputs = {}
    for name, value in inputs.items():
        if isinstance(value, torch.Tensor):
            changed[name] = change(name, value)
        elif isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
            changed[name] = [change(f"{name}.{item}", one) for item, one in enumerate(value)]
        else:
            changed[name] = value
    return changed


def batch(axis: Axis, inputs: Inputs, call: Call) -> Iterator[dict[str, torch.Tensor]]:
    yield axis.rows(call(axis.change(inputs, lambda one, dim: one.narrow(dim, 0, 1).clone())), 1)
    more = axis.change(inputs, lambda one, dim: torch.cat([one, one, one.narrow(dim, 0, 1)], dim))
    yield axis.rows(call(more), axis.size)


def position(axis: Axis, inputs: Inputs, call: Call) -> Iterator[dict[str, torch.Tensor]]:
    moved = call(axis.change(inputs, lambda one, dim: one.roll(1, dim)))
    yield {name: one.roll(-1, axis.output) for name, one in moved.items()}


def neighbours(axis: Axis, inputs: Inputs, call: Call, others: Inputs) -> Iterator[dict[str, torch.Tensor]]:
    tensors = dict(leaves(others))

    def replaced(name: str, one: torch.Tensor) -> torch.Tensor:
        if name not in axis.dims:
            return one
        dim = axis.dims[name]
        return torch.cat([one.narrow(dim, 0, 1), tensors[name].narrow(dim, 1, axis.size - 1)], dim)

    yield axis.rows(call(map_tensors(inputs, replaced)), 1)


def chunking(axis: Axis, inputs: Inputs, call: Call) -> Iterator[dict[str, torch.Tensor]]:
    half = (axis.size + 1) // 2
    first = call(axis.change(inputs, lambda one, dim: one.narrow(dim, 0, half).clone()))
    second = call(axis.change(inputs, lambda one, dim: one.narrow(dim, half, axis.size - half).clone()))
    yield {name: torch.cat([one, second[name]], axis.output) for name, one in first.items()}


def padding(axis: Axis, inputs: Inputs, call: Call) -> Iterator[dict[str, torch.Tensor]]:
    def longer(one: torch.Tensor, dim: int) -> torch.Tensor:
        shape = list(one.shape)
        shape[dim] = PADDING
        return torch.cat([one, one.new_zeros(shape)], dim)

    yield axis.rows(call(axis.change(inputs, longer)), axis.size)


def threads(inputs: Inputs, call: Call) -> Iterator[dict[str, torch.Tensor]]:
    usual = torch.get_num_threads()
    try:
        for count in (1, 2, 3, 4):
            if count != usual:
                torch.set_num_threads(count)
                yield call(inputs)
    finally:
        torch.set_num_threads(usual)


def layout(inputs: Inputs, call: Call) -> Iterator[dict[str, torch.Tensor]]:
    def strided(_: str, one: torch.Tensor) -> torch.Tensor:
        if one.dim() >= 2:
            return one.transpose(-1, -2).contiguous().transpose(-1, -2)
        return one.repeat_interleave(2)[::2] if one.dim() == 1 else one

    yield call(map_tensors(inputs, strided))


def alignment(inputs: Inputs, call: Call) -> Iterator[dict[str, torch.Tensor]]:
    for offset in (1, 3):

        def moved(_: str, one: torch.Tensor, offset: int = offset) -> torch.Tensor:
            memory = torch.empty(one.numel() + offset, dtype=one.dtype)
            place = memory[offset:].view(one.shape)
            return place.copy_(one)

        yield call(map_tensors(inputs, moved))


def variants(
    name: str, problem: Any, point: int, inputs: Inputs, call: Call, others: Callable[[], Inputs]
) -> Iterator[dict[str, torch.Tensor]]:
    """The outputs of each variant of an axis. None where the point has too few rows for it."""
    if name in ("threads", "layout", "alignment"):
        yield from {"threads": threads, "layout": layout, "alignment": alignment}[name](inputs, call)
        return
    axis = Axis(problem.length if name == "padding" else problem.batch, problem, point)
    if name == "padding":
        yield from padding(axis, inputs, call)
    elif axis.size >= 2:
        if name == "neighbours":
            yield from neighbours(axis, inputs, call, others())
        else:
            yield from {"batch": batch, "position": position, "chunking": chunking}[name](axis, inputs, call)
    elif name == "batch":
        yield from batch(axis, inputs, call)
