# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The targets suite and nightly build each program that `parity run` starts: a fresh clone has no other."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT, BUILD = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
COMMAND_WORDS = "harness/suite/plan/command_words.cpp"


def started_programs():
    """Returns the names of the programs that a case's arms start: the trainer and those of command_words.cpp."""
    return {"parity-train", *re.findall(r'"(parity-[a-z]+)"', (ROOT / COMMAND_WORDS).read_text())}


def inputs_of(target):
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "inputs", target], capture_output=True, text=True, check=True)
    return {pathlib.PurePath(line).name for line in listed.stdout.splitlines()}


class TargetsTest(unittest.TestCase):
    def test_programs_of_the_suite_are_built_for_it(self):
        started = started_programs()
        self.assertIn("parity-operator", started, COMMAND_WORDS + " no longer names it")
        for target in ("suite", "nightly"):
            with self.subTest(target=target):
                self.assertEqual(started - inputs_of(target), set())


if __name__ == "__main__":
    unittest.main()
