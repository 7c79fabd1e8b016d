# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of parameters that a trainer cuts out of flat vectors: FullyShardedDataParallel, and ZeRO stage 3.

A part is a run of the parameter's elements, which need not be whole rows. So the trace has the parameter as a vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..native.library import Error
from ..observe.names import plain_name
from .layout import Axis, Placed, layout_text

FLAT = "_flat_param"


@dataclass(frozen=True)
class Run:
    """The elements of a parameter that this rank holds, from `first` up to `end`."""

    elements: int  # of the whole parameter
    first: int
    end: int
    axis: Axis

    def place(self, value: Any) -> Placed:
        """The part that the parameter, its gradient or a state of it is. Raises Error if it has another size."""
        if value.dim() == 0:  # such as the step of Adam
            return Placed(value)
        if tuple(value.shape) != (self.end - self.first,):
            raise Error(
                f"it has the shape {tuple(value.shape)}, and this rank's run of it {self.end - self.first} elements: "
                "FullyShardedDataParallel has gathered it for a pass; call rec.step() after the optimizer, before "
                "the next pass"
            )
        shard = self.axis.shard(0, [(self.first, self.end)] if self.first < self.end else [])
        return Placed(value, layout_text([self.elements], [shard]))


def runs_of(model: Any) -> dict[str, Run]:
    """Name of a parameter -> its run on this rank, of all that FullyShardedDataParallel with use_orig_params shards."""
    return dict(_runs(model, "")) if model is not None else {}


def _runs(model: Any, prefix: str) -> Iterator[tuple[str, Run]]:
    if isinstance(model, (list, tuple)):
        for part in model:
            yield from _runs(part, prefix)
    elif isinstance(model, Mapping):
        for name, part in model.items():
            yield from _runs(part, f"{name}." if name else "")
    else:
        for place, module in model.named_modules():
            handle = getattr(module, "_handle", None)
            if type(module).__name__ == "FullyShardedDataParallel" and handle is not None:
                for name, run in _of_handle(handle):
                    yield prefix + plain_name(f"{place}.{name}" if place else name), run


def _of_handle(handle: Any) -> Iterator[tuple[str, Run]]:
    if not handle.uses_sharded_strategy:
        return
    flat, axis = handle.flat_param, Axis("fsdp", handle.rank, handle.world_size)
    for name, elements, piece in zip(flat._fqns, flat._numels, flat._shard_param_infos, strict=True):
        first = piece.intra_param_start_idx if piece.in_shard else 0
        yield name, Run(elements, first, piece.intra_param_end_idx + 1 if piece.in_shard else 0, axis)


def refuse(name: str, value: Any) -> None:
    """Raises Error for a tensor that has lost the parameters' names or values."""
    if name.rpartition(".")[2] == FLAT:
        raise Error(
            "it is a flat vector of many parameters; make the model with "
            "FullyShardedDataParallel(..., use_orig_params=True), or with fully_shard"
        )
    if hasattr(value, "ds_tensor"):
        raise Error(
            "ZeRO stage 3 leaves an empty tensor in the place of the parameter; use stage 1 or 2 and "
            "parity.deepspeed.record(engine)"
        )
