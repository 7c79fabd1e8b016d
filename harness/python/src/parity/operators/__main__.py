# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The runner of Python arms of operator cases: see the package."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

import torch

from ..native import library
from ..native.memory import memory_of
from ..native.trace_file import TraceFile
from ..recording.facts import provenance_text
from . import forks, function, program, variants
from .beat import beat
from .call import Guard, gradients, leaves, outputs_of
from .inputs import Problem, resolved


class Runner:
    """Calls one function at all points and records each as a step."""

    def __init__(self, config: dict[str, Any], folder: str, dtype: str) -> None:
        arm = config["operator"]
        self.problem = Problem(arm["problem"])
        self.words = arm["python"]
        self.chosen = arm.get("arguments")
        self.variants: list[str] = arm.get("variants", [])
        self.grad_variants: list[str] = arm.get("grad_variants", [])
        self.wide = dtype == "float64"
        torch.set_num_threads(int(config.get("threads", 1)))
        self.function = function.load(self.words, folder)
        asked = self.problem.description["inputs"]
        self.wanted = [
            one["name"] + (f".{item}" if one["list"] else "")
            for one in asked
            for item, spec in enumerate(one.get("tensors", []))
            if spec["grad"] and arm.get("grad", True)
        ]
        self.file = TraceFile(
            os.environ["PARITY_TRACE"],
            config=json.dumps(config, sort_keys=True),
            provenance=provenance_text(library.load().parity_recorder_version().decode()),
            capture=open(os.environ["PARITY_CAPTURE"], encoding="utf-8").read(),
        )

    def call(self, inputs: dict[str, Any], sizes: dict[str, int]) -> dict[str, torch.Tensor]:
        given = function.arguments(self.chosen, inputs, lambda value: resolved(value, sizes))
        function.check(self.function, given, self.words)
        guard = Guard(inputs)
        names = self.problem.description["outputs"]
        returned = self.function(**given)
        outputs = outputs_of(returned, self.problem.output_name, len(names))
        guard.check(outputs)
        return outputs

    def record(self, phase: str, name: str, value: torch.Tensor) -> None:
        self.file.offer(phase, name, memory_of(value.detach().contiguous()))

    def point(self, point: int) -> None:
        self.file.begin_step(point + 1)
        inputs = self.problem.tensors(point, self.wide)
        tensors = dict(leaves(inputs))
        for name, one in tensors.items():
            self.record("input", name, one)
        for name in self.wanted:
            tensors[name].requires_grad_(True)
        outputs = self.call(inputs, self.problem.sizes(point))
        for name, one in outputs.items():
            self.record("forward", name, one)
            self.file.value(f"forward {name}", mark(one), library.NUMERIC)
        seeds = self.gradients(inputs, outputs, point) if self.wanted else {}
        for axis in self.variants if not self.wide else ():
            self.variant(axis, point, seeds if axis in self.grad_variants else {})
        self.file.end_step()

    def gradients(
        self, inputs: dict[str, Any], outputs: dict[str, torch.Tensor], point: int
    ) -> dict[str, torch.Tensor]:
        """Records the gradients. Returns those with respect to the outputs."""
        seeds, found = gradients(
            inputs, self.wanted, outputs, lambda one, name: self.problem.cotangent(one, name, point)
        )
        for name, one in seeds.items():
            self.record("backward", name, one)
        for name, one in found.items():
            self.record("grad", name, one)
            self.file.value(f"grad {name}", mark(one), library.NUMERIC)
        return seeds

    def variant(self, axis: str, point: int, seeds: dict[str, torch.Tensor]) -> None:
        given = variants.Given(self.problem.tensors(point, self.wide), seeds, self.problem.sizes(point))
        others = lambda: self.problem.tensors(point, self.wide, 1)  # noqa: E731
        made = variants.variants(axis, self.problem, given, self.results, others)
        for number, results in enumerate(made):
            for (phase, name), one in results.items():
                self.record(phase, f"{name}@{axis}.{number}", one)

    def results(self, given: variants.Given) -> variants.Made:
        """The outputs, and the gradients if they are asked."""
        if not given.seeds:
            with torch.no_grad():
                return {("forward", name): one for name, one in self.call(given.inputs, given.sizes).items()}
        inputs = variants.map_tensors(
            given.inputs, lambda name, one: one.detach().requires_grad_(True) if name in self.wanted else one
        )
        outputs = self.call(inputs, given.sizes)
        _, found = gradients(inputs, self.wanted, outputs, lambda _, name: given.seeds[name])
        made = {("forward", name): one for name, one in outputs.items()}
        return made | {("grad", name): one for name, one in found.items()}

    def run(self) -> None:
        for point in range(len(self.problem.points)):
            beat(point, self.problem.text(point))
            try:
                self.point(point)
            except Exception as problem:
                place = self.problem.text(point)
                if not isinstance(problem, library.Error):
                    traceback.print_exc()
                raise library.Error(f"{problem} (at {place})") from problem
        self.file.finish()


def mark(values: torch.Tensor) -> float:
    """A number that nearly every change of a bit or of the order changes: the sum with signs by index."""
    flat = values.detach().reshape(-1).to(torch.float64)
    index = torch.arange(flat.numel(), dtype=torch.int64)
    signs = ((index * 2654435761 >> 16) & 1) * 2 - 1
    return float((flat * signs).sum())


def run(config: dict[str, Any], folder: str) -> None:
    Runner(config, folder, os.environ.get("PARITY_DTYPE", "float32")).run()


if __name__ == "__main__":
    forks.become_asked_process()
    sys.exit(program.main(run))
