# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Files of torch.save, read by torch.load with weights_only, which refuses every pickle that runs code."""

from __future__ import annotations

import argparse
import json
import pathlib
import pickle
import re
from typing import Any

import torch
from torch.jit._pickle import restore_type_tag

from ..conversion import Problem, one_line
from .flatten import flatten
from .remarks import Remarks
from .safetensors_file import Entry

INDEX = ".index.json"
MOST_INDEX_BYTES = 100_000_000


def read(path: pathlib.Path, remarks: Remarks) -> list[Entry]:
    """The tensors of a file, or of the files that an index lists."""
    places = places_of_index(path) if path.name.endswith(INDEX) else {}
    files = sorted({path.parent / file for file in places.values()}) if places else [path]
    entries: list[Entry] = []
    for file in files:
        quantized = set(remarks.quantized)
        found = flatten(_load(file), remarks)
        listed = {name for name, place in places.items() if path.parent / place == file}
        if absent := listed - {entry.name for entry in found} - (set(remarks.quantized) - quantized):
            raise Problem(
                f"cannot read {path} ({file.name} has no '{one_line(min(absent))}', which it lists); copy it again"
            )
        entries += found
    most = 8 * sum(file.stat().st_size for file in files)
    if sum(entry.size for entry in entries) > most:
        raise Problem(f"cannot read {path} (its tensors claim more than 8 times the bytes of the file)")
    return entries


def places_of_index(path: pathlib.Path) -> dict[str, str]:
    """Name of a tensor -> name of the file next to the index that has it."""
    try:
        if path.stat().st_size > MOST_INDEX_BYTES:
            raise ValueError("it is larger than 100 MB")
        places: dict[str, str] = dict(json.loads(path.read_text())["weight_map"])
        if not places:
            raise ValueError("it lists nothing")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Problem(f"cannot read {path} (no index with a weight_map: {one_line(error)}); write it again") from error
    for name in places.values():
        if not isinstance(name, str) or pathlib.Path(name).name != name:
            raise Problem(f"cannot read {path} ('{one_line(name)}' is not the name of a file next to it)")
    return places


# Megatron's arguments, and how LibTorch marks the type of a dictionary, as in checkpoints of parity-train: the first
# runs nothing, and the second returns its argument.
HARMLESS = [argparse.Namespace, restore_type_tag]


def _load(path: pathlib.Path) -> Any:
    with torch.serialization.safe_globals(HARMLESS):
        try:
            return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError as error:
            if "mmap can only be used" not in str(error):
                raise Problem(f"cannot read {path} ({one_line(error)}); write it again with torch.save") from error
        except pickle.UnpicklingError as error:
            raise _refusal(path, error) from error
        except Exception as error:  # a damaged pickle raises anything
            raise Problem(f"cannot read {path} ({type(error).__name__}: {one_line(error)}); write it again") from error
        try:  # the format of before PyTorch 1.6
            return torch.load(path, map_location="cpu", weights_only=True)
        except pickle.UnpicklingError as error:
            raise _refusal(path, error) from error
        except Exception as error:
            raise Problem(f"cannot read {path} ({type(error).__name__}: {one_line(error)}); write it again") from error


def _refusal(path: pathlib.Path, error: Exception) -> Problem:
    names = re.search(r"(?:GLOBAL|global|class) ([\w.]+)", str(error))
    wanted = (
        f"its pickle wants {names[1]}, which could run code" if names else f"its pickle is refused: {one_line(error)}"
    )
    return Problem(f"cannot read {path} ({wanted}); save a state dict of tensors, numbers, lists and dictionaries")
