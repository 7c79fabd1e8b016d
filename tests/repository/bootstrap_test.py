# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""harness/cmake/bootstrap.cmake as a new user meets it: with and without root, interrupted, changed, run again.

The real script, virtual environments and pip; dpkg-query, dpkg, apt-get and id are stand-ins that keep a list of what
is installed, since a test may not install packages.

Usage: bootstrap_test.py SOURCE_DIR CMAKE
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(sys.argv[1])
CMAKE = sys.argv[2]

STAND_INS = {
    "id": 'echo "$FAKE_UID"',
    "dpkg": 'echo "dpkg $*" >> "$STATE/calls"',
    "dpkg-query": 'while read -r name; do echo "install ok installed $name"; done < "$STATE/installed"',
    "apt-get": 'echo "apt-get $*" >> "$STATE/calls"\n'
               '[ -e "$STATE/apt-fails" ] && exit 100\n'
               'case "$*" in *" install "*) for w in ${*#*--no-install-recommends}; do echo "$w"; done'
               ' >> "$STATE/installed";; esac\n:',
}


def write_wheel(folder, version):
    """A wheel of one module, so that pip has something real to install without a network."""
    file = folder / f"probe-{version}-py3-none-any.whl"
    info = f"probe-{version}.dist-info"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("probe.py", f"version = '{version}'\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: probe\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"probe.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return file


class BootstrapTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="bootstrap_"))
        self.addCleanup(shutil.rmtree, self.root)
        for folder in ("harness/cmake", "build", "bin", "state"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(SOURCE / "harness/cmake/bootstrap.cmake", self.root / "harness/cmake")
        for name, body in STAND_INS.items():
            script = self.root / "bin" / name
            script.write_text(f"#!/bin/sh\n{body}\n")
            script.chmod(script.stat().st_mode | stat.S_IXUSR)
        self.want(["ninja-build", "libfoo++-dev"], "1.0")
        (self.root / "state/installed").write_text("ninja-build\nlibfoo++-dev\n")
        self.venv = self.root / "build/venv"

    def want(self, packages, version):
        (self.root / "harness/cmake/debian-packages.txt").write_text("# comment\n" + "\n".join(packages) + "\n")
        wheel = write_wheel(self.root, version)
        (self.root / "harness/cmake/requirements.txt").write_text(f"# comment\nprobe @ file://{wheel}\n")

    def bootstrap(self, uid=0):
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}", STATE=f"{self.root}/state",
                           FAKE_UID=str(uid))
        return subprocess.run([CMAKE, "-P", "harness/cmake/bootstrap.cmake"], cwd=self.root, env=environment,
                              capture_output=True, text=True, check=False)

    def calls(self):
        file = self.root / "state/calls"
        return file.read_text() if file.exists() else ""

    def probe_version(self):
        return subprocess.run([self.venv / "bin/python", "-c", "import probe; print(probe.version)"],
                              capture_output=True, text=True, check=True).stdout.strip()

    def test_without_root_it_stops_with_the_one_line_to_run(self):
        (self.root / "state/installed").write_text("ninja-build\n")
        outcome = self.bootstrap(uid=1000)
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("sudo apt-get install -y --no-install-recommends libfoo++-dev\n", outcome.stderr)
        self.assertEqual(self.calls(), "")
        self.assertFalse(self.venv.exists())

    def test_as_root_it_installs_what_is_missing_and_nothing_else(self):
        (self.root / "state/installed").write_text("ninja-build\n")
        outcome = self.bootstrap()
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("install -y --no-install-recommends libfoo++-dev\n", self.calls())
        self.assertIn("dpkg --configure -a", self.calls())  # mends an installation that was cut off

    def test_what_cannot_be_installed_is_named(self):
        (self.root / "state/installed").write_text("ninja-build\n")
        (self.root / "state/apt-fails").touch()
        outcome = self.bootstrap()
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("could not install: libfoo++-dev (exit status 100)", outcome.stderr.replace("\n  ", " "))

    def test_a_finished_environment_is_reused_and_an_interrupted_one_made_anew(self):
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.calls(), "")  # nothing was missing, so apt was not asked
        self.assertEqual(self.probe_version(), "1.0")
        (self.venv / "mine").touch()
        self.assertEqual(self.bootstrap(uid=1000).returncode, 0)
        self.assertTrue((self.venv / "mine").exists(), "it was not reused")

        (self.venv / "parity-bootstrap").unlink()  # what a bootstrap leaves that was killed: no stamp, half a package
        next(self.venv.glob("lib/python3*/site-packages/probe.py")).unlink()
        outcome = self.bootstrap()
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(self.probe_version(), "1.0")
        self.assertFalse((self.venv / "mine").exists(), "it was not made anew")

        self.want(["ninja-build"], "2.0")
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.probe_version(), "2.0")

    def test_a_package_that_pip_refuses_leaves_no_stamp(self):
        (self.root / "harness/cmake/requirements.txt").write_text("probe @ file:///no/such/probe-1.0-py3-none-any.whl\n")
        outcome = self.bootstrap()
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("pip could not install", outcome.stderr)
        self.assertFalse((self.venv / "parity-bootstrap").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
