# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""One call of a function: its outputs and gradients, and what it must not do to its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..native.library import Error


def leaves(values: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors among inputs, with the names of their gradients: "x", or "x.0", "x.1" of a list."""
    for name, value in values.items():
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, list):
            for item, one in enumerate(value):
                if isinstance(one, torch.Tensor):
                    yield f"{name}.{item}", one


def outputs_of(returned: Any, name_of: Callable[[int, int], str], wanted: int) -> dict[str, torch.Tensor]:
    """The outputs by name. If the case names its outputs, further ones are left out."""
    if isinstance(returned, dict):
        named = dict(returned)
    else:
        row = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        if wanted:
            if len(row) < wanted:
                raise Error(f"the function returns {len(row)} outputs, and the case names {wanted}")
            row = row[:wanted]
        named = {name_of(index, len(row)): value for index, value in enumerate(row)}
    for name, value in named.items():
        if not isinstance(value, torch.Tensor):
            raise Error(f"output {name} is a {type(value).__name__}, not a tensor")
    return named


def storage(tensor: torch.Tensor) -> tuple[int, int]:
    """Where the elements' memory begins and ends."""
    whole = tensor.untyped_storage()
    return whole.data_ptr(), whole.data_ptr() + whole.nbytes()


class Guard:
    """Copies of the inputs before a call, to see what it changes."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._before = [(name, value, value.detach().clone()) for name, value in leaves(inputs)]

    def check(self, outputs: dict[str, torch.Tensor]) -> None:
        """Raises Error if an input changed, or if an output is a view of one."""
        for name, value, before in self._before:
            now = value.detach()
            if not bool(((now == before) | ((now != now) & (before != before))).all()):
                raise Error(
                    f"the function changes its input {name} (an operator leaves its inputs as they are); copy it first"
                )
            first, last = storage(value)
            for output, tensor in outputs.items():
                begin, end = storage(tensor)
                if tensor.numel() and value.numel() and begin < last and first < end:
                    raise Error(f"output {output} is a view of input {name} (it changes with the input); return a copy")


def gradients(
    inputs: dict[str, Any],
    wanted: list[str],
    outputs: dict[str, torch.Tensor],
    cotangent: Callable[[torch.Tensor, str], torch.Tensor],
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """The gradients with respect to the outputs, and those of the inputs that the case asks for."""
    taken = {name: one for name, one in outputs.items() if one.requires_grad}
    if not taken:
        raise Error(f"no output depends on {', '.join(wanted)} as autograd sees it, so there are no gradients")
    seeds = {name: cotangent(one, name) for name, one in taken.items()}
    tensors = dict(leaves(inputs))
    found = torch.autograd.grad(
        list(taken.values()), [tensors[name] for name in wanted], list(seeds.values()), allow_unused=True
    )
    for name, gradient in zip(wanted, found, strict=True):
        if gradient is None:
            raise Error(f"no gradient reaches input {name}; remove its grad = true, or repair the function")
    return seeds, dict(zip(wanted, found, strict=True))
