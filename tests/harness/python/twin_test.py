# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The float64 twin of a training script that knows nothing of it: same data, all arithmetic in float64, judged by a case.

Usage: twin_test.py SOURCE_DIR PARITY_PROGRAM RECORDER_LIBRARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from recorded import SOURCE, WARM

import h5py
import numpy

PARITY, LIBRARY = (str(pathlib.Path(word).resolve()) for word in sys.argv[2:4])

# A causal attention block with an upcast norm, dropout and autocast. Words of the command line change it.
SCRIPT = """
import sys, torch
from torch.nn import functional as F
torch.manual_seed(1)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.qkv = torch.nn.Embedding(64, 32), torch.nn.Linear(32, 96, bias=False)
        self.out, self.head = torch.nn.Linear(32, 32), torch.nn.Linear(32, 64)
        self.drop, self.weight = torch.nn.Dropout(0.1), torch.nn.Parameter(torch.ones(32))

    def forward(self, tokens):
        x = self.embed(tokens)
        h = x.float()
        h = (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)).type_as(x) * self.weight
        if torch.is_autocast_enabled("cpu"):
            h = h * 0.99  # stands for a kernel of lower precision
        q, k, v = self.qkv(h).chunk(3, -1)
        if "literal" in sys.argv:
            k = k * torch.tensor(0.3, dtype=torch.float32)
        if "complex" in sys.argv:
            k = (k * torch.ones((), dtype=torch.complex64)).real
        if "turned" in sys.argv:
            k = (k * torch.tensor(1j, dtype=torch.complex64)).imag
        if "fused" in sys.argv:
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            mask = torch.full((16, 16), float("-inf")).triu(2 if "leak" in sys.argv else 1)
            a = F.softmax(q @ k.transpose(-1, -2) / 32**0.5 + mask, dim=-1, dtype=torch.float32).type_as(v) @ v
        return self.head(x + self.drop(self.out(a)))

net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
data = torch.randint(0, 64, (8, 17))
for step in range(12):
    noise = torch.randn(3)  # data of the script's own
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled="amp" in sys.argv):
        loss = F.cross_entropy(net(data[:, :-1]).flatten(0, 1), data[:, 1:].flatten()) + noise.square().mean() * 1e-3
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
print(noise.tolist())
"""


class TwinTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "train.py").write_text(SCRIPT)

    def run_with(self, *words, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PARITY_")}
        environment |= {"PYTHONPATH": str(SOURCE / "harness/python/src"), "PARITY_RECORDER_LIBRARY": LIBRARY,
                        "PATH": f"{WARM.parent}:{os.environ['PATH']}", **variables}
        return subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)

    def record(self, output, *words, **variables):
        return self.run_with(WARM, "-m", "parity", "record", "-o", output, "--", "train.py", *words, **variables)

    def judge(self, one, other):
        """The results of a case whose arms are the script with one word and with the other."""
        arms = "".join(f"[arms.{name}]\ncommand = ['python', '-m', 'parity', 'record', '--', 'train.py', '{name}']\n"
                       "float64 = true\n" for name in (one, other))
        (self.folder / "case.toml").write_text(f"question = 'The same?'\ngolden.arms = []\n{arms}" + textwrap.dedent("""
            [[checks]]
            channel = ["loss", "grad_norm"]
            relation = "equivalent"
            because = "both are causal attention"
        """))
        done = self.run_with(PARITY, "run", "case.toml", "--out", "out", "--json")
        return done.returncode, json.loads(done.stdout)["cases"][0]

    def test_the_twin_has_weights_and_data_of_the_training(self):
        single = self.record("single.h5", "fused")
        double = self.record("double.h5", "fused", PARITY_DTYPE="float64")
        self.assertEqual((single.stderr, double.stderr), ("", ""))
        numbers = [json.loads(done.stdout) for done in (single, double)]
        self.assertEqual(numbers[0], numbers[1])  # random numbers are those of float32
        with h5py.File(self.folder / "single.h5") as a, h5py.File(self.folder / "double.h5") as b:
            gap = numpy.abs(a["channels/loss"][:] - b["channels/loss"][:])
        self.assertGreater(gap.max(), 0)
        self.assertLess(gap.max(), 1e-4)

    def test_rounding_is_told_from_another_computation(self):
        status, case = self.judge("fused", "manual")
        self.assertEqual((status, case["checks"][0]["verdict"]), (0, "rounding"), case)
        status, case = self.judge("fused", "leak")
        self.assertEqual((status, case["checks"][0]["verdict"]), (1, "different"), case)

    def test_what_was_made_before_the_recorder_is_converted(self):
        (self.folder / "two_lines.py").write_text(textwrap.dedent("""
            import torch
            torch.manual_seed(1)
            net = torch.nn.Linear(4, 1)
            net.register_buffer("scale", torch.full((1,), 0.1))
            net.register_buffer("turn", torch.polar(net.scale, net.scale))
            optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
            (net(torch.ones(2, 4)) * net.scale).sum().backward()
            optimizer.step()
            before = [one.clone() for one in (net.weight, net.scale, net.turn, optimizer.state[net.weight]["exp_avg"])]
            import parity
            recorder = parity.record(net, optimizer, path="run.h5", twin="float64")
            for was, now in zip(before, (net.weight, net.scale, net.turn, optimizer.state[net.weight]["exp_avg"])):
                print(now.dtype, torch.equal(was.to(now.dtype), now))
            for _ in range(2):
                optimizer.zero_grad()
                loss = (net(torch.ones(2, 4)) * net.scale * net.turn.abs()).sum()
                loss.backward()
                optimizer.step()
                recorder.step(loss=loss)
        """))
        done = self.run_with(WARM, "two_lines.py")
        types = ("float64", "float64", "complex128", "float64")
        self.assertEqual((done.stdout, done.stderr), ("".join(f"torch.{name} True\n" for name in types), ""))

    def test_autocast_is_off_in_the_twin(self):
        losses = []
        for words in (["fused"], ["fused", "amp"]):
            self.assertEqual(self.record("run.h5", *words, PARITY_DTYPE="float64").stderr, "")
            with h5py.File(self.folder / "run.h5") as file:
                losses.append(file["channels/loss"][:].tolist())
        self.assertEqual(*losses)

    def test_a_tensor_of_before_is_refused_with_its_line(self):
        (self.folder / "early.py").write_text(textwrap.dedent("""
            import parity, torch
            net, scale = torch.nn.Linear(4, 1), torch.full((1,), 0.3)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            recorder = parity.record(net, optimizer, path="run.h5", twin="float64")
            loss = (net(torch.ones(2, 4)) * scale.square()).sum()
            loss.backward()
            optimizer.step()
            recorder.step(loss=loss)
            recorder.close()
        """))
        done = self.run_with(WARM, "early.py")
        self.assertIn("the float64 twin met tensors below float64: float32 of aten::pow.Tensor_Scalar at early.py:6", done.stderr)
        self.assertFalse((self.folder / "run.h5").exists())

    def test_numbers_become_float64_tensors(self):
        (self.folder / "literals.py").write_text(textwrap.dedent("""
            import numpy, parity, torch
            net = torch.nn.Linear(4, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            recorder = parity.record(net, optimizer, path="run.h5", twin="float64")
            for given in (torch.tensor([0.3, 3], dtype=torch.float32), torch.as_tensor([0.3], dtype=torch.bfloat16),
                          torch.tensor(numpy.float32([0.3])), torch.from_numpy(numpy.float32([0.3])),
                          torch.tensor([0.3, 3], dtype=torch.int32)):
                print(given.dtype, given.tolist())
            net(torch.tensor([[0.1] * 4], dtype=torch.float32)).sum().backward()
            optimizer.step()
            recorder.step()
            recorder.close()
        """))
        done = self.run_with(WARM, "literals.py")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines(), [
            "torch.float64 [0.3, 3.0]", "torch.float64 [0.3]", *2 * [f"torch.float64 [{float(numpy.float32(0.3))}]"],
            "torch.int32 [0, 3]"])
        self.assertTrue((self.folder / "run.h5").exists())

    def test_complex_numbers_are_doubled(self):
        for kind in ("complex", "turned"):
            self.assertEqual(self.record("run.h5", kind, PARITY_DTYPE="float64").stderr, "")

    def test_an_unknown_twin_is_an_error(self):
        done = self.run_with(WARM, "-c", "import parity; parity.record(path='t.h5', twin='float128')")
        self.assertIn('twin = "float128" is not known; give "float64"', done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
