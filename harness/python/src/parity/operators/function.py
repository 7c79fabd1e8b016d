# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The function that an arm names, and its arguments."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import pathlib
import sys
from collections.abc import Callable
from typing import Any

from ..native.library import Error


def load(words: str, folder: str) -> Callable[..., Any]:
    """The function of "FILE.py:NAME" (from the folder of the case) or "MODULE:NAME"."""
    source, _, name = words.rpartition(":")
    if not source or not name:
        raise Error(f'cannot load {words!r} (it has no function); write python = "FILE.py:FUNCTION"')
    if source.endswith(".py"):
        path = pathlib.Path(folder, source)
        if not path.exists():
            raise Error(f"cannot load {words!r} (there is no {source} beside the case); correct the path")
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(source)
    function: Any = module
    for part in name.split("."):
        if not hasattr(function, part):
            near = difflib.get_close_matches(part, dir(function), 3)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise Error(f"{source} has no function {name!r}{hint}")
        function = getattr(function, part)
    if not callable(function):
        raise Error(f"{words} is not a function")
    found: Callable[..., Any] = function
    return found


def arguments(chosen: dict[str, Any] | None, inputs: dict[str, Any], resolve: Callable[[Any], Any]) -> dict[str, Any]:
    """The keyword arguments: all inputs, or those that the arm's `arguments` choose: parameter -> input or value."""
    if chosen is None:
        return dict(inputs)
    return {
        name: inputs[value] if isinstance(value, str) and value in inputs else resolve(value)
        for name, value in chosen.items()
    }


def check(function: Callable[..., Any], given: dict[str, Any], words: str) -> None:
    """Raises Error if the function has no such parameters."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # a function in C tells nothing; its own error is reported
    try:
        signature.bind(**given)
    except TypeError as problem:
        raise Error(
            f"cannot call {words}{signature} with {', '.join(given) or 'nothing'} ({problem}); "
            f"name its parameters with the arm's 'arguments'"
        ) from None
