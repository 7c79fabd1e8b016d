# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training script over 2 ranks, sharded by fully_shard and by parallelize_module, is judged against one process.

Usage: sharded_case_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from recorded import SOURCE, WARM

PARITY, LIBRARY = sys.argv[2:4]
CASE = SOURCE / "tests/examples/sharded_trainer/sharded.toml"
ARMS, QUANTITIES = ("fully_shard", "tensor_parallel"), ("loss, grad_norm", "grad *", "param *")


class ShardedCaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)

    def parity(self, *words, status):
        environment = dict(os.environ, PYTHONPATH=str(SOURCE / "harness/python/src"), PARITY_RECORDER_LIBRARY=LIBRARY,
                           PATH=f"{WARM.parent}:{os.environ['PATH']}")
        done = subprocess.run([PARITY, *map(str, words)], cwd=self.scratch.name, env=environment, capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def verdicts(self, *options, status):
        """(arm, quantity) -> verdict of the checks that the case states, with those about replicas."""
        self.parity("run", CASE, "--out", "out", *options, status=status)
        (case,) = json.loads((pathlib.Path(self.scratch.name) / "out/results.json").read_text())["cases"]
        found = {}
        for check in case["checks"]:
            if check["relation"] in ("equivalent", "identical"):
                found[check["arms"][-1], check["quantity"]] = check["verdict"]
        return found

    def farthest(self, arm, phase):
        """Name of the matrix that is farthest from that of one process at step 1."""
        said = json.loads(self.parity("compare", "sharded:one", f"sharded:{arm}", "--step", 1, "--phase", phase, "--json",
                                      "--out", "out", status=1))
        return max((row for row in said["tensors"] if row["name"].endswith("weight")), key=lambda row: row["relative_l2"])["name"]

    def test_shards_equal_one_process_up_to_rounding(self):
        found = self.verdicts(status=0)
        self.assertEqual(found, {(arm, what): "identical" if what == "replicas" else "rounding" for arm in ARMS
                                 for what in (*QUANTITIES, "replicas")})

    def test_defects_of_one_rank_are_different(self):
        found = self.verdicts("--set", "fully_shard:defect=offset", "--set", "tensor_parallel:defect=gradient", status=1)
        self.assertEqual({found[arm, what] for arm in ARMS for what in QUANTITIES}, {"different"})
        self.assertEqual(self.farthest("fully_shard", "param"), "head.weight")
        self.assertEqual(self.farthest("tensor_parallel", "grad"), "blocks.1.mlp.0.weight")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
