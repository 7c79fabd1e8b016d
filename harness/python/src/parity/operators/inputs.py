# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of an operator's problem, drawn by libparity-operators.so."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64
from typing import Any

import torch

from ..native.library import Error
from ..native.program import build_folders

NAME = "libparity-operators.so"


@functools.cache
def library() -> Any:
    """The library that draws the inputs: PARITY_OPERATORS_LIBRARY, that of this package, or of the build tree."""
    named = os.environ.get("PARITY_OPERATORS_LIBRARY")
    package = pathlib.Path(__file__).resolve().parents[1]
    places = [package / "installed/lib" / NAME, *(folder / "lib" / NAME for folder in build_folders())]
    place = named or next((str(one) for one in places if one.exists()), NAME)
    try:
        loaded = ctypes.CDLL(place)
    except OSError as problem:
        raise Error(f"cannot load {NAME} ({problem}); set PARITY_OPERATORS_LIBRARY to its path") from None
    loaded.parity_operators_error.restype = c_char_p
    loaded.parity_operators_input.restype = c_int
    loaded.parity_operators_input.argtypes = [c_char_p, c_int64, c_char_p, c_int64, c_int64, c_int64, POINTER(c_double)]
    loaded.parity_operators_cotangent.restype = c_int
    loaded.parity_operators_cotangent.argtypes = [c_char_p, c_int64, c_char_p, c_char_p, c_int64, POINTER(c_double)]
    return loaded


def dtype_of(name: str) -> torch.dtype:
    dtype = getattr(torch, name)
    assert isinstance(dtype, torch.dtype)
    return dtype


def resolved(value: Any, sizes: dict[str, int]) -> Any:
    """A value that is not a tensor, with the symbols of the sweep replaced."""
    if isinstance(value, list):
        return [resolved(item, sizes) for item in value]
    return sizes.get(value, value) if isinstance(value, str) else value


class Problem:
    """The problem of a case (harness/operators/problem/problem.hpp), with its inputs at each point."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.description = description
        self.points: list[dict[str, Any]] = description["points"]
        self.inputs: list[dict[str, Any]] = description["inputs"]
        self.batch: str = description.get("batch", "")
        self.length: str = description.get("length", "")
        self._text = json.dumps(description).encode()

    def text(self, point: int) -> str:
        """The point in words: "b = 7, s = 33, float32"."""
        row = self.points[point]
        return "".join(f"{symbol} = {size}, " for symbol, size in sorted(row["sizes"].items())) + str(row["dtype"])

    def output_name(self, index: int, count: int) -> str:
        names = self.description["outputs"]
        if index < len(names):
            return str(names[index])
        return "out" if count == 1 else f"out{index}"

    def sizes(self, point: int) -> dict[str, int]:
        """The sizes of the symbols of the sweep."""
        sizes: dict[str, int] = self.points[point]["sizes"]
        return sizes

    def values(self, sizes: dict[str, int]) -> dict[str, Any]:
        """The inputs that are not tensors, by name."""
        return {one["name"]: resolved(one["value"], sizes) for one in self.inputs if "tensors" not in one}

    def shape(self, spec: dict[str, Any], point: int) -> list[int]:
        return [int(resolved(size, self.sizes(point))) for size in spec["shape"]]

    def tensors(self, point: int, wide: bool, variation: int = 0) -> dict[str, Any]:
        """The inputs by name: a tensor, a list of tensors, or another value.

        wide: floating-point inputs in float64, with the values of their own dtype."""
        return {one["name"]: self._input(one, point, wide, variation) for one in self.inputs}

    def _input(self, one: dict[str, Any], point: int, wide: bool, variation: int) -> Any:
        if "tensors" not in one:
            return resolved(one["value"], self.sizes(point))
        made = [
            self._tensor(one["name"], item, spec, point, wide, variation) for item, spec in enumerate(one["tensors"])
        ]
        return made if one["list"] else made[0]

    def _tensor(
        self, name: str, item: int, spec: dict[str, Any], point: int, wide: bool, variation: int
    ) -> torch.Tensor:
        shape = self.shape(spec, point)
        values = torch.empty(shape, dtype=torch.float64)
        place = ctypes.cast(values.data_ptr(), POINTER(c_double))
        call = library().parity_operators_input
        if call(self._text, point, name.encode(), item, variation, values.numel(), place) != 0:
            raise Error(library().parity_operators_error().decode(errors="replace"))
        dtype = dtype_of(spec.get("dtype", self.points[point]["dtype"]))
        return values.to(torch.float64 if wide and dtype.is_floating_point else dtype)

    def cotangent(self, output: torch.Tensor, name: str, point: int) -> torch.Tensor:
        """The gradient with respect to an output. That of a twin has the values of the arm's."""
        dtype = self.points[point]["dtype"]
        values = torch.empty(output.shape, dtype=torch.float64)
        place = ctypes.cast(values.data_ptr(), POINTER(c_double))
        call = library().parity_operators_cotangent
        if call(self._text, point, name.encode(), dtype.encode(), values.numel(), place) != 0:
            raise Error(library().parity_operators_error().decode(errors="replace"))
        return values.to(output.dtype)
