# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The channels of each update: what the trainer gives, and what the recorder knows of optimizers and clipping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..native.library import NUMERIC, PER_RANK, TIMING, Error
from ..native.scalars import Timing, numbers
from ..native.trace_file import TraceFile
from ..placement.dtensor import scalar_of
from .tee import Send, sender
from .warn import warn


class Channels:
    """Writes channels, of which each update has the same, and sends them on to loggers."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._types: dict[str, type] = {}
        self._tees: list[Send] = []

    def tee(self, logger: Any) -> None:
        """Sends the channels of later updates on. Raises Error for an object that is not a logger."""
        self._tees.append(sender(logger))

    def record(
        self, trace: TraceFile, step: int, given: Mapping[str, Any], shared: Mapping[str, Any], own: Mapping[str, Any]
    ) -> None:
        """given: the trainer's keywords, which win; None, on one of several ranks, for what this rank does not know.
        shared: values that must be equal on all ranks. own: other values of this rank."""
        if self._ranks > 1:
            given = {name: value for name, value in given.items() if value is not None}
        values = {name: scalar_of(name, one.value if isinstance(one, Timing) else one) for name, one in given.items()}
        found = numbers(values | {name: one for name, one in {**shared, **own}.items() if name not in values})
        self._check_names(step, set(found))
        for name, value in found.items():
            kind = self._types.setdefault(name, type(value))
            how = PER_RANK if self._ranks > 1 and (name in given or name not in shared) else NUMERIC
            if isinstance(given.get(name), Timing):
                how = TIMING
            trace.value(name, float(value) if kind is float else value, how)
        self._send(step, found)

    def _check_names(self, step: int, names: set[str]) -> None:
        if self._types and names != set(self._types):
            changed = ", ".join(sorted(names ^ set(self._types)))
            raise Error(f"update {step} has other channels than update 1 ({changed}); give each one every step")

    def _send(self, step: int, found: Mapping[str, float | int]) -> None:
        for send in tuple(self._tees):
            try:
                send(step, found)
            except Exception as problem:
                self._tees.remove(send)
                warn(f"a logger gets no channels from update {step} on ({problem})")
