# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a training loop of Hugging Face accelerate, as one of its trackers.

tracker = parity.accelerate.Tracker()
accelerator = Accelerator(log_with=tracker)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
accelerator.init_trackers("run")
tracker.watch(model, optimizer)
...
accelerator.log({"loss": loss}, step=update)     # after each update
...
accelerator.end_training()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import accelerate.tracking

import parity


class Tracker(accelerate.tracking.GeneralTracker):
    """Ends an update at each `accelerator.log` that follows a step of the optimizer. Its numbers are channels.

    Micro-batches whose gradients accumulate do not step, so logging them is not an update. Text and other values that
    are not numbers are left out. With several ranks call `tracker.log` itself, since `accelerator.log` calls its
    trackers in the main process only.
    """

    name = "parity"
    requires_logging_directory = False
    main_process_only = False  # each rank writes its own trace

    def __init__(self, **options: Any) -> None:
        """options: those of `parity.record`. `config` is by default what `init_trackers` gets."""
        super().__init__()
        self._options = options
        self._recorder: Any = parity.NoRecorder()

    @property
    def tracker(self) -> Any:
        """The Recorder, for `accelerator.get_tracker("parity", unwrap=True).tensor(...)`."""
        return self._recorder

    def watch(self, model: Any, optimizer: Any) -> None:
        """Starts the trace: after `prepare` and `init_trackers`, before the first update."""
        self._recorder = parity.record(model, optimizer, **self._options)

    def store_init_configuration(self, values: Mapping[str, Any]) -> None:
        self._options.setdefault("config", values)

    def log(self, values: Mapping[str, Any], step: int | None = None, **_: Any) -> None:
        self._recorder.step(**{name: value for name, value in values.items() if _is_number(value)})

    def finish(self) -> None:
        self._recorder.close()


def _is_number(value: Any) -> bool:
    if hasattr(value, "numel"):
        return bool(value.numel() == 1)
    return isinstance(value, (int, float)) or hasattr(value, "item")
