# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a recorder takes from optimizers: hooks before their steps, parameters, and state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..native.memory import is_torch


def listed(optimizer: Any) -> list[Any]:
    """One optimizer, several in a list or mapping, or None as a list. Wrappers with an attribute `optimizer`, as
    accelerate has, are replaced by what they wrap, since PyTorch calls the hooks of that one."""
    if optimizer is None:
        return []
    if isinstance(optimizer, Mapping):
        optimizer = list(optimizer.values())
    found = list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
    return [_inner(one) for one in found]


def _inner(optimizer: Any) -> Any:
    inner = getattr(optimizer, "optimizer", None)
    return _inner(inner) if hasattr(inner, "register_step_pre_hook") else optimizer


def before_step(optimizer: Any, call: Callable[[Any], None]) -> Any:
    """Calls `call` before each step of the optimizer uses its gradients. Returns the handle, which can be removed.

    A closure of the step computes the gradients first, as in Lightning.
    """

    def hook(caller: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        changed = after_closure(arguments, options, lambda: call(caller))
        if changed is None:
            call(caller)
        return changed

    return optimizer.register_step_pre_hook(hook)


def after_closure(arguments: tuple[Any, ...], options: dict[str, Any], call: Callable[[], None]) -> Any:
    """What a hook before a step returns so that `call` follows the first call of the step's closure. None without a
    closure.

    arguments, options: those of the step, with the optimizer first."""
    closure = options.get("closure", arguments[1] if len(arguments) > 1 else None)
    if closure is None:
        return None
    called: list[bool] = []

    def then_call(*given: Any, **named: Any) -> Any:
        result = closure(*given, **named)
        if not called:
            called.append(True)
            call()
        return result

    if "closure" in options:
        return arguments, {**options, "closure": then_call}
    return (arguments[0], then_call, *arguments[2:]), options


class Steps:
    """Whether an optimizer has stepped that is not one of ours, as after a model and its optimizer were replaced."""

    def __init__(self, ours: list[Any]) -> None:
        self.seen = False
        self._handle: Any = None
        if not ours:
            return
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        def hook(caller: Any, _arguments: Any, _options: Any) -> None:
            if not any(caller is one for one in ours):
                self.seen = True

        self._handle = register_optimizer_step_pre_hook(hook)

    def end(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


def is_skipped(optimizer: Any) -> bool:
    """Whether a GradScaler told a fused optimizer that its gradients are not finite: then it changes nothing."""
    found = getattr(optimizer, "found_inf", None)
    return found is not None and bool(found.item() > 0)


def parameters_of(optimizer: Any) -> Iterator[Any]:
    for group in optimizer.param_groups:
        yield from group["params"]


def state_of(optimizer: Any, parameter: Any) -> Iterator[tuple[str, Any]]:
    """(key, tensor) of the optimizer's state for a parameter, such as exp_avg."""
    for key, value in optimizer.state.get(parameter, {}).items():
        if is_torch(value):
            yield str(key), value
