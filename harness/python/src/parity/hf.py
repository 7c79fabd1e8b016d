# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a Trainer of Hugging Face transformers, and TRL's trainers, which derive from it.

trainer = Trainer(model=model, args=args, train_dataset=data, callbacks=[parity.hf.Callback()])
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import torch
import transformers

import parity

from .recording.warn import warn


class Callback(transformers.TrainerCallback):
    """Records one call of `train`, from its first update to its last.

    The channel `loss` is the sum of what `training_step` returned for the micro-batches of an update. The Trainer adds
    up the same numbers for its log, but replaces NaN there and averages over `logging_steps`. Gradients and their norm
    come from the hooks of the recorder, since the Trainer calls `on_pre_optimizer_step` after clipping.
    """

    def __init__(
        self, *, trainer: Any = None, channels: Callable[[], Mapping[str, Any]] = dict, **options: Any
    ) -> None:
        """trainer: the Trainer, if it is not the caller of this callback.
        channels: called after each update; returns further channels, such as `reward_mean` of a policy.
        options: those of `parity.record`."""
        self._trainer, self._channels, self._options = trainer, channels, options
        self._recorder: Any = parity.NoRecorder()
        self._used = False
        self._loss: Any = None

    def on_init_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Makes what `train` creates before `on_train_begin` float64 in a float64 twin: its sum of losses."""
        if self._is_twin() and self._is_asked():
            torch.set_default_dtype(torch.float64)

    def _is_asked(self) -> bool:
        return bool(self._options.get("path") or os.environ.get("PARITY_TRACE"))

    def _is_twin(self) -> bool:
        return bool((self._options.get("twin") or os.environ.get("PARITY_DTYPE")) == "float64")

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if not self._is_asked():
            return
        if self._used:
            warn("this call of train is not recorded (its callback has recorded one); give it another Callback")
            return
        self._used = True
        trainer = self._trainer or _calling_trainer(self)
        _watch_losses(trainer, self)
        if self._is_twin():
            _double_what_it_holds(trainer)
        wrapped = isinstance(trainer.model_wrapped, torch.nn.parallel.DistributedDataParallel)
        model = trainer.model_wrapped if wrapped else given["model"]  # a twin has to change its buckets
        self._recorder = parity.record(model, given["optimizer"], after=state.global_step, **self._options)

    def add_loss(self, loss: Any) -> None:
        """Takes the loss of a micro-batch, divided as its gradients are."""
        value = loss.detach().to(torch.promote_types(loss.dtype, torch.float32))
        self._loss = value if self._loss is None else self._loss + value

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._recorder.step(loss=self._loss, **self._channels())
        self._loss = None

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._recorder.close()
        self._recorder = parity.NoRecorder()


def _calling_trainer(callback: Callback) -> Any:
    """The Trainer that is calling this callback. The Trainer gives itself to none of its callbacks."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        owner = frame.f_locals.get("self")
        handler = getattr(owner, "callback_handler", None)
        if handler is not None and any(one is callback for one in handler.callbacks):
            return owner
    raise parity.Error("cannot find the Trainer that called parity.hf.Callback; give Callback(trainer=...)")


def _double_what_it_holds(trainer: Any) -> None:
    """Converts tensors and models of this trainer beside the one that it trains, such as the reference of a policy."""
    for name, value in vars(trainer).items():
        if isinstance(value, torch.nn.Module) and value not in (trainer.model, trainer.model_wrapped):
            value.double()
        elif isinstance(value, torch.Tensor) and value.is_floating_point():
            setattr(trainer, name, value.double())


def _watch_losses(trainer: Any, callback: Callback) -> None:
    """Tells the callback what `training_step` of this trainer returns, from now on."""
    original = trainer.training_step

    def training_step(*arguments: Any, **options: Any) -> Any:
        loss = original(*arguments, **options)
        callback.add_loss(loss)
        return loss

    trainer.training_step = training_step
