# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of Slurm share: a case of shell arms, and parity as a process."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from cluster import Cluster, skip_unless_possible

SOURCE, PARITY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SITE = """[sites.test]
poll_seconds = 0.2
settle_seconds = 3
retry_seconds = 0.3
"""
CHECK = """[[checks]]
channel = "loss"
arms = ["a", "b"]
relation = "identical"
because = "both arms copy one trace"
"""
COPY = 'cp {case_dir}/good.h5 {run_dir}/trace.h5'


class SlurmTest(unittest.TestCase):
    """A cluster for all tests of the class, and a folder for each."""
    cluster_options = {}

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(**cls.cluster_options).__enter__()
        cls.addClassCleanup(cls.cluster.close)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="suite_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.end_jobs)
        subprocess.run([sys.executable, SOURCE / "tests/support/minimal_trace.py", self.folder / "good.h5"], check=True)
        self.sites(SITE)

    def end_jobs(self):
        for job, _name, _state in self.cluster.jobs():
            self.cluster.run("scancel", job, check=False)
        self.cluster.wait("no job", lambda: not self.cluster.jobs())

    def sites(self, text):
        (self.folder / "parity.toml").write_text(text)

    def case(self, name="c", more="", inputs=True, **arms):
        """Writes a case whose arms are shell scripts."""
        text = f'question = "q"\n{more}\n[golden]\narms = []\n'
        for arm, script in arms.items():
            text += f"[arms.{arm}]\ncommand = ['/bin/sh', '-c', '''{script}''']\nlabel = '{arm}'\n"
            text += "inputs = ['good.h5']\n" if inputs else ""
        file = self.folder / f"{name}.toml"
        file.write_text(text + CHECK)
        return file

    def start(self, *words, out="out", on="test", environment=None):
        """Starts parity run --on SITE."""
        command = [PARITY, "run", *words, "--on", on, "--sites", self.folder / "parity.toml", "--out", self.folder / out]
        return subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment or self.cluster.environment, cwd=self.folder)

    def end(self, process, status):
        """Waits for parity. \\return its output, which has the right exit status"""
        out, err = process.communicate(timeout=90)
        self.assertEqual(process.returncode, status, out + err + self.cluster.logs())
        return out + err

    def run_suite(self, *words, status=0, **options):
        return self.end(self.start(*words, **options), status)

    def results(self, out="out"):
        return json.loads((self.folder / out / "results.json").read_text())

    def arm(self, name, out="out"):
        return next(arm for case in self.results(out)["cases"] for arm in case["arms"] if arm["name"] == name)

    def failure(self, name, out="out"):
        """Kind and sentence of an arm's failure, with line breaks as spaces."""
        failure = self.arm(name, out)["failure"]
        return failure["kind"], failure["message"]

    def wait_for(self, condition, what="it", seconds=40):
        self.cluster.wait(what, condition, seconds)

    def wait_for_file(self, name):
        self.wait_for(lambda: (self.folder / name).exists(), name)

    def expect_nothing_left(self):
        """No job, and no process of a job."""
        self.wait_for(lambda: not self.cluster.jobs(), "no job is left")
        self.wait_for(lambda: not [words for _pid, words in self.cluster.processes() if not words.startswith("slurm")],
                      f"no process is left of {self.cluster.processes()}")


def main():
    skip_unless_possible()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
