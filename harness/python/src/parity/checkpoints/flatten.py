# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Nested state dicts as tensors by name: "optimizer.state.PARAMETER.exp_avg"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from ..conversion import Problem, one_line
from .safetensors_file import Entry

DEEPEST = 100
OPTIMIZERS = {"optimizer", "optimizers", "optim", "optimizer_state", "optimizer_state_dict"}


def flatten(state: Any, left_out: list[str]) -> list[Entry]:
    """The tensors and numbers of a state dict. left_out: gets the names of everything else."""
    if not isinstance(state, Mapping):
        raise Problem(f"cannot compare a {type(state).__name__} (a checkpoint is a dictionary of tensors)")
    if _is_optimizer(state):
        state = {"optimizer": state}
    return list(_entries("", _with_names(state), left_out, 0))


def _is_optimizer(state: Any) -> bool:
    return isinstance(state, Mapping) and set(state) >= {"state", "param_groups"}


def _with_names(states: Mapping[Any, Any]) -> dict[Any, Any]:
    """The same with one name for optimizers, and parameters by name where the optimizer has kept their names."""
    named: dict[Any, Any] = {}
    for key, value in states.items():
        if not _is_optimizer(value):
            named[key] = value
            continue
        key = "optimizer" if key in OPTIMIZERS else key
        names: dict[Any, Any] = {}
        for group in value["param_groups"]:
            if isinstance(group, Mapping) and isinstance(group.get("param_names"), (list, tuple)):
                names |= dict(zip(group.get("params", []), group["param_names"], strict=False))
        state = value["state"]
        if isinstance(state, Mapping):
            state = {names.get(one, one): slot for one, slot in state.items()}
        named[key] = {**value, "state": state, "param_groups": [_settings(group) for group in value["param_groups"]]}
    return named


def _settings(group: Any) -> Any:
    """A group of parameters without their names."""
    if not isinstance(group, Mapping):
        return group
    return {key: value for key, value in group.items() if key not in ("params", "param_names")}


def _entries(name: str, value: Any, left_out: list[str], depth: int) -> Iterator[Entry]:
    if depth > DEEPEST:
        raise Problem(f"cannot read '{one_line(name, 80)}' (it nests more than {DEEPEST} levels)")
    if isinstance(value, torch.Tensor):
        yield tensor_entry(name, value)
    elif isinstance(value, bool | int | float):
        yield from _number(name, value, left_out)
    elif isinstance(value, Mapping) or isinstance(value, (list, tuple)):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, one in items:
            yield from _entries(f"{name}.{key}" if name else str(key), one, left_out, depth + 1)
    elif value is not None:
        left_out.append(name)


def tensor_entry(name: str, tensor: torch.Tensor) -> Entry:
    """A tensor of a file. Refuses one that has more elements than its storage, and one that is not dense."""
    if (
        tensor.layout is not torch.strided
        or tensor.is_quantized
        or type(tensor) not in (torch.Tensor, torch.nn.Parameter)
    ):
        raise Problem(
            f"cannot read tensor '{one_line(name)}' ({type(tensor).__name__} of {tensor.layout} is not a plain tensor)"
        )
    if tensor.device.type == "meta":
        raise Problem(f"cannot read tensor '{one_line(name)}' (it has no values: it is on the device meta)")
    stored = tensor.untyped_storage().nbytes()
    if tensor.numel() * tensor.element_size() > stored:
        raise Problem(
            f"cannot read tensor '{one_line(name)}' (its shape {list(tensor.shape)} takes more than its {stored} bytes)"
        )
    return Entry(name, tensor.dtype, tuple(tensor.shape), lambda: tensor)


def _number(name: str, value: bool | int | float, left_out: list[str]) -> Iterator[Entry]:
    dtype = torch.bool if isinstance(value, bool) else torch.int64 if isinstance(value, int) else torch.float64
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        left_out.append(name)
        return
    yield Entry(name, dtype, (), lambda: torch.tensor(value, dtype=dtype))
