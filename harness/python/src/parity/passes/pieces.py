# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Forward passes of an update, and the tensors that several of them give piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..native.device import Measured
from ..native.library import Error
from ..native.trace_file import Piece
from ..placement.layout import Placed


@dataclass(eq=False)
class Pass:
    """One call of the model, or of a module outside of such a call: a micro-batch of the update."""

    #: Whether a backward pass has reached it. One without is an evaluation, and is not recorded.
    trained: bool = False
    #: (phase, name) -> how often it was offered.
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: Names whose gradients were seen. A second backward pass through them is not recorded.
    differentiated: set[str] = field(default_factory=set)

    def numbered(self, phase: str, name: str) -> str:
        """The name, with .call.<k> if the module runs again in this pass."""
        call = self.calls[phase, name]
        self.calls[phase, name] += 1
        return f"{name}.call.{call}" if call else name


@dataclass(eq=False)
class Pieces:
    """What the passes of an update give of one tensor."""

    #: Place of the first piece in the order of execution of the update.
    order: int
    #: The pass, or None for what counts without one, and a copy of its tensor.
    parts: list[tuple[Pass | None, Placed]] = field(default_factory=list)

    def joined(self, name: str) -> Iterator[tuple[str, Placed, Piece | None]]:
        """What to offer: the tensor of the one pass, or pieces along dimension 0. Passes whose tensors do not fit
        together become tensors of their own: <name>.pass.1 and so on."""
        parts = [part for run, part in self.parts if run is None or run.trained]
        if len(parts) == 1:
            yield name, parts[0], None
            return
        if any(isinstance(part.local, Measured) for part in parts):
            raise Error(f"{len(parts)} passes gave {name}, but parity.record got micro_batches=1; leave it out")
        if all(not part.local.shape and part.layout is None for part in parts):
            parts = [replace(part, local=part.local.reshape(1)) for part in parts]  # scalars, such as losses
        if len({_trait(part) for part in parts}) > 1 or any(part.layout for part in parts):
            for number, part in enumerate(parts):
                yield f"{name}.pass.{number}" if number else name, part, None
            return
        rows, first = sum(part.local.shape[0] for part in parts), 0
        for number, part in enumerate(parts):
            yield name, part, Piece(number, len(parts), first, rows)
            first += part.local.shape[0]


def _trait(part: Placed) -> tuple[Any, ...]:
    return str(part.local.dtype), tuple(part.local.shape[1:]), bool(part.local.shape)
