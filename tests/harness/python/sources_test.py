# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A stored run does not answer once a module or a data file of its trainer has changed, although no arm lists it.

Usage: sources_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import subprocess
import sys
import unittest

from recorded import ENVIRONMENT, RecordedTest

PARITY = sys.argv[2]
CASE = """
question = "Do two seeds train otherwise?"
[arms.one]
command = ["{python}", "{{case_dir}}/train.py", "1"]
inputs  = ["train.py"]
[arms.two]
command = ["{python}", "{{case_dir}}/train.py", "2"]
inputs  = ["train.py"]
[[checks]]
channel  = ["loss"]
arms     = ["one", "two"]
relation = "distinct"
because  = "they begin with other weights"
"""
TRAINER = """
import sys, torch, parity, helper
torch.manual_seed(int(sys.argv[1]))
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=helper.rate)
with parity.record(model, optimizer) as rec:
    for step in range(10):
        loss = model(torch.ones(2, 4)).square().mean()
        loss.backward(); optimizer.step(); optimizer.zero_grad()
        rec.step(loss=loss)
"""
READS = TRAINER.replace("model = ", "helper.read()\nmodel = ")
HELPER = """
import os, pathlib, pkgutil, torch
here = pathlib.Path(__file__).parent
rate = float((here / "rate").read_text())
mapped = torch.from_file(str(here / "mapped"), size=3, dtype=torch.uint8)  # in C++, which no hook sees

def read():
    assert list((here / "shards").iterdir()) and (here / "link").read_text()
    assert list(pkgutil.iter_modules([str(here)]))  # looks for modules, not for data
    (here / f"own.{os.getpid()}").write_text("written by this run")
    (here / f"own.{os.getpid()}").read_text()
    if (child := os.fork()) == 0:
        (here / "worker").read_text()
        os._exit(0)
    os.waitpid(child, 0)
"""


class SourcesTest(RecordedTest):
    def run_case(self):
        words = [PARITY, "run", str(self.folder / "case.toml"), "--out", str(self.folder / "out")]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
        self.assertIn("distinct", done.stdout, done.stdout + done.stderr)
        return done.stdout

    def prepare(self, trainer, **files):
        (self.folder / "case.toml").write_text(CASE.format(python=sys.executable))
        (self.folder / "train.py").write_text(trainer)
        for name, text in files.items():
            (self.folder / name).write_text(text)
        self.run_case()
        self.assertIn("2 from the cache", self.run_case())

    def test_a_changed_module_trains_again(self):
        self.prepare(TRAINER, **{"helper.py": "rate = 0.01\n"})
        (self.folder / "helper.py").write_text("rate = 0.02\n")
        self.assertNotIn("from the cache", self.run_case())

    def test_a_changed_data_file_trains_again(self):
        (self.folder / "shards").mkdir()
        (self.folder / "shards/0.bin").touch()
        (self.folder / "link").symlink_to("rate")
        self.prepare(READS, **{"helper.py": HELPER, "rate": "0.01", "mapped": "map", "worker": "fork"})
        (self.folder / "link").unlink()
        (self.folder / "link").symlink_to("worker")
        self.assertNotIn("from the cache", self.run_case(), "a link that leads elsewhere")
        (self.folder / "unrelated").touch()
        self.assertIn("2 from the cache", self.run_case())
        for name in ("rate", "mapped", "worker", "shards/1.bin"):
            with self.subTest(name):
                (self.folder / name).write_text("0.02")
                self.assertNotIn("from the cache", self.run_case())
                self.assertIn("2 from the cache", self.run_case())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
