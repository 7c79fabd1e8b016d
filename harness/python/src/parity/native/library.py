# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Finds libparity-recorder.so and declares its functions for ctypes (harness/api/include/parity/recorder.h)."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

from .program import build_folders

NAME = "libparity-recorder.so"
ABI = 4

TIMING, PER_RANK, NUMERIC = 1, 2, 0
WANTS_TENSOR, WANTS_WRITABLE, WANTS_RECOMPUTED = 1, 2, 4
ORDERED, RECOMPUTED = 1, 2


class Error(RuntimeError):
    """A trace that cannot be written, with the reason."""


class Options(ctypes.Structure):
    """parity_recorder_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("path", c_char_p),
        ("rank", c_int64),
        ("ranks", c_int64),
        ("config", c_char_p),
        ("provenance", c_char_p),
        ("capture", c_char_p),
        ("capture_file", c_char_p),
        ("append_after", c_int64),
    ]


class Tensor(ctypes.Structure):
    """parity_tensor."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("id", c_int64),
        ("phase", c_char_p),
        ("name", c_char_p),
        ("dtype", c_char_p),
        ("rank", c_int32),
        ("flags", c_uint32),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("data", c_void_p),
        ("writable", c_void_p),
        ("copy", c_void_p),
        ("copy_context", c_void_p),
        ("layout", c_char_p),
        ("order", c_int64),
        ("micro_batch", c_int64),
        ("micro_batches", c_int64),
        ("first_row", c_int64),
        ("rows", c_int64),
    ]


# function -> (result, arguments); each is called parity_recorder_<name> in the library
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "abi": (c_int32, []),
    "version": (c_char_p, []),
    "last_error": (c_char_p, []),
    "open_with": (c_void_p, [POINTER(Options)]),
    "failure": (c_int, [c_void_p, c_char_p]),
    "describe": (c_int, [c_void_p, c_char_p]),
    "finish": (c_int, [c_void_p]),
    "close": (None, [c_void_p]),
    "begin_step": (c_int, [c_void_p, c_int64]),
    "end_step": (c_int, [c_void_p]),
    "value_f64": (c_int, [c_void_p, c_char_p, c_double, c_int32]),
    "value_i64": (c_int, [c_void_p, c_char_p, c_int64, c_int32]),
    "intern": (c_int64, [c_void_p, c_char_p, c_char_p]),
    "wants_id": (c_int, [c_void_p, c_int64]),
    "wants_elements_id": (c_int, [c_void_p, c_int64]),
    "offer": (c_int, [c_void_p, POINTER(Tensor)]),
    "measures_cuda": (c_int, [c_int32]),
    "measure_cuda": (c_void_p, [c_void_p, POINTER(Tensor), c_int32, c_void_p]),
    "offer_measured": (c_int, [c_void_p, POINTER(Tensor), c_void_p]),
    "free_measured": (None, [c_void_p]),
}


def candidates() -> list[str]:
    """The places of the library: PARITY_RECORDER_LIBRARY, this package, the build tree, the system."""
    named = os.environ.get("PARITY_RECORDER_LIBRARY")
    if named:
        return [named]
    package = pathlib.Path(__file__).resolve().parents[1]
    places = [package / "installed/lib" / NAME, *(folder / "lib" / NAME for folder in build_folders())]
    return [str(place) for place in places if place.exists()] + [NAME + ".0"]


@functools.cache
def load() -> Any:
    """The library with the signatures of its functions. Raises Error if there is none, or one that is too old."""
    problems = []
    for place in candidates():
        try:
            library = ctypes.CDLL(place)
        except OSError as problem:
            problems.append(str(problem))
            continue
        library.parity_recorder_abi.restype = c_int32
        if library.parity_recorder_abi() < ABI:
            raise Error(f"cannot use {place} (its interface is older than {ABI}); build the library of this tree")
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, "parity_recorder_" + name)
            function.restype, function.argtypes = result, arguments
        return library
    raise Error(f"cannot load {NAME} ({'; '.join(problems)}); set PARITY_RECORDER_LIBRARY to its path")
