# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the capture may ask for; the recorder's library decides about each tensor once a step has begun."""

from __future__ import annotations

import fnmatch
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
        self._kept = asked.get("tensors", [])
        self._operators = asked.get("operators", [])
        self._faults = asked.get("faults", [])
        self.micro_batches = bool(asked.get("micro_batches"))
        self._taught = bool(asked.get("teacher"))

    def may_change(self, step: int, phase: str, name: str | None = None) -> bool:
        """Whether a fault or the teacher may change a tensor of this phase; None: whatever its name."""
        return self._taught or any(
            _covers(fault, step, "phase", phase) and _names(fault.get("name"), name) for fault in self._faults
        )

    def may_want(self, step: int, phase: str, name: str | None = None) -> bool:
        """Whether a tensor of this phase may be recorded or changed at this step; None: whatever its name."""
        return self.may_change(step, phase, name) or any(
            _covers(rule, step, "phases", phase) and _names(rule.get("names"), name) for rule in self._rules
        )

    def may_want_elements(self, step: int, phase: str, name: str) -> bool:
        """Whether the elements of a tensor may be recorded or changed, for which no measurement is enough."""
        return self.may_change(step, phase, name) or any(
            _covers(rule, step, "phases", phase) and _names(rule.get("names"), name) for rule in self._kept
        )

    def may_ever_want(self, *phases: str) -> bool:
        """Whether a tensor of one of these phases may be recorded or changed at some step."""
        wanted = [rule.get("phases") for rule in self._rules] + [fault.get("phase") for fault in self._faults]
        return self._taught or any(not listed or phase in listed for listed in wanted for phase in phases)

    def may_want_operators(self, step: int, phase: str | None = None, module: str | None = None) -> bool:
        """Whether the operators of a module, or of any, are to be observed at this step."""
        return any(
            _covers(rule, step, "phases", phase) and _names(rule.get("names"), module) for rule in self._operators
        )


def _covers(rule: Mapping[str, Any], step: int, key: str, phase: str | None) -> bool:
    steps, phases = rule.get("steps"), rule.get(key)
    return (not steps or step in steps) and (not phases or phase is None or phase in phases)


def _names(globs: Any, name: str | None) -> bool:
    """Whether a rule may cover a name. The library's globs know * and ?; a glob with more is taken to match."""
    if not globs or name is None:
        return True
    listed = [globs] if isinstance(globs, str) else globs
    return any(any(sign in glob for sign in "[]{}\\") or fnmatch.fnmatchcase(name, glob) for glob in listed)
