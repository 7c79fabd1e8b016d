# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The settings of an optimizer's parameter groups, under the names that parity-train has for them."""

from __future__ import annotations

from typing import Any

from ..native.memory import is_torch

#: Key of a parameter group -> name of its channel, or of the first of its numbers.
NAMES = {"lr": "lr", "betas": "beta", "eps": "eps", "weight_decay": "weight_decay", "momentum": "momentum"}


def settings_of(optimizer: Any) -> list[dict[str, Any]]:
    """For each parameter group: name -> float, or a copy of a tensor. betas become beta1 and beta2."""
    return [_settings(group) for group in optimizer.param_groups]


def channels_of(optimizers: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Channels of the groups of several optimizers: lr of the first group, lr.1 of the second, and so on."""
    groups = [group for settings in optimizers for group in settings]
    return {numbered(name, number): one for number, group in enumerate(groups) for name, one in group.items()}


def numbered(name: str, number: int) -> str:
    """`name` for the number 0, else name.<number>."""
    return name if number == 0 else f"{name}.{number}"


def _settings(group: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, name in NAMES.items():
        value = group.get(key)
        if isinstance(value, (list, tuple)):
            found |= {f"{name}{number}": _number(one) for number, one in enumerate(value, 1) if one is not None}
        elif value is not None:
            found[name] = _number(value)
    return found


def _number(value: Any) -> Any:
    return value.detach().clone() if is_torch(value) else float(value)  # a tensor is read later, all in one wait
