# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Watches the operators that PyTorch runs below autograd. Import it only where PyTorch is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from ..native.library import Error

#: Called before an operator runs, with its name; returns what takes (slot, tensor), or None.
Start = Callable[[str], Callable[[str, Any], None] | None]


class OperatorMode(TorchDispatchMode):  # type: ignore[misc]
    """Gives the inputs and outputs of each operator, named as harness/trace/FORMAT.md says. Views, and memory that was
    never written, are left out."""

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        take = None if _gives_nothing_new(func._schema) else self._start(func._schema.name)
        if take is None:
            return func(*args, **kwargs)
        arguments = list(_arguments(func._schema, args, kwargs))
        written = [(name, value) for name, value, is_written in arguments if is_written]
        for name, value, is_written in arguments:
            if not is_written:
                _take(take, f"in.{name}", value)
        result = func(*args, **kwargs)
        for name, value in written:
            _take(take, f"out.{name}", value)
        if not written:
            for number, value in enumerate(result if isinstance(result, tuple) else (result,)):
                _take(take, f"out.{number}", value)
        return result

    def close(self) -> None:
        """Stops watching. Raises Error if another mode was entered since and not left."""
        if _get_current_dispatch_mode() is not self:
            raise Error("another TorchDispatchMode is open across rec.step(); enter and leave it between two calls")
        self.__exit__(None, None, None)


def _arguments(schema: Any, args: Any, kwargs: Any) -> Iterator[tuple[str, Any, bool]]:
    """(name, value, whether the operator writes it) of all arguments; those not given have their defaults."""
    for number, argument in enumerate(schema.arguments):
        if number < len(args):
            value = args[number]
        elif argument.name in kwargs:
            value = kwargs[argument.name]
        elif argument.has_default_value():
            value = argument.default_value
        else:
            continue
        yield argument.name, value, argument.alias_info is not None and argument.alias_info.is_write


def _take(take: Callable[[str, Any], None], slot: str, value: Any) -> None:
    if isinstance(value, torch.Tensor):
        if value.layout == torch.strided and not value.is_meta:
            take(slot, value)
    elif isinstance(value, (bool, int)):
        take(slot, torch.tensor(int(value), dtype=torch.int64))
    elif isinstance(value, float):
        take(slot, torch.tensor(value, dtype=torch.float64))
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            _take(take, f"{slot}[{number}]", item)


def _gives_nothing_new(schema: Any) -> bool:
    own = schema.name.rpartition(":")[2]
    if own.startswith(("empty", "new_empty", "_empty", "resize")) or own == "set_":
        return True
    return any(one.alias_info is not None and not one.alias_info.is_write for one in schema.returns)
