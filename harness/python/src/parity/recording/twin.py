# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The float64 twin of a training in PyTorch: the same weights, data and random numbers, all arithmetic in float64.

Rounding error nearly vanishes in float64, and any other difference stays. So the twins of two arms show which of both a
gap is (harness/compare/README.md).
"""

from __future__ import annotations

import collections
import functools
import gc
import os
from collections.abc import Mapping
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.nn.parallel import DistributedDataParallel
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from ..native.library import Error
from ..observe.optimizers import listed
from .warn import user_line

#: dtype below float64 -> what the twin has in its place
DOUBLE = dict.fromkeys((torch.float32, torch.float16, torch.bfloat16), torch.float64)
DOUBLE |= dict.fromkeys((torch.complex64, torch.complex32), torch.complex128)
LOW = tuple(DOUBLE)
#: Operators that draw random numbers: float32 and float64 use the generator differently.
RANDOM = {"rand", "randn", "rand_like", "randn_like", "normal", "bernoulli"}
RANDOM_IN_PLACE = {"uniform_", "normal_", "bernoulli_", "exponential_", "log_normal_", "cauchy_", "geometric_"}


@functools.cache
def begin() -> Twin:
    """Computes everything from here on in float64: sets the default dtype, and turns autocast off. Called again, it
    does nothing. Returns the watch that goes with it."""
    torch.set_default_dtype(torch.float64)
    _turn_autocast_off()
    register_module_forward_pre_hook(lambda _module, inputs: _doubled(inputs))
    twin = Twin()
    twin.__enter__()
    Literals().__enter__()
    return twin


def begin_if_asked() -> bool:
    """Begins the twin that PARITY_DTYPE asks for, and returns whether it does. Adapters call it when they are imported,
    if their trainers copy parameters to buffers of their own before `record` could convert them."""
    asked = os.environ.get("PARITY_DTYPE") == "float64" and bool(os.environ.get("PARITY_TRACE"))
    if asked:
        begin()
    return asked


def convert(model: Any, optimizer: Any) -> None:
    """Converts parameters, buffers, gradients and the optimizers' state. The values are those that they have now.

    Raises Error if the conversion would give the model other parameters than the optimizer has.
    """
    modules = _modules(model)
    before = [id(parameter) for module in modules for parameter in module.parameters()]
    for module in modules:
        module.double()
        for part in module.modules():  # module.double() leaves complex buffers as they are
            part._buffers.update({name: _double(value) for name, value in part._buffers.items()})
    if before != [id(parameter) for module in modules for parameter in module.parameters()]:
        raise Error(
            "cannot convert the model to float64 below its optimizer; make both in float64 if PARITY_DTYPE says so"
        )
    for wrapper in _wrappers_of(before):
        _bucket_again(wrapper)
    for one in listed(optimizer):
        for state in one.state.values():
            state.update({key: _double(value) for key, value in state.items()})


def _wrappers_of(parameters: list[int]) -> list[Any]:
    """Each DistributedDataParallel of the process around parameters with these ids. Its trainer may know the model
    without it, as the Trainer of transformers does."""
    wrappers = [one for one in gc.get_objects() if issubclass(type(one), DistributedDataParallel)]
    return [one for one in wrappers if any(id(parameter) in parameters for parameter in one.parameters())]


def _bucket_again(wrapper: Any) -> None:
    """Lets DistributedDataParallel make its buckets for the dtype that its parameters have now, as it does when it is
    unpickled. With the old ones it reduces nothing, without a message."""
    if wrapper.process_group != torch.distributed.group.WORLD:
        raise Error(
            "cannot convert a DistributedDataParallel with a process group of its own; wrap the model after "
            "parity.record, or remove float64 = true from the arm"
        )
    wrapper.__setstate__(wrapper.__getstate__())


class Twin(TorchDispatchMode):  # type: ignore[misc]
    """Computes in float64 what the training computes in float32 or less.

    Results that a call asks to be float32 or less become float64. Random numbers are drawn as in float32. A tensor that
    is below float64 all the same, such as one made before, is remembered with the line that used it: `check` refuses.
    """

    def __init__(self) -> None:
        super().__init__()
        self._met: collections.Counter[str] = collections.Counter()

    def check(self) -> None:
        """Raises Error if a tensor of the training was below float64."""
        if self._met:
            listed = "; ".join(f"{what} ({count} times)" for what, count in self._met.most_common(5))
            more = f"; and {len(self._met) - 5} other places" if len(self._met) > 5 else ""
            raise Error(
                f"the float64 twin met tensors below float64: {listed}{more}; make them of the default dtype, "
                "or remove float64 = true from the arm"
            )

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = dict(kwargs or {})
        name = func.overloadpacket.__name__
        if name in RANDOM and options.get("dtype") in (None, *LOW):
            return _doubled(_drawn_in_float32(func, args, options))
        if name in RANDOM_IN_PLACE and args[0].dtype == torch.float64:
            drawn = torch.empty_like(args[0], dtype=torch.float32)
            func(drawn, *args[1:], **options)
            return args[0].copy_(drawn)
        if options.get("dtype") in LOW:
            options["dtype"] = DOUBLE[options["dtype"]]
        result = func(*args, **options)
        if name == "lift_fresh":  # torch.tensor or from_numpy of values that are float32 already
            return _doubled(result)
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor) and tensor.dtype in LOW:
                self._met[f"{str(tensor.dtype).removeprefix('torch.')} of {func.name()} at {user_line()}"] += 1
        return result


class Literals(TorchFunctionMode):  # type: ignore[misc]
    """Makes tensors of Python's numbers float64 where a call asks for less. Operators do not see that call."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = dict(kwargs or {})
        if func in (torch.tensor, torch.as_tensor, torch.asarray) and options.get("dtype") in LOW:
            options["dtype"] = DOUBLE[options["dtype"]]
        return func(*args, **options)


def _modules(model: Any) -> list[Any]:
    parts = model.values() if isinstance(model, Mapping) else model if isinstance(model, (list, tuple)) else [model]
    return [part for part in parts if part is not None]


def _double(value: Any) -> Any:
    return value.to(DOUBLE[value.dtype]) if isinstance(value, torch.Tensor) and value.dtype in LOW else value


def _doubled(values: Any) -> Any:
    return tree_map_only(torch.Tensor, _double, values)


def _drawn_in_float32(func: Any, args: Any, options: dict[str, Any]) -> Any:
    if any(argument.name == "dtype" for argument in func._schema.arguments):
        options = {**options, "dtype": torch.float32}
    return func(
        *tree_map_only(torch.Tensor, lambda one: one.float() if one.is_floating_point() else one, args), **options
    )


def _turn_autocast_off() -> None:
    begin = torch.autocast.__init__

    def disabled(self: Any, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        self._enabled = False

    torch.autocast.__init__ = disabled
