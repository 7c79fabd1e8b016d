# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity reveal` on kernels whose order is known, and on PyTorch's own.

Usage: arms_test.py SOURCE_DIR PARITY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PARITY = sys.argv[2]

KERNELS = '''
import torch

def loop(x):
    total = torch.zeros(x.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]): total = total + x[:, k]
    return total

def lanes(x):
    total = torch.zeros(x.shape[0], 4, dtype=x.dtype)
    for k in range(0, x.shape[1], 4): total = total + x[:, k:k + 4]
    return (total[:, 0] + total[:, 1]) + (total[:, 2] + total[:, 3])

def fails(x): raise ValueError("no kernel for this")
def dot(a, b):
    total = torch.zeros(a.shape[0], dtype=a.dtype)
    for k in range(a.shape[1]): total = total + a[:, k] * b[k, 0]
    return total
'''

OPERATORS = {
    name: f'operator = "aten::{operator}"\narguments = {{self = "x", dim = [1]}}'
    for name, operator in (("own_sum", "sum.dim_IntList"), ("own_mean", "mean.dim"), ("own_norm", "linalg_vector_norm"))
}


class ArmsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "kernels.py").write_text(KERNELS)

    def reveal(self, arms, *words, inputs='inputs.x = {shape = ["n", "k"]}', json_wanted=True):
        text = f'[python]\nvenv = "{sys.prefix}"\n[operator]\n{inputs}\nsweep = {{n = [2], k = [16]}}\n[golden]\narms = []\n'
        for name in arms:
            text += f'[arms.{name}]\n' + OPERATORS.get(name, f'python = "kernels.py:{name}"') + "\n"
        text += f'[[checks]]\narms = ["{arms[0]}", "{arms[-1]}"]\nrelation = "identical"\nbecause = "the test asks"\n'
        (self.folder / "one.toml").write_text(text)
        done = subprocess.run([PARITY, "reveal", *(words or ("one.toml", "--over", "k")), "--out", "out", "--jobs", "1",
                               *(["--json"] if json_wanted else [])],
                              capture_output=True, text=True, cwd=self.folder)
        return done, json.loads(done.stdout) if json_wanted and done.returncode in (0, 1, 3) and done.stdout else None

    def test_known_orders(self):
        done, found = self.reveal(["loop", "lanes"])
        self.assertEqual(done.returncode, 1, done.stderr)
        loop, lanes = found["sums"]
        self.assertEqual(loop["order"], "left to right")
        self.assertEqual(loop["tree"], nested(list(range(16))))
        self.assertEqual(lanes["order"], "in 4 lanes of every 4th element, each left to right; then the lanes pairwise")
        for each in (loop, lanes):
            self.assertEqual((each["predicted"], each["tried"], each["arithmetic"]), (200, 200, "in float32"))
        self.assertEqual(found["sentences"], ["loop and lanes add in different orders"])

    def test_products(self):
        inputs = 'inputs.a = {shape = ["n", "k"]}\ninputs.b = {shape = ["k", 3]}'
        done, found = self.reveal(["dot", "loop"], "one.toml:dot", "--at", "k=8", inputs=inputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        (dot,) = found["sums"]
        self.assertEqual((dot["over"], dot["arithmetic"]), ("a[0, :] by b[:, 0]", "in float32, with rounded products"))
        self.assertEqual((dot["order"], dot["predicted"]), ("left to right", 200))

    def test_an_operator_of_libtorch(self):
        done, _ = self.reveal(["own_sum", "own_mean"], "one.toml:own_mean", "--at", "k=8", "--svg", "order.svg",
                              "--over", "k", json_wanted=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("x[0, :] of own_mean at k = 8, n = 2, float32", done.stdout)
        self.assertIn("200 of 200 random results", done.stdout)
        self.assertIn("├ ", done.stdout)
        self.assertTrue((self.folder / "order.svg").read_text().startswith("<svg"))

    def test_report_explains_rounding_of_these_very_runs(self):
        text = f'[python]\nvenv = "{sys.prefix}"\n[operator]\ninputs.x = {{shape = ["n", "k"]}}\n' \
               'sweep = {n = [2], k = [8, 16]}\n[golden]\narms = []\n'
        for name in ("loop", "lanes"):
            text += f'[arms.{name}]\npython = "kernels.py:{name}"\n'
        text += '[[checks]]\narms = ["loop", "lanes"]\nrelation = "equivalent"\nbecause = "the test asks"\n'
        (self.folder / "one.toml").write_text(text)

        def finding():
            done = subprocess.run([PARITY, "run", "one.toml", "--out", "out"], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = json.loads((self.folder / "out/results.json").read_text())["cases"][0]["checks"][0]
            self.assertEqual(found["verdict"], "rounding")
            return found["finding"]

        asked = {"more": [], "cause": "parity reveal one.toml --out out"}
        self.assertLessEqual(asked.items(), finding().items())
        subprocess.run([PARITY, *asked["cause"].split()[1:]], capture_output=True, cwd=self.folder)
        explained = finding()
        self.assertEqual(explained["cause"], "")
        self.assertEqual([line[:29] for line in explained["more"]],
                         ["loop adds left to right, in f", "lanes adds in 4 lanes of ever"])
        self.assertIn("(at k = 16, n = 2, float32; this order predicts 200 of 200 random results)", explained["more"][0])
        orders = self.folder / "out/reveal/one.json"
        kept = orders.read_text()
        orders.write_text(kept[:-9])
        self.assertLessEqual(asked.items(), finding().items())  # a damaged file says nothing
        orders.write_text(kept)
        self.assertEqual(finding(), explained)
        with (self.folder / "kernels.py").open("a") as kernels:
            kernels.write("# another program\n")
        self.assertLessEqual(asked.items(), finding().items())  # these runs were never probed

    def test_a_product_is_not_taken_for_a_sum(self):
        (self.folder / "kernels.py").write_text("def one(x): return x / 3\ndef two(x): return x * (1 / 3)\n")
        (self.folder / "one.toml").write_text(
            f'[python]\nvenv = "{sys.prefix}"\n[operator]\ninputs.x = {{shape = ["n", "k"]}}\nsweep = {{n = [2], k = [8, 16]}}\n'
            '[golden]\narms = []\n[arms.one]\npython = "kernels.py:one"\n[arms.two]\npython = "kernels.py:two"\n'
            '[[checks]]\narms = ["one", "two"]\nrelation = "equivalent"\nbecause = "the test asks"\n')
        done = subprocess.run([PARITY, "run", "one.toml", "--out", "out", "--json"], capture_output=True, text=True, cwd=self.folder)
        (found,) = json.loads(done.stdout)["cases"][0]["checks"]
        self.assertEqual((found["verdict"], found["finding"]["cause"]), ("rounding", ""))

    def test_what_cannot_be_revealed(self):
        for arm, words in (("own_norm", "cannot reveal the sum"), ("fails", "no kernel for this")):
            done, _ = self.reveal([arm, "own_sum"], f"one.toml:{arm}", "--over", "k")
            self.assertNotIn(done.returncode, (0, 1), arm)
            self.assertIn(words, done.stderr, arm)
        for words, problem in ((["one.toml:own"], "has no arm 'own'"), (["one.toml", "--over", "q"], "no dimension q; it has k, n"),
                               (["one.toml", "--at", "k=many"], "expected SYMBOL=SIZE")):
            done, _ = self.reveal(["own_sum", "own_mean"], *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(problem, done.stderr)


def nested(terms):
    tree = terms[0]
    for each in terms[1:]:
        tree = [tree, each]
    return tree


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
