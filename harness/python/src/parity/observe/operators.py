# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Watches the operators that PyTorch runs below autograd. Import it only where PyTorch is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from ..native.library import Error
from .collectives import collective_of, joined, tensors_of

#: Called before an operator runs, with its name; returns what takes (slot, tensor), or None.
Start = Callable[[str], Callable[[str, Any], None] | None]
#: The same before a collective runs, with what it is.
StartCollective = Start


_OF_GROUPS = ("c10d::", "_c10d_functional::", "_c10d_functional_autograd::")


class OperatorMode(TorchDispatchMode):  # type: ignore[misc]
    """Gives the inputs and outputs of each operator, named as harness/trace/FORMAT.md says. Views, and memory that was
    never written, are left out. Of a collective it gives what this rank puts in, and what it gets once it has ended."""

    def __init__(self, start: Start, start_collective: StartCollective) -> None:
        super().__init__()
        self._start, self._start_collective = start, start_collective
        self._awaited: list[tuple[Callable[[str, Any], None], list[Any]]] = []  # messages

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.name.startswith(_OF_GROUPS):
            return self._communicate(func, args, kwargs)
        if self._awaited:
            self._take_messages([one for one in tensors_of([args, list(kwargs.values())]) if _has_memory(one)])
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

    def _communicate(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Runs an operator of process groups, whose results may be filled later than it returns."""
        collective = collective_of(func, args, kwargs)
        take = self._start_collective(collective.what) if collective is not None else None
        if collective is None or take is None:
            return func(*args, **kwargs)
        if collective.sent is not None:
            take("in.sent", collective.sent)
        result, received = collective.run()
        if received and collective.is_message:
            self._awaited.append((take, received))
        elif received:
            take("out.received", joined(received))
        return result

    def _take_messages(self, read: Any = None) -> None:
        """Gives the messages that the trainer has waited for: those that an operator reads, or all without one."""
        touched = None if read is None else {tensor.untyped_storage().data_ptr() for tensor in read}
        waiting, self._awaited = self._awaited, []
        for take, received in waiting:
            if touched is None or any(tensor.untyped_storage().data_ptr() in touched for tensor in received):
                take("out.received", joined(received))
            else:
                self._awaited.append((take, received))

    def close(self) -> None:
        """Stops watching. Raises Error if another mode was entered since and not left."""
        if _get_current_dispatch_mode() is not self:
            raise Error("another TorchDispatchMode is open across rec.step(); enter and leave it between two calls")
        self._take_messages()
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


def _has_memory(tensor: Any) -> bool:
    return bool(tensor.layout == torch.strided and not tensor.is_meta)


def _gives_nothing_new(schema: Any) -> bool:
    own = schema.name.rpartition(":")[2]
    if own.startswith(("empty", "new_empty", "_empty", "resize")) or own == "set_":
        return True
    return any(one.alias_info is not None and not one.alias_info.is_write for one in schema.returns)
