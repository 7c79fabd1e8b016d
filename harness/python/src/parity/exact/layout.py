# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""How the tensors of a distributed function lie over the ranks of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class Layout:
    """What each name of a function stands for on this rank:

    an int: this rank has a part of equal size along that dimension; "sum": the ranks' tensors, or gradients, are to be
    added. A tensor that is not named is the same on each rank.
    """

    def __init__(self, of: Mapping[str, int | str] | None = None, group: Any = None) -> None:
        self._of, self._group = dict(of or {}), group
        self._used: set[str] = set()
        for name, how in self._of.items():
            if how != "sum" and not isinstance(how, int):
                raise ValueError(f'layout["{name}"] = {how!r} is not known; give a dimension, or "sum"')

    def part(self, name: str, whole: Any) -> Any:
        """Returns what a rank gets of a whole tensor."""
        dim = self._of.get(name)
        self._used.add(name)
        if not isinstance(dim, int):
            return whole
        size = self._size()
        if whole.shape[dim] % size:
            raise ValueError(f"{name} of shape {tuple(whole.shape)} has no {size} equal parts along dimension {dim}")
        return whole.detach().chunk(size, dim)[self._rank()].clone()

    def shape(self, name: str, part: Any) -> tuple[int, ...]:
        """Returns the shape of the whole tensor."""
        shape, dim = list(part.shape), self._of.get(name)
        if isinstance(dim, int):
            shape[dim] *= self._size()
        return tuple(shape)

    def joins(self, name: str) -> Callable[[Any], Any]:
        """Returns the function from this rank's tensor to the whole one."""
        how = self._of.get(name)
        self._used.add(name)
        if how is None:
            return lambda x: x
        return self._added if how == "sum" else lambda x: self._gathered(x, int(how))

    def check_used(self) -> None:
        """Raises ValueError if a name belongs to nothing, as a misspelled one does."""
        if unknown := sorted(self._of.keys() - self._used):
            raise ValueError(
                f"layout names {', '.join(unknown)}, which the call has not: {', '.join(sorted(self._used))}"
            )

    def _added(self, x: Any) -> Any:
        import torch.distributed as dist

        x = x.clone()
        dist.all_reduce(x, group=self._group)
        return x

    def _gathered(self, x: Any, dim: int) -> Any:
        import torch
        import torch.distributed as dist

        parts = [torch.empty_like(x, memory_format=torch.contiguous_format) for _ in range(self._size())]
        dist.all_gather(parts, x.contiguous(), group=self._group)
        return torch.cat(parts, dim)

    def _size(self) -> int:
        import torch.distributed as dist

        return int(dist.get_world_size(self._group))

    def _rank(self) -> int:
        import torch.distributed as dist

        return int(dist.get_rank(self._group))
