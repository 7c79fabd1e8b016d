# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Arms of a custom operator library, and of C functions: a library that computes right, and what one may do wrong.

Usage: libraries_test.py SOURCE_DIR PARITY LIBRARY
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PARITY, LIBRARY = sys.argv[2], sys.argv[3]

OPERATOR = '''
{top}
[operator]
inputs.x = {{shape = ["n", 8], grad = {grad}}}
inputs.weight = {{shape = [8], grad = {grad}}}
inputs.eps = 1e-6
sweep = {{n = [1, 2, 3]}}
batch = "n"
outputs = ["out"]
exact = "rms_norm"
[golden]
arms = []
[arms.fused]
operator = "aten::_fused_rms_norm"
arguments = {{input = "x", normalized_shape = [8], weight = "weight", eps = "eps"}}
'''
C = 'library = "libours.so"\nsymbol = "{}"\nsignature = "void({} x, float* out, int64_t rows)"\n' \
    'arguments = {{x = "x", rows = "n"}}'


class LibrariesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copy(LIBRARY, self.folder / "libours.so")

    def run_case(self, arms, checks, grad="false", top=""):
        text = OPERATOR.format(grad=grad, top=top)
        for name, keys in arms.items():
            text += f"\n[arms.{name}]\n{keys}\n"
        for check in checks:
            text += f"\n[[checks]]\n{check}\nbecause = 'the test says so'\n"
        (self.folder / "one.toml").write_text(text)
        done = subprocess.run([PARITY, "run", "one.toml", "--out", "out"], capture_output=True, text=True, cwd=self.folder,
                              env=dict(os.environ, PARITY_PYTHON=sys.executable))
        results = self.folder / "out/results.json"
        return done, json.loads(results.read_text())["cases"][0] if results.exists() else {}

    def assert_crashes(self, keys, *words, **more):
        done, case = self.run_case({"it": keys}, ["relation = 'equivalent'\narms = ['fused', 'it']"], **more)
        text = " ".join((done.stdout + done.stderr).split())
        self.assertEqual(done.returncode, 4, text)
        self.assertEqual(case["checks"][0]["verdict"], "crashed")
        self.assertNotIn("frame #", text)  # LibTorch's errors without their backtrace
        for word in words:
            self.assertIn(word, text)

    def test_a_library_is_judged_forward_and_backward(self):
        arms = {name: f'library = "libours.so"\noperator = "ours::{name}"' for name in ("rms_norm", "short_norm")}
        checks = ["relation = 'equivalent'\narms = ['fused', 'rms_norm']",
                  "relation = 'accurate'\narms = ['rms_norm']\ntimes = 8",
                  "relation = 'equivalent'\narms = ['fused', 'short_norm']",
                  "relation = 'invariant'\narms = ['rms_norm']\naxes = ['batch', 'position', 'chunking', 'layout', 'alignment']"]
        done, case = self.run_case(arms, checks, grad="true")
        self.assertEqual(done.returncode, 1, done.stderr)
        sentences = [check["sentence"] for check in case["checks"]]
        self.assertEqual([check["passed"] for check in case["checks"]], [True, True, False, True, True, True, False, True],
                         sentences)  # strided rows are added in another order
        self.assertEqual(case["checks"][0]["verdict"], "rounding")
        self.assertIn("at n = 3, float32", sentences[2])
        self.assertNotEqual(case["checks"][0]["errors"]["rows"], [])
        self.assertIn("weight", {row["tensor"] for row in case["checks"][0]["errors"]["rows"]})

    def test_a_library_that_is_built_again_runs_again(self):
        arms = {"ours": 'library = "libours.so"\noperator = "ours::rms_norm"'}
        check = ["relation = 'equivalent'\narms = ['fused', 'ours']"]
        _, before = self.run_case(arms, check)
        with (self.folder / "libours.so").open("ab") as library:
            library.write(b"another build")
        _, after = self.run_case(arms, check)
        runs = [{arm["name"]: arm["run"] for arm in case["arms"]} for case in (before, after)]
        self.assertNotEqual(runs[0]["ours"], runs[1]["ours"])
        self.assertEqual(runs[0]["fused"], runs[1]["fused"])

    def test_wrong_names(self):
        self.assert_crashes('library = "libours.so"\noperator = "ours::rms_nrm"', "did you mean ours::rms_norm")
        self.assert_crashes('library = "libours.so"\noperator = "ours::rms_norm"\narguments = {x = "x", w = "weight"}',
                            "has no argument 'w'", "ours::rms_norm(Tensor x, Tensor weight, float eps) -> Tensor")
        self.assert_crashes('library = "libours.so"\noperator = "ours::rms_norm"\narguments = {x = "x", weight = "eps", eps = "eps"}',
                            "argument weight of the operator is Tensor")
        self.assert_crashes(C.format("twise", "const float*"), "has no symbol 'twise'")

    def test_crash_names_signal_and_shape(self):
        self.assert_crashes('library = "libours.so"\noperator = "ours::crash"', "signal 11 (SEGV)", "at n = 3, float32")
        self.assert_crashes(C.format("crash_of_c", "const float*"), "signal 8 (FPE)", "at n = 3, float32")

    def test_own_error_names_the_shape(self):
        self.assert_crashes('library = "libours.so"\noperator = "ours::refuse"', "no kernel for two rows", "at n = 2, float32")
        self.assert_crashes('library = "libours.so"\noperator = "ours::none"', "returns 0 tensors")

    def test_changed_inputs_and_views(self):
        self.assert_crashes('library = "libours.so"\noperator = "ours::in_place"', "changes its input x")
        self.assert_crashes('library = "libours.so"\noperator = "ours::view"', "output out is a view of input x")
        self.assert_crashes(C.format("in_place_of_c", "const float*"), "changes its input x")

    def test_writing_behind_the_output(self):
        self.assert_crashes(C.format("too_far", "const float*"), "writes outside of", "at n = 1, float32")

    def test_endless_loop_ends(self):
        self.assert_crashes('library = "libours.so"\noperator = "ours::endless"', "no sign of life", "at n = 1, float32",
                            top="timeout_seconds = 8")

    def test_missing_library(self):
        done, _ = self.run_case({"it": 'library = "libnone.so"\noperator = "ours::rms_norm"'},
                                ["relation = 'equivalent'\narms = ['fused', 'it']"])
        self.assertEqual(done.returncode, 3)
        self.assertIn("libnone.so", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
