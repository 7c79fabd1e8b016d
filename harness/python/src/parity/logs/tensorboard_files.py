# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Files of TensorBoard's events, read by TensorBoard's own reader of records.

Its loaders of events stop at a damaged record as if the file ended there. The reader of records raises.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..conversion import Problem, missing_package, one_line
from .rows import Rows
from .writers import Scalar, Start, Writers

NAME = re.compile(r"tfevents\.\d.*")  # begins with the time [s], ends with a counter
FRAME_BYTES = 16  # of a record: its length, and two checksums


def find(path: pathlib.Path) -> list[pathlib.Path]:
    """The files of a run in the order in which it began them."""
    if path.is_file():
        with path.open("rb") as file:
            return [path] if b"brain.Event:" in file.read(64) or NAME.search(path.name) else []
    found = [(NAME.search(file.name), file) for file in path.iterdir() if file.is_file()]
    files = [([int(number) for number in re.findall(r"\d+", name[0])], file) for name, file in found if name]
    return [file for _, file in sorted(files)]


def read(path: pathlib.Path, files: list[pathlib.Path], rows: Rows) -> None:
    try:
        import tensorboard  # noqa: F401
    except ImportError:
        raise missing_package(path, "TensorBoard", "this format", "tensorboard") from None
    if len(files) > 1:
        rows.notes.append(f"{len(files)} files of events are joined in the order of the times in their names")
    below = sum(1 for file in path.rglob("*tfevents.*") if file not in files) if path.is_dir() else 0
    if below:
        rows.notes.append(f"left out: {below} files of events in folders below, which are runs of their own")
    plugins: dict[str, str] = {}  # of each tag
    join(path, ((file.name, _items(file, plugins, rows)) for file in files), rows)


def join(path: pathlib.Path, files: Iterable[tuple[str, Iterable[Scalar | Start]]], rows: Rows) -> None:
    """Adds a row for each step of the files. Raises Problem where they are not one run."""
    writers = Writers(path)
    row: dict[str, Any] = {}
    for name, items in files:
        writers.begin(name)
        for item in items:
            if row and (isinstance(item, Start) or row["step"] != item.step or item.tag in row):
                rows.add(row)
                row = {}
            if isinstance(item, Start):
                writers.delete_from(item)
                rows.delete_from(item.step)
            else:
                writers.add(item)
                row |= {"step": item.step, item.tag: item.value}
        writers.end()
    if row:
        rows.add(row)
    _note_deleted(path, writers, rows)


def _note_deleted(path: pathlib.Path, writers: Writers, rows: Rows) -> None:
    """States which steps a resumed run deleted. Raises Problem if none is left."""
    steps = writers.steps()
    lost, again = sorted(writers.deleted - steps), sorted(writers.deleted & steps)
    if lost and not steps:
        raise Problem(
            f"cannot read {path} (a run that resumed at step {lost[0]} deleted all values by SessionLog.START, and "
            "logged none); name the file of the run before"
        )
    if again:
        rows.notes.append(
            f"{_are(again)} repeated, first {again[0]}: a resumed run deleted the values before (SessionLog.START)"
        )
    if lost:
        rows.notes.append(
            f"{_are(lost)} left out, first {lost[0]}: a resumed run deleted them (SessionLog.START) and did not log "
            "them again"
        )


def _are(steps: list[int]) -> str:
    return f"{len(steps)} step{'s are' if len(steps) > 1 else ' is'}"


def _items(file: pathlib.Path, plugins: dict[str, str], rows: Rows) -> Iterator[Scalar | Start]:
    """Scalars and restarts in the order of the file. A float32 becomes the float64 of the same value."""
    from tensorboard.compat.proto.event_pb2 import SessionLog
    from tensorboard.util import tensor_util

    for event in _events(file):
        if event.HasField("session_log") and event.session_log.status == SessionLog.START:
            yield Start(event.step, event.wall_time)
        for value in event.summary.value:
            kind = value.WhichOneof("value")
            plugin = value.metadata.plugin_data.plugin_name or plugins.get(value.tag, "")
            plugins[value.tag] = plugin
            number: Any = None
            if kind == "simple_value":
                number = value.simple_value
            elif kind == "tensor" and plugin == "scalars":
                array = tensor_util.make_ndarray(value.tensor)
                number = array.item() if array.size == 1 else None
            if isinstance(number, (int, float)) and value.tag != "step":
                yield Scalar(event.step, value.tag, number, event.wall_time, kind == "tensor")
            else:
                rows.left_out.add(value.tag)


def _events(file: pathlib.Path) -> Iterator[Any]:
    from tensorboard.compat.proto import event_pb2
    from tensorboard.compat.tensorflow_stub import errors, pywrap_tensorflow

    reader = pywrap_tensorflow.PyRecordReader_New(str(file))
    at = count = 0
    while True:
        try:
            reader.GetNext()
            event = event_pb2.Event.FromString(reader.record())
            if count == 0 and not event.file_version.startswith("brain.Event:"):
                raise ValueError("no version of events")
        except errors.OutOfRangeError:
            if count == 0:
                raise Problem(f"cannot read {file} (the file is empty); remove it, or copy it again") from None
            return
        except Exception as error:  # a damaged length or message raises anything
            cause = one_line(str(error).removeprefix(str(file)))
            raise Problem(
                f"cannot read {file} (the record at byte {at}, number {count + 1}: {cause}); "
                f"copy the file again, or keep what comes before: head -c {at}"
            ) from error
        yield event
        at += FRAME_BYTES + len(reader.record())
        count += 1
