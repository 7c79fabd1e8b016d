# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Sends the channels of each update on to a logger that the script uses anyway."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..native.library import Error

Send = Callable[[int, Mapping[str, float | int]], None]


def sender(logger: Any) -> Send:
    """What sends a step's number and channels to a SummaryWriter of TensorBoard, a run of W&B, or a function
    `logger(step, channels)`. Raises Error for anything else."""
    if hasattr(logger, "add_scalar"):

        def write(step: int, channels: Mapping[str, float | int]) -> None:
            for name, value in channels.items():
                logger.add_scalar(name, value, step)

        return write
    if hasattr(logger, "log"):
        return lambda step, channels: logger.log(dict(channels), step=step)
    if callable(logger):
        return lambda step, channels: logger(step, dict(channels))
    raise Error(f"cannot tee into a {type(logger).__name__}; give a SummaryWriter, a run of W&B or a function")
