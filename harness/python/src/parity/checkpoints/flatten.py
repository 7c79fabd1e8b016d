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
from .remarks import Remarks
from .safetensors_file import Entry
from .tensors import number_entry, tensor_entries

DEEPEST = 100
OPTIMIZERS = {"optimizer", "optimizers", "optim", "optimizer_state", "optimizer_state_dict"}


def flatten(state: Any, remarks: Remarks) -> list[Entry]:
    """The tensors and numbers of a state dict. remarks: receives the names of everything else."""
    if not isinstance(state, Mapping):
        raise Problem(f"cannot compare a {type(state).__name__} (a checkpoint is a dictionary of tensors)")
    if _is_optimizer(state):
        state = {"optimizer": state}
    return list(_entries("", _with_names(state), remarks, 0))


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
    return [number_entry(f"{state}.{one}.param_group", int(place[2]), Remarks()) for one in value]


def _entries(name: str, value: Any, remarks: Remarks, depth: int) -> Iterator[Entry]:
    if depth > DEEPEST:
        raise Problem(f"cannot read '{one_line(name, 80)}' (it nests more than {DEEPEST} levels)")
    if isinstance(value, torch.Tensor):
        yield from tensor_entries(name, value, remarks)
    elif isinstance(value, bool | int | float):
        yield number_entry(name, value, remarks)
    elif isinstance(value, Mapping) or isinstance(value, (list, tuple)):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, one in items:
            yield from _entries(f"{name}.{key}" if name else str(key), one, remarks, depth + 1)
    elif value is not None:
        remarks.left_out.append(name)
