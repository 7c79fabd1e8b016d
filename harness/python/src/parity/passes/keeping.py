# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Takes tensors of forward and backward passes and of operators for a Recorder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from ..native.device import Measured
from ..native.library import WANTS_RECOMPUTED, WANTS_WRITABLE, Error
from ..native.memory import memory_of, snapshot
from ..native.trace_file import Piece, TraceFile
from ..placement.layout import Placed
from ..recording.capture import Capture
from ..recording.update import Update
from .pieces import Pass, Pieces


class Owner(Protocol):
    """The Recorder."""

    update: Update

    def guarded(self, call: Callable[..., Any], *arguments: Any) -> Any: ...
    def kept(self, phase: str, name: str, part: Placed) -> Placed: ...
    def part_of_pass(self, name: str, value: Any) -> Placed | None: ...
    def begin(self) -> TraceFile: ...


class Keeping:
    """Copies tensors until the update is certain. What a fault or the teacher may change is offered at once."""

    def __init__(self, owner: Owner, capture: Capture, rank: int, ranks: int, micro_batches: int | None) -> None:
        self._owner, self._capture = owner, capture
        self._suffix = f"#{rank}" if ranks > 1 else ""
        self._micro_batches = micro_batches
        self.guarded = owner.guarded

    def own_name(self, name: str) -> str:
        """The name of this rank's own values."""
        return name + self._suffix

    def keep(self, phase: str, name: str, value: Any, run: Pass | None, order: int | None = None) -> Any:
        """Takes a tensor of a pass. Returns values that replace it, or None."""
        update = self._owner.update
        part = self._owner.tensors.part_of_pass(name, value)
        if part is None:
            return None
        if phase == "input" and name in update.own_inputs:
            return None
        if part.own_to_rank:  # this rank's own values, as those of operators
            name = self.own_name(name)
        order = update.next_order() if order is None else order
        if phase != "input" and self._capture.may_change(update.step, phase, name):
            return self._changed(phase, name, part, run, order)
        pieces = update.waiting.setdefault((phase, name), Pieces(order))
        if not isinstance(pieces, Pieces):
            raise Error(f"tensor {name} of phase {phase} was also given by rec.tensor(); give it another name there")
        if self._micro_batches == 1:  # else parts of several passes may have to be joined
            part = self._owner.tensors.kept(phase, name, part)
        else:
            part = replace(part, local=snapshot(part.local))
        pieces.parts.append((run, part))
        return None

    def keep_again(self, phase: str, name: str, value: Any, run: Pass | None) -> Any:
        """Takes a tensor that is computed again. Returns the teacher's values, or None."""
        update = self._owner.update
        part = self._owner.tensors.part_of_pass(name, value)
        if part is None or not update.begun:
            return None
        if part.own_to_rank:
            name += self._suffix
        trace = self._owner.begin()
        if not trace.wants(phase, name) & WANTS_RECOMPUTED:
            return None
        number = update.passes_of(phase, name).index(run) if run in update.passes_of(phase, name) else 0
        host = snapshot(part.local)
        trace.offer(phase, name, memory_of(host), True, part.layout, piece=self._piece(host, number), again=True)
        return _like(part.local, host)

    def flush(self) -> None:
        """Offers what waited, now that the update is certain. Passes that no backward pass reached are left out."""
        update = self._owner.update
        ready = {key: pieces for key, pieces in update.waiting.items() if isinstance(pieces, Pieces)}
        for key in ready:
            del update.waiting[key]
        if not ready:
            return
        trace = self._owner.begin()
        for (phase, name), pieces in ready.items():
            for own, part, piece in pieces.joined(name):
                if not trace.wants(phase, own):
                    continue
                if isinstance(part.local, Measured):
                    trace.offer_measured(phase, own, part.local, pieces.order)
                else:
                    memory = memory_of(part.local)
                    trace.offer(phase, own, memory, False, part.layout, order=pieces.order, piece=piece)
            count = sum(run is not None and run.trained for run, _ in pieces.parts)
            update.micro_batches = max(update.micro_batches, count)

    def _changed(self, phase: str, name: str, part: Placed, run: Pass | None, order: int) -> Any:
        update = self._owner.update
        trace = self._owner.begin()
        known = update.passes_of(phase, name)
        known.append(run)
        wanted = trace.wants(phase, name)
        host = snapshot(part.local)
        piece = self._piece(host, len(known) - 1)
        if wanted:
            trace.offer(phase, name, memory_of(host), True, part.layout, order=order, piece=piece)
        return _like(part.local, host) if wanted & WANTS_WRITABLE else None

    def expected(self) -> int:
        """Number of forward passes of this update, as far as it is known before they end."""
        return self._micro_batches or self._owner.update.expected

    def check_count(self, number: int, kind: str = "forward") -> None:
        """Raises Error for a pass, counted from 0, that is not expected: what changes at once would be incomplete."""
        count = self.expected()
        if number >= count:
            raise Error(
                f"a fault or the teacher changes tensors of update {self._owner.update.step}, which has more than "
                f"{count} {kind} pass{'es' if count > 1 else ''}; give parity.record their number as micro_batches"
            )

    def _piece(self, host: Any, number: int) -> Piece | None:
        self.check_count(number)
        count = self.expected()
        rows = host.shape[0] if host.dim() else 0
        return Piece(number, count, number * rows, count * rows) if count > 1 else None


def _like(value: Any, host: Any) -> Any:
    """The values of `host` as a tensor of the dtype, device and strides of `value`."""
    import torch

    if value.is_complex():
        host = torch.view_as_complex(host.contiguous())
    result = torch.empty_like(value.detach(), memory_format=torch.preserve_format)
    return result.copy_(host)
