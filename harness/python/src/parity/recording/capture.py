# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Which phases of which steps the capture may ask for; the recorder's library decides about each tensor."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any


class Capture:
    """The capture of a run as JSON text, and a quick answer that saves work where nothing is asked for."""

    def __init__(self, given: Mapping[str, Any] | str | os.PathLike[str] | None = None) -> None:
        """given: an object, the path of a JSON file, or None for the file of PARITY_CAPTURE, if any."""
        place = given if given is not None else os.environ.get("PARITY_CAPTURE")
        self.text: str | None = None
        if isinstance(place, Mapping):
            self.text = json.dumps(place)
        elif place:
            with open(place, encoding="utf-8") as file:
                self.text = file.read()
        asked = json.loads(self.text) if self.text else {}
        self._rules = [rule for kind in ("tensors", "sketches") for rule in asked.get(kind, [])]
        self._faults = asked.get("faults", [])
        self._taught = bool(asked.get("teacher"))

    def may_change(self, step: int, phase: str) -> bool:
        """Whether a fault or the teacher may change a tensor of this phase, whatever its name."""
        return self._taught or any(_covers(fault, step, "phase", phase) for fault in self._faults)

    def may_want(self, step: int, phase: str) -> bool:
        """Whether a tensor of this phase may be recorded or changed at this step, whatever its name."""
        return self.may_change(step, phase) or any(_covers(rule, step, "phases", phase) for rule in self._rules)


def _covers(rule: Mapping[str, Any], step: int, key: str, phase: str) -> bool:
    steps, phases = rule.get("steps"), rule.get(key)
    return (not steps or step in steps) and (not phases or phase in phases)
