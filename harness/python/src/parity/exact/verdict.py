# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a comparison of residues says."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .call import Result

SAME, DIFFERENT, UNPROVED = "same", "different", "unproved"
MINUS_INFINITY = -1


@dataclass(frozen=True)
class Finding:
    """Why two functions are not the same, or not proved to be.

    outcome: DIFFERENT or UNPROVED. name: of the output or gradient; "" of the whole call.
    place: index of the first element that differs; None if the whole tensor does. position: of the name among all.
    """

    outcome: str
    name: str
    text: str
    place: tuple[int, ...] | None = None
    position: int = 0

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text


@dataclass(frozen=True)
class Verdict:
    """The result of `same`. True only if everything was compared and is equal.

    outcome: "same", "different" or "unproved". compared: names of the tensors whose residues are equal.
    independent: names whose gradient is None in both functions. hint: what else was found about a difference.
    """

    outcome: str
    findings: tuple[Finding, ...]
    compared: tuple[str, ...]
    independent: tuple[str, ...]
    elements: int
    hint: str = ""

    def __bool__(self) -> bool:
        return self.outcome == SAME

    @property
    def first(self) -> Finding | None:
        return self.findings[0] if self.findings else None

    def __str__(self) -> str:
        equal = f"equal residues: {', '.join(self.compared) or 'nothing'} ({self.elements} elements)"
        without = f"; no gradient in either function: {', '.join(self.independent)}" if self.independent else ""
        if self.outcome == SAME:
            return f"the same function; {equal}{without}"
        head = "different functions" if self.outcome == DIFFERENT else "not proved"
        more = f"\n  and {len(self.findings) - 1} more: " if len(self.findings) > 1 else ""
        hint = f"\n  {self.hint}" if self.hint else ""
        names = ", ".join(each.name for each in self.findings[1:])
        return f"{head}; {self.first}{more}{names}\n  {equal}{without}{hint}"


def rank_of(finding: Finding) -> tuple[bool, int]:
    """Orders findings: a difference goes before what is not proved, outputs go before gradients."""
    return finding.outcome != DIFFERENT, finding.position


def compare(f: Mapping[str, Result], g: Mapping[str, Result], gradients: bool) -> Verdict:
    """Compares the results of two calls. `gradients`: some gradient has to be among them."""
    findings: list[Finding] = []
    compared: list[str] = []
    independent: list[str] = []
    elements = 0
    names = [*f, *(name for name in g if name not in f)]
    for name in names:
        if name not in f or name not in g:
            findings.append(Finding(DIFFERENT, name, f"only {'f' if name in f else 'g'} has it"))
        elif f[name].value is None and g[name].value is None and name.startswith("gradient"):
            independent.append(name.removeprefix("gradient of "))
        elif finding := _difference(name, f[name], g[name]):
            findings.append(finding)
        else:
            compared.append(name)
            elements += f[name].value.numel() if f[name].residues is not None else 0
    if not findings:
        findings += _missing(f, compared, gradients)
    findings = [dataclasses.replace(each, position=names.index(each.name) if each.name else 0) for each in findings]
    findings.sort(key=rank_of)
    outcome = findings[0].outcome if findings else SAME
    return Verdict(outcome, tuple(findings), tuple(compared), tuple(independent), elements)


def _missing(f: Mapping[str, Result], compared: list[str], gradients: bool) -> list[Finding]:
    """Silence does not count as agreement: something has to depend on the inputs, and has to have elements."""

    def counts(name: str) -> bool:
        return f[name].has_numbers and f[name].residues.numel() > 0

    if not any(counts(name) for name in compared if not name.startswith("gradient")):
        return [Finding(UNPROVED, "", "no output depends on the inputs, so there is nothing to compare")]
    if gradients and not any(counts(name) for name in compared if name.startswith("gradient")):
        return [Finding(UNPROVED, "", "no input has a gradient; gradients=False compares the outputs alone")]
    return []


def _difference(name: str, f: Result, g: Result) -> Finding | None:
    import torch

    a, b = f.value, g.value
    tensors = [isinstance(each, torch.Tensor) for each in (a, b)]
    if not any(tensors):
        return None if type(a) is type(b) and a == b else Finding(DIFFERENT, name, f"f gives {a!r}, g {b!r}")
    if not all(tensors):
        return Finding(DIFFERENT, name, f"f gives {_kind(a)}, g {_kind(b)}")
    if a.shape != b.shape or a.dtype != b.dtype:
        return Finding(DIFFERENT, name, f"f gives {_kind(a)}, g {_kind(b)}")
    if f.residues is None or g.residues is None:
        return None if torch.equal(a, b) else _element(name, a, b, a != b, "the values differ")
    for side, each in (("f", f), ("g", g)):
        if (bad := _without_residue(each)).any():
            place = _first(bad)
            return Finding(UNPROVED, name, f"element {list(place)} of {side} is {_at(each.value, place)} "
                           "and has no residue", place)  # fmt: skip
    differs = f.residues != g.residues
    return _element(name, a, b, differs, "the residues differ") if differs.any() else None


def _without_residue(x: Result) -> Any:
    import torch

    values = x.value
    masked = (x.residues == MINUS_INFINITY) & torch.isneginf(values)
    return ((x.residues < 0) | ~torch.isfinite(values)) & ~masked


def _element(name: str, a: Any, b: Any, differs: Any, what: str) -> Finding:
    place = _first(differs)
    count = int(differs.sum())
    text = (
        f"{what} in {count} of {differs.numel()} elements, first at {list(place)}, "
        f"where f has the value {_at(a, place)} and g {_at(b, place)}"
    )
    return Finding(DIFFERENT, name, text, place)


def _first(where: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in where.nonzero()[0])


def _at(values: Any, place: tuple[int, ...]) -> str:
    value = values[place].item()
    return f"{value:.9g}" if isinstance(value, float) else repr(value)


def _kind(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value.dtype} {list(value.shape)}" if hasattr(value, "dtype") else repr(value)
