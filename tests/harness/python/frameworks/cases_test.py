# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The cases of other people's trainers hold, and fail where a defect is planted.

Usage: cases_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PARITY, LIBRARY = (str(pathlib.Path(word).resolve()) for word in sys.argv[2:4])
CASES = SOURCE / "cases/frameworks"


class CasesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = pathlib.Path(scratch.name) / "out"

    def judged(self, case, *words):
        """Runs a case of this source. Returns (exit status, its results, what it printed)."""
        venv = CASES.parents[1] / "build/frameworks-venv"
        self.assertTrue((venv / "bin/python").exists(), f"the cases name {venv}")
        done = subprocess.run([PARITY, "run", CASES / f"{case}.toml", "--out", self.out, *words], capture_output=True, text=True,
                              env=os.environ | {"PARITY_RECORDER_LIBRARY": LIBRARY})
        results = json.loads((self.out / "results.json").read_text())
        return done.returncode, results["cases"][0], done.stdout + done.stderr

    def test_cases_hold(self):
        for case in ("transformers/warmup_index", "sharding/wrappers", "optax/adamw", "torchtitan/parity_train", "trl/packing",
                     "known/packing", "known/vector_norm"):
            with self.subTest(case):
                status, found, said = self.judged(case)
                self.assertEqual(status, 0, said)
                self.assertNotIn("skipped", found)

    def test_planted_mean_of_means_is_different(self):
        status, found, said = self.judged("transformers/accumulation", "--set", "four_micro_batches:average=micro_batches")
        self.assertEqual(status, 1, said)
        first = next(check for check in found["checks"] if "loss" in check["quantity"])
        self.assertEqual(first["verdict"], "different")
        self.assertIn("first at step 1: one_batch ", first["sentence"])

    def test_known_defect_in_the_fixed_arm_fails(self):
        status, found, said = self.judged("known/packing", "--set", "fixed:mask=true")
        self.assertEqual(status, 1, said)
        verdicts = {tuple(check["arms"]): check["verdict"] for check in found["checks"]}
        self.assertEqual(verdicts["rows", "fixed"], "different")
        self.assertEqual(verdicts["fixed", "faulty"], "vacuous")  # both are one run now

    def test_norm_of_pytorch_is_imprecise_without_allowance(self):
        folder = pathlib.Path(self.out).parent / "cases"
        folder.mkdir()
        for name in ("vector_norm.toml", "clip.py"):
            text = (CASES / "known" / name).read_text().replace("../../../build", str(SOURCE / "build"))
            (folder / name).write_text("".join(line for line in text.splitlines(True) if not line.startswith("imprecision")))
        status, found, said = self.judged(folder / "vector_norm")
        self.assertEqual(status, 1, said)
        verdicts = {tuple(check["arms"]): check["verdict"] for check in found["checks"]}
        self.assertEqual(verdicts["float64", "pytorch"], "imprecise")
        self.assertEqual(verdicts["float64", "rows"], "rounding")

    def test_schedule_of_torchtitan_is_compared(self):
        status, found, said = self.judged("torchtitan/parity_train", "--set", "titan:lr.warmup_steps=2")
        self.assertEqual(status, 1, said)
        first = next(check for check in found["checks"] if "lr" in check["quantity"])
        self.assertEqual(first["verdict"], "different")
        self.assertIn("at step 1", first["sentence"])
    def test_planted_leak_between_documents_is_different(self):
        status, found, said = self.judged("trl/packing", "--set", "packed:mask=ones")
        self.assertEqual(status, 1, said)
        failed = [check for check in found["checks"] if not check["passed"]]
        self.assertEqual([check["verdict"] for check in failed], ["different"], said)
        self.assertIn("packed", failed[0]["sentence"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
