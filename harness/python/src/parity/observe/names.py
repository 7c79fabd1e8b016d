# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Names of a model's parameters without what wrappers add to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..native.library import Error

WRAPPERS = ("_orig_mod.", "_checkpoint_wrapped_module.", "_fsdp_wrapped_module.")
PARALLEL = ("DistributedDataParallel", "DataParallel")


def named_parameters(model: Any) -> Iterator[tuple[str, Any]]:
    """(name, parameter) of a module, of several in a list, or of a mapping from prefix to module. A tied parameter
    appears once, and a parameter of a lazy module that has no shape yet does not appear."""
    if isinstance(model, (Mapping, list, tuple)):
        yield from _of_parts(model)
        return
    if model is None:
        return
    from torch.nn.parameter import is_lazy

    module = model.module if type(model).__name__ in PARALLEL else model
    for name, parameter in module.named_parameters():
        if is_lazy(parameter):
            continue
        yield _plain(name), parameter


def named_buffers(model: Any) -> Iterator[tuple[str, Any]]:
    """(name, buffer) of the buffers that a checkpoint holds, such as running means."""
    if isinstance(model, (Mapping, list, tuple)):
        for prefix, part in model.items() if isinstance(model, Mapping) else (("", part) for part in model):
            yield from ((f"{prefix}.{name}" if prefix else name, buffer) for name, buffer in named_buffers(part))
        return
    if model is None:
        return
    module = model.module if type(model).__name__ in PARALLEL else model
    parts = {_plain(name): part for name, part in module.named_modules()}
    for name, buffer in module.named_buffers():
        owner, _, own = _plain(name).rpartition(".")
        if own not in parts[owner]._non_persistent_buffers_set:
            yield _plain(name), buffer


def _plain(name: str) -> str:
    for wrapper in WRAPPERS:
        name = name.replace(wrapper, "")
    return name


def _of_parts(model: Any) -> Iterator[tuple[str, Any]]:
    """Names of a mapping begin with its prefixes; "" adds none. Those of a list are as in its modules."""
    seen: set[int] = set()
    names: set[str] = set()
    for prefix, part in model.items() if isinstance(model, Mapping) else (("", part) for part in model):
        for own, parameter in named_parameters(part):
            name = f"{prefix}.{own}" if prefix else own
            if id(parameter) in seen:
                continue
            if name in names:
                raise Error(f"two parameters are called {name}; give parity.record a mapping from prefix to module")
            seen.add(id(parameter))
            names.add(name)
            yield name, parameter
