# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The exact twin of this process: every operator of PyTorch computes residues beside its values.

What equal residues prove, and what they do not, stands in reference/exact/README.md.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..observe.names import named_parameters
from .library import operators
from .renewing import renewed_norms

CONSTANTS = ("binary", "decimal", "fraction")
NUMBERS = 3  # what parity_exact.known says of a tensor with residues that are no constants

_active = False


class Refused(RuntimeError):
    """An operator without an exact form, or a tensor without residues. The traceback shows where."""


@contextlib.contextmanager
def twin(
    *, key: int = 1, levels: int = 3, renew: bool = True, strict: bool = False, constants: str = "binary"
) -> Iterator[None]:
    """Inside of this context every operator of this thread, and of its backward passes, computes residues. Afterwards
    they are forgotten.

    key: of the random primes and residues. Twins with the same key give equal functions equal residues.
    levels: one more than exponentials follow each other between two norms, 1 to 4.
    renew: replace the input of modules that are norms by independent variables (renewing.py), for deep models.
    strict: refuse what residues do not cover: numbers that a program reads out, random numbers, decisions about NaN.
    constants: "binary": a constant is the float that it is. "decimal": the shortest decimal that rounds to it.
        "fraction": a fraction of small whole numbers that rounds to it, as 1/3 does; without one, the decimal.
    """
    global _active
    if _active:
        raise RuntimeError("cannot begin an exact twin (one is active); end it first")
    if constants not in CONSTANTS:
        raise ValueError(f'constants = "{constants}" is not known; give one of {", ".join(CONSTANTS)}')
    if not 1 <= levels <= 4:
        raise ValueError(f"levels = {levels} is not possible; give 1 to 4")
    library = operators()
    library.begin(key, levels, constants, strict)
    _active = True
    try:
        with renewed_norms() if renew else contextlib.nullcontext(), refusals():
            yield
    finally:
        _active = False
        library.end()


@contextlib.contextmanager
def refusals(mark: str = "exact twin: ") -> Iterator[None]:
    """Turns what the library refuses into Refused, with advice. mark: what its messages begin with."""
    try:
        yield
    except Refused:
        raise
    except RuntimeError as problem:
        text = str(problem)
        if mark not in text:
            raise
        advice = next((advice for part, advice in _ADVICE.items() if part in text), "")
        raise Refused(text[text.index(mark) + len(mark) :].partition("\n")[0] + advice) from problem


_ADVICE = {
    "outside of operators": "; give such a tensor as an input, or call parity.exact.draw or constant on it",
    "no level left": " (levels=4 is the most; renew=True begins anew at each module that is a norm)",
    "random numbers": "; set dropout to 0",
}


def draw(what: Any, name: str = "") -> Any:
    """Gives a tensor, or the parameters of a module, random residues by name and place. Buffers of a module become
    constants. Equal names give equal residues, whatever the values are and whichever part a rank holds. Returns `what`.
    """
    import torch

    if isinstance(what, torch.nn.Module):
        prefix = f"{name}." if name else ""
        for each, parameter in named_parameters(what):
            draw_tensor(parameter, prefix + each, lifts=True)
        for _, buffer in what.named_buffers():
            constant(buffer)
    else:
        draw_tensor(what, name, lifts=False)
    return what


def draw_tensor(x: Any, name: str, *, lifts: bool, places: Any = None) -> None:
    """lifts: of a parameter, which an optimizer changes. places: of x's elements in the tensor that x is a part of."""
    from .places import local_part

    local, own = local_part(x)
    if local.is_floating_point() or local.is_complex():
        if local.is_complex():
            raise Refused(f"{name} is complex, so residues cannot be drawn; draw its real and imaginary parts")
        operators().draw(local, name, own if places is None else places, lifts)


def constant(x: Any) -> Any:
    """States that the values of a tensor are constants of the program, such as a table of positions. Returns it."""
    from .places import local_part

    local, _ = local_part(x)
    if local.is_floating_point() or local.is_complex():
        operators().constant(local.detach())
    return x


def residues_of(x: Any) -> Any:
    """Returns the residues of a tensor, int64; of a DTensor those of this rank's part.
    Raises Refused if an element has none, since two such tensors would agree about nothing."""
    from .places import local_part

    with refusals(""):
        residues = operators().residues(local_part(x)[0])
    if residues.lt(0).any():
        raise Refused(f"{int(residues.lt(0).sum())} of {residues.numel()} elements have no residue")
    return residues
