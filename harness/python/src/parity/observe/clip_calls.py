# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the calls that clip gradients were given, update by update (FORMAT.md, "Recipe")."""

from __future__ import annotations

import json
from typing import Any

_MOST = 1 << 17  # characters of all changes: a trainer may clip each update by another limit


class ClipCalls:
    """Sees the calls of each update, and remembers from which update on they were others."""

    def __init__(self) -> None:
        self._norms: list[dict[str, Any]] = []
        self._values: list[dict[str, Any]] = []
        self._is_late = False
        self._last: dict[str, Any] | None = None
        self._changes: list[dict[str, Any]] = []
        self._characters = 0

    def begin(self) -> None:
        """Begins an update, which has no calls yet."""
        self._norms, self._values = [], []

    def saw_norm(self, names: tuple[str, ...], max_norm: Any, norm_type: Any, *, is_again: bool) -> None:
        """names: of the parameters. max_norm, norm_type: as the trainer gave them; None if that is not known.
        is_again: whether an earlier call clipped the same gradients. If not, that call clipped others, which are gone.
        """
        if not is_again:
            self._norms = [call for call in self._norms if not set(names) & set(call["names"])]
        given = {"max_norm": max_norm, "norm_type": norm_type}
        known = {name: float(value) for name, value in given.items() if value is not None}
        self._norms.append({"names": list(names)} | known)

    def saw_value(self, names: tuple[str, ...], value: Any) -> None:
        """value: as the trainer gave it. A trainer may clip each group of parameters by its own."""
        self._values.append({"names": list(names), "value": float(value)})

    def saw_late(self) -> None:
        """A call clips gradients that their optimizer has already used. Not every update is looked at, so this stays."""
        self._is_late = True

    def facts(self) -> dict[str, Any]:
        """What the calls of this update were given: of several calls a number that they share, else a list and the calls
        themselves. Empty without a call."""
        clip: dict[str, Any] = {}
        for name in ("max_norm", "norm_type"):
            if values := [call[name] for call in self._norms if name in call]:
                clip[name] = values[0] if len(set(values)) == 1 else values
        if values := sorted({call["value"] for call in self._values}):
            clip |= {"value": values[0]} if len(values) == 1 else {"value": values, "values": self._values}
        clip |= {"late": True} if self._is_late and clip else {}
        return clip | ({"calls": self._norms} if len(self._norms) > 1 else {})

    def end(self, step: int) -> dict[str, Any]:
        """Ends an update. Returns what the recipe gets because of its calls; empty if they are those of the update before."""
        before, self._last = self._last, self.facts()
        if before is None:
            return {"clip": self._last} if self._last else {}
        if self._last == before or (self._changes and self._changes[-1]["clip"] is None):
            return {}
        change: dict[str, Any] = {"step": step, "clip": self._last}
        self._characters += len(json.dumps(change))
        self._changes.append(change if self._characters <= _MOST else {"step": step, "clip": None})
        return {"clip_changes": self._changes}
