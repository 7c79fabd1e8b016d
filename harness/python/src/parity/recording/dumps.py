# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors that a script dumps by name, several times in an update if it likes, with their gradients."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..native.memory import is_torch


class Dumps:
    """Records dumped tensors in phase forward, and their gradients in phase backward under the same name.

    The second tensor of a name in an update gets the name <name>.1, and so on.
    """

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder
        self._seen: Counter[tuple[str, str]] = Counter()

    def add(self, name: str, value: Any, gradient: bool = True, **placement: Any) -> None:
        """Records a tensor, an array or a number, and each one in a list, tuple or dict. Leaves anything else out.
        placement: the keywords of `Recorder.tensor`. A gradient has that of its tensor."""
        if isinstance(value, dict):
            for key, one in value.items():
                self.add(f"{name}.{key}", one, gradient, **placement)
        elif isinstance(value, (list, tuple)):
            for number, one in enumerate(value):
                self.add(f"{name}.{number}", one, gradient, **placement)
        elif is_torch(value) or isinstance(value, (int, float)) or hasattr(value, "__array__"):
            self._record("forward", name, value, placement)
            if gradient and is_torch(value) and value.requires_grad:
                value.register_hook(lambda values: self._record("backward", name, values, placement))

    def end_update(self, **channels: Any) -> None:
        """Ends the update. The channel `dumps` is its number of tensors."""
        count = sum(self._seen.values())
        self._seen.clear()
        self._recorder.step(dumps=count, **channels)

    def _record(self, phase: str, name: str, value: Any, placement: dict[str, Any]) -> None:
        number = self._seen[phase, name]
        self._seen[phase, name] += 1
        self._recorder.tensor(phase, f"{name}.{number}" if number else name, value, **placement)
