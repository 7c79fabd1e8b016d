# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what collectives and messages bring to this rank once the trainer has waited for it. Import it only where
PyTorch is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from ..recording.warn import warn
from .collectives import joined, tensors_of


@dataclass(eq=False)
class _Arrival:
    what: str
    tensors: list[Any]
    take: Callable[[str, Any], None]
    work: Any  #: torch.distributed.Work, or None: a functional collective
    is_message: bool

    def is_outstanding(self) -> bool:
        """Whether the trainer uses it too early. Only the CPU shows that: a GPU's stream waits, not the program."""
        on_cpu = all(tensor.device.type == "cpu" for tensor in self.tensors)
        if not on_cpu or self.work is None:
            return False
        return not (self.work.is_completed() if self.is_message else self.work.get_future().done())

    def overlaps(self, ranges: list[tuple[int, int]]) -> bool:
        own = [_range_of(tensor) for tensor in self.tensors]
        return any(begin < other_end and other_begin < end for begin, end in own for other_begin, other_end in ranges)

    def read(self) -> None:
        if self.work is None:
            for tensor in self.tensors:
                torch.ops._c10d_functional.wait_tensor(tensor)
        if any(tensor.numel() > 0 and tensor.untyped_storage().nbytes() == 0 for tensor in self.tensors):
            warn(f"the trainer freed what {self.what} brings before it used it; its bytes are not kept")
        else:
            self.take("out.received", joined(self.tensors))


class Arrivals:
    """Tensors that a collective or a message fills after its call has returned. The recorder does not wait in the call:
    two ranks that use two groups in different orders, or receive before they send, would wait forever."""

    def __init__(self) -> None:
        self._pending: list[_Arrival] = []

    def __bool__(self) -> bool:
        return bool(self._pending)

    def expect(self, collective: Any, result: Any, received: list[Any], take: Callable[[str, Any], None]) -> None:
        """Adds what `collective`, whose call returned `result`, will put into `received`."""
        if not received:
            return
        arrival = _Arrival(collective.what, received, take, _work_of(result), collective.is_message)
        if arrival.work is not None and not arrival.is_message and not _has_future(arrival.work):
            arrival.work.wait()  # Gloo's reduce_scatter is an all_reduce, whose part is copied by whoever waits
            arrival.read()
        else:
            self._pending.append(arrival)

    def used_by(self, arguments: Any) -> None:
        """Reads what an operator with these arguments is about to read or overwrite."""
        ranges = [_range_of(inner) for one in tensors_of(arguments) for inner in _inner(one)]
        used = [one for one in self._pending if one.overlaps(ranges)]
        self._pending = [one for one in self._pending if one not in used]
        for arrival in used:
            if arrival.is_outstanding():
                warn(f"the trainer uses what {arrival.what} brings before it has waited for it; its bytes are not kept")
            else:
                arrival.read()

    def end(self) -> None:
        """Reads the others at the end of an update. It waits for collectives, and not for messages: two waits for one
        message of Gloo never end."""
        pending, self._pending = self._pending, []
        for arrival in pending:
            if arrival.is_message and arrival.is_outstanding():
                warn(f"no wait for {arrival.what} before the end of the update; its bytes are not kept")
                continue
            if arrival.work is not None and not arrival.is_message:
                arrival.work.wait()
            arrival.read()


def _work_of(result: Any) -> Any:
    from torch._C._distributed_c10d import Work

    results = result if isinstance(result, (list, tuple)) else [result]
    works = [item for item in results if isinstance(item, torch.ScriptObject)]
    return Work.unbox(works[0]) if works else None


def _has_future(work: Any) -> bool:
    try:
        work.get_future()
    except RuntimeError:  # "not implemented"
        return False
    return True


def _inner(tensor: Any) -> Iterator[Any]:
    """The tensors with memory in a tensor: itself, or those that a subclass such as DTensor wraps."""
    if is_traceable_wrapper_subclass(tensor):
        for name in tensor.__tensor_flatten__()[0]:
            yield from _inner(getattr(tensor, name))
    elif tensor.layout == torch.strided and not tensor.is_meta:
        yield tensor


def _range_of(tensor: Any) -> tuple[int, int]:
    """(first, last + 1) address of a strided tensor's elements."""
    span = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + (span * tensor.element_size() if tensor.numel() else 0)
