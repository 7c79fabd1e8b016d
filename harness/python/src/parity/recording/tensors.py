# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""How tensors of one rank go into its trace: their place in larger ones, and their values or what is measured of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..native.device import Devices, Measured
from ..native.library import WANTS_WRITABLE, Error
from ..native.memory import is_on_gpu, is_torch, memory_of, plain, snapshot, to_host
from ..placement.find import Places
from ..placement.layout import NotRecordable, Placed
from .capture import Capture
from .warn import WarnOnce


class Tensors:
    """Finds, keeps and offers tensors for its owner, a Recorder.

    places, outputs: where parameters, and what modules return, lie in larger tensors.
    """

    def __init__(self, owner: Any, capture: Capture, places: Places, outputs: Places, warn_once: WarnOnce) -> None:
        self._owner, self._capture, self._places, self._outputs = owner, capture, places, outputs
        self._warn_once = warn_once
        self._devices = Devices(warn_once)

    def kept(self, phase: str, name: str, part: Placed) -> Placed:
        """A part as it is now, in host memory. Of one on a GPU what was measured of it, if the capture wants no more."""
        if not self._capture.may_want_elements(self._owner.update.step, phase, name):
            measured = self._devices.measure(self._owner.open_trace(), part.local, part.layout)
            if measured is not None:
                return replace(part, local=measured)
        return replace(part, local=snapshot(part.local))

    def part_of(self, name: str, value: Any, dims: str | None = None, mesh: Any = None) -> Placed | None:
        """The part that this rank holds; None if there is none, or if a trace cannot hold the tensor."""
        return self._found(self._places, name, value, dims, mesh)

    def part_of_pass(self, name: str, value: Any) -> Placed | None:
        """The same of what a module returns or gets, or of an operator's tensor, for which no dims are given."""
        return self._found(Places() if "@" in name else self._outputs, name, value)

    def _found(self, places: Places, name: str, value: Any, *given: Any) -> Placed | None:
        try:
            return places.find(name, value, *given)
        except NotRecordable as problem:
            self._warn_once(f"tensor {name}", str(problem))
            return None

    def offer(self, phase: str, name: str, value: Any) -> None:
        """Offers a tensor as it is now. Faults and the teacher change the trainer's own memory."""
        trace = self._owner.open_trace()
        self._owner.update.offered.add((phase, name))
        wanted = trace.wants(phase, name)
        part = value if isinstance(value, Placed) else self.part_of(name, value) if wanted else None
        if not wanted or part is None:
            return
        value, order = part.local, self._owner.update.next_order()
        if is_on_gpu(value) and not trace.wants_elements(phase, name):
            value = self._devices.measure(trace, value, part.layout) or value
        if isinstance(value, Measured):
            trace.offer_measured(phase, name, value, order)
            return
        source = plain(value)
        host = to_host(source) if is_torch(source) else source
        changed = bool(wanted & WANTS_WRITABLE)
        if changed and is_torch(value) and value.is_sparse:
            raise Error(f"a fault or the teacher cannot change the sparse tensor {name}")
        trace.offer(phase, name, memory_of(host), changed, part.layout, order=order)
        if changed and is_torch(source) and host.data_ptr() != source.data_ptr():
            source.copy_(host)
