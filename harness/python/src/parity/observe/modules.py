# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Tells a listener which module of a model runs, by hooks that are there only while somebody listens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from .names import PARALLEL, WRAPPERS

ROOT = "model"


class Listener(Protocol):
    """What a listener provides."""

    def entered(self, name: str, module: Any, arguments: Any, options: Any) -> None:
        """Called before a module runs."""

    def left(self, name: str, output: Any) -> Any:
        """Called after it ran; None as output: it raised. Returns what replaces the output, or None."""


def named_modules(model: Any) -> list[tuple[str, Any]]:
    """(name, module) of all modules that run outside of torch.compile, parents first. The outermost is called "model",
    or as its key in a mapping."""
    found: list[tuple[str, Any]] = []
    for prefix, root in _roots(model):
        own = list(_walk(root, prefix, set()))
        taken = {name for name, _ in own}
        outermost = prefix or ROOT
        while not prefix and outermost in taken:
            outermost += "_"
        found += [(name or outermost, module) for name, module in own]
    first: dict[str, Any] = {}
    for name, module in found:
        first.setdefault(name, module)  # a wrapper, and not what it wraps
    return list(first.items())


def compiled(model: Any) -> list[str]:
    """Names of the modules that torch.compile runs, whose inner modules no hook sees."""
    return [
        name or ROOT for prefix, root in _roots(model) for name, one in _walk(root, prefix, set(), True) if _hidden(one)
    ]


def _roots(model: Any) -> Iterator[tuple[str, Any]]:
    if model is None:
        return
    if isinstance(model, Mapping):
        parts = list(model.items())
    else:
        parts = [("", part) for part in (model if isinstance(model, (list, tuple)) else [model])]
    for prefix, part in parts:
        yield prefix, part.module if type(part).__name__ in PARALLEL else part


def _hidden(module: Any) -> bool:
    return type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None


def _walk(module: Any, name: str, seen: set[int], with_compiled: bool = False) -> Iterator[tuple[str, Any]]:
    if id(module) in seen:
        return
    seen.add(id(module))
    if with_compiled or getattr(module, "_compiled_call_impl", None) is None:
        yield name, module
    if _hidden(module):
        return
    for child, inner in module.named_children():
        own = name if f"{child}." in WRAPPERS else f"{name}.{child}" if name else child
        yield from _walk(inner, own, seen, with_compiled)


class ModuleHooks:
    """Hooks of one listener on all modules of a model."""

    def __init__(self, model: Any, listener: Listener) -> None:
        self._model, self._listener = model, listener
        #: id of a module -> the module, its name and its handles.
        self._hooked: dict[int, tuple[Any, str, list[Any]]] = {}

    def install(self) -> None:
        """Puts hooks on the modules that the model has now. Those that have them keep them: one may be running."""
        present = {id(module): (name, module) for name, module in named_modules(self._model)}
        for own in [own for own, (_, name, _) in self._hooked.items() if present.get(own, ("",))[0] != name]:
            self._unhook(own)
        for own, (name, module) in present.items():
            if own not in self._hooked:
                self._hooked[own] = module, name, self._hook(name, module)

    def remove(self) -> None:
        for own in list(self._hooked):
            self._unhook(own)

    def name_of(self, module: Any) -> str | None:
        """The name of a module that has hooks; a wrapper of DDP has none."""
        return self._hooked[id(module)][1] if id(module) in self._hooked else None

    def _unhook(self, own: int) -> None:
        for handle in self._hooked.pop(own)[2]:
            handle.remove()

    def _hook(self, name: str, module: Any) -> list[Any]:
        from torch.compiler import is_compiling

        listener, hooked, own = self._listener, self._hooked, id(module)

        # A replica of DataParallel has the hooks, but is another object. PyTorch still calls a hook that was removed
        # while the module's hooks run, then without options.
        def before(caller: Any, arguments: Any, options: Any = None) -> None:
            if not is_compiling() and id(caller) == own and own in hooked:
                listener.entered(name, caller, arguments, options or {})

        def after(caller: Any, _arguments: Any, output: Any) -> Any:
            return listener.left(name, output) if not is_compiling() and id(caller) == own and own in hooked else None

        return [
            module.register_forward_pre_hook(before, with_kwargs=True),
            module.register_forward_hook(after, always_call=True),
        ]
