# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a script that does not know of parity: `python -m parity record -- train.py`.

The model is the outermost module that runs with gradients and owns parameters of an optimizer. An update ends, after an
optimizer's step, when this module runs again, when a backward pass begins, or with the program. Its channel
`loss` is the sum of the values whose backward passes the update has. Its channel `param_norm` shows what the last update
did, which no later loss does.
"""

from __future__ import annotations

import atexit
import functools
import sys
import weakref
from collections.abc import Callable
from typing import Any

from ..observe.optimizers import after_closure
from .ranks import rank_and_ranks
from .warn import warn


class ScriptRecorder:
    """Watches PyTorch, starts one recorder, and ends its updates."""

    def __init__(self, start: Callable[[Any, list[Any], list[str]], Any]) -> None:
        """start: makes the recorder of a model, its optimizers, and extras."""
        self._start = start
        self._recorder: Any = None
        self._model: weakref.ref[Any] | None = None
        self._ours: weakref.WeakSet[Any] = weakref.WeakSet()
        self._watches = False
        self._failed = False
        self._optimizers: list[weakref.ref[Any]] = []
        self._losses: list[Any] = []
        self._scaled: list[tuple[weakref.ref[Any], Any]] = []  # what a GradScaler returned, and what it got
        self._stepped = False
        self._in_backward = False

    def watch(self) -> None:
        """Wraps what a training loop calls. PyTorch is imported by now."""
        import torch
        from torch.nn.modules.module import register_module_forward_pre_hook
        from torch.optim.optimizer import (
            Optimizer,
            register_optimizer_step_post_hook,
            register_optimizer_step_pre_hook,
        )

        register_module_forward_pre_hook(self._before_forward)
        register_optimizer_step_pre_hook(self._before_step)
        register_optimizer_step_post_hook(self._after_step)
        _wrap(Optimizer, "__init__", after=lambda optimizer: self._optimizers.append(weakref.ref(optimizer)))
        _wrap(Optimizer, "zero_grad", after=self._after_zero_grad)
        _wrap(torch.nn.Module, "compile", after=self._after_compile)
        _wrap_scale(torch.amp.GradScaler, self._after_scale)
        _wrap_backward(torch.autograd, self._before_backward, self._after_backward)
        self._watches = True

    @property
    def began(self) -> bool:
        """Whether a recorder began."""
        return self._recorder is not None

    def why_nothing(self) -> str:
        """Why no recorder began."""
        if not self._watches:
            return "the script did not import torch"
        if self._failed:
            return "the recorder could not begin, as a warning above says"
        return "no module ran with gradients whose parameters an optimizer of torch.optim has"

    # --- what PyTorch calls ----------------------------------------------------------------------

    def _before_forward(self, module: Any, inputs: Any) -> None:
        import torch

        if torch.compiler.is_compiling() or not torch.is_grad_enabled() or self._in_backward:
            return  # what the compiler reads has nothing to watch
        if self._recorder is None and not self._failed:
            self._begin(module)
        elif self._stepped and self._model is not None and self._model() is module:
            self._end_update()
        else:
            return
        if hasattr(self._recorder, "entered"):
            # The hook gets no keywords. They are a variable of the function of PyTorch that calls it.
            self._recorder.entered(module, inputs, sys._getframe(1).f_locals.get("kwargs") or {})

    def _after_compile(self, module: Any) -> None:
        """`module.compile()` makes the module run without its hooks."""
        run = module._compiled_call_impl

        @functools.wraps(run)
        def watched(*inputs: Any, **kwargs: Any) -> Any:  # _before_forward looks for this name
            self._before_forward(module, inputs)
            return run(*inputs, **kwargs)

        module._compiled_call_impl = watched

    def _before_backward(self, roots: Any) -> bool:
        """Returns whether this is the outermost backward pass: checkpointed blocks call others inside."""
        if self._in_backward:
            return False
        self._in_backward = True
        if self._stepped:
            self._end_update()
        for root in roots if isinstance(roots, (list, tuple)) else [roots]:
            if getattr(root, "numel", lambda: 0)() == 1:
                self._losses.append(self._unscaled(root).detach().clone())
        return True

    def _after_scale(self, outputs: Any, scaled: Any) -> None:
        if hasattr(outputs, "detach"):
            self._scaled = [pair for pair in self._scaled if pair[0]() is not None]
            self._scaled.append((weakref.ref(scaled), outputs.detach()))

    def _unscaled(self, root: Any) -> Any:
        """The loss that a GradScaler got, if this is what it returned."""
        return next((loss for scaled, loss in self._scaled if scaled() is root), root)

    def _after_backward(self) -> None:
        self._in_backward = False

    def _before_step(self, optimizer: Any, arguments: Any, options: Any) -> Any:
        """A closure may run the model for the first time. The recorder then has no hook yet before this step."""
        if self._recorder is not None or self._failed:
            return None
        return after_closure(arguments, options, lambda: self._after_first_closure(optimizer))

    def _after_first_closure(self, optimizer: Any) -> None:
        if self._recorder is not None and optimizer in self._ours:
            self._recorder.about_to_step(optimizer)

    def _after_step(self, optimizer: Any, _arguments: Any, _options: Any) -> None:
        known = any(one() is optimizer for one in self._optimizers)  # not a wrapper around one of them
        if known and self._recorder is not None and optimizer not in self._ours:
            self._recorder.stop(self._why_foreign(optimizer))
        self._stepped = self._stepped or known

    def _why_foreign(self, optimizer: Any) -> str:
        """Why an optimizer that steps is not recorded."""
        model, kind = self._model() if self._model is not None else None, type(optimizer).__name__
        ours = {id(one) for one in model.parameters()} if model is not None else set()
        if any(id(one) in ours for group in optimizer.param_groups for one in group["params"]):
            return (
                f"an optimizer of type {kind} that was made after the first update trains the recorded model; "
                "call parity.record again, with another path, after replacing the optimizer"
            )
        return (
            f"an optimizer of type {kind} trains parameters outside of the first model, "
            "which alone is recorded; give parity.record all models and optimizers"
        )

    def _after_zero_grad(self, _optimizer: Any) -> None:
        """Gradients that no step used, as when a GradScaler skips it: their losses belong to no update."""
        if not self._stepped:
            self._losses = []

    # --- the recorder ----------------------------------------------------------------------------

    def _begin(self, module: Any) -> None:
        owned = {id(parameter) for parameter in module.parameters()}
        live = [optimizer for one in self._optimizers if (optimizer := one()) is not None]
        ours = [one for one in live if any(id(p) in owned for group in one.param_groups for p in group["params"])]
        if not ours:
            return
        outside = _parameters_outside(owned, ours)
        try:
            extras = ["param_norm"] if _is_whole(module) else []
            self._recorder = self._start({"": module, "optimizer": outside} if outside else module, ours, extras)
        except Exception as problem:
            self._failed = True
            warn(f"the run is not recorded: {problem}")
            return
        self._model, self._ours = weakref.ref(module), weakref.WeakSet(ours)
        atexit.register(self._finish_update)  # after the recorder's own, so it is called before

    def _end_update(self) -> None:
        losses, self._losses, self._stepped = self._losses, [], False
        if self._recorder is not None:
            self._recorder.step(**({"loss": functools.reduce(lambda a, b: a + b, losses)} if losses else {}))

    def _finish_update(self) -> None:
        if self._stepped:
            self._end_update()


def _is_whole(model: Any) -> bool:
    """Whether this rank is known to hold all of each parameter, so that norms compare over any number of ranks."""
    from torch.nn.parallel import DistributedDataParallel

    return rank_and_ranks()[1] == 1 or isinstance(model, DistributedDataParallel)


def _parameters_outside(owned: set[int], optimizers: list[Any]) -> Any:
    """What the optimizers train beside the model, such as a second module: a module of parameters that are named by
    optimizer, group and position. None without any.

    owned: ids of the model's parameters."""
    import torch

    found = torch.nn.Module()
    for number, optimizer in enumerate(optimizers):
        for group, settings in enumerate(optimizer.param_groups):
            for place, parameter in enumerate(settings["params"]):
                if id(parameter) in owned:
                    continue
                owner = found
                for word in (str(number), str(group)):
                    if word not in owner._modules:
                        owner.add_module(word, torch.nn.Module())
                    owner = owner._modules[word]
                owner._parameters[str(place)] = parameter  # also a plain tensor
    return found if found._modules else None


def _wrap(owner: Any, name: str, *, after: Callable[[Any], Any]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapper(self: Any, *arguments: Any, **options: Any) -> Any:
        result = original(self, *arguments, **options)
        after(self)
        return result

    setattr(owner, name, wrapper)


def _wrap_scale(scaler: Any, after: Callable[[Any, Any], None]) -> None:
    original = scaler.scale

    @functools.wraps(original)
    def scale(self: Any, outputs: Any) -> Any:
        result = original(self, outputs)
        after(outputs, result)
        return result

    scaler.scale = scale


def _wrap_backward(autograd: Any, before: Callable[[Any], bool], after: Callable[[], None]) -> None:
    original = autograd.backward

    @functools.wraps(original)
    def backward(tensors: Any, *arguments: Any, **options: Any) -> Any:
        outermost = before(tensors)
        try:
            return original(tensors, *arguments, **options)
        finally:
            if outermost:
                after()

    autograd.backward = backward
