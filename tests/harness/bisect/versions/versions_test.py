# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity bisect versions` on packages that the test makes itself, with real environments and a real pip.

Usage: versions_test.py SOURCE_DIR PARITY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE, PARITY = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
# Version of toymath -> what its function adds. 1.3 cannot be installed.
TOYMATH = {"1.0": 0.0, "1.1": 0.0, "1.2": 0.0, "1.3": None, "1.4": 0.5, "1.5": 0.5, "2.0": 0.5625}
TOYDATA = {"1.0": 0.0, "1.1": 0.0}
NIGHTLY = {"3.0.dev1+cpu": 0.5625, "3.0.dev2+cpu": 0.5625, "3.0.dev3+cpu": 0.25, "3.0.dev4+cpu": 0.25}  # in another index

TRAIN = """
import sys
sys.path.insert(0, {support!r})
import h5py, numpy as np
import toydata, toymath
import os
with h5py.File(os.environ["PARITY_TRACE"], "w") as file:
    file.attrs["schema"], file.attrs["status"] = "parity.trace/1.0", "complete"
    file["steps"] = np.arange(1, 4)
    file.create_group("channels")["loss"] = np.array([3.0, 2.0, 1.0 + toymath.EXTRA + toydata.EXTRA])
"""

CASE = """
question = "Which release moved the loss?"
[python]
venv = "base"
[base]
steps = 3
[arms.run]
command = ["{python}", "{case_dir}/train.py"]
inputs  = ["train.py"]
[arms.other]
command = ["{python}", "{case_dir}/train.py", "x"]
inputs  = ["train.py"]
[[checks]]
channel  = "loss"
relation = "identical"
because  = "both run the same script"
[golden]
arms = []
"""


def write_wheel(folder, name, version, extra, needs=""):
    """A wheel with one module. extra None: one that needs a package which does not exist."""
    facts = f"{name}-{version}.dist-info"
    needs = "Requires-Dist: toynowhere\n" if extra is None else needs
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", f"EXTRA = {extra}\n")
        wheel.writestr(f"{facts}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        wheel.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{facts}/RECORD", f"{name}.py,,\n{facts}/METADATA,,\n{facts}/WHEEL,,\n{facts}/RECORD,,\n")


class VersionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.index = cls.folder / "index"
        cls.index.mkdir()
        for name, versions in (("toymath", TOYMATH), ("toydata", TOYDATA)):
            for version, extra in versions.items():
                write_wheel(cls.index, name, version, extra)
        cls.nightly = cls.folder / "nightly"
        cls.nightly.mkdir()
        for version, extra in NIGHTLY.items():
            write_wheel(cls.nightly, "toymath", version, extra)
        # The base is this test's Python, which has h5py, with toymath 1.0 and toydata 1.0.
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", cls.folder / "base"], check=True)
        cls.environment = dict(os.environ, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(cls.index))
        own = next(path for path in sys.path if path.endswith("site-packages"))
        site = next((cls.folder / "base/lib").glob("python3*/site-packages"))
        (site / "own.pth").write_text(own + "\n")
        pip = [cls.folder / "base/bin/python", "-m", "pip", "install", "-q", "toymath==1.0", "toydata==1.0"]
        subprocess.run(pip, check=True, env=cls.environment)
        (cls.folder / "train.py").write_text(TRAIN.format(support=str(SOURCE)))
        (cls.folder / "mine.toml").write_text(CASE)

    def bisect(self, *words, status=1, **variables):
        command = [PARITY, "bisect", "versions", *words, "--case", "mine.toml", "--arm", "run"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment | variables, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_the_release_is_found_and_its_neighbour_is_skipped(self):
        record = json.loads(self.bisect("toymath==1.0", "toymath==1.5", "--json").stdout)
        self.assertEqual(record["kind"], "versions")
        step = next(stage for stage in record["stages"] if stage["name"] == "step")
        self.assertEqual((step["details"]["before"], step["details"]["after"]), ("1.2", "1.4"))
        self.assertEqual(step["details"]["between"], ["1.3"])
        self.assertIn("toymath 1.4 (after 1.2) moves loss first at step 3 from 1 to 1.5", record["sentence"])
        self.assertTrue(any("1.3 could not be judged: cannot be installed" in note for note in record["notes"]))
        again = self.bisect("toymath==1.0", "toymath==1.5")
        self.assertIn("0 new environments and 0 runs", again.stdout)

    def test_runs_of_arms_without_inputs_stay_apart(self):
        (self.folder / "bare.toml").write_text(CASE.replace('inputs  = ["train.py"]\n', ""))
        command = [PARITY, "bisect", "versions", "toymath==1.2", "toymath==1.4", "--case", "bare.toml", "--arm", "run"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertIn("toymath 1.4 (after 1.2) moves loss first at step 3 from 1 to 1.5", done.stdout + done.stderr)

    def test_what_came_with_a_release_is_named(self):
        write_wheel(self.index, "toyneeds", "1.0", 0)
        write_wheel(self.index, "toyneeds", "1.1", 0, "Requires-Dist: toymath==1.4\n")
        found = self.bisect("toyneeds==1.0", "toyneeds==1.1").stdout
        self.assertIn("toyneeds 1.1 (after 1.0) moves loss", found)
        self.assertIn("toymath-1.4 came with it and may be the cause", found)
        self.assertNotIn("came with it", self.bisect("toymath==1.2", "toymath==1.4").stdout)

    def test_releases_whose_runs_do_not_repeat_are_not_named(self):
        write_wheel(self.index, "toynoise", "1.0", 0)
        for version in ("1.1", "1.2"):
            write_wheel(self.index, "toynoise", version, "__import__('secrets').randbelow(2**20) / 2**30")
        script = (self.folder / "train.py").read_text()
        noisy = script.replace("toydata.EXTRA", "toydata.EXTRA + __import__('toynoise').EXTRA")
        (self.folder / "noisy.py").write_text(noisy)
        (self.folder / "noisy.toml").write_text(CASE.replace("train.py", "noisy.py"))
        command = [PARITY, "bisect", "versions", "toynoise==1.0", "toynoise==1.2", "--case", "noisy.toml", "--arm", "run"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertIn("toynoise 1.1 (after 1.0) moves loss", done.stdout + done.stderr)
        self.assertIn("those of the version before do not", done.stdout)
        self.assertIn("two runs of one environment differ", done.stdout)
        for line in done.stdout.splitlines():
            if "step " in line and "toynoise 1.2 (after 1.1) moves" in line:
                self.assertIn("not proven", line)

    def test_two_moves_are_found_largest_first(self):
        record = json.loads(self.bisect("toymath==1.0", "toymath==2.0", "--json").stdout)
        steps = [stage["details"]["after"] for stage in record["stages"] if stage["name"] == "step"]
        self.assertEqual(steps, ["1.4", "2.0"])

    def test_backwards_it_finds_the_same_release(self):
        self.assertIn("toymath 1.2 (after 1.4) moves loss", self.bisect("toymath==1.5", "toymath==1.0").stdout)

    def test_of_two_packages_the_culprit_is_named(self):
        record = json.loads(self.bisect("toydata==1.0 toymath==1.2", "toydata==1.1 toymath==1.4", "--json").stdout)
        packages = next(stage for stage in record["stages"] if stage["name"] == "packages")
        self.assertEqual(packages["details"]["causes"], ["toymath"])

    def test_a_nightly_wheel_of_another_index_is_found(self):
        both = {"PIP_FIND_LINKS": f"{self.index} {self.nightly}"}
        found = self.bisect("toymath==2.0", "toymath==3.0.dev4+cpu", **both).stdout
        self.assertIn("toymath 3.0.dev3+cpu (after 3.0.dev2+cpu) moves loss first at step 3 from 1.5625 to 1.25", found)
        found = self.bisect("toymath==3.0.dev1", "toymath==3.0.dev3", **both).stdout  # pip picks the label
        self.assertIn("moves loss first at step 3 from 1.5625 to 1.25", found)

    def test_a_nightly_wheel_without_its_index_is_an_error(self):
        done = self.bisect("toymath==2.0", "toymath==3.0.dev2+cpu", "--out", "out/without", status=2)
        self.assertIn("cannot judge the bad side, toymath==3.0.dev2+cpu (cannot be installed", done.stderr)

    def test_same_numbers_are_exit_0(self):
        done = self.bisect("toydata==1.0", "toydata==1.1", status=0)
        self.assertIn("the two sides do not differ", done.stdout)

    def compare_with_copy(self, script, environment="", status=3):
        """Compares two releases that differ, by an arm that starts in a folder with a copy of the package."""
        vendored = self.folder / "vendored"
        vendored.mkdir(exist_ok=True)
        (vendored / "toymath.py").write_text("EXTRA = 0\n")
        (vendored / "train.py").write_text((self.folder / "train.py").read_text())
        text = CASE.replace("{case_dir}/train.py\"]", f"{{case_dir}}/{script}\"]\n{environment}")
        (self.folder / "copied.toml").write_text(text)
        command = [PARITY, "bisect", "versions", "toymath==1.2", "toymath==1.4", "--case", "copied.toml", "--arm", "run"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_a_copy_beside_the_script_is_no_agreement(self):
        said = self.compare_with_copy("vendored/train.py")
        self.assertRegex(said, r"cannot compare versions of toymath \(arm run imports \S*vendored/toymath.py, which hides")

    def test_a_copy_in_pythonpath_is_no_agreement(self):
        said = self.compare_with_copy("train.py", f'environment = {{ PYTHONPATH = "{self.folder}/vendored" }}')
        self.assertRegex(said, r"arm run imports \S*vendored/toymath.py, which hides")

    def test_a_copy_that_no_run_imports_does_not_count(self):
        self.assertIn("toymath 1.4 (after 1.2) moves loss", self.compare_with_copy("train.py", status=1))

    def test_tolerance_covers_a_move(self):
        self.bisect("toymath==1.4", "toymath==2.0", "--tolerance", "0.1", status=0)

    def test_an_end_that_cannot_be_installed_is_an_error(self):
        done = self.bisect("toymath==1.0", "toymath==1.3", status=2)
        self.assertIn("cannot judge the bad side, toymath==1.3 (cannot be installed", done.stderr)
        self.assertIn("toynowhere", done.stderr)
        self.assertIn("cannot judge the bad side", self.bisect("toymath==1.0", "toymath==9.0", status=2).stderr)

    def test_a_golden_is_verified_in_another_environment(self):
        case = (self.folder / "mine.toml").read_text().replace("arms = []", 'arms = ["run"]')
        (self.folder / "kept.toml").write_text(case)
        self.bisect("toymath==1.0", "toymath==1.4")  # makes the environments
        made = {}
        for facts in (self.folder / "out/suite/bisect/versions/environments").glob("*/environment.json"):
            packages = json.loads(facts.read_text())["packages"]
            made[packages["toymath"] if set(packages) == {"toymath"} else None] = facts.parent

        def parity(*words):
            command = [PARITY, "golden", *words, "kept.toml", "--out", "out/kept"]
            return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)

        self.assertEqual(parity("record").returncode, 0)
        self.assertEqual(parity("verify", "--venv", made["1.0"]).returncode, 0)
        red = parity("verify", "--venv", made["1.4"])
        self.assertEqual(red.returncode, 1, red.stdout + red.stderr)
        self.assertIn("loss", red.stdout)
        missing = parity("verify", "--venv", "nowhere")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("cannot use --venv nowhere (there is no", missing.stderr)

    def test_bad_words_are_errors(self):
        self.assertIn("write NAME==VERSION", self.bisect("toymath>=1.0", "toymath==1.5", status=2).stderr)
        self.assertIn("both sides name the same", self.bisect("toymath==1.0", "Toymath==1.0", status=2).stderr)
        (self.folder / "empty.txt").write_text("# nothing\n")
        self.assertIn("names no package", self.bisect("empty.txt", "toymath==1.0", status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
