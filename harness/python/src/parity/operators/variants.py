# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The same rows computed in other surroundings, for the relation `invariant`.

Each variant gives outputs that hold the leading rows of the usual call's, and the gradients of inputs that have these
rows. The gradient of an input without them, such as a weight, adds over the rows: it may depend on their number."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .call import leaves

Inputs = dict[str, Any]
Tensors = dict[str, torch.Tensor]
Change = Callable[[torch.Tensor, int], torch.Tensor]
Made = dict[tuple[str, str], torch.Tensor]  # (phase, name): outputs are "forward", gradients of inputs "grad"
PADDING = 7


@dataclasses.dataclass(frozen=True)
class Given:
    """What a function is called with."""

    inputs: Inputs
    seeds: Tensors  # the gradients with respect to the outputs; empty if no gradients are asked
    sizes: dict[str, int]  # of the symbols of the sweep


Call = Callable[[Given], Made]


class Axis:
    """A dimension of the inputs by its symbol."""

    def __init__(self, symbol: str, problem: Any, given: Given) -> None:
        self.symbol, self.problem = symbol, problem
        self.size = given.sizes.get(symbol, 0)
        self.dims: dict[str, int] = {
            one["name"] + (f".{item}" if one["list"] else ""): spec["shape"].index(symbol)
            for one in problem.inputs
            for item, spec in enumerate(one.get("tensors", []))
            if symbol in spec["shape"]
        }
        self.output = next(iter(self.dims.values()), 0)

    def change(self, given: Given, how: Change) -> Given:
        """The same with every tensor that has this dimension replaced by how(tensor, dimension)."""
        sizes = given.sizes | {self.symbol: how(torch.zeros(self.size), 0).shape[0]}
        inputs = map_tensors(given.inputs, lambda name, one: how(one, self.dims[name]) if name in self.dims else one)
        seeds = {name: how(one, self.output) for name, one in given.seeds.items()}
        return Given(inputs | self.problem.values(sizes), seeds, sizes)

    def map_rows(self, made: Made, how: Change) -> Made:
        """how(tensor, dimension) of what has this dimension: outputs, and gradients of inputs that have it."""
        dims = {key: self.output if key[0] == "forward" else self.dims.get(key[1]) for key in made}
        return {key: how(one, dim) for key, one in made.items() if (dim := dims[key]) is not None}

    def rows(self, made: Made, count: int) -> Made:
        """The leading rows."""
        return self.map_rows(made, lambda one, dim: one.narrow(dim, 0, count))


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


def map_all(given: Given, change: Callable[[torch.Tensor], torch.Tensor]) -> Given:
    inputs = map_tensors(given.inputs, lambda _, one: change(one))
    return Given(inputs, {name: change(one) for name, one in given.seeds.items()}, given.sizes)


def batch(axis: Axis, given: Given, call: Call) -> Iterator[Made]:
    yield axis.rows(call(axis.change(given, lambda one, dim: one.narrow(dim, 0, 1).clone())), 1)
    more = axis.change(given, lambda one, dim: torch.cat([one, one, one.narrow(dim, 0, 1)], dim))
    yield axis.rows(call(more), axis.size)


def position(axis: Axis, given: Given, call: Call) -> Iterator[Made]:
    moved = call(axis.change(given, lambda one, dim: one.roll(1, dim)))
    yield axis.map_rows(moved, lambda one, dim: one.roll(-1, dim))


def neighbours(axis: Axis, given: Given, call: Call, others: Inputs) -> Iterator[Made]:
    tensors = dict(leaves(others))

    def joined(one: torch.Tensor, other: torch.Tensor, dim: int) -> torch.Tensor:
        return torch.cat([one.narrow(dim, 0, 1), other.narrow(dim, 1, axis.size - 1)], dim)

    inputs = map_tensors(
        given.inputs, lambda name, one: joined(one, tensors[name], axis.dims[name]) if name in axis.dims else one
    )
    seeds = {name: joined(one, 3 * one, axis.output) for name, one in given.seeds.items()}
    yield axis.rows(call(Given(inputs, seeds, given.sizes)), 1)


def chunking(axis: Axis, given: Given, call: Call) -> Iterator[Made]:
    half = (axis.size + 1) // 2
    first = call(axis.change(given, lambda one, dim: one.narrow(dim, 0, half).clone()))
    second = call(axis.change(given, lambda one, dim: one.narrow(dim, half, axis.size - half).clone()))
    ends = iter(axis.map_rows(second, lambda one, dim: one).values())  # in the order of the first ones
    yield axis.map_rows(first, lambda one, dim: torch.cat([one, next(ends)], dim))


def padding(axis: Axis, given: Given, call: Call) -> Iterator[Made]:
    def longer(one: torch.Tensor, dim: int) -> torch.Tensor:
        shape = list(one.shape)
        shape[dim] = PADDING
        return torch.cat([one, one.new_zeros(shape)], dim)

    yield axis.rows(call(axis.change(given, longer)), axis.size)


def threads(given: Given, call: Call) -> Iterator[Made]:
    usual = torch.get_num_threads()
    try:
        for count in (1, 2, 3, 4):
            if count != usual:
                torch.set_num_threads(count)
                yield call(given)
    finally:
        torch.set_num_threads(usual)


def layout(given: Given, call: Call) -> Iterator[Made]:
    def strided(one: torch.Tensor) -> torch.Tensor:
        if one.dim() >= 2:
            return one.transpose(-1, -2).contiguous().transpose(-1, -2)
        return one.repeat_interleave(2)[::2] if one.dim() == 1 else one

    yield call(map_all(given, strided))


def alignment(given: Given, call: Call) -> Iterator[Made]:
    for offset in (1, 3):

        def moved(one: torch.Tensor, offset: int = offset) -> torch.Tensor:
            memory = torch.empty(one.numel() + offset, dtype=one.dtype)
            return memory[offset:].view(one.shape).copy_(one)

        yield call(map_all(given, moved))


def variants(name: str, problem: Any, given: Given, call: Call, others: Callable[[], Inputs]) -> Iterator[Made]:
    """The results of each variant of an axis. None where the point has too few rows for it."""
    axis = Axis(problem.length if name == "padding" else problem.batch, problem, given)
    if name in ("threads", "layout", "alignment"):
        for made in {"threads": threads, "layout": layout, "alignment": alignment}[name](given, call):
            yield axis.map_rows(made, lambda one, dim: one) if problem.batch else made
    elif name == "padding":
        yield from padding(axis, given, call)
    elif axis.size >= 2:
        if name == "neighbours":
            yield from neighbours(axis, given, call, others())
        else:
            yield from {"batch": batch, "position": position, "chunking": chunking}[name](axis, given, call)
    elif name == "batch":
        yield from batch(axis, given, call)
