# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A stored run does not answer once a module or a data file of its trainer has changed, although no arm lists it.

Usage: sources_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import contextlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

from recorded import ENVIRONMENT, WARM, RecordedTest

import h5py

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
import os, pathlib, pkgutil, sqlite3, subprocess, numpy as np, torch
here = pathlib.Path(__file__).parent
rate = float((here / "rate").read_text())
mapped = torch.from_file(str(here / "mapped"), size=3, dtype=torch.uint8)  # in C++, which no hook sees
both = np.memmap(here / "both")  # NumPy opens it for reading and writing
subprocess.run(["cat", "child"], cwd=here, check=True)
subprocess.run("cat <shell | wc -c", cwd=here, check=True, shell=True)
tables = sqlite3.connect(here / "tables.db").execute("select * from t").fetchall()

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
WAITS = """
import h5py, pathlib, time
here = pathlib.Path(__file__).parent
rate = float(h5py.File(here / "rate.h5")["rate"][()])
(here / "began").write_text("")
while not (here / "go").exists():
    time.sleep(0.01)
"""
LOOKS = """
import contextlib, glob, pkgutil, sys
rate = 0.01
with contextlib.suppress(OSError):
    open("over").read()
with contextlib.suppress(ImportError):
    import settings
sys.path.append("lib")
import late
plugins = [one.name for one in pkgutil.iter_modules(["plugins"])]
shards = glob.glob("shards/*.bin")
"""


class SourcesTest(RecordedTest):
    def run_case(self, environment=ENVIRONMENT):
        words = [PARITY, "run", str(self.folder / "case.toml"), "--out", str(self.folder / "out")]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120, env=environment)
        self.assertIn("distinct", done.stdout, done.stdout + done.stderr)
        return done.stdout

    def prepare(self, trainer, **files):
        (self.folder / "case.toml").write_text(CASE.format(python=WARM))
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
        self.write_table("0.01")
        self.prepare(READS, **{"helper.py": HELPER, "rate": "0.01", "mapped": "map", "worker": "fork", "both": "b",
                               "child": "c", "shell": "s"})
        (self.folder / "link").unlink()
        (self.folder / "link").symlink_to("worker")
        self.assertNotIn("from the cache", self.run_case(), "a link that leads elsewhere")
        (self.folder / "unrelated").touch()
        self.assertIn("2 from the cache", self.run_case())
        for name in ("rate", "mapped", "worker", "shards/1.bin", "both", "child", "shell", "tables.db"):
            with self.subTest(name):
                if name.endswith(".db"):
                    self.write_table("0.02")
                else:
                    (self.folder / name).write_text("0.02")
                self.assertNotIn("from the cache", self.run_case())
                self.assertIn("2 from the cache", self.run_case())

    def test_what_was_looked_for_in_vain_trains_again(self):
        (self.folder / "lib").mkdir()
        (self.folder / "lib/late.py").write_text("rate = 0.01")
        (self.folder / "plugins").mkdir()
        self.prepare(TRAINER, **{"helper.py": LOOKS})
        for name in ("over", "settings.py", "late.py", "plugins/b.py", "shards/1.bin"):
            with self.subTest(name):
                (self.folder / name).parent.mkdir(exist_ok=True)
                (self.folder / name).write_text("")
                self.assertNotIn("from the cache", self.run_case())
                self.assertIn("2 from the cache", self.run_case())

    def test_another_version_of_a_package_behind_another_program_trains_again(self):
        package = self.folder / "site-packages"
        package.mkdir()
        (package / "pk.py").write_text("rate = 0.01")
        (package / "pk-1.0.dist-info").mkdir()
        (package / "pk-1.0.dist-info/RECORD").write_text("pk.py,,\n")
        (self.folder / "helper.py").write_text("from pk import rate\n")
        (self.folder / "train.py").write_text(TRAINER)
        for command in ('"env", "X=1", "{python}"', '"sh", "-c", "exec {python} $0 $1"'):
            with self.subTest(command):
                text = CASE.replace('"{python}"', command).format(python=WARM)
                (self.folder / "case.toml").write_text(text)
                environment = ENVIRONMENT | {"PYTHONPATH": f"{ENVIRONMENT['PYTHONPATH']}:{package}"}
                self.run_case(environment)
                self.assertIn("2 from the cache", self.run_case(environment))
                (package / "pk-1.0.dist-info").rename(package / "pk-1.1.dist-info")
                self.assertNotIn("from the cache", self.run_case(environment))
                (package / "pk-1.1.dist-info").rename(package / "pk-1.0.dist-info")

    def test_an_input_that_changed_before_the_run_began_trains_again(self):
        """The second arm reads what its identity does not name, since its file changed while the first arm trained."""
        self.write_rate(0.01)
        (self.folder / "case.toml").write_text(CASE.format(python=WARM).replace('"train.py"]\n', '"train.py", "rate.h5"]\n'))
        (self.folder / "train.py").write_text(TRAINER)
        (self.folder / "helper.py").write_text(WAITS)
        words = [PARITY, "run", str(self.folder / "case.toml"), "--out", str(self.folder / "out"), "-j", "1"]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as first:
            while not (self.folder / "began").exists():
                self.assertIsNone(first.poll())
                time.sleep(0.01)
            self.write_rate(0.02)
            (self.folder / "go").touch()
            self.assertIn("distinct", first.communicate(timeout=60)[0])
        self.write_rate(0.01)
        self.assertNotIn("from the cache", self.run_case())
        self.assertIn("2 from the cache", self.run_case())

    def write_rate(self, rate):
        with h5py.File(self.folder / "rate.h5", "w") as file:
            file["rate"] = rate

    def write_table(self, text):
        with contextlib.closing(sqlite3.connect(self.folder / "tables.db")) as tables, tables:
            tables.execute("create table if not exists t (text)")
            tables.execute("insert into t values (?)", (text,))

    def test_data_in_shared_memory_counts(self):
        with tempfile.NamedTemporaryFile("w", dir="/dev/shm") as data:
            data.write("0.01")
            data.flush()
            self.prepare(TRAINER, **{"helper.py": f"rate = float(open({data.name!r}).read())\n"})
            data.write("5")
            data.flush()
            self.assertNotIn("from the cache", self.run_case())

    def test_a_package_whose_files_python_does_not_see_needs_inputs(self):
        with h5py.File(self.folder / "rate.h5", "w") as file:
            file["rate"] = 0.01
        (self.folder / "case.toml").write_text(CASE.format(python=WARM))
        (self.folder / "train.py").write_text(TRAINER)
        (self.folder / "helper.py").write_text(
            "import h5py, pathlib\nrate = float(h5py.File(pathlib.Path(__file__).parent / 'rate.h5')['rate'][()])\n")
        self.run_case()
        self.assertNotIn("from the cache", self.run_case())
        listed = CASE.replace('"train.py"]\n', '"train.py", "rate.h5"]\n')
        (self.folder / "case.toml").write_text(listed.format(python=WARM))
        self.run_case()
        self.assertIn("2 from the cache", self.run_case())
        with h5py.File(self.folder / "rate.h5", "w") as file:
            file["rate"] = 0.02
        self.assertNotIn("from the cache", self.run_case())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
