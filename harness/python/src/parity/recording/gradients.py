# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records gradients: as a rank computed them, before clipping, and after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from ..native.memory import is_torch
from ..native.trace_file import TraceFile
from ..observe import clipping, optimizers
from ..observe.clip_calls import ClipCalls
from ..observe.local_gradients import LocalGradients, data_parallel_axis, data_parallel_ranks, is_reduced_first
from ..passes import loss_scale
from ..passes.activations import Activations
from ..passes.keeping import Keeping
from ..placement.dtensor import is_dtensor
from ..placement.layout import Placed, layout_text
from .capture import Capture
from .parameters import Parameters
from .update import LeftGradient, Update
from .warn import warn


class Owner(Protocol):
    """The Recorder."""

    update: Update

    def guarded(self, call: Callable[..., Any], *arguments: Any) -> Any: ...
    def part_of(self, name: str, value: Any) -> Placed | None: ...
    def begin(self) -> TraceFile: ...
    def offer(self, phase: str, name: str, value: Any) -> None: ...
    def kept(self, phase: str, name: str, part: Placed) -> Placed: ...


class Gradients:
    """Listens to clipping and to parameters. Gradients wait as copies until the update is certain."""

    def __init__(
        self,
        owner: Owner,
        capture: Capture,
        model: Any,
        parameters: Parameters,
        activations: Activations,
        keeping: Keeping,
    ) -> None:
        self._owner, self._capture, self._model, self._parameters = owner, capture, model, parameters
        self._activations, self._keeping, self._clips = activations, keeping, ClipCalls()
        self._local = LocalGradients(
            lambda name, parameter: owner.guarded(self._keep_local, name, parameter),
            lambda name, number, gradient: owner.guarded(self._keep_alone, name, number, gradient),
        )
        self._is_reduced_first = is_reduced_first(model)
        self._data_parallel = data_parallel_axis(model)
        self._has_scale = False

    def begin(self, step: int, is_first: bool) -> None:
        """Begins an update."""
        self._clips.begin()
        wanted = self._capture.may_want(step, "grad_local")
        if wanted and is_first and self._is_reduced_first:
            warn(
                "grad_local of fully_shard is the gradient after its reduction, and FullyShardedDataParallel shows "
                "none; PyTorch has no earlier one"
            )
        if wanted and is_first and any(hasattr(one, "main_grad") for _, one in self._parameters.named()):
            warn(
                "grad_local is not recorded (Megatron adds up gradients in a buffer of its own); look at the phase grad"
            )
        alone = self._capture.micro_batches and not self._capture.may_change(step, "grad_local")
        self._local.begin(wanted, alone, self._parameters.named)

    def end(self) -> None:
        self._local.end()

    def facts(self) -> dict[str, Any]:
        """Over which ranks gradients are averaged, and how often they were computed, for the recipe."""
        found: dict[str, Any] = {}
        if self._has_scale:
            found["grad_scale"] = True
        if ranks := data_parallel_ranks(self._model) or self._activations.data_parallel:
            found["data_parallel"] = ranks
        # Parameters of fully_shard get a gradient only with its reduction, so that FirstUpdate misses the others.
        if self._is_reduced_first and (passes := len(self._activations.execution.backward_passes)):
            found["micro_batches"] = passes
        return found

    def clip_facts(self) -> dict[str, Any]:
        """What the recipe gets because of the calls that clipped in the update that ends. Call it once an update."""
        return self._clips.end(self._owner.update.step)

    def before_step(self, optimizer: Any) -> None:
        """Offers the gradients that an optimizer is about to use."""
        update = self._owner.update
        self._has_scale = self._has_scale or getattr(optimizer, "grad_scale", None) is not None
        if update.step & (update.step - 1) == 0:  # updates 1, 2, 4, 8, ..., since it visits all parameters
            for parameter in optimizers.parameters_of(optimizer):
                name = self._parameters.name_of(parameter)
                if name and parameter.grad is not None and not is_dtensor(parameter):  # whose versions say nothing
                    update.used[name] = (LeftGradient(parameter.grad), parameter._version)
        if not any(self._capture.may_want(update.step, phase) for phase in ("grad", "grad_clipped")):
            return
        for parameter in optimizers.parameters_of(optimizer):
            name = self._parameters.name_of(parameter)
            if name is None or parameter.grad is None:
                continue
            phase = "grad_clipped" if name in update.clipped else "grad"
            if (phase, name) not in update.offered:
                self._owner.begin()
                self._owner.tensors.offer(phase, name, parameter.grad)

    # --- what clipping calls ---------------------------------------------------------------------

    def on_norm(self, gradients: list[Any]) -> None:
        """Before a norm: faults and the teacher change the gradients now, so that the norm is that of their values."""
        if self._capture.may_change(self._owner.update.step, "grad"):
            self._owner.guarded(self._offer, {id(gradient) for gradient in gradients})

    def on_clip(self, parameters: list[Any], norm: Any, max_norm: Any, norm_type: Any) -> None:
        """Before clipping: the gradients are those of the phase grad, and the norm is the one that clipping uses."""
        self._activations.execution.begin_region("grad_clipped", "clip")
        self._owner.guarded(self._keep, parameters, norm, max_norm, norm_type)

    def after_clip(self, parameters: list[Any]) -> None:
        """Remembers what clipping left, to know another clipping of the same gradients."""
        self._owner.guarded(self._remember, parameters)

    def on_scaled_pass(self, inverse: Any) -> None:
        """Before the gradients of a scaled loss: grad_local is recorded without its factor."""
        self._owner.update.inverse_scale = inverse

    def after_scaled_pass(self) -> None:
        """After it: the next pass may be of a loss without that factor."""
        self._owner.update.inverse_scale = None

    def on_unscale(self, optimizer: Any) -> None:
        """Before the factor is taken out of gradients: what is added to them later has none."""
        self._owner.guarded(self._forget_scale, optimizer)

    def on_clip_value(self, parameters: list[Any], value: Any) -> None:
        """Before elements are cut off: of gradients that no norm has scaled, these are those of the phase grad."""
        self._activations.execution.begin_region("grad_clipped", "clip")
        self._owner.guarded(self._keep_unclipped, parameters, value)

    def watch_clipping(self) -> bool:
        """Returns False if this PyTorch clips in a way that is not seen."""
        loss_scale.add(self)
        return clipping.add(self)

    def forget_clipping(self) -> None:
        loss_scale.remove(self)
        clipping.remove(self)

    # --- gradients -------------------------------------------------------------------------------

    def _offer(self, wanted: set[int]) -> None:
        self._owner.update.gradients_are_whole = True
        for name, parameter in self._parameters.with_masters():
            if id(parameter.grad) in wanted and ("grad", name) not in self._owner.update.offered:
                self._owner.begin()
                self._owner.tensors.offer("grad", name, parameter.grad)

    def _keep(self, parameters: list[Any], norm: Any, max_norm: Any, norm_type: Any) -> None:
        ours = self._with_gradients(parameters)
        if not ours:
            return
        update, names = self._owner.update, tuple(name for name, _ in ours)
        is_again = all(name in update.left and update.left[name].is_unchanged(one.grad) for name, one in ours)
        self._clips.saw_norm(names, max_norm, norm_type, is_again=is_again)
        if max_norm is not None and max_norm != float("inf"):
            self._see_order(ours)
        if not is_again or names not in update.norms:
            update.norms[names] = norm.detach().clone() if is_torch(norm) else norm
        if not is_again:
            self._keep_gradients(ours)

    def _keep_unclipped(self, parameters: list[Any], value: Any) -> None:
        ours, clipped = self._with_gradients(parameters), self._owner.update.clipped
        if ours:
            self._clips.saw_value(tuple(name for name, _ in ours), value)
            self._see_order(ours)
        self._keep_gradients([(name, one) for name, one in ours if name not in clipped])

    def _see_order(self, ours: list[tuple[str, Any]]) -> None:
        """Remembers a call that clips gradients of which their optimizers have already made their steps: parameters
        have changed since, gradients have not, and no other optimizer is going to use them."""
        update = self._owner.update
        if not update.used or not all(name in update.used for name, _ in ours):
            return
        others = self._parameters.held_by_others(update.groups)
        for name, parameter in ours:
            gradient, version = update.used[name]
            if id(parameter) in others or parameter._version == version or not gradient.is_unchanged(parameter.grad):
                return
        self._clips.saw_late()

    def _keep_gradients(self, ours: list[tuple[str, Any]]) -> None:
        """Keeps what clipping is about to change, as the phase grad."""
        update = self._owner.update
        update.clipped.update(name for name, _ in ours)
        if self._capture.may_want(update.step, "grad"):
            for name, parameter in ours:
                part = self._owner.tensors.part_of(name, parameter.grad)
                if part is not None and ("grad", name) not in update.offered:
                    update.waiting["grad", name] = self._owner.tensors.kept("grad", name, part)

    def _with_gradients(self, parameters: list[Any]) -> list[tuple[str, Any]]:
        """Those of the parameters that the recorder knows and that have a gradient, with their names."""
        name_of = self._parameters.name_of
        return [(name, one) for one in parameters if (name := name_of(one)) and one.grad is not None]

    def _remember(self, parameters: list[Any]) -> None:
        for name, parameter in self._with_gradients(parameters):
            if not is_dtensor(parameter.grad):  # whose versions say nothing about its local tensor
                self._owner.update.left[name] = LeftGradient(parameter.grad)

    def _keep_local(self, name: str, parameter: Any) -> None:
        """The last backward pass of the update counts: its gradient has the sum over the micro-batches."""
        update = self._owner.update
        if hasattr(parameter, "main_grad") or not self._capture.may_want(update.step, "grad_local", name):
            return
        scaled, inverse = self._term(name, parameter.grad), self._inverse_of(name, parameter.grad)
        if scaled is None:
            return
        part = _without_scale(scaled, inverse)
        if not self._capture.may_change(update.step, "grad_local", name):
            update.waiting["grad_local", name] = self._owner.tensors.kept("grad_local", name, part)
            return
        seen = update.passes_of("grad_local", name)
        self._keeping.check_count(len(seen), "backward")
        seen.append(None)
        if len(seen) == self._keeping.expected():  # faults change the last one, which has the whole sum
            self._owner.begin()
            given = part.local.clone() if part is not scaled else None
            self._owner.tensors.offer("grad_local", name, part)
            if given is not None and not given.equal(part.local):
                scaled.local.copy_(part.local / inverse.to(part.local.device))

    def _keep_alone(self, name: str, number: int, gradient: Any) -> None:
        """The gradient of one backward pass, which autograd is about to add."""
        update, own = self._owner.update, f"{name}@{number}:micro_batch"
        if self._capture.may_want(update.step, "grad_local", own) and (part := self._term(name, gradient)) is not None:
            part = _without_scale(part, update.inverse_scale)
            update.waiting["grad_local", own] = self._owner.tensors.kept("grad_local", own, part)

    def _inverse_of(self, name: str, gradient: Any) -> Any:
        """What takes the loss's factor out of a sum over backward passes; None if the sum has no factor. One that has it
        keeps it over a pass without, until GradScaler.unscale_."""
        update = self._owner.update
        if update.inverse_scale is not None:
            update.scaled[name] = (LeftGradient(gradient), update.inverse_scale)
        left, inverse = update.scaled.get(name, (None, None))
        return inverse if left is not None and left.is_same(gradient) else None

    def _forget_scale(self, optimizer: Any) -> None:
        for parameter in optimizers.parameters_of(optimizer):
            if name := self._parameters.name_of(parameter):
                self._owner.update.scaled.pop(name, None)

    def _term(self, name: str, gradient: Any) -> Placed | None:
        """Where a local gradient lies: those of DistributedDataParallel are terms of a mean over its ranks."""
        part = self._owner.tensors.part_of(name, gradient)
        if part is None or part.layout is not None or self._data_parallel is None:
            return part
        shape = [*part.local.shape, 2] if part.local.is_complex() else part.local.shape
        return replace(part, layout=layout_text(shape, [self._data_parallel.terms("avg")]))


def _without_scale(part: Placed, inverse: Any) -> Placed:
    return part if inverse is None else replace(part, local=part.local * inverse.to(part.local.device))
