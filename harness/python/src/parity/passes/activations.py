# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records what modules return (phase forward), the gradients of it (backward) and the model's inputs (input)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

from ..observe.local_gradients import data_parallel_ranks, running_wrapper
from ..observe.modules import ModuleHooks
from ..observe.outputs import Path, output_name, replaced, tensors_in
from ..recording.capture import Capture
from ..recording.extras import Extras
from .execution import Execution, in_backward
from .pieces import Pass

PHASES = ("forward", "backward", "input")


class Keeper(Protocol):
    """What takes the tensors."""

    def guarded(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls `call`; None if it raises, which ends the recording."""

    def keep(self, phase: str, name: str, value: Any, run: Pass | None) -> Any:
        """Takes a tensor of a pass. Returns values that replace it, or None."""

    def keep_again(self, phase: str, name: str, value: Any, run: Pass | None) -> Any:
        """Takes a tensor that is computed again. Returns the teacher's values, or None."""


class Activations:
    """Listens to the modules of a model at the steps for which the capture asks."""

    def __init__(self, keeper: Keeper, capture: Capture, model: Any, extras: Extras) -> None:
        self._keeper, self._capture, self._extras = keeper, capture, extras
        self._hooks = ModuleHooks(model, self) if model is not None else None
        self._step = 0
        self._again: dict[tuple[Pass | None, str], int] = {}
        self.execution = Execution()
        self.on = False
        #: Ranks of the DistributedDataParallel that ran the model, if the hooks saw one.
        self.data_parallel: list[int] = []
        self._just_installed = False

    def begin(self, step: int, operators: bool) -> None:
        """Begins an update. Hooks are put on the modules only if the update needs them.

        operators: whether operators are recorded, which need to know the module that runs."""
        self._step, self._again, self.execution = step, {}, Execution()
        wanted = operators or self._extras.wants("batch_digest")
        wanted = wanted or any(self._capture.may_want(step, phase) for phase in PHASES)
        if self._hooks is None:
            return
        self._just_installed = wanted and not self.on
        if wanted:
            self._hooks.install()
        elif self.on:
            self._hooks.remove()
        self.on = wanted

    def missed(self) -> str:
        """A warning if the capture asks for tensors of this update's passes, and no module was seen to run; else ""."""
        if not self.on or self.execution.passes or not self._capture.may_want(self._step, "forward"):
            return ""
        return (
            f"no module of the model was seen to run in update {self._step} (torch.compile hides them, as does "
            "another model than that of parity.record)"
        )

    def end(self) -> None:
        if self._hooks is not None:
            self._hooks.remove()
        self.on = False

    # --- what the hooks call ---------------------------------------------------------------------

    def entered(self, name: str, module: Any, arguments: Any, options: Any) -> None:
        if self.execution.enter(name):
            self._keeper.guarded(self._keep_inputs, module, arguments, options)

    def entered_before(self, module: Any, arguments: Any, options: Any) -> None:
        """Called by who begins an update inside of the model's forward pass, when its own hook was not there yet."""
        name = self._hooks.name_of(module) if self._just_installed and self._hooks is not None else None
        if name is not None:
            self.entered(name, module, arguments, options)

    def left(self, name: str, output: Any) -> Any:
        run = self.execution.current
        self.execution.leave(name)
        if output is None or run is None:
            return None
        return self._keeper.guarded(self._keep_outputs, name, output, run, in_backward())

    # --- tensors ---------------------------------------------------------------------------------

    def _keep_inputs(self, module: Any, arguments: Any, options: Any) -> None:
        run = self.execution.current
        if run is None:
            return
        self.data_parallel = self.data_parallel or data_parallel_ranks(running_wrapper())
        given = _by_name(module, arguments, options)
        if self._extras.wants("batch_digest"):
            self._extras.see_inputs(given)
        if not self._capture.may_want(self._step, "input"):
            return
        for path, value in tensors_in(given):
            name = ".".join(str(key) for key in path)
            if _is_real(value) and self._capture.may_want(self._step, "input", name):
                self._keeper.keep("input", run.numbered("input", name), value, run)

    def _keep_outputs(self, module: str, output: Any, run: Pass, again: bool) -> Any:
        def seen(path: Path, value: Any) -> Any:
            return self._seen(output_name(module, path), value, run, again) if _is_real(value) else value

        result = replaced(output, seen)
        return None if result is output else result

    def _seen(self, name: str, value: Any, run: Pass, again: bool) -> Any:
        forward = self._capture.may_want(self._step, "forward", name)
        backward = self._capture.may_want(self._step, "backward", name)
        if again:
            count = self._again[run, name] = self._again.get((run, name), -1) + 1
            numbered = f"{name}.call.{count}" if count else name
        else:
            numbered = run.numbered("forward", name)
        if forward:
            keep = self._keeper.keep_again if again else self._keeper.keep
            new = keep("forward", numbered, value, run)
            if new is not None:
                value = _with_values(value, new)
        if value.requires_grad and value.grad_fn is not None:
            value.register_hook(self._gradient_hook(numbered, run, backward, again))
        return value

    def _gradient_hook(self, name: str, run: Pass, wanted: bool, again: bool) -> Callable[[Any], Any]:
        execution = self.execution

        def hook(gradient: Any) -> Any:
            if execution is not self.execution:  # of an update that has ended
                return None
            execution.reached(run, again)
            if not wanted or gradient is None or name in run.differentiated:
                return None
            run.differentiated.add(name)
            return self._keeper.guarded(self._keeper.keep, "backward", name, gradient, run)

        return hook


def _by_name(module: Any, arguments: Any, options: Any) -> dict[str, Any]:
    """What a module was called with, by the names and in the order of its forward function."""
    try:
        return dict(inspect.signature(module.forward).bind_partial(*arguments, **options).arguments)
    except (TypeError, ValueError):
        return {"inputs": arguments, **options}


def _is_real(value: Any) -> bool:
    """Whether a tensor has values: neither a fake one of a compiler nor one inside a transform of torch.func."""
    import torch

    if value.is_meta or type(value).__name__ == "FakeTensor" or value.is_nested or value.is_quantized:
        return False
    return not torch._C._functorch.is_functorch_wrapped_tensor(value)


def _with_values(value: Any, new: Any) -> Any:
    """`new` in place of `value`: what follows computes with its values, and gradients reach what computed `value`."""
    import torch

    class Replace(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(_context: Any, _old: Any, values: Any) -> Any:
            return values.view_as(values)

        @staticmethod
        def backward(_context: Any, gradient: Any) -> Any:
            return gradient, None

    return Replace.apply(value, new) if value.requires_grad else new
