# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity logs` without the packages of loggers: the records of W&B's file, which file is meant, and refusals.

Usage: logs_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from recorded import ENVIRONMENT

from parity.conversion import Problem
from parity.logs import tensorboard_files, wandb_file
from parity.logs.rows import Rows

PARITY = sys.argv[2]
BOARD = "events.out.tfevents.1795610230.host.1.0"


def wandb_bytes(*records):
    """A file of W&B with these records, each in pieces that fill the blocks."""
    data = bytearray(wandb_file.HEAD)
    for record in records:
        begun = False
        while True:
            left = 32768 - len(data) % 32768
            if left < 7:
                data += bytes(left)
                left = 32768
            piece, record = record[:left - 7], record[left - 7:]
            kind = (3 if record else 4) if begun else (2 if record else 1)
            data += struct.pack("<IHB", zlib.crc32(piece, zlib.crc32(bytes([kind]))), len(piece), kind) + piece
            begun = True
            if not record:
                break
    return bytes(data)


def records_of(data):
    return [record for _, record in wandb_file.records(pathlib.Path("a.wandb"), io.BytesIO(data))]


class LogsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def put(self, name, data=b""):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return path

    def test_records_of_wandb_cross_blocks(self):
        for size in (0, 1, 32747, 32748, 32754, 40000, 100000):  # the second record begins at the end of a block
            records = [bytes(size), b"second", bytes(range(256)) * 300]
            self.assertEqual(records_of(wandb_bytes(*records)), records)

    def test_each_cut_and_each_changed_byte_is_refused(self):
        data = wandb_bytes(b"first", b"second")
        ends = {len(wandb_file.HEAD), len(wandb_bytes(b"first")), len(data)}
        for size in set(range(len(data))) - ends:
            with self.assertRaises(Problem, msg=size):
                records_of(data[:size])
        for place in range(len(data)):
            changed = bytearray(data)
            changed[place] ^= 1
            with self.assertRaises(Problem, msg=place):
                records_of(bytes(changed))
        long = wandb_bytes(b"first", bytes(100000))
        with self.assertRaisesRegex(Problem, "byte 19: cut off"):
            records_of(long[:65536])  # between two pieces

    def test_files_of_a_run_are_in_the_order_of_their_times(self):
        for name in (BOARD, "events.out.tfevents.999.host.1.0", "below/" + BOARD, "notes.txt"):
            self.put(name)
        found = [file.name for file in tensorboard_files.find(self.folder)]
        self.assertEqual(found, ["events.out.tfevents.999.host.1.0", BOARD])

    def test_rows_begin_with_what_the_log_was(self):
        rows = Rows(self.folder)
        with self.assertRaisesRegex(Problem, "without a number at any step"):
            rows.write(self.folder / "empty.jsonl", "W&B")
        rows.add({"step": 1, "loss": 0.1})
        rows.left_out.add("image")
        rows.write(self.folder / "a.jsonl", "W&B")
        lines = [json.loads(line) for line in (self.folder / "a.jsonl").read_text().splitlines()]
        self.assertEqual(lines, [{"format": "W&B", "notes": ["left out, because they are not numbers over steps: image"]},
                                 {"step": 1, "loss": 0.1}])

    def refused(self, name, code, *sentences):
        """`parity compare` in an interpreter that has neither package."""
        python = self.put("python", f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n'.encode())
        python.chmod(0o755)
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        environment = ENVIRONMENT | {"PARITY_PYTHON": str(python), "TMPDIR": str(temporary)}
        done = subprocess.run([PARITY, "compare", name, name], capture_output=True, text=True, cwd=self.folder,
                              env=os.environ | environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for sentence in sentences:
            self.assertIn(sentence, done.stderr)
        self.assertEqual(list(temporary.iterdir()), [], "a temporary file stayed")

    def test_a_missing_package_is_named(self):
        self.put("board/" + BOARD, bytes(24))
        self.put("run/run-1.wandb", wandb_bytes(b"first"))
        for name in ("board", "board/" + BOARD):
            self.refused(name, 3, "has no TensorBoard", "-m pip install tensorboard")
        for name in ("run", "run/run-1.wandb"):
            self.refused(name, 3, "has no W&B", "-m pip install wandb")

    def test_two_runs_in_a_folder_are_refused(self):
        self.put("runs/a.wandb", wandb_bytes())
        self.put("runs/b.wandb", wandb_bytes())
        self.refused("runs", 2, "2 files could be meant", "name one of them")

    def test_a_folder_with_a_trace_is_a_run(self):
        self.put("run/" + BOARD, bytes(24))
        self.put("run/trace.h5", b"no trace")
        self.refused("run", 2, "trace")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
