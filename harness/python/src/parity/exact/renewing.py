# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Norms begin anew: the input of each module that is a norm counts as an independent variable.

Exponentials use up levels, so a deep model needs this. Two programs then have to agree for any input of each norm,
which is more than that they agree as a whole. A norm that is a function, and no module, is not renewed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .library import operators


@contextlib.contextmanager
def renewed_norms() -> Iterator[None]:
    from torch.nn.modules.module import register_module_forward_pre_hook

    handle = register_module_forward_pre_hook(_renew)
    try:
        yield
    finally:
        handle.remove()


def _renew(module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
    norm = norm_of(module)
    if norm is None or not inputs or not getattr(inputs[0], "is_floating_point", lambda: False)():
        return None
    x, *rest = inputs
    eps, centered = norm
    if eps is None:  # as torch.nn.RMSNorm understands it
        import torch

        eps = torch.finfo(x.dtype).eps
    return operators().renewed(x, float(eps), centered), *rest


def norm_of(module: Any) -> tuple[float | None, bool] | None:
    """Returns eps of a norm over the last dimension, and whether it subtracts the mean."""
    name = type(module).__name__
    if not name.endswith(("LayerNorm", "RMSNorm", "RmsNorm")):
        return None
    if len(getattr(module, "normalized_shape", ()) or (1,)) != 1:
        return None
    for attribute in ("eps", "variance_epsilon", "epsilon"):
        if hasattr(module, attribute):
            return getattr(module, attribute), name.endswith("LayerNorm")
    return None
