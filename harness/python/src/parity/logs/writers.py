# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What each file of a folder logged: whether a run resumed, or two runs wrote into one folder."""

from __future__ import annotations

import ctypes
import pathlib
from array import array
from collections.abc import Iterable
from typing import NamedTuple

from ..conversion import Problem, one_line


class Scalar(NamedTuple):
    """A value of a tag. time [s]: the clock of the writer."""

    step: int
    tag: str
    value: float
    time: float
    is_tensor: bool  # a tensor of one element, such as new writers store; otherwise a float32


class Start(NamedTuple):
    """The record SessionLog.START of a run that resumed: it deletes what came before from its step on."""

    step: int
    time: float


class Curve:
    """The values of a tag in one file, in one form: its range of steps, and the times of the first and the last."""

    def __init__(self, scalar: Scalar) -> None:
        self.steps, self.values = array("q"), array("d")
        self.first = self.last = scalar.step
        self.begin = self.end = scalar.time
        self.is_tensor = scalar.is_tensor

    def add(self, scalar: Scalar) -> None:
        self.steps.append(scalar.step)
        self.values.append(scalar.value)
        self.first, self.last = min(self.first, scalar.step), max(self.last, scalar.step)
        self.end = max(self.end, scalar.time)

    def points(self) -> Iterable[tuple[int, float]]:
        return zip(self.steps, self.values, strict=True)

    def delete_from(self, step: int) -> set[int]:
        """Returns the steps that are gone."""
        gone = {at for at in self.steps if at >= step}
        kept = [i for i, at in enumerate(self.steps) if at < step]
        self.steps = array("q", (self.steps[i] for i in kept))
        self.values = array("d", (self.values[i] for i in kept))
        self.last = max(self.steps, default=step - 1)
        return gone


class Writer:
    """A file of events, or a part of a table."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._curves: dict[tuple[str, bool], Curve] = {}

    def add(self, scalar: Scalar) -> None:
        key = (scalar.tag, scalar.is_tensor)
        if key not in self._curves:
            self._curves[key] = Curve(scalar)
        self._curves[key].add(scalar)

    def curves(self, tag: str | None = None) -> list[Curve]:
        """The curves that have values: of a tag, or all."""
        return [curve for (of, _), curve in self._curves.items() if curve.steps and tag in (None, of)]

    def tags(self) -> set[str]:
        return {tag for (tag, _), curve in self._curves.items() if curve.steps}

    def first(self, tag: str) -> int:
        return min(curve.first for curve in self.curves(tag))

    def last(self, tag: str) -> int:
        return max(curve.last for curve in self.curves(tag))


class Difference(NamedTuple):
    """A step at which two curves of a tag have other values."""

    tag: str
    step: int
    values: tuple[float, float]

    def __str__(self) -> str:
        tag = one_line(self.tag, 100)
        return f"'{tag}' at step {self.step} is {self.values[0]} and {self.values[1]}"


class Writers:
    """The files of a folder in their order. Raises Problem where they are not one run."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.deleted: set[int] = set()  # steps of which a resumed run deleted values
        self._writers: list[Writer] = []

    def begin(self, name: str) -> None:
        self._writers.append(Writer(name))

    def add(self, scalar: Scalar) -> None:
        self._writers[-1].add(scalar)

    def delete_from(self, start: Start) -> None:
        """Deletes all values from a step on that came before, as TensorBoard does where a run resumed."""
        *before, own = self._writers
        for writer in before:
            if any(curve.last >= start.step and curve.end > start.time for curve in writer.curves()):
                raise self._two_runs(
                    f"{own.name} deletes steps from {start.step} on, and {writer.name} logged such steps after that"
                )
        for writer in self._writers:
            for curve in writer.curves():
                if curve.last >= start.step:
                    self.deleted |= curve.delete_from(start.step)

    def end(self) -> None:
        """Judges the file that ends here."""
        *before, own = self._writers
        self._check_forms(own)
        for writer in before:
            self._check_times(writer, own)
        self._check_restart(before, own)

    def end_part(self, is_numbered: bool) -> None:
        """Judges a part of a table that ends here. is_numbered: each row has a number of its own, W&B's _step."""
        *before, own = self._writers
        for part in before if is_numbered else []:
            for tag in sorted(part.tags() & own.tags()):
                if difference := _first_difference(tag, part.curves(tag), own.curves(tag)):
                    names = f"{part.name} and {own.name}"
                    raise self._two_runs(f"{names} have the same rows with other values: {difference}")
        self._check_restart(before, own)

    def steps(self) -> set[int]:
        """The steps that have values."""
        return {step for writer in self._writers for curve in writer.curves() for step in curve.steps}

    def _check_forms(self, writer: Writer) -> None:
        """A tag with two forms in one file has equal values in both."""
        for tag in writer.tags():
            curves = writer.curves(tag)
            if len(curves) == 2 and (difference := _first_difference(tag, curves[:1], curves[1:])):
                raise Problem(
                    f"cannot read {self.path} ({writer.name} logs a tag as scalar and as tensor, with other values: "
                    f"{difference}); log it once, or under two names"
                )

    def _check_times(self, earlier: Writer, later: Writer) -> None:
        """Two files that log the same tags at the same time log the same values."""
        shared = sorted(earlier.tags() & later.tags())
        ends = [curve.end for tag in shared for curve in earlier.curves(tag)]
        begins = [curve.begin for tag in shared for curve in later.curves(tag)]
        if not shared or min(begins) >= max(ends):
            return
        names = f"{later.name} began before {earlier.name} ended"
        for tag in shared:
            if difference := _first_difference(tag, earlier.curves(tag), later.curves(tag)):
                raise self._two_runs(f"{names}, and their values differ: {difference}")
        for tag in shared:
            common = {step for curve in earlier.curves(tag) for step in curve.steps}
            common &= {step for curve in later.curves(tag) for step in curve.steps}
            if not common and earlier.first(tag) < later.last(tag) and later.first(tag) < earlier.last(tag):
                raise self._two_runs(f"{names}, and they log '{one_line(tag, 100)}' at steps of the same range")

    def _check_restart(self, before: list[Writer], own: Writer) -> None:
        """A file that begins with the first step of those before it has their values: it did not resume."""
        known = {tag: [writer for writer in before if writer.curves(tag)] for tag in own.tags()}
        counts = {tag: sum(len(c.steps) for w in writers for c in w.curves(tag)) for tag, writers in known.items()}
        most = max(counts.values(), default=0)
        usual = [tag for tag, count in counts.items() if count == most and most > 0]
        if not any(own.first(tag) <= min(writer.first(tag) for writer in known[tag]) for tag in usual):
            return
        for writer in reversed(before):
            for tag in sorted(own.tags() & writer.tags()):
                if difference := _first_difference(tag, writer.curves(tag), own.curves(tag)):
                    raise self._two_runs(
                        f"{own.name} logs the steps of {writer.name} again, from the first one on, "
                        f"and their values differ: {difference}"
                    )

    def _two_runs(self, cause: str) -> Problem:
        return Problem(
            f"cannot read {self.path} as one run ({cause}); name one of the files, or give each run a folder of its own"
        )


def _overlap(one: list[Curve], other: list[Curve]) -> bool:
    """Whether the ranges of steps have a step in common."""
    first = max(min(curve.first for curve in one), min(curve.first for curve in other))
    return first <= min(max(curve.last for curve in one), max(curve.last for curve in other))


def _first_difference(tag: str, earlier: list[Curve], later: list[Curve]) -> Difference | None:
    """The first step that both have with other values. The last value of a step counts."""
    if not _overlap(earlier, later):
        return None
    known = {step: (value, curve.is_tensor) for curve in earlier for step, value in curve.points()}
    found: dict[int, Difference] = {}
    for curve in later:
        for step, value in curve.points():
            found.pop(step, None)
            if step in known and not _same(*known[step], value, curve.is_tensor):
                found[step] = Difference(tag, step, (known[step][0], value))
    return found[min(found)] if found else None


def _same(one: float, one_is_tensor: bool, other: float, other_is_tensor: bool) -> bool:
    """Whether two values are equal. A scalar is a float32, and a tensor may have more digits."""
    if one_is_tensor != other_is_tensor:
        one, other = ctypes.c_float(one).value, ctypes.c_float(other).value
    return one == other or (one != one and other != other)
