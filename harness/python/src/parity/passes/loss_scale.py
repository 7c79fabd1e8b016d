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

    def after_scaled_pass(self) -> None:
        """Called when that pass ends. The next one may be of a loss that was not scaled."""

    def on_unscale(self, optimizer: Any) -> None:
        """Called before a GradScaler takes the scale out of the gradients of an optimizer."""


_listeners: list[Listener] = []
_originals: dict[str, Callable[..., Any]] = {}


def add(listener: Listener) -> None:
    """Wraps GradScaler.scale and unscale_ if this is the first listener."""
    from torch.amp import GradScaler

    if not _originals:  # kept for good: somebody may hold or wrap a wrapper after it was removed
        _originals.update({name: getattr(GradScaler, name) for name in _WRAPPERS})
    if not _listeners:
        for name, wrapper in _WRAPPERS.items():
            if getattr(GradScaler, name) is _originals[name]:
                setattr(GradScaler, name, wrapper)
    _listeners.append(listener)


def remove(listener: Listener) -> None:
    """Restores both after the last listener, unless somebody else has replaced them since."""
    from torch.amp import GradScaler

    if listener not in _listeners:
        return
    _listeners.remove(listener)
    for name, wrapper in _WRAPPERS.items() if not _listeners else ():
        if getattr(GradScaler, name) is wrapper:
            setattr(GradScaler, name, _originals[name])


def _scale(self: Any, outputs: Any) -> Any:
    result = _originals["scale"](self, outputs)
    scale = getattr(self, "_scale", None)
    if not _listeners or scale is None or not self.is_enabled():
        return result
    inverse = scale.detach().double().reciprocal().float()  # as GradScaler.unscale_ computes it
    for one in result if isinstance(result, (list, tuple)) else [result]:
        if getattr(one, "requires_grad", False):
            one.register_hook(functools.partial(_begin_pass, inverse))
    return result


def _unscale(self: Any, optimizer: Any) -> Any:
    if self.is_enabled():
        for listener in tuple(_listeners):
            listener.on_unscale(optimizer)
    return _originals["unscale_"](self, optimizer)


_WRAPPERS: dict[str, Callable[..., Any]] = {"scale": _scale, "unscale_": _unscale}


def _begin_pass(inverse: Any, _gradient: Any) -> None:
    from torch.autograd import Variable

    for listener in tuple(_listeners):
        listener.on_scaled_pass(inverse)
    Variable._execution_engine.queue_callback(_end_pass)


def _end_pass() -> None:
    for listener in tuple(_listeners):
        listener.after_scaled_pass()
