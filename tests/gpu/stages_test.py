# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The frame around the stages: what a machine without a GPU gets, and what a failed stage leaves behind."""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from unittest import mock

import run
import stages
from gpu_site import Site, StageError

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


class StagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "gpu"
        self.out.mkdir()

    def site(self, **more):
        return Site(BUILD, "/bin/false", self.out, {}, **more)

    def test_without_a_gpu_every_stage_says_so_and_the_status_is_3(self):
        done = subprocess.run([sys.executable, pathlib.Path(run.__file__), BUILD, "--torch", "/bin/false", "--out", self.out],
                              capture_output=True, text=True, check=False)
        if "device     passed" in done.stdout:
            self.skipTest("this machine has a GPU")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        with tarfile.open(self.out.with_name("gpu.tar.xz")) as archive:
            results = json.load(archive.extractfile("gpu/results.json"))
        self.assertEqual(list(results["stages"]), [stage.__name__ for stage in stages.STAGES])
        for name, result in results["stages"].items():
            self.assertEqual(result["status"], "no device", name)
            self.assertIn("needs a GPU", result["why"])

    def test_a_stage_that_fails_or_breaks_leaves_the_results_of_the_others(self):
        def finds(_):
            raise StageError("a planted defect")

        def breaks(_):
            raise KeyError("planted")

        def passes(_):
            return {"figure": 7}

        with mock.patch.object(run, "STAGES", (passes, finds, breaks)):
            run.run_stages(self.site(), None)
        found = json.loads((self.out / "results.json").read_text())["stages"]
        self.assertEqual(found["passes"]["figures"], {"figure": 7})
        self.assertEqual((found["finds"]["status"], found["finds"]["why"]), ("failed", "a planted defect"))
        self.assertEqual((found["breaks"]["status"], found["breaks"]["why"]), ("failed", "KeyError: 'planted'"))

    def test_stages_after_the_time_are_left_out(self):
        with mock.patch.object(run, "STAGES", (stages.device,)):
            found = run.run_stages(self.site(end=time.monotonic() - 1), None)
        self.assertEqual(found["device"]["status"], "left out")

    def test_tests_that_were_skipped_without_a_reason_fail_the_stage(self):
        rows = [{"name": f"Test{i}", "result": "SKIPPED" if i else "COMPLETED", "time": "0.1s"} for i in range(3)]
        (self.out / "tests.json").write_text(json.dumps({"testsuites": [{"testsuite": rows}]}))
        site = self.site()
        with mock.patch.object(Site, "run", lambda *_, **__: (0, "")), self.assertRaisesRegex(StageError, "Test1, Test2"):
            stages.tests(site)

    def test_a_command_that_takes_too_long_is_ended(self):
        begin = time.monotonic()
        status, _ = self.site().run(["sleep", "60"], "sleep", seconds=1)
        self.assertEqual(status, -1)
        self.assertLess(time.monotonic() - begin, 20)


if __name__ == "__main__":
    unittest.main()
