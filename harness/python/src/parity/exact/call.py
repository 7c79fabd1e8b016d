# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""One call of a function in an exact twin: its outputs, and the gradients of all inputs and parameters."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..observe.names import named_parameters, plain_name
from .layout import Layout
from .library import operators
from .places import waited
from .structure import arguments, leaves, mapped
from .twin import NUMBERS, Refused, draw, draw_tensor, refusals
from .unread import Unread


@dataclass(frozen=True)
class Result:
    """What a call gave under one name.

    value: a detached tensor, or what else it is; of a gradient None if there is none.
    residues: int64, of the tensor's shape; None unless the value is a floating-point tensor.
    has_numbers: the residues are no constants of the program.
    """

    value: Any
    residues: Any = None
    has_numbers: bool = False


class Call:
    """Gives a function copies of the inputs, and collects results by name."""

    def __init__(self, inputs: Any, layout: Layout, gradients: bool) -> None:
        self._layout, self._gradients = layout, gradients
        self._leaves: dict[str, Any] = {}
        self._given: dict[str, tuple[Any, int]] = {}  # what the function gets, and its version before
        self._named = arguments(inputs)
        self._trains = _trained(inputs)
        self._by_name = isinstance(inputs, Mapping)
        self._results: dict[str, Result] = {}

    def run(self, function: Callable[..., Any], parameters: Mapping[str, Any]) -> dict[str, Result]:
        """parameters: names -> parameters and buffers, with residues, whose gradients count as well."""
        import torch

        with (
            refusals(),
            torch.enable_grad(),
            _forward_tracebacks(),
            _without_gradients(parameters.values()),
        ):
            given = [(name, mapped(value, name, self._copy)) for name, value in self._named]
            versions = {name: each._version for name, each in parameters.items()}
            with Unread():
                returned = function(**dict(given)) if self._by_name else function(*(value for _, value in given))
            self._take_outputs(returned)
            for name, (x, version) in self._given.items():
                if x._version != version:
                    self._take(f"{name} after the call", x)
            for name, each in parameters.items():
                if each._version != versions[name]:
                    self._take(f"{name} after the call", each)
            if self._gradients:
                for name, leaf in self._leaves.items():
                    self._take_gradient(name, leaf)
                for name, parameter in parameters.items():
                    if parameter.requires_grad:
                        self._take_gradient(name, parameter)
        return self._results

    def _copy(self, name: str, value: Any) -> Any:
        import torch

        if not isinstance(value, torch.Tensor):
            return value
        whole = operators().copied(value)
        if not value.is_floating_point() and not value.is_complex():
            return self._layout.part(name, whole)
        if name in self._given:
            raise ValueError(f"two inputs have the name {name}, so their residues would be equal")
        draw_tensor(whole, f"input/{name}", lifts=False)
        leaf = self._layout.part(name, whole).requires_grad_(self._gradients and self._trains(value))
        if leaf.requires_grad:
            self._leaves[name] = leaf
        given = leaf.clone()  # no leaf, so that the function may change it in place
        self._given[name] = given, given._version
        return given

    def _take_outputs(self, returned: Any) -> None:
        import torch

        outputs, cotangents = [], []
        for name, value in leaves(returned, "output"):
            value = _whole(value)
            if self._gradients and isinstance(value, torch.Tensor) and value.requires_grad:
                outputs.append(value)
                cotangents.append(self._layout.part(name, _cotangent(name, self._layout.shape(name, value), value)))
            self._take(name, value)
        if outputs:
            torch.autograd.backward(outputs, cotangents)

    def _take_gradient(self, name: str, leaf: Any) -> None:
        gradient = leaf.grad
        if gradient is None:
            self._results[f"gradient of {name}"] = Result(None)
        else:
            self._take(f"gradient of {name}", _whole(gradient), self._layout.joins(name))

    def _take(self, name: str, value: Any, joins: Callable[[Any], Any] | None = None) -> None:
        import torch

        if not isinstance(value, torch.Tensor):
            self._results[name] = Result(value)
            return
        value = (joins or self._layout.joins(name))(waited(value.detach()))
        if not value.is_floating_point() and not value.is_complex():
            self._results[name] = Result(value.clone())
            return
        if value.is_complex():
            value = torch.view_as_real(value.resolve_conj())
        with refusals(""):
            residues = operators().residues(value)
        self._results[name] = Result(value.clone(), residues, operators().known(value) == NUMBERS)


def _trained(inputs: Any) -> Callable[[Any], bool]:
    """Returns which inputs get a gradient: all, unless some ask for it."""
    asked = any(getattr(value, "requires_grad", False) for _, value in leaves(inputs, ""))
    return lambda value: value.requires_grad or not asked


def _whole(value: Any) -> Any:
    return value.full_tensor() if hasattr(value, "full_tensor") else value


def _cotangent(name: str, shape: tuple[int, ...], like: Any) -> Any:
    """Returns a gradient of an output, with residues of its own, in no pattern that the values could hide behind."""
    import torch

    places = torch.arange(math.prod(shape), dtype=torch.float64)
    values = ((places * 0.6180339887498949 + 0.3) % 1 - 0.5).view(shape)
    result = values.to(like.dtype)
    if result.is_complex():
        raise Refused(f"{name} is complex; return its real and imaginary parts")
    draw_tensor(result, f"cotangent/{name}", lifts=False)
    return result


@contextlib.contextmanager
def _without_gradients(parameters: Any) -> Iterator[None]:
    """Takes the gradients away, and gives them back at the end."""
    kept = [(parameter, parameter.grad) for parameter in parameters]
    try:
        for parameter, _ in kept:
            parameter.grad = None
        yield
    finally:
        for parameter, gradient in kept:
            parameter.grad = gradient


@contextlib.contextmanager
def _forward_tracebacks() -> Iterator[None]:
    """An operator that a backward pass refuses says where the forward pass called it."""
    import torch

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.set_detect_anomaly(True, check_nan=False):
                yield
        except RuntimeError as problem:
            where = [str(each.message) for each in caught if "Traceback of forward call" in str(each.message)]
            if where and "exact twin: " in str(problem):
                raise RuntimeError(f"{str(problem).rstrip()}\n{where[0]}") from problem
            raise
    for each in caught:
        if "Anomaly Detection" not in str(each.message):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def drawn_parameters(*functions: Any) -> dict[str, Any]:
    """Draws residues for the parameters of modules, and returns parameters and buffers of all of them by name."""
    import torch

    found: dict[str, Any] = {}
    for function in functions:
        if isinstance(function, torch.nn.Module):
            draw(function)
            found |= {f"parameter {name}": parameter for name, parameter in named_parameters(function)}
            found |= {f"buffer {plain_name(name)}": buffer for name, buffer in function.named_buffers()}
    return found
