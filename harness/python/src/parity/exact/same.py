# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Are two functions on tensors the same, in all outputs and gradients?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from .call import Call, Result, drawn_parameters
from .layout import Layout
from .ranks import agreed, check_inputs
from .twin import twin
from .verdict import DIFFERENT, Verdict, compare


def same(
    f: Callable[..., Any],
    g: Callable[..., Any],
    inputs: Any,
    *,
    gradients: bool = True,
    layout: Mapping[str, int | str] | None = None,
    group: Any = None,
    renew: bool = False,
    levels: int = 4,
    constants: str = "binary",
    trials: int = 1,
    key: int = 1,
) -> Verdict:
    """Calls f and g with the same inputs, and compares all outputs, and the gradients of all inputs and parameters.

    inputs: a mapping (the arguments' names), a sequence, or one tensor; may be nested. The values decide what branches
        are taken; equality is proved for the residues, which are random.
    gradients: whether to call a backward pass, of random gradients of the outputs.
    layout: how tensors of g lie over the ranks of `group`, by name ("w", "output"): an int, the dimension of which a
        rank has a part, or "sum", for what the ranks have to add. Other tensors are the same on all ranks. f is not
        distributed: each rank calls it.
    renew, levels, constants: as in `twin`.
    trials: how often to repeat it with other primes and residues.

    Returns a Verdict, which is true only for "same". Raises Refused where an operator has no exact form.
    """
    if trials < 1:
        raise ValueError(f"trials = {trials} compares nothing; give 1 or more")
    check_inputs(inputs, group)

    def trial(number: int, constants: str) -> Verdict:
        with twin(key=key + number, levels=levels, renew=renew, strict=True, constants=constants):
            of_f, of_g = _both(f, g, inputs, gradients, Layout(layout, group))
        return agreed(compare(of_f, of_g, gradients), group)

    for number in range(trials):
        verdict = trial(number, constants)
        if not verdict:
            break
    if verdict.outcome == DIFFERENT and constants == "binary" and trial(number, "fraction"):
        return dataclasses.replace(verdict, hint=_ROUNDED)
    return verdict


_ROUNDED = (
    'with constants="fraction" they are the same function: one of them rounds a constant where the other does not'
)


def _both(f: Any, g: Any, inputs: Any, gradients: bool, layout: Layout) -> tuple[dict[str, Result], ...]:
    of_f, of_g = drawn_parameters(f), drawn_parameters(g)
    _check_values(of_f, of_g)
    import torch

    # A plain function beside a module may use the module's parameters.
    if not isinstance(f, torch.nn.Module):
        of_f = of_g
    if not isinstance(g, torch.nn.Module):
        of_g = of_f
    results = tuple(
        Call(inputs, where, gradients).run(function, parameters)
        for function, parameters, where in ((f, of_f, Layout()), (g, of_g, layout))
    )
    layout.check_used()
    return results


def _check_values(of_f: Mapping[str, Any], of_g: Mapping[str, Any]) -> None:
    """Branches are taken by the values, so these have to be equal."""
    import torch

    for name in of_f.keys() & of_g.keys():
        a, b = of_f[name].detach(), of_g[name].detach()
        if type(a) is type(b) and a.shape == b.shape and not torch.equal(a, b):
            raise ValueError(
                f"{name} has other values in f than in g; g.load_state_dict(f.state_dict()) makes them equal"
            )
