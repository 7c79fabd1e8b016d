# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the part of a tensor that this rank holds."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..native.library import Error
from . import dims as plain
from . import dtensor, flat, sharded_tensor
from .layout import NotRecordable, Placed, with_complex


class Places:
    """Knows the mesh of the run, and the dims of plain tensors that are parts of larger ones."""

    def __init__(self, mesh: Any = None, dims: Mapping[str, str] | None = None) -> None:
        """dims: pattern of names -> text as in placement/dims.py."""
        self._axes = plain.axes(mesh)
        self._dims = dict(dims or {})
        self._runs: dict[str, flat.Run] = {}

    def know(self, model: Any, held: Iterable[Any]) -> None:
        """Learns which parameters of the model are runs of a flat vector, and which of the optimizers' tensors say so
        in their attributes `parity_name` and `parity_run`."""
        stated = {one.parity_name: one.parity_run for one in held if hasattr(one, "parity_run")}
        self._runs = flat.runs_of(model) | stated

    def find(self, name: str, value: Any, dims: str | None = None, mesh: Any = None) -> Placed | None:
        """The part, by the first of these that applies: a chunk list, DTensor's placements, a ShardedTensor, a run
        of a flat vector, `dims`. Any other tensor is the same on every rank. None: this rank holds nothing of it.

        Raises NotRecordable if a trace cannot hold the tensor, and Error if its placement contradicts its values."""
        try:
            part = self._found(name, value, dims, mesh)
        except NotRecordable as problem:
            raise NotRecordable(f"tensor {name} is not recorded ({problem})") from None
        except Error as problem:
            raise Error(f"cannot record tensor {name} ({problem})") from None
        if part is not None and getattr(part.local, "is_complex", bool)():
            return replace(part, layout=with_complex(part.layout))
        return part

    def _found(self, name: str, value: Any, dims: str | None, mesh: Any) -> Placed | None:
        if dtensor.is_dtensor(value):
            return dtensor.part_of(value)
        if sharded_tensor.is_sharded_tensor(value):
            return sharded_tensor.part_of(value)
        flat.refuse(name, value)
        run = self._runs.get(name) or self._runs.get(name.partition("/")[2])
        if run is not None:
            return run.place(value)
        shape = tuple(getattr(value, "shape", ()))
        dims = dims if dims is not None else self._dims_of(name, len(shape))
        if dims is None:
            return Placed(value)
        layout = plain.layout_of(dims, plain.axes(mesh) if mesh is not None else self._axes, shape)
        return Placed(value, layout, stated=True)

    def _dims_of(self, name: str, dimensions: int) -> str | None:
        """The dims of a parameter, of its gradient, or of a state of its shape, as in exp_avg/<parameter>."""
        for pattern, dims in self._dims.items():
            if fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name.partition("/")[2], pattern):
                return dims if len(dims.split()) == dimensions else None
        return None
