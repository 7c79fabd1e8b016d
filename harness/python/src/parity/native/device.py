# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Measures tensors where they are: on a GPU, of which then only some numbers come to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .library import Error
from .memory import check_no_capture, is_on_gpu, memory_of, plain

if TYPE_CHECKING:
    from .trace_file import TraceFile


class Measured:
    """What the library measured of a tensor: norm, extremes, digest and sketch, with the bits of the host's."""

    def __init__(self, handle: int, free: Callable[[int], None]) -> None:
        self.handle, self._free = handle, free

    def __del__(self) -> None:
        self._free(self.handle)


class Devices:
    """Measures tensors on GPUs, or says once why they go to the host instead."""

    def __init__(self, warn: Callable[[str, str], None]) -> None:
        """warn: (key, text) -> None, which shows the text of a key once."""
        self._warn = warn
        self._usable: dict[int, bool] = {}

    def measure(self, trace: TraceFile, value: Any, layout: str | None) -> Measured | None:
        """What was measured of a tensor on a GPU; None for one elsewhere, and if this process cannot measure there."""
        if not is_on_gpu(value):
            return None
        import torch

        value = plain(value)
        if type(value) not in (torch.Tensor, torch.nn.Parameter):  # a subclass, whose memory may not be ready
            return None
        number = value.device.index or 0
        if not self._usable.get(number, True):
            return None
        check_no_capture()
        stream = torch.cuda.current_stream(value.device).cuda_stream if value.device.type == "cuda" else 0
        try:
            if number not in self._usable:
                self._usable[number] = False
                trace.check_device(number)
                self._usable[number] = True
            return trace.measure(memory_of(value.contiguous()), number, stream, layout)
        except (Error, torch.OutOfMemoryError) as problem:  # then the way over the host, which needs no device memory
            what = "a tensor goes" if self._usable[number] else "whole tensors go"
            self._warn(f"device {what}", f"{what} to the host to be measured, which takes long ({problem})")
            return None
