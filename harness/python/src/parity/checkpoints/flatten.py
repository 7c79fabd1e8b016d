# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Nested state dicts as tensors by name: "optimizer.state.PARAMETER.exp_avg". The number of the group that an optimizer
has a named parameter in is "optimizer.state.PARAMETER.param_group"."""

from __future__ import annotations

import re
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
        if _is_optimizer(value):
            named["optimizer" if key in OPTIMIZERS else key] = _optimizer(value)
        else:
            named[key] = value
    return named


def _optimizer(value: Mapping[Any, Any]) -> dict[Any, Any]:
    """An optimizer with the number of its group beside the state of each parameter that has a name. Groups keep the
    numbers of the others in `params`, whose order PyTorch gives the states to parameters by."""
    names: dict[Any, Any] = {}
    groups: list[Any] = []
    group_of: dict[Any, int] = {}
    for number, group in enumerate(value["param_groups"]):
        if not isinstance(group, Mapping):
            groups.append(group)
            continue
        own = _names(group)
        names |= own
        group_of |= dict.fromkeys(own.values(), number)
        groups.append(_settings(group, own))
    state = value["state"]
    if isinstance(state, Mapping):
        state = {names.get(one, one): slot for one, slot in state.items()}
        for name, number in group_of.items():
            slot = state.get(name, {})
            if isinstance(slot, Mapping):
                state[name] = {**slot, "param_group": number}
    return {**value, "state": state, "param_groups": groups}


def _names(group: Mapping[Any, Any]) -> dict[Any, str]:
    """Entry of `params` -> name, of those that have one: in `param_names`, or as the entry itself."""
    params, given = group.get("params"), group.get("param_names")
    if not isinstance(params, (list, tuple)):
        return {}
    found = {one: one for one in params if isinstance(one, str)}
    if isinstance(given, (list, tuple)) and len(given) == len(params):
        found |= {one: name for one, name in zip(params, given, strict=True) if isinstance(one, int)}
    return {one: name for one, name in found.items() if isinstance(name, str)}


def _settings(group: Mapping[Any, Any], names: Mapping[Any, str]) -> dict[Any, Any]:
    """A group without the parameters that have names."""
    settings = {key: value for key, value in group.items() if key not in ("params", "param_names")}
    if "params" in group and isinstance(group["params"], (list, tuple)):
        unnamed = [one for one in group["params"] if not isinstance(one, (int, str)) or one not in names]
        numbers = all(isinstance(one, int) and 0 <= one < 2**63 for one in unnamed)
        if unnamed:
            settings["params"] = torch.tensor(unnamed, dtype=torch.int64) if numbers else unnamed
    return settings


def group_entries(name: str, value: Any) -> list[Entry] | None:
    """The groups of parameters in an entry such as "optimizer.param_groups.1.params" of a distributed checkpoint, as
    flatten() gives them. None if it is another entry, or one of parameters without names."""
    place = re.fullmatch(r"(?:(.+)\.)?param_groups\.(\d{1,9})\.params", name)
    if not place or not isinstance(value, (list, tuple)) or not value or not all(isinstance(one, str) for one in value):
        return None
    state = f"{place[1]}.state" if place[1] else "state"
    return [entry for one in value for entry in _number(f"{state}.{one}.param_group", int(place[2]), [])]


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
