# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel: built, repaired, installed in an empty environment, where the README's first comparison works.

Usage: wheel_test.py SOURCE_DIR PARITY RECORDER_LIBRARY    (the last two are not used: the wheel brings its own)
"""
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import venv

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PACKAGES = pathlib.Path(sysconfig.get_path("purelib"), "parity_venv.pth").read_text().splitlines()[0]  # of PARITY_VENV, with PyTorch
PLAIN = {key: value for key, value in os.environ.items() if not key.startswith(("PARITY_", "PYTHON"))}


def run(*words, status=0, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=800, **options)
    assert done.returncode == status, f"{words} ended with {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        options = f"-DPARITY_BOOTSTRAP=OFF;-DPARITY_VENV={pathlib.Path(PACKAGES).parents[2]}"
        run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", cls.folder,
            SOURCE / "harness/python", env=PLAIN | {"SKBUILD_CMAKE_ARGS": options})
        tools = PLAIN | {"PATH": f"{pathlib.Path(sys.executable).parent}:{PLAIN['PATH']}"}
        run(sys.executable, "-m", "auditwheel", "repair", "-w", cls.folder / "repaired", *cls.folder.glob("*.whl"), env=tools)
        (cls.wheel,) = (cls.folder / "repaired").glob("*.whl")
        cls.home = cls.folder / "home"
        venv.create(cls.home, with_pip=True)
        run(cls.home / "bin/pip", "install", "-q", "--no-index", cls.wheel, env=PLAIN)
        cls.environment = PLAIN | {"PATH": f"{cls.home / 'bin'}:{PLAIN['PATH']}"}

    def test_it_is_for_every_python_and_links_nothing_of_the_system(self):
        self.assertRegex(self.wheel.name, r"^parity_harness-[0-9.]+-py3-none-manylinux_2_\d+_x86_64\.whl$")
        linked = run("ldd", *self.home.glob("lib/*/site-packages/parity/installed/bin/parity"))
        self.assertNotIn("/lib/x86_64-linux-gnu/libhdf5", linked)
        self.assertNotIn("not found", linked)

    def test_it_imports_and_runs_without_torch(self):
        out = run(self.home / "bin/python", "-c", "import parity, sys; parity.record(); print('torch' in sys.modules)",
                  env=self.environment)
        self.assertEqual(out, "False\n")
        self.assertIn(self.wheel.name.split("-")[1], run("parity", "version", env=self.environment))

    def test_first_comparison_of_the_readme(self):
        script = SOURCE / "tests/examples/plain_trainer/train.py"
        environment = self.environment | {"PYTHONPATH": PACKAGES}
        for name, words in (("zero.h5", []), ("one.h5", ["--one-indexed"])):
            run("python", "-m", "parity", "record", "-o", name, "--", script, *words, cwd=self.folder, env=environment)
        out = run("parity", "compare", "zero.h5", "one.h5", cwd=self.folder, env=environment, status=1)
        self.assertIn("lr at step 4: 0.0006 against 0.0008", out)
        out = run("parity", "bisect", "traces", "zero.h5", "one.h5", cwd=self.folder, env=environment, status=1)
        self.assertIn("lr is the first channel that differs, at step 1", out)
        self.assertTrue((self.folder / "out/suite/bisect/traces.html").exists())

    def test_it_compiles_the_exact_twin(self):
        program = "import torch, parity.exact as exact; print(exact.same(lambda x: x + x, lambda x: 2 * x, torch.ones(3)))"
        environment = self.environment | {"PYTHONPATH": PACKAGES, "PARITY_EXACT_CACHE": str(self.folder / "exact")}
        out = run("python", "-c", program, cwd=self.folder, env=environment)
        self.assertIn("the same function; equal residues: output, gradient of input 0", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
