# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""rec.tee into TensorBoard and W&B, read back from their files.

Usage: tee_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import pathlib
import struct

from support import AdapterTest, Trace, main

import wandb
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter
from wandb.proto import wandb_internal_pb2

import parity

LOSSES = [0.5, 0.25, 0.125]


def log_records(data, at):
    """The records of W&B's file, a LevelDB log: blocks of 32 KiB, and pieces of records with a head of 7 bytes."""
    whole, place = b"", 0
    while place + 7 <= len(data):
        left = 32768 - (at + place) % 32768
        if left < 7:
            place += left
            continue
        _, size, kind = struct.unpack_from("<IHB", data, place)
        whole += data[place + 7:place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # the whole record, or its last piece
            yield whole
            whole = b""


class TeeTest(AdapterTest):
    def record(self, logger):
        with parity.record(path=self.path("run.h5")) as rec:
            rec.tee(logger)
            for loss in LOSSES:
                rec.step(loss=loss, tokens=64)
        return Trace(self.path("run.h5"))

    def test_tensorboard_gets_the_channels(self):
        with SummaryWriter(self.path("board")) as writer:
            trace = self.record(writer)
        events = EventAccumulator(self.path("board")).Reload()
        self.assertEqual(sorted(events.Tags()["scalars"]), ["loss", "tokens"])
        self.assertEqual([(event.step, event.value) for event in events.Scalars("loss")],
                         list(zip(trace.steps, trace.channels["loss"], strict=True)))

    def test_wandb_gets_the_channels(self):
        with wandb.init(mode="offline", dir=self.path("")) as run:
            self.record(run)
        wandb.teardown()  # W&B's own process writes the file, and may do so after the run has finished
        (file,) = pathlib.Path(self.path("wandb")).glob("offline-run-*/*.wandb")
        rows = []
        for data in log_records(file.read_bytes()[7:], 7):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            row = {item.key or item.nested_key[0]: json.loads(item.value_json) for item in record.history.item}
            rows += [(row["_step"], row["loss"], row["tokens"])] if "loss" in row else []
        self.assertEqual(rows, [(step, loss, 64) for step, loss in enumerate(LOSSES, 1)])

    def test_a_logger_that_raises_stops_nothing(self):
        seen = []

        def log(step, channels):
            seen.append((step, channels["loss"]))
            if step == 2:
                raise OSError("no network")

        with self.assertWarnsRegex(RuntimeWarning, "update 2 on .no network."):
            trace = self.record(log)
        self.assertEqual((trace.channels["loss"], seen), (LOSSES, [(1, 0.5), (2, 0.25)]))

    def test_what_is_no_logger_is_refused(self):
        with parity.record(path=self.path("run.h5")) as rec:
            rec.step(loss=1.0)
            with self.assertRaisesRegex(parity.Error, "cannot tee into a int"):
                rec.tee(3)


if __name__ == "__main__":
    main()
