# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors inside what a module returns: tuples, lists, mappings and dataclasses, in any depth."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..native.memory import is_torch

Path = tuple[Any, ...]


def tensors_in(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """(path, tensor): positions of tuples and lists are ints in the path; keys and names of fields are strings."""
    if is_torch(value):
        yield path, value
        return
    for key, item in _items(value):
        yield from tensors_in(item, (*path, key))


def replaced(value: Any, call: Callable[[Path, Any], Any], path: Path = ()) -> Any:
    """`value` with call(path, tensor) in place of each tensor. Returns `value` itself if no tensor changes."""
    if is_torch(value):
        return call(path, value)
    items = list(_items(value))
    changed = {key: new for key, item in items if (new := replaced(item, call, (*path, key))) is not item}
    if not changed:
        return value
    if isinstance(value, (list, tuple)):
        new_items = [changed.get(key, item) for key, item in items]
        return type(value)(*new_items) if hasattr(value, "_fields") else type(value)(new_items)
    result = copy.copy(value)
    for key, item in changed.items():
        if isinstance(value, Mapping):
            result[key] = item
        else:
            object.__setattr__(result, key, item)
    return result


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        yield from ((key, item) for key, item in value.items() if isinstance(key, str))
    elif isinstance(value, (list, tuple)):
        yield from enumerate(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))


def output_name(module: str, path: Path) -> str:
    """The name of a tensor that a module returns: its own name for the first of a tuple, else <module>.out.<path>."""
    if all(key == 0 for key in path):
        return module
    return f"{module}.out." + ".".join(str(key) for key in path)
