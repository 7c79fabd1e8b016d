# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs that stop and go on over two hosts without a shared folder. node-b's disk is empty at each start.

Usage: resume_test.py BUILD_DIR PYTHON     as hosts_test.py
"""
import os
import shlex
import shutil
import subprocess

import hosts
from hosts import BUILD, PORTABLE


class ResumeTest(hosts.Hosts):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.trace = self.disk / "trace.h5"
        self.checkpoint = ["--checkpoint-dir", self.disk / "saved"]

    def leg(self, *more, trace=None):
        self.children.clear()
        self.start_ranks(4, trace or self.trace, 60, ["--collect-trace", *more], self.disk)
        return self.wait(120)

    def first_leg(self):
        self.assertEqual(self.leg("--stop-after", 2, *self.checkpoint), [0] * 4, self.log("rank0"))

    def start_second(self):
        """Trains the last two updates into a new trace, and requires the bits of one run."""
        second = self.disk / "second.h5"
        self.assertEqual(self.leg("--start-from", self.disk / "saved", trace=second), [0] * 4, self.log("rank2"))
        done = self.compare(self.alone(4), second, "--step", "4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("identical", done.stdout)

    def names(self):
        return sorted(file.name for file in self.disk.iterdir() if file.is_file())

    def test_a_resumed_trace_has_the_bits_of_one_run(self):
        self.first_leg()
        self.assertEqual(self.leg("--resume", *self.checkpoint), [0] * 4, self.log("rank2"))
        for rank in (2, 3):
            self.assertNotIn("left: trace", self.log(f"rank{rank}"))
        self.assertEqual(self.names(), ["trace.h5", *(f"trace.rank{rank}.h5" for rank in (1, 2, 3))])
        self.require_same(self.trace, 4)

    def test_torchrun_resumes_on_two_hosts(self):
        for more in (["--stop-after", 2], ["--resume"]):
            self.children.clear()
            self.start_torchrun(4, ["--trace", self.trace, "--collect-trace", *more, *self.checkpoint], self.disk)
            self.assertEqual(self.wait(200), [0, 0], self.log("node0") + self.log("node1"))
        self.require_same(self.trace, 4)

    def test_a_new_trace_starts_from_the_checkpoint_of_rank_0(self):
        self.first_leg()
        self.start_second()

    def test_an_old_checkpoint_on_another_host_has_no_effect(self):
        self.first_leg()
        old = self.folder / "old"
        subprocess.run([BUILD / "bin/parity-train", self.config(4), "--set", "parallel.dp_shard=1", "--set", "lr.base=0.01", "--quiet",
                        "--stop-after", "2", "--checkpoint-dir", old], env={**os.environ, **PORTABLE}, check=True)
        place = self.disk / "saved"
        with_old = f"mkdir {shlex.quote(str(place))} && cp {shlex.quote(str(old))}/checkpoint.pt {shlex.quote(str(place))} && exec \"$@\""
        self.words_before = {2: ["sh", "-c", with_old, "-"], 3: ["sh", "-c", with_old, "-"]}
        self.start_second()
        self.assertIn("left: saved", self.log("rank2"))

    def test_a_missing_checkpoint_ends_every_rank_with_the_host(self):
        self.first_leg()
        shutil.rmtree(self.disk / "saved")
        self.assertEqual(self.leg("--resume", *self.checkpoint), [3] * 4)
        for rank in range(4):
            self.assertRegex(self.log(f"rank{rank}"), r"no checkpoint .*saved/checkpoint\.pt \(nothing was saved there on node-a")

    def test_a_cut_checkpoint_ends_every_rank(self):
        self.first_leg()
        file = self.disk / "saved/checkpoint.pt"
        file.write_bytes(file.read_bytes()[:-1000])
        self.assertEqual(self.leg("--resume", *self.checkpoint), [2] * 4)
        self.assertRegex(self.log("rank3"), r"cannot read .*checkpoint\.pt as a checkpoint")

    def test_a_part_of_another_run_is_not_appended_to(self):
        self.first_leg()
        shutil.copy(self.disk / "trace.rank2.h5", self.disk / "trace.rank3.h5")
        self.assertNotIn(0, self.leg("--resume", *self.checkpoint))
        self.assertRegex(self.log("rank3"), r"cannot append to .*it is of rank 2 of 4, this is rank 3 of 4")
        self.assertFalse(self.trace.exists())


if __name__ == "__main__":
    hosts.main()
