# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The runner of a case's own exact reference: `exact = "FILE.py:FUNCTION"`, a function over abstract numbers.

Records what parity-exact records of its formulas: each result as a float64 and what it lacks, the plain
implementation, and the gradients."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy
import torch

from ..native import library
from ..native.memory import memory_of
from ..native.trace_file import TraceFile
from ..recording.facts import provenance_text
from . import abstract, function, program
from .beat import beat
from .call import leaves
from .inputs import Problem, dtype_of, resolved


class ExactRunner:
    def __init__(self, config: dict[str, Any], folder: str) -> None:
        arm = config["operator"]
        self.problem = Problem(arm["problem"])
        self.function: Callable[..., Any] = function.load(arm["exact"], folder)
        self.chosen = arm.get("arguments")
        self.file = TraceFile(
            os.environ["PARITY_TRACE"],
            config=json.dumps(config, sort_keys=True),
            provenance=provenance_text(library.load().parity_recorder_version().decode()),
            capture=open(os.environ["PARITY_CAPTURE"], encoding="utf-8").read(),
        )

    def record(self, phase: str, name: str, values: numpy.ndarray) -> None:
        self.file.offer(phase, name, memory_of(numpy.ascontiguousarray(values)))

    def results(self, point: int, convert: Callable[[torch.Tensor], numpy.ndarray]) -> tuple[dict[str, Any], list[Any]]:
        """The arguments, converted, and what the function returns for them."""
        given: dict[str, Any] = {}
        for name, value in self.problem.tensors(point, False).items():
            if isinstance(value, torch.Tensor):
                given[name] = convert(value)
            elif isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
                given[name] = [convert(one) for one in value]
            else:
                given[name] = value
        chosen = function.arguments(self.chosen, given, lambda value: resolved(value, self.problem.sizes(point)))
        returned = self.function(**chosen)
        return given, list(returned) if isinstance(returned, tuple) else [returned]

    def point(self, point: int) -> None:
        self.file.begin_step(point + 1)
        for name, one in leaves(self.problem.tensors(point, False)):
            self.file.offer("input", name, memory_of(one.contiguous()))
        given, exact = self.results(point, as_numbers)
        _, plain = self.results(point, lambda one: one.double().numpy().astype(_arithmetic(self.problem, point)))
        seeds: list[tuple[abstract.Number, float]] = []
        for index, values in enumerate(exact):
            name = self.problem.output_name(index, len(exact))
            values = numpy.asarray(values, object)
            self.split("forward", name, values)
            dtype = dtype_of(self.problem.points[point]["dtype"])
            rounded = torch.from_numpy(numpy.array(plain[index], numpy.float64)).to(dtype).double()
            self.record("forward", name + "~plain", rounded.numpy())
            cotangent = self.problem.cotangent(torch.empty(values.shape, dtype=torch.float64), name, point)
            seeds += list(zip(values.ravel(), cotangent.reshape(-1).tolist(), strict=True))
        wanted = [
            (one["name"] + (f".{item}" if one["list"] else ""), one["name"], item if one["list"] else None)
            for one in self.problem.inputs
            for item, spec in enumerate(one.get("tensors", []))
            if spec["grad"]
        ]
        if wanted:
            abstract.derive(seeds)
        for name, own, item in wanted:
            numbers = given[own] if item is None else given[own][item]
            self.split("grad", name, gradients_of(numbers))
        self.file.end_step()

    def split(self, phase: str, name: str, values: numpy.ndarray) -> None:
        """Records numbers as the nearest float64 and the nearest to what that lacks."""
        high = numpy.vectorize(float, otypes=[numpy.float64])(values)
        low = numpy.vectorize(lambda one, rounded: float(one.value - rounded), otypes=[numpy.float64])(values, high)
        self.record(phase, name, high)
        self.record(phase, name + "~low", low)
        self.file.value(f"{phase} {name}", float(high.sum()), library.NUMERIC)

    def run(self) -> None:
        for point in range(len(self.problem.points)):
            place = self.problem.text(point)
            beat(point, place)
            try:
                self.point(point)
            except Exception as problem:
                raise library.Error(f"{type(problem).__name__}: {problem} (at {place})") from problem
        self.file.finish()


def gradients_of(numbers: numpy.ndarray) -> numpy.ndarray:
    return numpy.vectorize(lambda one: abstract.Number(one.gradient), otypes=[object])(numbers)


def as_numbers(tensor: torch.Tensor) -> numpy.ndarray:
    values = tensor.double().numpy()
    return abstract.numbers(values) if tensor.dtype.is_floating_point else values.astype(numpy.int64)


def _arithmetic(problem: Problem, point: int) -> Any:
    """The type of the plain implementation: float32, or float64 at points of float64."""
    return numpy.float64 if problem.points[point]["dtype"] == "float64" else numpy.float32


def run(config: dict[str, Any], folder: str) -> None:
    ExactRunner(config, folder).run()


if __name__ == "__main__":
    sys.exit(program.main(run))
