# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Names for what a function takes and returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any


def leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yields (name, leaf) of nested lists, tuples, mappings and dataclasses."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from leaves(each, f"{name}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name), f"{name}.{field.name}")
    elif isinstance(value, (list, tuple)):
        for i, each in enumerate(value):
            yield from leaves(each, f"{name}[{i}]")
    else:
        yield name, value


def mapped(value: Any, name: str, function: Callable[[str, Any], Any]) -> Any:
    """Returns the same nesting of lists, tuples and dicts with function(name, leaf) in the place of each leaf."""
    if isinstance(value, Mapping):
        return {key: mapped(each, f"{name}[{key!r}]", function) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        new = [mapped(each, f"{name}[{i}]", function) for i, each in enumerate(value)]
        return type(value)(*new) if hasattr(value, "_fields") else type(value)(new)
    return function(name, value)


def arguments(inputs: Any) -> list[tuple[str, Any]]:
    """Returns the named arguments of a call: of a mapping by their names, else by their places."""
    if isinstance(inputs, Mapping):
        return list(inputs.items())
    if isinstance(inputs, (list, tuple)):
        return [(f"input {i}", each) for i, each in enumerate(inputs)]
    return [("input 0", inputs)]
