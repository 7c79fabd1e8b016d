# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a Trainer of torchtitan, as a class derived from it.

torchtitan.train.main(parity.titan.recorded(torchtitan.train.Trainer))
"""

from __future__ import annotations

from typing import Any

import torch

import parity


def recorded(trainer_class: Any, **options: Any) -> Any:
    """A class derived from this Trainer, which records what it trains. options: those of `parity.record`.

    The recorder starts with the first `train_step`, after a checkpoint was loaded. The channel `loss` is the sum over
    micro-batches of `forward_backward_step`, each divided by the valid tokens of all ranks. So with several ranks, the
    loss that torchtitan logs is the sum over ranks of this channel.
    """

    class Recorded(trainer_class):  # type: ignore[misc]
        _recorder: Any = None
        _losses: list[Any]

        def train_step(self, *arguments: Any, **given: Any) -> Any:
            if self._recorder is None:
                self._recorder = parity.record(
                    _models(self.model_parts), list(self.optimizers), after=self.step - 1, **options
                )
            self._losses = []
            result = super().train_step(*arguments, **given)
            self._recorder.step(loss=torch.sum(torch.stack(self._losses)))
            return result

        def forward_backward_step(self, *arguments: Any, **given: Any) -> Any:
            loss = super().forward_backward_step(*arguments, **given)
            self._losses.append(loss.detach())
            return loss

        def close(self) -> None:
            if self._recorder is not None:
                self._recorder.close()
            super().close()

    return Recorded


def _models(parts: Any) -> Any:
    """The model, or the stages of a pipeline on this rank under their numbers."""
    return parts[0] if len(parts) == 1 else {str(number): part for number, part in enumerate(parts)}
