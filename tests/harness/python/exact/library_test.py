# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""One process compiles the library for all. An error names what the compiler lacks.

Usage: exact/library_test.py SOURCE_DIR
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from exactly import SOURCE, main

from parity.exact import library

PROGRAM = "from parity.exact.library import operators; operators(); print('loaded')"
COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then echo "a compiler, version 1"; exit 0; fi
echo compiled >> "$0.log"
while [ $# -gt 1 ]; do [ "$1" = -o ] && out="$2"; shift; done
sleep 1
{action}
"""


class LibraryTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def environment(self, action):
        """An environment in which a compiler of our own runs `action` to write "$out"."""
        compiler = self.folder / "compiler"
        compiler.write_text(COMPILER.format(action=action))
        compiler.chmod(0o755)
        return dict(os.environ, CXX=str(compiler), PARITY_EXACT_CACHE=str(self.folder / "cache"),
                    PYTHONPATH=str(SOURCE / "harness/python/src"))  # fmt: skip

    def compilations(self):
        return (self.folder / "compiler.log").read_text().count("compiled")

    def test_processes_share_one_compilation(self):
        library.operators()  # compiles, unless another test did
        environment = self.environment(f'cp "{library._compiled()}" "$out"')
        begun = [subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for _ in range(2)]  # fmt: skip
        ends = [process.communicate() for process in begun]
        self.assertEqual([out for out, _ in ends], ["loaded\n", "loaded\n"])
        self.assertEqual(self.compilations(), 1)
        self.assertEqual("".join(err for _, err in ends).count("compiling"), 1)
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True)
        self.assertEqual(self.compilations(), 1)

    def test_errors_of_the_compiler_are_told(self):
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=self.environment('echo "x.hpp:3: error: no" >&2; exit 1'),
                              capture_output=True, text=True)  # fmt: skip
        self.assertIn("Unavailable: cannot compile the exact twin (x.hpp:3: error: no)", done.stderr)
        (log,) = (self.folder / "cache").rglob("*.log")
        self.assertIn("error: no", log.read_text())
        self.assertEqual(list((self.folder / "cache").rglob("*.so")), [])

    def test_a_missing_compiler_is_told(self):
        environment = dict(self.environment(""), CXX="/nowhere/c++")
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
        self.assertIn("no C++ compiler /nowhere/c++", done.stderr)

    def test_sources_are_those_of_the_room(self):
        root, files = library.sources()
        names = {str(file.relative_to(root)) for file in files}
        self.assertIn("reference/exact/library.cpp", names)
        self.assertIn("reference/exact/rules/norms.cpp", names)
        self.assertNotIn("reference/exact/ranks/collectives.cpp", names)


if __name__ == "__main__":
    main()
