# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Channels that cost something, and that `parity.record(..., extras=[...])` therefore has to name."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..native.library import Error
from ..native.memory import is_torch, plain
from ..observe.digest import digest_of
from ..observe.outputs import tensors_in

NAMES = ("update_norm", "param_norm", "batch_digest", "rng")
CHUNK = 1 << 15  # elements that PyTorch adds on one thread, so that their number does not change the bits of a sum
DEVICE_CHUNK = 1 << 24  # elements that a device holds in float64 at a time


class Extras:
    """update_norm: L2 norm of the change of all parameters. It needs a copy of them.
    param_norm: L2 norm of all parameters after the update, accumulated in float64. It needs a pass over them.
    batch_digest: digest of all tensors that the model's forward passes get. It needs a pass over them.
    rng: digests of the states of Python's, NumPy's and PyTorch's generators after the update."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        unknown = sorted(self._names - set(NAMES))
        if unknown:
            raise Error(f"unknown extra {unknown[0]}; give some of {', '.join(NAMES)}")
        self._before: list[tuple[Any, Any]] = []
        self._batch: Any = 0
        self._inputs = 0
        self._generators: dict[str, Callable[[], bytes]] | None = None

    def wants(self, name: str) -> bool:
        return name in self._names

    def begin(self) -> None:
        """Begins an update."""
        self._before, self._batch, self._inputs = [], 0, 0

    def before_step(self, parameters: Iterable[tuple[str, Any]]) -> None:
        """Called before an optimizer steps: the first call of an update copies the parameters."""
        if self.wants("update_norm") and not self._before:
            self._before = [(one, one.detach().clone()) for _, one in parameters if one.requires_grad]

    def see_inputs(self, given: Any) -> None:
        """Adds what a forward pass gets. The digest stays on the device until the update ends."""
        for path, tensor in tensors_in(given):
            self._batch = self._batch * 31 + digest_of(tensor) + len(path)
            self._inputs += 1

    def channels(self, parameters: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        """Values of this update: floats, ints, or tensors of one element."""
        found: dict[str, Any] = {}
        if self.wants("update_norm"):
            found["update_norm"] = self._update_norm()
        if self.wants("param_norm"):
            found["param_norm"] = _norm(one for _, one in parameters)
        if self.wants("batch_digest"):
            found["batch_digest"] = self._batch if is_torch(self._batch) else int(self._batch)
        if self.wants("rng"):
            if self._generators is None:  # those that exist at the first update, since channels stay the same
                self._generators = dict(_generators())
            found |= {f"rng.{name}": _short(state()) for name, state in self._generators.items()}
        return found

    def _update_norm(self) -> Any:
        squares = [(_local(now.detach()).double() - _local(old).double()).square().sum() for now, old in self._before]
        return _sum(squares) ** 0.5


def _norm(parameters: Iterable[Any]) -> Any:
    """L2 norm of this rank's elements, a float64 tensor of one element, with the same bits on any number of threads."""
    import torch

    squares = []
    for parameter in parameters:
        values = plain(_local(parameter))
        if not values.is_floating_point() or values.is_meta:
            continue
        for chunk in values.reshape(-1).split(CHUNK if values.device.type == "cpu" else DEVICE_CHUNK):
            squares.append(torch.linalg.vector_norm(chunk.double()).square())
    return _sum(squares) ** 0.5


def _sum(squares: list[Any]) -> Any:
    return sum(one.cpu() if len({each.device for each in squares}) > 1 else one for one in squares)


def _local(value: Any) -> Any:
    return value.to_local() if hasattr(value, "to_local") else value


def _generators() -> Iterable[tuple[str, Callable[[], bytes]]]:
    yield "python", lambda: repr(random.getstate()).encode()
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        yield "numpy", lambda: repr([_bytes(one) for one in numpy.random.get_state(legacy=True)]).encode()
    if torch is not None:
        yield "torch", lambda: bytes(torch.get_rng_state().numpy().tobytes())
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            yield "cuda", lambda: bytes(torch.cuda.get_rng_state().numpy().tobytes())


def _bytes(value: Any) -> Any:
    return value.tobytes() if hasattr(value, "tobytes") else value


def _short(state: bytes) -> int:
    """64 bits of a hash as an int64."""
    return int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little", signed=True)
