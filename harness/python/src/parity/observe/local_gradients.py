# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records gradients as a rank computed them (phase grad_local), before any reduction over ranks."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..placement.layout import Axis


class LocalGradients:
    """Hooks on parameters, at the steps for which the capture asks. Each backward pass of an update calls them, and the
    last call of a parameter counts: it has the sum over the micro-batches."""

    def __init__(self, seen: Callable[[str, Any], None], alone: Callable[[str, int, Any], None]) -> None:
        """seen: takes the name and the parameter whose gradient was accumulated.
        alone: takes the name, the number of the backward pass, and its gradient before it is added."""
        self._seen, self._alone = seen, alone
        self._handles: list[Any] = []

    def begin(self, wanted: bool, alone: bool, parameters: Callable[[], Iterable[tuple[str, Any]]]) -> None:
        self.end()
        if not wanted:
            return
        for name, parameter in parameters():
            if parameter.requires_grad and parameter.is_leaf:
                self._handles.append(parameter.register_post_accumulate_grad_hook(self._hook(name)))
                if alone:
                    self._handles.append(parameter.register_hook(self._hook_alone(name)))

    def end(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _hook_alone(self, name: str) -> Callable[[Any], None]:
        numbers = itertools.count()

        def hook(gradient: Any) -> None:
            self._alone(name, next(numbers), gradient)

        return hook

    def _hook(self, name: str) -> Callable[[Any], None]:
        def hook(parameter: Any) -> None:
            if parameter.grad is not None:
                self._seen(name, parameter)

        return hook


def data_parallel_axis(model: Any) -> Axis | None:
    """The ranks over which DistributedDataParallel averages the gradients. In a mapping, that of the prefix ""."""
    group = _group_of(model)
    return Axis("dp", group.rank(), group.size()) if group is not None and group.size() > 1 else None


def data_parallel_ranks(model: Any) -> list[int]:
    """Numbers, in the whole world, of the ranks that DistributedDataParallel averages over; [] without it."""
    group = _group_of(model)
    if group is None or group.size() < 2:
        return []
    import torch.distributed as dist

    return sorted(dist.get_process_group_ranks(group))


def running_wrapper() -> Any:
    """The DistributedDataParallel whose forward pass runs, for a recorder that was given its module; None without."""
    loaded = sys.modules.get("torch.nn.parallel.distributed")
    active = getattr(getattr(loaded, "DistributedDataParallel", None), "_get_active_ddp_module", None)
    return active() if active is not None else None


def _group_of(model: Any) -> Any:
    model = model.get("") if isinstance(model, dict) else model
    if type(model).__name__ != "DistributedDataParallel":
        return None
    return getattr(model, "process_group", None)  # which Megatron's class of this name does not have


def is_reduced_first(model: Any) -> bool:
    """Whether PyTorch calls these hooks after the reduction, as fully_shard does."""
    parts = model.values() if isinstance(model, dict) else model if isinstance(model, (list, tuple)) else [model]
    return any(
        base.__name__ in ("FSDPModule", "FullyShardedDataParallel")
        for part in parts
        if part is not None
        for module in part.modules()
        for base in type(module).__mro__
    )
