# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of 200 bits with derivatives, over which a case may write its own exact reference.

    from parity.operators.abstract import exp, sqrt

    def exact(x, weight, eps):                       # arrays of numbers; values as in the case
        mean = (x * x).sum(-1, keepdims=True) / x.shape[-1]
        return x / sqrt(mean + eps) * weight         # an array, or a tuple of arrays

The arrays are NumPy's, with dtype object. `sqrt`, `exp`, `log` and `largest` work on them and on float arrays, in
which the same function is the plain implementation that kernels are compared with. mpmath computes, so keep the
shapes small: about a million operations take ten seconds."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy

BITS = 200
mpmath.mp.prec = BITS


class Number:
    """A number, and how it follows from others: pairs of an operand and the derivative by it."""

    __slots__ = ("value", "parents", "gradient")

    def __init__(self, value: Any, parents: tuple[tuple[Number, Any], ...] = ()) -> None:
        self.value = mpmath.mpf(value)
        self.parents = parents
        self.gradient = mpmath.mpf(0)

    def __add__(self, other: Any) -> Number:
        other = number(other)
        return Number(self.value + other.value, ((self, 1), (other, 1)))

    def __sub__(self, other: Any) -> Number:
        other = number(other)
        return Number(self.value - other.value, ((self, 1), (other, -1)))

    def __mul__(self, other: Any) -> Number:
        other = number(other)
        return Number(self.value * other.value, ((self, other.value), (other, self.value)))

    def __truediv__(self, other: Any) -> Number:
        other = number(other)
        value = self.value / other.value
        return Number(value, ((self, 1 / other.value), (other, -value / other.value)))

    def __pow__(self, power: int) -> Number:
        return Number(self.value**power, ((self, power * self.value ** (power - 1)),))

    def __neg__(self) -> Number:
        return Number(-self.value, ((self, -1),))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Number:
        return number(other) - self

    def __rtruediv__(self, other: Any) -> Number:
        return number(other) / self

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < number(other).value)

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > number(other).value)

    def __float__(self) -> float:
        return float(self.value)


def number(value: Any) -> Number:
    return value if isinstance(value, Number) else Number(float(value) if isinstance(value, numpy.floating) else value)


def _each(function: Any, values: Any) -> Any:
    if isinstance(values, Number):
        return function(values)
    if isinstance(values, numpy.ndarray) and values.dtype == object:
        return numpy.vectorize(function, otypes=[object])(values)
    return None


def sqrt(values: Any) -> Any:
    def one(x: Number) -> Number:
        value = mpmath.sqrt(x.value)
        return Number(value, ((x, 1 / (2 * value)),))

    found = _each(one, values)
    return numpy.sqrt(values) if found is None else found


def exp(values: Any) -> Any:
    def one(x: Number) -> Number:
        value = mpmath.exp(x.value)
        return Number(value, ((x, value),))

    found = _each(one, values)
    return numpy.exp(values) if found is None else found


def log(values: Any) -> Any:
    found = _each(lambda x: Number(mpmath.log(x.value), ((x, 1 / x.value),)), values)
    return numpy.log(values) if found is None else found


def largest(values: Any, axis: int = -1) -> Any:
    """The largest along an axis, as constants: a shift by it cancels and has no derivative."""
    if values.dtype != object:
        return values.max(axis, keepdims=True)
    top = numpy.vectorize(float, otypes=[float])(values).argmax(axis)
    taken = numpy.take_along_axis(values, numpy.expand_dims(top, axis), axis)
    return numpy.vectorize(lambda x: Number(x.value), otypes=[object])(taken)


def numbers(values: numpy.ndarray) -> numpy.ndarray:
    """An array of numbers without history."""
    return numpy.vectorize(lambda x: Number(float(x)), otypes=[object])(values)


def derive(results: list[tuple[Number, float]]) -> None:
    """Carries the gradients with respect to the results to all numbers that they follow from."""
    for result, seed in results:
        result.gradient += mpmath.mpf(seed)
    for one in reversed(_ordered([result for result, _ in results])):
        for parent, derivative in one.parents:
            parent.gradient += one.gradient * derivative


def _ordered(results: list[Number]) -> list[Number]:
    """All numbers that results follow from, operands first."""
    order: list[Number] = []
    seen: set[int] = set()
    for result in results:
        stack = [(result, False)]
        while stack:
            one, ready = stack.pop()
            if ready:
                order.append(one)
            elif id(one) not in seen:
                seen.add(id(one))
                stack.append((one, True))
                stack.extend((parent, False) for parent, _ in one.parents)
    return order
