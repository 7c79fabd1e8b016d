# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a Trainer of Lightning.

trainer = lightning.Trainer(..., callbacks=[parity.lightning.Callback()])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

try:
    from lightning.pytorch import callbacks
except ModuleNotFoundError:  # the package that has the same classes under its older name
    from pytorch_lightning import callbacks

import parity


class Callback(callbacks.Callback):
    """Records one call of `fit`, from its first update to its last.

    The channel `loss` is the sum of the losses that Lightning divides by `accumulate_grad_batches`, so it is the loss
    whose gradients the update uses. With manual optimization, it is what `training_step` returns, if it does. Lightning
    computes and clips gradients inside `optimizer.step`, and the recorder's hooks follow it there.
    """

    def __init__(self, **options: Any) -> None:
        """options: those of `parity.record`."""
        self._options = options
        self._recorder: Any = parity.NoRecorder()
        self._updates = 0
        self._loss: Any = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._updates, self._loss = trainer.global_step, None
        wrapped = isinstance(trainer.model, torch.nn.parallel.DistributedDataParallel)
        model = trainer.model if wrapped else pl_module  # a twin has to change its buckets
        self._recorder = parity.record(model, trainer.optimizers, after=trainer.global_step, **self._options)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        loss = outputs.get("loss") if isinstance(outputs, Mapping) else outputs
        if loss is not None:
            self._loss = loss.detach() if self._loss is None else self._loss + loss.detach()
        if trainer.global_step == self._updates:
            return
        self._recorder.step(**({} if self._loss is None else {"loss": self._loss}))
        self._updates, self._loss = trainer.global_step, None

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._recorder.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._recorder.__exit__(type(exception), exception, None)
