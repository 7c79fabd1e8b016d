# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Operator cases from the file to the verdict: what is found, and what bad input is answered.

Usage: cases_test.py SOURCE_DIR PARITY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

SOURCE, PARITY = pathlib.Path(sys.argv[1]), sys.argv[2]

KERNELS = '''
import os, random, signal, time
import numpy, torch

def right(x): return x * 2 + 1
def other_order(x): return (x + 1) + x
def wrong_at_two(x): return x * 2 + (1.001 if x.shape[0] == 2 else 1)
def float32_only(x): return (x.half().to(x.dtype) if x.dtype == torch.float32 else x) * 2 + 1
def zeros(x): return x * 0
def changes_input(x):
    with torch.no_grad(): x += 1
    return x * 2
def view(x): return x[:]
def hangs(x):
    while True: time.sleep(1)
def dies(x):
    if x.shape[0] == 3: os.kill(os.getpid(), signal.SIGSEGV)
    return x * 2
def other_name(y): return y
def no_tensor(x): return 3
def alone(x): return x / x.shape[0]
def detached(x): return x.detach() * 2
def drawn(x): return x * 2 + random.random()
def drawn_too(x): return drawn(x)
def drawn_by_numpy(x): return x * 2 + numpy.random.rand()
def drawn_by_numpy_too(x): return drawn_by_numpy(x)
def exact(x):
    return x + x + 1

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context, x): return x * 2
    @staticmethod
    def backward(context, seed): return seed * (2 if seed.shape[0] <= 3 else 2.001)
def twice_by_batch(x): return Twice.apply(x)
def weighted(x, w): return x * w
def mean_of_all(x, w): return x * w - x.mean()
'''
READS = '''
import pathlib, helper
def right(x): return x * 2 + 1
def it(x): return x * helper.scale + float(pathlib.Path(__file__).with_name("shift").read_text())
'''
OPERATOR = '''
[operator]
inputs.x = {{shape = ["n", 4], grad = {grad}}}
sweep = {{n = [1, 2, 3]}}
batch = "n"
{more}
'''


class CasesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "kernels.py").write_text(KERNELS)

    def parity(self, *words):
        return subprocess.run([PARITY, *words], capture_output=True, text=True, cwd=self.folder,
                              env=dict(os.environ, PARITY_PYTHON=sys.executable))

    def run_case(self, arms, checks, grad="false", more="", top=""):
        text = top + OPERATOR.format(grad=grad, more=more)
        for name, keys in arms.items():
            text += f"\n[arms.{name}]\n{keys}\n"
        for check in checks:
            text += f"\n[[checks]]\n{check}\nbecause = 'the test says so'\n"
        (self.folder / "one.toml").write_text(text + "\n[golden]\narms = []\n")
        done = self.parity("run", "one.toml", "--out", "out", "--jobs", "2")
        results = self.folder / "out/results.json"
        case = json.loads(results.read_text())["cases"][0] if done.returncode not in (2,) and results.exists() else {}
        return done, case

    def one(self, function, check, **more):
        return self.run_case({"right": 'python = "kernels.py:right"', "it": f'python = "kernels.py:{function}"'},
                             [check], **more)

    def assert_says(self, done, *words):
        text = done.stdout + done.stderr
        for word in words:
            self.assertIn(word, text)

    def test_rounding_and_defects(self):
        checks = ["relation = 'equivalent'\narms = ['right', 'other_order']",
                  "relation = 'equivalent'\narms = ['right', 'wrong_at_two']",
                  "relation = 'equivalent'\narms = ['right', 'float32_only']",
                  "relation = 'distinct'\narms = ['right', 'zeros']",
                  "relation = 'identical'\narms = ['zeros', 'zeros_too']",
                  "relation = 'invariant'\narms = ['alone']\naxes = ['batch', 'threads']",
                  "relation = 'accurate'\narms = ['right']",
                  "relation = 'accurate'\narms = ['float32_only']"]
        names = ("right", "other_order", "wrong_at_two", "float32_only", "zeros", "alone")
        arms = {name: f'python = "kernels.py:{name}"' for name in names}
        arms["zeros_too"] = 'python = "kernels.py:zeros"\nthreads = 2'
        done, case = self.run_case(arms, checks, grad="true", more='exact = "kernels.py:exact"')
        self.assertEqual(done.returncode, 1, done.stderr)
        found = [(check["passed"], check["verdict"]) for check in case["checks"]]
        self.assertEqual(found[:4], [(True, "rounding"), (False, "different"), (False, "imprecise"), (True, "different")],
                         [check["sentence"] for check in case["checks"]])
        self.assertEqual(found[4], (False, "vacuous"))
        self.assertEqual(found[5], (False, "different"))  # divides by the number of rows
        self.assertEqual(found[6][0], True, case["checks"][6]["sentence"])
        self.assertEqual(found[7:9], [(True, "rounding"), (False, "imprecise")])
        self.assertIn("at n = 2, float32", case["checks"][1]["sentence"])
        self.assertNotIn("step", case["checks"][1]["sentence"])
        kept = self.folder / "out" / case["checks"][1]["errors"]["reproducer"]
        self.assertTrue(kept.exists())
        again, _ = self.run_case({"right": arms["right"], "it": arms["wrong_at_two"]}, [checks[1].replace("wrong_at_two", "it")])
        self.assert_says(again, "out at n = 2, float32 of it differs from right's")
        (self.folder / "two.toml").write_text((self.folder / "one.toml").read_text().replace(
            'inputs.x = {shape = ["n", 4], grad = false}', f'inputs.x = {{shape = ["n", 4], from = "{kept.relative_to(self.folder)}:x"}}'
        ).replace("n = [1, 2, 3]", "n = [2]"))
        self.assert_says(self.parity("run", "two.toml", "--out", "out2"), "out at n = 2, float32 of it differs from right's")

    def test_invariance_of_gradients(self):
        invariant = "relation = 'invariant'\narms = ['it']\naxes = ['batch', 'position', 'threads']"
        done, case = self.one("twice_by_batch", invariant, grad="true")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = [(check["passed"], check["verdict"]) for check in case["checks"]]
        self.assertEqual(found, [(False, "different"), (True, "identical"), (True, "identical")])
        self.assertIn("gradient of x at n = 3, float32 of it depends on batch, at 2 of 3 points", case["checks"][0]["sentence"])
        done, case = self.one("twice_by_batch", invariant + "\nphase = 'forward'", grad="true")
        self.assertEqual(done.returncode, 0, done.stdout)
        done, case = self.one("right", invariant + "\nphase = 'grad'")
        self.assertEqual(case["checks"][0]["verdict"], "missing")  # there is no gradient to ask

    def test_invariance_of_rows_beside_weights(self):
        arms = {name: f'python = "kernels.py:{name}"' for name in ("weighted", "mean_of_all")}
        axes = "'batch', 'position', 'neighbours', 'chunking', 'padding', 'threads', 'layout', 'alignment'"
        more = 'inputs.w = {shape = [4], grad = true}\nlength = "n"'
        done, case = self.run_case(arms, [f"relation = 'invariant'\narms = ['{name}']\naxes = [{axes}]" for name in arms],
                                   grad="true", more=more)
        answers = [check["passed"] for check in case["checks"]]
        self.assertEqual(answers[:8], [True] * 8, [check["sentence"] for check in case["checks"]])
        # The mean of all elements depends on other rows. Threads, layout and alignment do not change those.
        self.assertEqual(answers[8:13], [False] * 5, [check["sentence"] for check in case["checks"]])
        self.assertIn("depends on padding", case["checks"][12]["sentence"])

    def test_bisect_finds_the_smallest_input(self):
        self.run_case({"right": 'python = "kernels.py:right"', "it": 'python = "kernels.py:float32_only"'},
                      ["relation = 'equivalent'"])
        done = self.parity("bisect", "one.toml", "--out", "out", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = json.loads(done.stdout)["details"]
        self.assertEqual(found["point"], "n = 1, float32")
        self.assertLessEqual(found["not_zero"], 2)
        self.assertTrue((self.folder / found["file"]).exists())

    def test_callables_that_break_the_rules(self):
        for function, words, more in (
            ("changes_input", "changes its input x", {}),
            ("view", "output out is a view of input x", {}),
            ("no_tensor", "output out is a int, not a tensor", {}),
            ("detached", "no output depends on x as autograd sees it", {"grad": "true"}),
            ("other_name", "name its parameters with the arm's 'arguments'", {}),
            ("absent", "has no function 'absent'", {}),
        ):
            with self.subTest(function=function):
                done, case = self.one(function, "relation = 'identical'", **more)
                self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
                self.assert_says(done, words)

    def test_arms_share_no_random_numbers(self):
        """Both arms are forked from one process."""
        pairs = (("drawn", "drawn_too"), ("drawn_by_numpy", "drawn_by_numpy_too"))
        arms = {name: f'python = "kernels.py:{name}"' for pair in pairs for name in pair}
        _, case = self.run_case(arms, [f"relation = 'identical'\narms = ['{a}', '{b}']" for a, b in pairs])
        self.assertEqual([check["passed"] for check in case["checks"][:2]], [False, False], case["checks"])

    def test_a_changed_helper_or_data_file_runs_again(self):
        (self.folder / "kernels.py").write_text(READS)
        files = {"helper.py": ("scale = 2\n", "scale = 3\n"), "shift": ("1", "5")}
        for name, (agreed, _) in files.items():
            (self.folder / name).write_text(agreed)
        check = "relation = 'identical'\narms = ['right', 'it']"
        self.assertEqual(self.one("it", check)[0].returncode, 0)
        for name, (agreed, other) in files.items():
            (self.folder / name).write_text(other)
            self.assertEqual(self.one("it", check)[0].returncode, 1, f"the run before {name} changed answered")
            (self.folder / name).write_text(agreed)
            self.assertEqual(self.one("it", check)[0].returncode, 0)

    def test_crash_names_signal_and_shape(self):
        done, case = self.one("dies", "relation = 'identical'")
        self.assertEqual(done.returncode, 4)
        self.assert_says(done, "SEGV", "at n = 3, float32")
        self.assertEqual(case["checks"][0]["verdict"], "crashed")

    def test_endless_loop_ends(self):
        done, _ = self.one("hangs", "relation = 'identical'", top="timeout_seconds = 12\n")
        self.assertEqual(done.returncode, 4)
        self.assert_says(done, "no sign of life", "at n = 1, float32")

    def test_operators_and_libraries(self):
        for keys, words in (
            ('operator = "aten::softmx"', "did you mean aten::_softmax"),
            ('operator = "aten::sum"\narguments = {self = "x", dims = [0]}', "has no argument 'dims'"),
            ('operator = "aten::softmax.int"', "has no argument 'x'"),
            ('operator = "aten::softmax.int"\narguments = {self = "x", dim = "first"}', "argument dim of the operator is int"),
            ('library = "kernels.py"\noperator = "aten::relu"', "cannot load"),
        ):
            with self.subTest(keys=keys):
                (self.folder / "out/results.json").unlink(missing_ok=True)
                done, case = self.run_case({"right": 'python = "kernels.py:right"', "it": keys}, ["relation = 'identical'"])
                self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
                self.assert_says(done, words)

    def test_c_function(self):
        source = self.folder / "plain.c"
        source.write_text(textwrap.dedent("""
            #include <stdint.h>
            void twice(const float* x, float* out, int64_t n, double one) {
              for (int64_t i = 0; i < 4 * n; ++i) out[i] = x[i] + x[i] + (float)one; }
            void twice_backward(const float* grad_out, float* grad_x, int64_t n) {
              for (int64_t i = 0; i < 4 * n; ++i) grad_x[i] = 2 * grad_out[i]; }
            void forgets(const float* x, float* out, int64_t n, double one) {
              for (int64_t i = 0; i < 4 * n - 1; ++i) out[i] = x[i] + x[i] + (float)one; }
        """))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.folder / "libplain.so", source], check=True)
        signature = 'library = "libplain.so"\nsymbol = "{}"\nsignature = "void(const float* x, float* out, int64_t n, double one)"\n' \
                    'backward = "twice_backward"\nbackward_signature = "void(const float* grad_out, float* grad_x, int64_t n)"\n' \
                    'arguments = {{x = "x", n = "n", one = 1.0}}'
        arms = {"other": 'python = "kernels.py:other_order"', "c": signature.format("twice"),
                "short": signature.format("forgets")}
        done, case = self.run_case(arms, ["relation = 'equivalent'\narms = ['other', 'c']",
                                          "relation = 'equivalent'\narms = ['other', 'short']",
                                          "relation = 'invariant'\narms = ['c']\naxes = ['batch', 'chunking', 'layout']"],
                                   grad="true", more='exact = "kernels.py:exact"')
        sentences = [check["sentence"] for check in case["checks"]]
        self.assertEqual([check["passed"] for check in case["checks"]], [True, False, True, True, True], sentences)
        self.assertIn("short has nan at [0, 3]", sentences[1])

    def test_bad_tables(self):
        right = {"a": 'python = "kernels.py:right"', "b": 'python = "kernels.py:other_order"'}
        for arms, checks, more, words in (
            (right, ["relation = 'lagged'"], "", "an operator case has the relations"),
            (right, ["relation = 'accurate'\narms = ['a']"], "", 'needs exact = "FORMULA"'),
            (right, ["relation = 'invariant'\narms = ['a']"], "", "needs axes"),
            (right, ["relation = 'invariant'\narms = ['a']\naxes = ['padding']"], "", "needs length"),
            (right, ["relation = 'identical'"], 'exact = "rms_nrm"', "rms_norm"),
            (right, ["relation = 'identical'"], 'inputs.y = {shape = ["m"]}', "the sweep has no symbol 'm'"),
            (right, ["relation = 'identical'"], 'inputs.y = {shape = [4], values = "norml"}', "normal"),
            (right, ["relation = 'identical'"], "inputs.y = {shape = [1000000, 1000000]}", "GiB with their gradients"),
            (right | {"c": 'operator = "aten::relu"\npython = "kernels.py:right"'}, ["relation = 'identical'\narms = ['a', 'b']"], "",
             "names several functions"),
            (right | {"c": 'symbol = "f"'}, ["relation = 'identical'\narms = ['a', 'b']"], "", "a C function needs 'library'"),
        ):
            with self.subTest(words=words):
                done, _ = self.run_case(arms, checks, more=more)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assert_says(done, words, "one.toml:")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
