# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Watches the operators that PyTorch runs below autograd. Import it only where PyTorch is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from ..native.library import Error
from .arrivals import Arrivals
from .collectives import collective_of

#: Called before an operator runs, with its name; returns what takes (slot, tensor), or None.
Start = Callable[[str], Callable[[str, Any], None] | None]
#: The same before a collective runs, with what it is.
StartCollective = Start


_OF_GROUPS = ("c10d::", "_c10d_functional::", "_c10d_functional_autograd::")


class OperatorMode(TorchDispatchMode):  # type: ignore[misc]
    """Gives the inputs and outputs of each operator, named as harness/trace/FORMAT.md says. Views, and memory that was
    never written, are left out. Of a collective it gives what this rank puts in, and what it gets once the trainer uses
    it."""

    def __init__(self, start: Start, start_collective: StartCollective) -> None:
        super().__init__()
        self._start, self._start_collective = start, start_collective
        self._arrivals = Arrivals()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.name.startswith(_OF_GROUPS):
            return self._communicate(func, args, kwargs)
        gives_new = not _gives_nothing_new(func._schema)
        if gives_new and self._arrivals:
            self._arrivals.used_by([args, list(kwargs.values())])
        take = self._start(func._schema.name) if gives_new else None
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

    def _communicate(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Runs an operator of process groups, whose results may be filled later than it returns."""
        if func._schema.name == "_c10d_functional::wait_tensor":
            result = func(*args, **kwargs)
            self._arrivals.used_by(args)
            return result
        if self._arrivals:
            self._arrivals.used_by([args, list(kwargs.values())])
        collective = collective_of(func, args, kwargs)
        take = self._start_collective(collective.what) if collective is not None else None
        if collective is None or take is None:
            return func(*args, **kwargs)
        if collective.sent is not None:
            take("in.sent", collective.sent)
        result, received = collective.run()
        self._arrivals.expect(collective, result, received, take)
        return result

    def close(self) -> None:
        """Stops watching. Raises Error if another mode was entered since and not left."""
        if _get_current_dispatch_mode() is not self:
            raise Error("another TorchDispatchMode is open across rec.step(); enter and leave it between two calls")
        self.__exit__(None, None, None)
        self._arrivals.end()


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
