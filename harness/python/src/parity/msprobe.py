# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The names of msprobe's PrecisionDebugger, for code that calls it already. Only the import changes:

from parity.msprobe import PrecisionDebugger     # was: from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(config_path="config.json")
...
debugger.start(model)
...                                              # forward, backward, optimizer.step()
debugger.stop()
debugger.step()
"""

from __future__ import annotations

import gc
import json
import os
from typing import Any

import torch

import parity

from .observe.names import named_parameters
from .recording.dumps import Dumps
from .recording.ranks import rank_and_ranks

TASKS = {"statistics": "sketches", "tensor": "tensors"}


class PrecisionDebugger:
    """Records the training whose model `start` gets, with each optimizer of that model that exists by then.

    There is one debugger in a process: each later call of the constructor returns the first. The trace goes to
    PARITY_TRACE, else to trace.h5 in `dump_path`. PARITY_CAPTURE says what to record, else task, level and step do.
    """

    _instance: PrecisionDebugger | None = None

    def __new__(cls, *_: Any, **__: Any) -> PrecisionDebugger:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __init__(
        self,
        config_path: str | None = None,
        task: str | None = None,
        dump_path: str | None = None,
        level: str | None = None,
        step: list[int | str] | None = None,
    ) -> None:
        if hasattr(self, "_config"):
            return
        self._config: dict[str, Any] = {}
        if config_path:
            with open(config_path, encoding="utf-8") as file:
                self._config = json.load(file)
        given = {"task": task, "dump_path": dump_path, "level": level, "step": step}
        self._config |= {key: value for key, value in given.items() if value is not None}
        self._recorder: Any = None
        self._dumps: Dumps | None = None
        self._active = False

    @classmethod
    def start(cls, model: Any = None, **_: Any) -> None:
        """Begins a part of the program that is recorded. The first call starts the trace."""
        self = cls._made()
        if self._recorder is None:
            self._recorder = self._record(model)
            self._dumps = Dumps(self._recorder)
        self._active = True

    @classmethod
    def stop(cls) -> None:
        """Ends that part: `save` does nothing until the next start."""
        cls._made()._active = False

    @classmethod
    def step(cls) -> None:
        """Ends an update."""
        dumps = cls._made()._dumps
        if dumps is not None:
            dumps.end_update()

    @classmethod
    def save(cls, variable: Any, name: str, save_backward: bool = True) -> None:
        """Records a tensor, or those of a list or dict, in phase forward, and its gradient in phase backward."""
        self = cls._made()
        if self._active and self._dumps is not None:
            self._dumps.add(name, variable, gradient=save_backward)

    @classmethod
    def close(cls) -> None:
        """Completes the trace. Otherwise it is complete at the end of the program."""
        recorder, cls._instance = cls._made()._recorder, None
        if recorder is not None:
            recorder.close()

    @classmethod
    def _made(cls) -> PrecisionDebugger:
        if cls._instance is None:
            raise parity.Error("there is no PrecisionDebugger yet; make one before you call its methods")
        return cls._instance

    def _record(self, model: Any) -> Any:
        options: dict[str, Any] = {}
        folder = self._config.get("dump_path")
        if not os.environ.get("PARITY_TRACE") and folder:
            os.makedirs(folder, exist_ok=True)
            options["path"] = os.path.join(folder, "trace.h5")
        if not os.environ.get("PARITY_CAPTURE"):
            options["capture"] = capture_of(self._config, rank_and_ranks()[0])
        if isinstance(model, (list, tuple)):
            model = {str(number): part for number, part in enumerate(model)}
        return parity.record(model, optimizers_of(model) or None, **options)


def capture_of(config: dict[str, Any], rank: int = 0) -> dict[str, Any]:
    """The capture that a config of msprobe describes. Its steps count from 0, ours from 1.

    Raises Error for a task that records no tensors."""
    task, level = config.get("task") or "statistics", config.get("level") or "L1"
    if task not in TASKS:
        raise parity.Error(f"cannot do the task {task} of msprobe; take one of {', '.join(TASKS)}")
    if config.get("rank") and rank not in numbers_of(config["rank"]):
        return {}
    rule: dict[str, Any] = {}
    if config.get("step"):
        rule["steps"] = [step + 1 for step in numbers_of(config["step"])]
    capture: dict[str, Any] = {TASKS[task]: [rule | ({"phases": ["forward", "backward"]} if level == "debug" else {})]}
    if level in ("L1", "mix"):
        capture["operators"] = [rule]
    return capture


def numbers_of(given: list[int | str]) -> list[int]:
    """The numbers of a list of numbers and ranges, such as [0, "3-5"]."""
    ends = [str(word).partition("-") for word in given]
    return [number for low, _, high in ends for number in range(int(low), int(high or low) + 1)]


def optimizers_of(model: Any) -> list[Any]:
    """The optimizers of PyTorch in this process that train a parameter of the model."""
    parameters = {id(parameter) for _, parameter in named_parameters(model)}
    kind = torch.optim.Optimizer  # type(), since isinstance would run properties of other objects
    found = [one for one in gc.get_objects() if issubclass(type(one), kind) and hasattr(one, "param_groups")]
    inner = {id(one.optimizer) for one in found if hasattr(one, "optimizer")}  # wrapped ones count once
    ours = [one for one in found if any(id(p) in parameters for group in one.param_groups for p in group["params"])]
    return [one for one in ours if id(one) not in inner]
