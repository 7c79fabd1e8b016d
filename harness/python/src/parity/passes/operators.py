# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records the operators of modules and of the training's regions at the steps for which the capture asks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..observe.modules import ROOT
from ..recording.capture import Capture
from .activations import Keeper
from .execution import Execution, Place

COLLECTIVES = "comm"


class Operators:
    """Enters a dispatch mode at the begin of an update that asks for operators, and leaves it at the end."""

    def __init__(self, keeper: Keeper, capture: Capture) -> None:
        self._keeper, self._capture = keeper, capture
        self._mode: Any = None
        self._step = 0
        self._execution = Execution()
        self._counts: Counter[Place] = Counter()
        self._own = threading.local()

    def wanted(self, step: int) -> bool:
        return self._capture.may_want_operators(step)

    def begin(self, step: int, execution: Execution) -> None:
        """execution: knows the module that runs."""
        self._step, self._execution, self._counts = step, execution, Counter()
        if not self.wanted(step):
            return
        from ..observe.operators import OperatorMode

        self._mode = OperatorMode(self._start, self._start_collective)
        self._mode.__enter__()

    def end(self) -> None:
        mode, self._mode = self._mode, None
        if mode is not None:
            mode.close()

    def quiet(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls `call`, whose operators are the recorder's own and not the training's."""
        before, self._own.active = getattr(self._own, "active", False), True
        try:
            return call(*arguments)
        finally:
            self._own.active = before

    def _start(self, operator: str) -> Callable[[str, Any], None] | None:
        place = None if getattr(self._own, "active", False) else self._execution.place()
        if place is None or not self._watches(*place):
            return None
        number = self._counts[place]
        self._counts[place] += 1
        phase, module = place
        run = self._execution.current if phase == "forward" and not self._execution.outside() else None

        def take(slot: str, value: Any) -> None:
            self._keeper.guarded(self._take, phase, f"{module}@{number}:{operator}:{slot}", value, run)

        return take

    def _start_collective(self, what: str) -> Callable[[str, Any], None] | None:
        """Collectives belong to no module: their module is called comm."""
        place = None if getattr(self._own, "active", False) else self._execution.place()
        if place is None or not self._capture.may_want_operators(self._step, place[0], COLLECTIVES):
            return None
        here = (place[0], COLLECTIVES)
        number = self._counts[here]
        self._counts[here] += 1

        def take(slot: str, value: Any) -> None:
            self._keeper.guarded(self._take, place[0], f"{COLLECTIVES}@{number}:{what}:{slot}", value, None)

        return take

    def _watches(self, phase: str, module: str) -> bool:
        """A capture that asks for the region data gets what the model itself computes outside of its modules, too."""
        names = [module, "data"] if module.rstrip("_") == ROOT else [module]
        return any(self._capture.may_want_operators(self._step, phase, name) for name in names)

    def _take(self, phase: str, name: str, value: Any, run: Any) -> None:
        if not self._capture.may_want(self._step, phase, name):
            return
        new = self._keeper.keep(phase, name, value, run)
        if new is not None:
            value.copy_(new)  # below autograd, which does not notice
