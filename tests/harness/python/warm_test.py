# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A process of tests/support/warm_python.py behaves as one of the interpreter.

Usage: warm_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import pathlib
import subprocess
import sys
import time
import unittest

from recorded import ENVIRONMENT, WARM, RecordedTest

FACTS = """
import os, sys
print("torch" in sys.modules)
import torch
print(sys.argv, os.getcwd(), os.environ.get("HERE"), torch.get_num_threads(), __name__, __file__, sys.path[0])
"""


class WarmTest(RecordedTest):
    def run_python(self, *words, python=WARM, **variables):
        return subprocess.run([python, *words], cwd=self.folder, env=ENVIRONMENT | variables, capture_output=True, text=True,
                              timeout=60)

    def test_it_is_what_the_interpreter_would_be(self):
        script = self.folder / "facts.py"
        script.write_text(FACTS)
        for threads in ("1", "2"):  # which OpenMP reads when PyTorch is loaded
            warm, fresh = (self.run_python(str(script), "a b", python=python, HERE="yes", OMP_NUM_THREADS=threads).stdout.splitlines()
                           for python in (WARM, sys.executable))
            self.assertEqual((warm[0], fresh[0]), ("True", "False"))
            self.assertEqual(warm[1:], fresh[1:])

    def test_status_and_output_are_those_of_the_script(self):
        for text, status in (("raise SystemExit(7)", 7), ("raise SystemExit('sorry')", 1), ("1 / 0", 1), ("", 0),
                             ("import os; os.kill(os.getpid(), 9)", -9), ("import atexit; atexit.register(print, 'end')", 0)):
            warm, fresh = (self.run_python("-c", text, python=python) for python in (WARM, sys.executable))
            self.assertEqual((warm.returncode, warm.stdout, warm.stderr), (status, fresh.stdout, fresh.stderr), text)

    def test_it_dies_with_its_caller(self):
        began = self.folder / "began"
        caller = subprocess.Popen([WARM, "-c", f"import os, time; open({str(began)!r}, 'w').write(str(os.getpid())); time.sleep(60)"],
                                  env=ENVIRONMENT)
        self.wait_for(lambda: began.exists() and began.read_text())
        caller.kill()
        caller.wait()
        self.wait_for(lambda: not pathlib.Path("/proc", began.read_text()).exists())

    def wait_for(self, condition):
        until = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
