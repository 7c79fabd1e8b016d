# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Finds master weights: the float32 copies of a model's parameters that an optimizer holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def masters_of(parameters: Iterable[tuple[str, Any]], held: Iterable[Any]) -> dict[int, str]:
    """id of a master weight -> name of the model's parameter: what its attribute `parity_name` says, else the next one,
    in the model's order, with the same shape and, in its own dtype, the same values.

    held: the parameters of the optimizers.
    """
    import torch

    held = list(held)
    known = {id(one) for one in held}
    free = [(name, parameter) for name, parameter in parameters if id(parameter) not in known]
    own = {id(parameter) for _, parameter in parameters} if isinstance(parameters, list) else set()
    found: dict[int, str] = {}
    for master in held:
        if hasattr(master, "parity_name"):
            found[id(master)] = master.parity_name
            continue
        if id(master) in own or type(master).__name__ == "DTensor":
            continue
        for number, (name, parameter) in enumerate(free):
            if (
                parameter.shape == master.shape
                and parameter.dtype != master.dtype
                and type(parameter).__name__ != "DTensor"
                and torch.equal(master.detach().to(parameter.device, parameter.dtype), parameter.detach())
            ):
                found[id(master)] = name
                del free[number]
                break
    return found
