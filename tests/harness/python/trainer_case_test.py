# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training script with two lines of ours: its bits do not change, equal runs are identical, and a case judges it.

Usage: trainer_case_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PARITY, LIBRARY = sys.argv[2:4]
EXAMPLE = SOURCE / "tests/examples/python_trainer"
# Prints the parameters' digest at the end of the script.
WITNESS = ("import hashlib, sys; script = open(sys.argv[1]).read(); sys.argv = sys.argv[:1]; exec(script);"
           "print(hashlib.sha256(b''.join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest())")


class TrainerCaseTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_with(self, *words, status=0, **variables):
        environment = dict(os.environ, PYTHONPATH=str(SOURCE / "harness/python/src"), PARITY_RECORDER_LIBRARY=LIBRARY,
                           PATH=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", **variables)
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_recording_changes_no_bit(self):
        capture = self.folder / "capture.json"
        capture.write_text('{"tensors": [{"phases": ["grad", "optim"]}], "sketches": [{}]}')
        train = (sys.executable, "-c", WITNESS, EXAMPLE / "train.py")
        digests = [self.run_with(*train)]
        for name in ("a.h5", "b.h5"):
            digests.append(self.run_with(*train, PARITY_TRACE=str(self.folder / name), PARITY_CAPTURE=str(capture)))
        self.assertRegex(digests[0], r"^[0-9a-f]{64}\n$")
        self.assertEqual(set(digests), {digests[0]})
        self.assertIn("identical: 8 channels and ", self.run_with(PARITY, "compare", "a.h5", "b.h5"))

    def test_case_names_step_and_channel(self):
        self.run_with(PARITY, "run", EXAMPLE / "warmup.toml", "--out", self.folder / "out", status=1)
        results = json.loads((self.folder / "out/results.json").read_text())
        (case,) = results["cases"]
        lr, param = case["checks"][:2]
        self.assertEqual([check["verdict"] for check in (lr, param)], ["different", "different"])
        self.assertEqual(lr["finding"]["where"] | {"index": None, "rank": None},
                         {"step": 1, "tensor": "lr", "index": None, "rank": None})
        self.assertEqual((lr["finding"]["expected"], lr["finding"]["actual"]), (0.02 / 4, 0.02 / 5))
        self.assertEqual(param["finding"]["where"]["step"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
