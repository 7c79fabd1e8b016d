# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Tells recorders what the trainer's clipping of gradients saw.

The two functions below torch.nn.utils.clip_grad_norm_ are wrapped, and the one in clip_grad_value_. PyTorch keeps each of
them in a decorator, where it is replaced. So a script that imported one before the recorder was made is seen too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

from . import sharded_norm

NORM, CLIP, VALUE = "_get_total_norm", "_clip_grads_with_norm_", "clip_grad_value_"
PUBLIC = {NORM: "get_total_norm", CLIP: "clip_grads_with_norm_", VALUE: VALUE}
FLAT = "clip_grad_norm_"  # of FullyShardedDataParallel, which computes and scales by itself


class Listener(Protocol):
    """What a listener provides."""

    def on_norm(self, gradients: list[Any]) -> None:
        """Called before the norm of these gradients is computed."""

    def on_clip(self, parameters: list[Any], norm: Any, max_norm: Any, norm_type: Any) -> None:
        """Called before the gradients of these parameters are scaled. norm: a number, a tensor, or a SeenNorm.
        max_norm, norm_type: as the trainer gave them; None if they are not known."""

    def after_clip(self, parameters: list[Any]) -> None:
        """Called after the gradients of these parameters were scaled, where PyTorch scales them."""

    def on_clip_value(self, parameters: list[Any], value: Any) -> None:
        """Called before the elements of the gradients of these parameters are cut off at -value and value."""


_listeners: list[Listener] = []
_originals: dict[str, Callable[..., Any]] = {}
_norm_type: Any = None  # of the last norm, which a clipping follows


def add(listener: Listener) -> bool:
    """Wraps the functions if this is the first listener. Returns False if this PyTorch does not have them."""
    from torch.nn.utils import clip_grad

    if not (hasattr(clip_grad, NORM) and hasattr(clip_grad, CLIP)):
        return False
    if not _originals:  # kept for good: somebody may hold a wrapper after it was removed
        _originals.update({name: _get(name) for name in (NORM, CLIP, VALUE)})
    if (flat := _flat()) is not None:
        _originals.setdefault(FLAT, getattr(flat, FLAT))
    if not _listeners:
        _set(NORM, _originals[NORM], _norm)
        _set(CLIP, _originals[CLIP], _clip)
        _set(VALUE, _originals[VALUE], _clip_value)
    _set(FLAT, _originals.get(FLAT), _clip_flat)
    _listeners.append(listener)
    return True


def remove(listener: Listener) -> None:
    """Restores the functions after the last listener, unless somebody else has replaced them since."""
    if listener not in _listeners:
        return
    _listeners.remove(listener)
    if not _listeners:
        _set(NORM, _norm, _originals[NORM])
        _set(CLIP, _clip, _originals[CLIP])
        _set(VALUE, _clip_value, _originals[VALUE])
        _set(FLAT, _clip_flat, _originals.get(FLAT))


def _cell(name: str) -> Any:
    """Where PyTorch's decorator keeps the function that it calls without autograd. None without such a decorator."""
    from torch.nn.utils import clip_grad

    function = getattr(clip_grad, name, None)
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    return function.__closure__[names.index("func")] if function is not None and "func" in names else None


def _get(name: str) -> Any:
    from torch.nn.utils import clip_grad

    cell = _cell(name)
    return getattr(clip_grad, name) if cell is None else cell.cell_contents


def _set(name: str, old: Any, new: Any) -> None:
    from torch.nn import utils
    from torch.nn.utils import clip_grad

    if name != FLAT and (cell := _cell(name)) is not None:
        if cell.cell_contents is old:
            cell.cell_contents = new
        return
    places = ((_flat(), FLAT),) if name == FLAT else ((clip_grad, name), (utils, PUBLIC[name]))
    for place, attribute in places:
        if place is not None and getattr(place, attribute, None) is old:
            setattr(place, attribute, new)


def _flat() -> Any:
    """The class FullyShardedDataParallel, if the program has loaded it."""
    return getattr(sys.modules.get("torch.distributed.fsdp"), "FullyShardedDataParallel", None)


def tell_norm(gradients: Any) -> None:
    """Tells the listeners that the norm of these gradients is about to be computed."""
    for listener in tuple(_listeners):
        listener.on_norm(_listed(gradients))


def tell_clip(parameters: Any, norm: Any, max_norm: Any = None, norm_type: Any = None) -> None:
    """Tells the listeners that the gradients of these parameters are about to be scaled."""
    for listener in tuple(_listeners):
        listener.on_clip(_listed(parameters), norm, max_norm, norm_type)


def tell_clip_value(parameters: Any, value: Any) -> None:
    """Calls the listeners before the elements of the gradients of these parameters are cut off."""
    for listener in tuple(_listeners):
        listener.on_clip_value(_listed(parameters), value)


def _listed(tensors: Any) -> list[Any]:
    return [tensors] if hasattr(tensors, "data_ptr") else list(tensors)


def _norm(tensors: Any, *arguments: Any, **options: Any) -> Any:
    global _norm_type
    tensors = _listed(tensors)
    _norm_type = arguments[0] if arguments else options.get("norm_type", 2.0)
    tell_norm(tensors)
    return _originals[NORM](tensors, *arguments, **options)


def _clip(parameters: Any, max_norm: Any, total_norm: Any, *arguments: Any, **options: Any) -> Any:
    parameters = _listed(parameters)
    with sharded_norm.seen(total_norm) as norm:
        tell_clip(parameters, norm, max_norm, _norm_type)
        result = _originals[CLIP](parameters, max_norm, total_norm, *arguments, **options)
    for listener in tuple(_listeners):
        listener.after_clip(parameters)
    return result


def _clip_value(parameters: Any, clip_value: Any, *arguments: Any, **options: Any) -> Any:
    parameters = _listed(parameters)
    tell_norm([one.grad for one in parameters if one.grad is not None])  # the last moment to change them
    tell_clip_value(parameters, clip_value)
    return _originals[VALUE](parameters, clip_value, *arguments, **options)


def _clip_flat(model: Any, *arguments: Any, **options: Any) -> Any:
    parameters, norm = list(model.parameters()), sharded_norm.SeenNorm()
    tell_norm([one.grad for one in parameters if one.grad is not None])
    norm_type = arguments[1] if len(arguments) > 1 else options.get("norm_type", 2.0)
    tell_clip(parameters, norm, arguments[0] if arguments else options.get("max_norm"), norm_type)
    result = _originals[FLAT](model, *arguments, **options)
    norm.see(result)
    return result
