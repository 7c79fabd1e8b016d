# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The trace of one rank, written through the C functions."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import Any

from . import library
from .device import Measured
from .memory import Memory


@dataclass(frozen=True)
class Piece:
    """Rows of a tensor that one of several micro-batches gives."""

    number: int  # of the micro-batch, from 0
    of: int  # micro-batches
    first_row: int
    rows: int  # of the whole tensor


class TraceFile:
    """One open recorder. Each method raises library.Error with the library's reason if its call fails."""

    def __init__(
        self,
        path: str,
        *,
        rank: int = 0,
        ranks: int = 1,
        config: str | None = None,
        provenance: str | None = None,
        capture: str | None = None,
    ) -> None:
        self._library = library.load()
        options = library.Options(
            struct_size=ctypes.sizeof(library.Options),
            path=path.encode(),
            rank=rank,
            ranks=ranks,
            config=config.encode() if config else None,
            provenance=provenance.encode() if provenance else None,
            capture=capture.encode() if capture else None,
        )
        self._handle = self._library.parity_recorder_open_with(ctypes.byref(options))
        self._ids: dict[tuple[str, str], int] = {}
        if not self._handle:
            raise self._error()

    def _error(self) -> library.Error:
        return library.Error(self._library.parity_recorder_last_error().decode(errors="replace"))

    def _call(self, name: str, *arguments: Any) -> int:
        if not self._handle:
            raise library.Error("the trace is closed")
        result: int = getattr(self._library, "parity_recorder_" + name)(self._handle, *arguments)
        return result

    def _must(self, name: str, *arguments: Any) -> None:
        if self._call(name, *arguments) != 0:
            raise self._error()

    def _asked(self, name: str, *arguments: Any) -> int:
        result = self._call(name, *arguments)
        if result < 0:
            raise self._error()
        return result

    def begin_step(self, step: int) -> None:
        self._must("begin_step", step)

    def end_step(self) -> None:
        self._must("end_step")

    def value(self, name: str, value: float, kind: int) -> None:
        """Records a channel's value at this step: int64 for an int, float64 for a float."""
        self._must("value_i64" if isinstance(value, int) else "value_f64", name.encode(), value, kind)

    def wants(self, phase: str, name: str) -> int:
        """WANTS_* of a tensor at this step; 0 if offering it does nothing."""
        return self._asked("wants_id", self._id_of(phase, name))

    def wants_elements(self, phase: str, name: str) -> bool:
        """Whether a tensor's elements are recorded or changed at this step, for which no measurement is enough."""
        return self._asked("wants_elements_id", self._id_of(phase, name)) != 0

    def _id_of(self, phase: str, name: str) -> int:
        key = (phase, name)
        if key not in self._ids:
            self._ids[key] = self._asked("intern", phase.encode(), name.encode())
        return self._ids[key]

    def offer(
        self,
        phase: str,
        name: str,
        memory: Memory,
        writable: bool = False,
        layout: str | None = None,
        *,
        order: int | None = None,
        piece: Piece | None = None,
        again: bool = False,
    ) -> None:
        """Offers a tensor of this step, or the part of it that `layout` describes. Its values are copied before the
        call returns.

        order: place in the order of execution; by default tensors follow each other as they are offered.
        again: the tensor was computed a second time, so that it is not recorded but the teacher may replace it."""
        flags = (library.ORDERED if order is not None else 0) | (library.RECOMPUTED if again else 0)
        sizes = ctypes.c_int64 * max(1, len(memory.shape))
        tensor = library.Tensor(
            struct_size=ctypes.sizeof(library.Tensor),
            phase=phase.encode(),
            name=name.encode(),
            dtype=memory.dtype.encode(),
            rank=len(memory.shape),
            shape=sizes(*memory.shape),
            strides=sizes(*memory.strides),
            data=memory.address,
            writable=memory.address if writable else None,
            layout=layout.encode() if layout else None,
            flags=flags,
            order=order or 0,
        )
        if piece is not None:
            tensor.micro_batch, tensor.micro_batches = piece.number, piece.of
            tensor.first_row, tensor.rows = piece.first_row, piece.rows
        self._must("offer", ctypes.byref(tensor))

    def check_device(self, number: int) -> None:
        """Raises library.Error with the reason if this process cannot measure memory of a CUDA device."""
        if not self._library.parity_recorder_measures_cuda(number):
            raise self._error()

    def measure(self, memory: Memory, device: int, stream: int, layout: str | None = None) -> Measured:
        """Measures a row-major tensor in memory of a CUDA device, after the work of a stream."""
        sizes = ctypes.c_int64 * max(1, len(memory.shape))
        tensor = library.Tensor(
            struct_size=ctypes.sizeof(library.Tensor),
            dtype=memory.dtype.encode(),
            rank=len(memory.shape),
            shape=sizes(*memory.shape),
            data=memory.address,
            layout=layout.encode() if layout else None,
        )
        found = self._call("measure_cuda", ctypes.byref(tensor), device, stream)
        if not found:
            raise self._error()
        return Measured(found, self._library.parity_recorder_free_measured)

    def offer_measured(self, phase: str, name: str, measured: Measured, order: int | None = None) -> None:
        """Offers a tensor of this step by what was measured of it, perhaps before the step."""
        tensor = library.Tensor(
            struct_size=ctypes.sizeof(library.Tensor),
            phase=phase.encode(),
            name=name.encode(),
            flags=library.ORDERED if order is not None else 0,
            order=order or 0,
        )
        self._must("offer_measured", ctypes.byref(tensor), measured.handle)

    def failure(self, what: dict[str, Any]) -> None:
        """Marks the run as failed: its trace stays partial and holds `what`."""
        self._must("failure", json.dumps(what).encode())

    def describe(self, recipe: dict[str, Any]) -> None:
        """Adds facts about what the run computes to the provenance (FORMAT.md, "Recipe")."""
        self._must("describe", json.dumps(recipe).encode())

    def finish(self) -> None:
        self._must("finish")

    def close(self) -> None:
        if self._handle:
            self._library.parity_recorder_close(self._handle)
            self._handle = None

    def forget(self) -> None:
        """Gives the recorder up without freeing it: after a fork, it belongs to the parent."""
        self._handle = None
