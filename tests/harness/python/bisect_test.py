# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity bisect` on a plain PyTorch script with a planted defect: it names the step, the tensor and the operator.

Usage: bisect_test.py SOURCE_DIR PARITY_PROGRAM RECORDER_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from recorded import SOURCE, WARM

PARITY, LIBRARY = (str(pathlib.Path(word).resolve()) for word in sys.argv[2:4])

SCRIPT = """
import json, os, torch
import parity
from torch.nn import functional as F
config = json.load(open(os.environ["PARITY_CONFIG"]))
torch.manual_seed(1)

class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = torch.nn.Linear(32, 96, bias=False), torch.nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        mask = torch.full((16, 16), float("-inf")).triu(config.get("diagonal", 1))
        return self.out(F.softmax(q @ k.transpose(-1, -2) / 32**0.5 + mask, dim=-1) @ v)

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.attention, self.mlp = torch.nn.LayerNorm(32), Attention(), torch.nn.Linear(32, 32)

    def forward(self, x):
        x = x + self.attention(self.norm(x))
        return x + F.gelu(self.mlp(x))

net = torch.nn.Sequential(torch.nn.Embedding(64, 32), Block(), Block(), torch.nn.Linear(32, 64))
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / config.get("warmup", 3)))
data = torch.randint(0, 64, (8, 4, 17))
recorder = parity.record(net, optimizer, config=config)
for step in range(config.get("steps", 5)):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(data[step][:, :-1]).flatten(0, 1), data[step][:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), config.get("max_norm", 1.0))
    optimizer.step()
    schedule.step()
    recorder.step(loss=loss)
"""


class BisectTest(unittest.TestCase):
    def bisect(self, defect="", edit=("", ""), steps="base.steps = 5\n"):
        """What `parity bisect` prints of an arm with this line of config, or this edit of its script, against one without."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "train.py").write_text(SCRIPT)
            pathlib.Path(folder, "new.py").write_text(SCRIPT.replace(*edit))
            arm, new = ('command = ["python", "{case_dir}/%s"]\ninputs = ["%s"]\n' % (file, file)
                        for file in ("train.py", "new.py" if edit[0] else "train.py"))
            pathlib.Path(folder, "case.toml").write_text(
                f'question = "The same?"\ngolden.arms = []\n{steps}[arms.right]\n{arm}[arms.wrong]\n{new}{defect}\n'
                '[[checks]]\nchannel = ["loss", "lr"]\nrelation = "identical"\nbecause = "one computation"\n')
            environment = os.environ | {
                "PYTHONPATH": str(SOURCE / "harness/python/src"), "PARITY_RECORDER_LIBRARY": LIBRARY, "COLUMNS": "200",
                "PATH": f"{WARM.parent}:{os.environ['PATH']}"}
            done = subprocess.run([PARITY, "bisect", "case.toml"], cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=300)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            return done.stdout

    def test_a_mask_that_leaks(self):
        out = self.bisect("diagonal = 2")
        self.assertIn("forward 1.attention.out at step 1 is the first tensor that differs", out)
        self.assertIn("aten::triu of 1.attention receives a different diagonal: 1 against 2", out)

    def test_another_script_that_leaks(self):
        out = self.bisect(edit=('config.get("diagonal", 1)', "2"))
        self.assertIn('the configs differ in command ("{case_dir}/train.py" against "{case_dir}/new.py")', out)
        self.assertIn("aten::triu of 1.attention receives a different diagonal: 1 against 2", out)

    def test_state_that_differs_only_after_the_last_update(self):
        """The case does not say how many updates the scripts make."""
        edit = ("    recorder.step(loss=loss)", "    if step == 4: net[3].weight.data[0, 0] += 1\n    recorder.step(loss=loss)")
        out = self.bisect(edit=edit, steps="")
        self.assertIn("no channel differs, but the parameters after the last update do", out)
        self.assertIn("at step 5 is the first tensor that differs", out)

    def test_fewer_updates_are_a_difference(self):
        out = self.bisect(edit=('config.get("steps", 5)', "3"), steps="")
        self.assertIn("right ends after update 5, wrong after update 3, and no channel differs until then", out)

    def test_a_schedule_that_is_late(self):
        out = self.bisect("warmup = 4")
        self.assertIn("lr is the first channel that differs, at step 1", out)
        self.assertIn("at step 1 is the first tensor that differs: lr of update 1 is 0.001 against 0.00075", out)

    def test_a_clipping_that_is_too_strong(self):
        out = self.bisect("max_norm = 0.3")
        self.assertIn("at step 1 is the first tensor that differs: aten::mul of clip receives a different other: 1 against 0.", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
