# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Values of channels as Python numbers, with one wait for each device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .memory import is_torch


@dataclass
class Timing:
    """A channel value that reports show and no check compares, such as seconds."""

    value: Any


def numbers(values: Mapping[str, Any]) -> dict[str, float | int]:
    """Floats and ints, of Python, NumPy or 0-d tensors, by name. Raises TypeError that names another value."""
    found: dict[str, float | int] = {}
    on_device: dict[Any, list[str]] = {}
    for name, value in values.items():
        if is_torch(value) and value.device.type != "cpu" and value.is_floating_point() and value.numel() == 1:
            on_device.setdefault(value.device, []).append(name)
            found[name] = 0.0  # keeps the order; replaced below
        else:
            found[name] = _number(name, value)
    for names in on_device.values():
        found.update(zip(names, _from_device([values[name] for name in names]), strict=True))
    return found


def _from_device(values: list[Any]) -> list[float]:
    import torch

    result: list[float] = torch.stack([value.detach().reshape(()).double() for value in values]).tolist()
    return result


def _number(name: str, value: Any) -> float | int:
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, int):
        return int(plain)  # also a bool
    if isinstance(plain, float):
        return plain
    raise TypeError(f"channel {name} is a {type(plain).__name__}; give a float, an int or a tensor of one element")
