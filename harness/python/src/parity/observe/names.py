# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Names of a model's parameters without what wrappers add to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

WRAPPERS = ("_orig_mod.", "_checkpoint_wrapped_module.", "_fsdp_wrapped_module.")
PARALLEL = ("DistributedDataParallel", "DataParallel")


def named_parameters(model: Any) -> Iterator[tuple[str, Any]]:
    """(name, parameter) of a module, or of a mapping from prefix to module. A tied parameter appears once, and a
    parameter of a lazy module that has no shape yet does not appear."""
    if isinstance(model, Mapping):
        seen: set[int] = set()
        for prefix, part in model.items():
            for name, parameter in named_parameters(part):
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{prefix}.{name}", parameter
        return
    if model is None:
        return
    from torch.nn.parameter import is_lazy

    module = model.module if type(model).__name__ in PARALLEL else model
    for name, parameter in module.named_parameters():
        if is_lazy(parameter):
            continue
        for wrapper in WRAPPERS:
            name = name.replace(wrapper, "")
        yield name, parameter
