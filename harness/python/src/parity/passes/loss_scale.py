# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The factor by which a GradScaler multiplies the loss, and so every gradient until the scaler takes it out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol


class Listener(Protocol):
    """What a listener provides."""

    def on_scaled_pass(self, inverse: Any) -> None:
        """Called when a backward pass of a scaled loss begins.
        inverse: of the scale, a float32 tensor of one element on the device of the loss."""


_listeners: list[Listener] = []
_original: Callable[..., Any] | None = None


def add(listener: Listener) -> None:
    """Wraps GradScaler.scale if this is the first listener."""
    global _original
    from torch.amp import GradScaler

    if _original is None:  # kept for good: somebody may hold or wrap the wrapper after it was removed
        _original = GradScaler.scale
    if not _listeners and GradScaler.scale is _original:
        GradScaler.scale = _scale
    _listeners.append(listener)


def remove(listener: Listener) -> None:
    """Restores GradScaler.scale after the last listener, unless somebody else has replaced it since."""
    from torch.amp import GradScaler

    if listener not in _listeners:
        return
    _listeners.remove(listener)
    if not _listeners and GradScaler.scale is _scale:
        GradScaler.scale = _original


def _scale(self: Any, outputs: Any) -> Any:
    assert _original is not None
    result = _original(self, outputs)
    scale = getattr(self, "_scale", None)
    if not _listeners or scale is None or not self.is_enabled():
        return result
    inverse = scale.detach().double().reciprocal().float()  # as GradScaler.unscale_ computes it
    for one in result if isinstance(result, (list, tuple)) else [result]:
        if getattr(one, "requires_grad", False):
            one.register_hook(functools.partial(_begin_pass, inverse))
    return result


def _begin_pass(inverse: Any, _gradient: Any) -> None:
    for listener in tuple(_listeners):
        listener.on_scaled_pass(inverse)
