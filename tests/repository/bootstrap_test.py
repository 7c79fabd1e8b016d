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


def write_wheel(folder, version, name="probe"):
    """A wheel of one module, so that pip has something real to install without a network."""
    file = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr(f"{name}.py", f"version = '{version}'\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
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
        (self.root / "harness/cmake/debian-packages.txt").write_text(
            "# comment\n<harness>\n" + "\n".join(packages) + "\n\n<tests>\nlibbar-dev\n")
        probe, witness = write_wheel(self.root, version), write_wheel(self.root, "3.0", "witness")
        (self.root / "harness/cmake/requirements.txt").write_text(
            f"# comment\n<harness>\nprobe @ file://{probe}\n<tests>\nwitness @ file://{witness}\n")

    def bootstrap(self, uid=0, tests="OFF"):
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}", STATE=f"{self.root}/state",
                           FAKE_UID=str(uid))
        return subprocess.run([CMAKE, f"-DPARITY_BUILD_TESTS={tests}", "-P", "harness/cmake/bootstrap.cmake"], cwd=self.root, env=environment,
                              capture_output=True, text=True, check=False)

    def calls(self):
        file = self.root / "state/calls"
        return file.read_text() if file.exists() else ""

    def probe_version(self):
        return subprocess.run([self.venv / "bin/python", "-c", "import probe; print(probe.version)"],
                              capture_output=True, text=True, check=True).stdout.strip()

    def modules(self):
        return {file.stem for file in self.venv.glob("lib/python3*/site-packages/*.py")} & {"probe", "witness"}

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
        self.assertIn("dpkg --configure -a", self.calls())  # repairs an installation that was interrupted

    def test_what_cannot_be_installed_is_named(self):
        (self.root / "state/installed").write_text("ninja-build\n")
        (self.root / "state/apt-fails").touch()
        outcome = self.bootstrap()
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("could not install: libfoo++-dev (exit status 100)", outcome.stderr.replace("\n  ", " "))

    def test_a_finished_environment_is_reused(self):
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.calls(), "")  # nothing was missing, so apt was not asked
        self.assertEqual(self.probe_version(), "1.0")
        (self.venv / "mine").touch()
        outcome = self.bootstrap(uid=1000)
        self.assertEqual(outcome.returncode, 0)
        self.assertNotIn("PyPI packages", outcome.stdout)
        self.assertTrue((self.venv / "mine").exists(), "it was not reused")

    def test_an_interrupted_section_is_finished(self):
        self.assertEqual(self.bootstrap().returncode, 0)
        (self.venv / "parity-bootstrap-harness").unlink()  # what a bootstrap leaves that was killed in this section
        shutil.rmtree(next(self.venv.glob("lib/python3*/site-packages/probe-1.0.dist-info")))
        next(self.venv.glob("lib/python3*/site-packages/probe.py")).unlink()
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.probe_version(), "1.0")

    def test_an_environment_that_was_not_made_whole_is_made_anew(self):
        (self.venv / "bin").mkdir(parents=True)  # what `python -m venv` leaves that was killed
        (self.venv / "mine").touch()
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.probe_version(), "1.0")
        self.assertFalse((self.venv / "mine").exists())

    def test_another_version_starts_anew(self):
        self.assertEqual(self.bootstrap().returncode, 0)
        (self.venv / "mine").touch()
        self.want(["ninja-build"], "2.0")
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.probe_version(), "2.0")
        self.assertFalse((self.venv / "mine").exists(), "it was not made anew")

    def test_a_section_comes_when_it_is_asked_for(self):
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.modules(), {"probe"})
        (self.venv / "mine").touch()
        outcome = self.bootstrap(tests="ON")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(self.modules(), {"probe", "witness"})
        self.assertIn("install -y --no-install-recommends libbar-dev\n", self.calls())
        self.assertTrue((self.venv / "mine").exists(), "it started anew")
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(self.modules(), {"probe", "witness"})

    def test_a_package_that_pip_refuses_leaves_no_stamp(self):
        (self.root / "harness/cmake/requirements.txt").write_text(
            "<harness>\nprobe @ file:///no/such/probe-1.0-py3-none-any.whl\n")
        outcome = self.bootstrap()
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("pip could not install", outcome.stderr)
        self.assertFalse((self.venv / "parity-bootstrap-harness").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
