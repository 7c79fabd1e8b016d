# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records an engine of DeepSpeed: without ZeRO, and with ZeRO stages 1 to 3.

import parity.deepspeed                   # before deepspeed.initialize, for the float64 twin
...
rec = parity.deepspeed.record(engine)     # after deepspeed.initialize
...
engine.step()
rec.step(loss=loss)                       # after each engine.step(), also of a micro-batch
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import torch
from deepspeed.accelerator import get_accelerator
from deepspeed.runtime import engine as engine_module
from deepspeed.runtime.zero.partition_parameters import InsertPostInitMethodToModuleSubClasses

import parity

from .observe import optimizers
from .observe.groups import channels_of, settings_of
from .observe.names import named_parameters
from .recording import twin


def record(engine: Any, **options: Any) -> Any:
    """An EngineRecorder, or a NoRecorder if nobody asked for a trace. options: those of `parity.record`.

    With ZeRO stage 3 no rank holds a whole parameter. The trace then has channels, and what the trainer gathers and
    gives to `tensor`.
    """
    whole = engine.zero_optimization_stage() < 3
    if IS_TWIN:
        options.setdefault("twin", "float64")
    recorder = parity.record(engine.module if whole else None, after=engine.global_steps, **options)
    return recorder if isinstance(recorder, parity.NoRecorder) else EngineRecorder(engine, recorder)


def _allow_float64() -> None:
    """DeepSpeed reduces float64 on CPUs, but says that it does not. ZeRO also takes another path if it accumulates
    gradients in another dtype than theirs."""
    accelerator = get_accelerator()
    supported = accelerator.supported_dtypes
    accelerator.supported_dtypes = lambda: [*supported(), torch.float64]
    types_of = engine_module.DeepSpeedEngine.get_data_types

    def data_types(engine: Any) -> tuple[Any, Any]:
        model, gradients = types_of(engine)
        same = engine.zero_optimization() and model == gradients
        return (torch.float64, torch.float64) if same else (model, gradients)

    engine_module.DeepSpeedEngine.get_data_types = data_types
    _allow_float64_of_stage_3()


def _allow_float64_of_stage_3() -> None:
    """ZeRO stage 3 asks whether parameters have 32 or 16 bits before it cuts them, but cuts float64 as well."""
    begin = InsertPostInitMethodToModuleSubClasses.__init__

    def allowing(self: Any, *args: Any, dtype: Any = None, **options: Any) -> None:
        begin(self, *args, dtype=torch.float32 if dtype is torch.float64 else dtype, **options)
        if dtype is torch.float64:
            self.dtype = dtype

    InsertPostInitMethodToModuleSubClasses.__init__ = allowing


IS_TWIN = twin.begin_if_asked()  # deepspeed.initialize copies parameters to flat vectors
if IS_TWIN:
    _allow_float64()


class EngineRecorder:
    """Ends an update when the engine has applied one. Micro-batches before it only add to its loss.

    The channel `loss` is the sum of the losses that the engine divides by `gradient_accumulation_steps`. ZeRO copies
    gradients and state into flat vectors. Their views are recorded under the parameters' names, before and after
    clipping. A parameter of which another rank holds a part has none of them in the trace, and neither has stage 3.
    """

    def __init__(self, engine: Any, recorder: Any) -> None:
        self._engine, self._recorder = engine, recorder
        self._zero = engine.optimizer if hasattr(engine.optimizer, "unscale_and_clip_grads") else None
        self._is_sharded = engine.zero_optimization_stage() == 3
        (self._optimizer,) = optimizers.listed(engine.optimizer)
        self._done = engine.global_steps
        self._groups: list[dict[str, Any]] = []
        self._norm: Any = None
        self._loss: Any = None
        self._handle = optimizers.before_step(self._optimizer, self._before_step)
        if self._is_sharded:
            pass  # no gradient of this rank is whole
        elif self._zero is not None:
            self._zero.unscale_and_clip_grads = self._around(self._zero.unscale_and_clip_grads)
        else:
            engine.clip_fp32_gradients = self._around(self._watching_norm(engine.clip_fp32_gradients))

    def step(self, loss: Any = None, **channels: Any) -> None:
        """Ends an update if the engine has applied one in its last step."""
        if loss is not None:
            part = getattr(loss, "detach", lambda: loss)() / self._engine.gradient_accumulation_steps()
            self._loss = part if self._loss is None else self._loss + part
        if self._engine.global_steps == self._done:
            return
        self._done = self._engine.global_steps
        if not self._engine.was_step_applied():  # an overflow: not an update
            self._groups, self._loss = [], None
            return
        self._recorder.share(channels_of([self._groups]))
        norm = self._norm if self._zero is None else self._engine.get_global_grad_norm()
        own = {name: value for name, value in (("grad_norm", norm), ("loss", self._loss)) if value is not None}
        for name, value in self._states():
            self._recorder.tensor("optim", name, value)
        self._recorder.step(**own | channels)
        self._groups, self._loss = [], None

    def tensor(self, phase: str, name: str, value: Any) -> None:
        self._recorder.tensor(phase, name, value)

    def close(self) -> None:
        self._handle.remove()
        self._recorder.close()

    def __enter__(self) -> EngineRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._handle.remove()
        self._recorder.__exit__(kind, problem, trace)

    # --- what the engine calls -------------------------------------------------------------------

    def _before_step(self, optimizer: Any) -> None:
        if self._is_sharded:  # it steps once for each piece of a group, with all groups
            self._groups = settings_of(optimizer)
            return
        self._groups += settings_of(optimizer)  # stages 1 and 2 step once for each group, with this group alone
        if self._zero is None:
            self._offer("grad_clipped" if self._engine.gradient_clipping() > 0 else "grad", None)

    def _around(self, clip: Callable[..., Any]) -> Callable[..., Any]:
        """`clip` with the gradients recorded before it, and with ZeRO also after it."""

        def clip_and_record(*arguments: Any, **options: Any) -> Any:
            flat = arguments[0][0] if self._zero is not None else None
            self._offer("grad", flat)
            result = clip(*arguments, **options)
            if flat is not None and self._engine.gradient_clipping() > 0:
                self._offer("grad_clipped", flat)
            return result

        return clip_and_record

    def _watching_norm(self, clip: Callable[..., Any]) -> Callable[..., Any]:
        """`clip`, which forgets the norm that it computes, with the norm kept."""

        def watched(*arguments: Any, **options: Any) -> None:
            original = engine_module.clip_grad_norm_

            def clip_grad_norm(*given: Any, **named: Any) -> Any:
                self._norm = original(*given, **named)
                return self._norm

            engine_module.clip_grad_norm_ = clip_grad_norm
            try:
                clip(*arguments, **options)
            finally:
                engine_module.clip_grad_norm_ = original

        return watched

    # --- tensors ---------------------------------------------------------------------------------

    def _offer(self, phase: str, flat: Any) -> None:
        """Records gradients: those of the parameters, or views of ZeRO's flat vector of one group."""
        if self._zero is None:
            for name, parameter in named_parameters(self._engine.module):
                if parameter.grad is not None:
                    self._recorder.tensor(phase, name, parameter.grad)
            return
        masters = self._zero.single_partition_of_fp32_groups
        group = next(number for number, master in enumerate(masters) if master.grad is flat)
        scale = self._zero.loss_scale if phase == "grad" else 1.0
        for name, parameter, mapping in self._whole():
            if mapping.param_group_index == group:
                values = _view(flat, parameter, mapping)
                self._recorder.tensor(phase, name, values if scale == 1.0 else values / scale)

    def _states(self) -> Iterator[tuple[str, Any]]:
        """(name, tensor) of the optimizer's state, and of ZeRO's copies of parameters in half precision."""
        if self._is_sharded:
            return
        if self._zero is None:
            for name, parameter in named_parameters(self._engine.module):
                for key, value in optimizers.state_of(self._optimizer, parameter):
                    yield f"{key}/{name}", value
            return
        for name, parameter, mapping in self._whole():
            master = self._zero.single_partition_of_fp32_groups[mapping.param_group_index]
            for key, value in optimizers.state_of(self._optimizer, master):
                yield f"{key}/{name}", _view(value, parameter, mapping) if value.shape == master.shape else value
            if parameter.dtype != master.dtype:
                yield f"master/{name}", _view(master, parameter, mapping)

    def _whole(self) -> Iterator[tuple[str, Any, Any]]:
        """(name, parameter, mapping) of the parameters that are whole in this rank's flat vectors."""
        for name, parameter in named_parameters(self._engine.module):
            mapping = getattr(parameter, "_hp_mapping", None)
            if mapping is not None and mapping.hp_fragment_address.numel == parameter.numel():
                yield name, parameter, mapping


def _view(flat: Any, parameter: Any, mapping: Any) -> Any:
    address = mapping.hp_fragment_address
    return flat.detach().narrow(0, address.start, address.numel).view(parameter.shape)
