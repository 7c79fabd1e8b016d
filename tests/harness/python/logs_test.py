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
from parity.logs import parquet_file, tensorboard_files, wandb_file
from parity.logs.command import convert
from parity.logs.rows import Rows
from parity.logs.writers import Scalar, Start, Writers

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


def curve(steps, time, tag="loss", factor=1.0, is_tensor=False):
    """A value each second from a time on; that of a step is the same in each file, but for the factor."""
    return [Scalar(step, tag, factor / step, time + i, is_tensor) for i, step in enumerate(steps)]


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

    def joined(self, *files):
        """The values of "loss" in the rows of files of events, and the notes."""
        rows = Rows(self.folder)
        self.addCleanup(rows._lines.close)
        tensorboard_files.join(self.folder, [(f"file{i}", items) for i, items in enumerate(files, 1)], rows)
        rows.write(self.folder / "joined.jsonl", "TensorBoard")
        head, *lines = map(json.loads, (self.folder / "joined.jsonl").read_text().splitlines())
        return [(line["step"], line["loss"]) for line in lines if "loss" in line], head["notes"]

    def not_joined(self, *files, why):
        with self.assertRaisesRegex(Problem, why) as caught:
            self.joined(*files)
        self.assertEqual(caught.exception.code, 2)

    def test_a_start_deletes_the_steps_behind_it(self):
        before = curve(range(1, 13), 0)
        for start, lost in ((13, []), (12, ["1 step is left out, first 12"]), (7, ["6 steps are left out, first 7"])):
            died, notes = self.joined(before, [Start(start, 100)])
            self.assertEqual(died, [(step, 1 / step) for step in range(1, start)])
            self.assertEqual([note.partition(":")[0] for note in notes], lost)
        died, notes = self.joined(before, [Start(7, 100), *curve([7, 8], 101, factor=2.0)])
        self.assertEqual(died, [(step, 1 / step) for step in range(1, 7)] + [(7, 2 / 7), (8, 0.25)])
        self.assertEqual([note.partition(":")[0] for note in notes],
                         ["2 steps are repeated, first 7", "4 steps are left out, first 9"])
        rare = self.joined(before, [Start(7, 100), *curve([8], 101, "eval_loss")])[0]
        self.assertEqual(rare, [(step, 1 / step) for step in range(1, 7)])

    def test_each_start_deletes_what_came_before_it(self):
        first, second = curve(range(1, 13), 0), [Start(9, 100), *curve(range(9, 16), 101)]
        for starts, last in (((5,), 4), ((14,), 13), ((14, 3), 2), ((3, 14), 2)):
            third = [Start(start, 200) for start in starts]
            self.assertEqual(self.joined(first, second, third)[0], [(step, 1 / step) for step in range(1, last + 1)])
        within = [*curve(range(1, 13), 0), Start(7, 20), *curve(range(7, 9), 30)]
        self.assertEqual(self.joined(within)[0], [(step, 1 / step) for step in range(1, 9)])
        self.not_joined(first, [Start(1, 100)], why="resumed at step 1 deleted all values")
        self.not_joined(first, [Start(7, 5)], why="file2 deletes steps from 7 on, and file1 logged such steps after that")

    def test_two_runs_in_one_folder_are_refused(self):
        first = curve(range(1, 13), 0)
        again = "file2 logs the steps of file1 again, .* values differ: 'loss' at step 1 is 1.0 and 1.5"
        both = "file2 began before file1 ended, and their values differ: 'loss' at step "
        self.not_joined(first, curve(range(1, 13), 100, factor=1.5), why=again)
        self.not_joined(first, curve(range(1, 9), 100, factor=1.5), why=again)
        self.not_joined(first, curve([2, 1, *range(3, 13)], 100, factor=1.5), why=again)
        self.not_joined([*first, *curve([1, 12], 0, "eval_loss")], curve(range(1, 13), 100, factor=1.5), why=again)
        self.not_joined(first, curve(range(1, 13), 0, factor=1.5), why=both + "1 is 1.0 and 1.5")
        self.not_joined(first, curve(range(7, 13), 10, factor=1.5), why=both + "7 is ")
        self.not_joined(curve(range(1, 13, 2), 0), curve(range(2, 13, 2), 1), why="log 'loss' at steps of the same range")
        last = curve(range(1, 12), 100) + [Scalar(12, "loss", float("nan"), 112, False)]
        self.not_joined(first, last, why="'loss' at step 12 is 0.08333333333333333 and nan")

    def test_one_run_of_several_files_is_joined(self):
        first = curve(range(1, 13), 0)
        resumed = curve(range(7, 13), 100, factor=1.5)
        crashed_twice = [first, resumed[:3], [scalar._replace(time=scalar.time + 100) for scalar in resumed]]
        for files, count in (
            ([first, resumed], 18),
            (crashed_twice, 21),
            ([[*first, *curve([8], 8, "eval_loss")], [*resumed, *curve([8], 120, "eval_loss", 1.5)]], 18),
            ([first, curve(range(1, 13), 100)], 24),
            ([first, [*curve([1], 99, factor=1.5), *curve(range(1, 13), 100)]], 25),
            ([first, curve(range(1, 13), 0)], 24),
            ([first, curve(range(1, 13), 0, "lr", 1.5)], 12),
            ([first, curve(range(13, 20), 12)], 19),
            ([first + [Scalar(13, "loss", float("nan"), 13, False)]] * 2, 26),
        ):
            self.assertEqual(len(self.joined(*files)[0]), count)

    def test_a_tag_with_two_forms_has_equal_values(self):
        scalars, tensors = curve(range(1, 13), 0), curve(range(1, 13), 0, is_tensor=True)
        rounded = [scalar._replace(value=struct.unpack("f", struct.pack("f", scalar.value))[0]) for scalar in scalars]
        self.assertEqual(len(self.joined(rounded + tensors)[0]), 24)
        self.assertEqual(len(self.joined(scalars[:6] + tensors[6:])[0]), 12)
        other = [scalar._replace(value=1.5 * scalar.value) for scalar in tensors]
        for one, two in ((scalars, other), (other, scalars)):
            mixed = [scalar for pair in zip(one, two, strict=True) for scalar in pair]
            self.not_joined(mixed, why="file1 logs a tag as scalar and as tensor, .* 'loss' at step 1 is 1.[05] and 1.[05]")

    def test_parts_of_a_table_are_of_one_run(self):
        def joined(step, *parts):
            rows, writers = Rows(self.folder), Writers(self.folder)
            self.addCleanup(rows._lines.close)
            for i, (steps, factor) in enumerate(parts, 1):
                part = [{step: at, "loss": factor / (1 + at)} for at in steps] + [{"other": 1.0}, {step: 0.5, "loss": i}]
                parquet_file.add_part(f"part{i}", part, rows, writers)

        for step in ("_step", "global_step"):
            joined(step, (range(7), 1.0), (range(7, 12), 1.5))
            joined(step, (range(7, 12), 1.0), (range(7), 1.5))
            joined(step, (range(9), 1.0), (range(6, 12), 1.0))
            with self.assertRaisesRegex(Problem, "as one run .*part1.* 'loss' at step 0 is 1.5 and 1.0"):
                joined(step, (range(12), 1.5), (range(12), 1.0))
        joined("global_step", (range(9), 1.0), (range(6, 12), 1.5))  # resumed
        with self.assertRaisesRegex(Problem, "part1 and part2 have the same rows with other values: 'loss' at step 6 is"):
            joined("_step", (range(7), 1.0), (range(6, 12), 1.5))

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

    def test_runs_below_a_folder_are_named(self):
        for name in ("sub", "sub/run2", "sub/run10"):
            (self.folder / name).mkdir()
        self.put("sub/notes.txt")
        with self.assertRaisesRegex(Problem, "no events of TensorBoard"):
            convert(self.folder / "sub", self.folder / "a.jsonl")
        self.put("sub/run2/" + BOARD)
        self.put("sub/run10/run-1.wandb")
        with self.assertRaisesRegex(Problem, "runs of their own: [^ ]*sub/run10, [^ ]*sub/run2[)]; name one of them"):
            convert(self.folder / "sub", self.folder / "a.jsonl")
        self.refused("sub", 2, "these folders below are runs of their own: ", "/sub/run10, ", "/sub/run2); name one")

    def test_a_folder_with_a_trace_is_a_run(self):
        self.put("run/" + BOARD, bytes(24))
        self.put("run/trace.h5", b"no trace")
        self.refused("run", 2, "trace")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
