# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records training runs for parity, which proves whether two of them compute the same thing.

rec = parity.record(model, optimizer, config=cfg)
...
rec.step(loss=loss)
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from .native.library import Error
from .native.scalars import Timing
from .recording import read_files

read_files.begin()

__version__ = "0.2.0"
__all__ = ["Error", "NoRecorder", "Timing", "record"]


class NoRecorder:
    """What `record` returns when nobody asked for a trace: each method does nothing."""

    __slots__ = ()

    def step(self, **channels: Any) -> None:
        pass

    def tensor(self, phase: str, name: str, value: Any, *, dims: str | None = None, mesh: Any = None) -> None:
        pass

    def tee(self, logger: Any) -> None:
        pass

    def stop(self, reason: str) -> None:
        pass

    def close(self) -> None:
        pass

    def __enter__(self) -> NoRecorder:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def record(
    model: Any = None,
    optimizer: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    config: Any = None,
    capture: Any = None,
    mesh: Any = None,
    dims: Any = None,
    outputs: Any = None,
    after: int = 0,
    twin: str | None = None,
    micro_batches: int | None = None,
    extras: Iterable[str] = (),
) -> Any:
    """Starts the recording of this process, and returns a Recorder. Without `path` and PARITY_TRACE, returns a
    NoRecorder. Call it after the optimizer was made and before the first update.

    model: a module, several in a list, or a mapping from prefix to module.
    optimizer: an optimizer, or several in a list or mapping. None: each `step` of the recorder is an update.
    path: where rank 0 writes its trace; by default PARITY_TRACE. Rank k writes run.rank<k>.h5 beside run.h5.
    config: the numeric config: a mapping, a dataclass or a namespace; by default the file of PARITY_CONFIG.
    capture: what to record beyond channels, as an object or a path (FORMAT.md); by default the file of PARITY_CAPTURE.
    mesh: the DeviceMesh that `dims` name, or a mapping from a name to a process group or to (coordinate, size).
    dims: for parameters that are parts of larger ones: a pattern of names -> a text such as "out[tp] in".
    outputs: the same for what modules return, its gradients, and inputs: such as "batch[dp] t h".
    after: how many updates a resumed run did before. Its trace begins with the next one and has no initial state.
    micro_batches: number of forward passes of an update; needed only if a fault or the teacher changes them and the
        number is not that of the update before.
    extras: channels that cost something: "update_norm", "param_norm", "batch_digest", "rng" (recording/extras.py).
    twin: "float64" trains in float64 from here on (recording/twin.py); by default what PARITY_DTYPE says.

    Raises Error if the trace cannot be opened. Later errors never reach the training.
    """
    place = os.fspath(path) if path is not None else os.environ.get("PARITY_TRACE")
    if not place:
        return NoRecorder()
    read_files.list_mapped_files()  # some may be gone at the end
    from .native import library
    from .native.trace_file import TraceFile
    from .observe.modules import compiled
    from .placement.find import Places
    from .recording.capture import Capture
    from .recording.facts import config_text, provenance_text
    from .recording.ranks import rank_and_ranks
    from .recording.recorder import Recorder

    if twin not in (None, "float64"):
        raise Error(f'twin = "{twin}" is not known; give "float64", or nothing')
    checks = []
    if twin or (os.environ.get("PARITY_DTYPE") == "float64" and model is not None):
        from .recording import twin as float64

        checks.append(float64.begin().check)
        float64.convert(model, optimizer)
    rank, ranks = rank_and_ranks()
    places = Places(mesh, dims)
    asked = Capture(capture)
    version = library.load().parity_recorder_version().decode()
    trace = TraceFile(
        place,
        rank=rank,
        ranks=ranks,
        config=config_text(config),
        provenance=provenance_text(version, compiled(model), asked.may_ever_want("forward", "backward")),
        capture=asked.text,
    )
    try:
        return Recorder(
            trace,
            asked,
            model,
            optimizer,
            path=place,
            rank=rank,
            ranks=ranks,
            places=places,
            outputs=Places(mesh, outputs),
            after=after,
            checks=checks,
            micro_batches=micro_batches,
            extras=extras,
        )
    except Exception:
        trace.close()
        raise
