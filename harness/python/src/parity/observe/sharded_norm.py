# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The norm that clipping uses, where the gradients are DTensors.

The norm is then a DTensor that holds each rank's share of it. `clip_grads_with_norm_` adds a small number to it, and so
makes PyTorch reduce it over the ranks. While that function runs, the reduced value is seen here. So the recorder starts
no collective of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..native.library import Error
from ..placement.dtensor import is_dtensor

REDUCE = "redistribute_local_tensor"


class SeenNorm:
    """A norm that is known when the clipping is over."""

    def __init__(self) -> None:
        self._value: Any = None

    def see(self, value: Any) -> None:
        self._value = value.detach().clone()

    def item(self) -> Any:
        """The norm as a number, as tensors of one element give it."""
        if self._value is None:
            raise Error(
                "clipping did not reduce the norm over ranks in a way that this version sees; record it by hand"
            )
        return self._value.item()


@contextmanager
def seen(norm: Any) -> Iterator[Any]:
    """Yields what to record as the norm: a DTensor becomes a SeenNorm, which has its value at the end of the block."""
    if not is_dtensor(norm):
        yield norm
        return
    found = SeenNorm()
    if all(placement.is_replicate() for placement in norm.placements):
        found.see(norm._local_tensor)
        yield found
        return
    with _reductions_of(norm._local_tensor, found):
        yield found


@contextmanager
def _reductions_of(local: Any, found: SeenNorm) -> Iterator[None]:
    from torch.distributed.tensor import _dispatch

    original = getattr(_dispatch, REDUCE, None)
    if original is None:
        yield
        return

    def watch(tensor: Any, current: Any, target: Any, *arguments: Any, **options: Any) -> Any:
        result = original(tensor, current, target, *arguments, **options)
        if tensor is local and all(placement.is_replicate() for placement in target.placements):
            found.see(result.wait() if hasattr(result, "wait") else result)
        return result

    setattr(_dispatch, REDUCE, watch)
    try:
        yield
    finally:
        setattr(_dispatch, REDUCE, original)
