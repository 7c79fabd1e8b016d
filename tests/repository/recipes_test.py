# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The recipes of harness/suite/slurm/README.md for schedulers that parity does not know: they parse, name what exists, and the
one that collects traces works with a stand-in for kubectl.

Usage: recipes_test.py SOURCE_DIR BINARY_DIR
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import yaml_subset
from commands import Commands

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
TEXT = (SOURCE / "harness/suite/slurm/README.md").read_text()
COMMANDS = Commands(SOURCE, BINARY)
# Pod pod-I is the folder pod-I. Its trace is there at the second look.
KUBECTL = r"""#!/bin/sh
case "$1 $*" in
  get*-l*) echo "pod-${4##*index=}" ;;
  get*) [ -e "$3/traces" ] && echo Running || echo Failed ;;
  exec*test*) [ -e "$2/traces" ] && [ -e "$2/asked" ] || { touch "$2/asked"; exit 1; } ;;
  exec*touch*) touch "$2/taken" ;;
  cp*) pod=${2%%:*}; [ -e "$pod/traces" ] && mkdir -p "$3" && cp "$pod"/traces/* "$3" ;;
esac
"""


def recipe(first):
    """The indented block that begins with a line."""
    block = re.search(rf"^    {re.escape(first)}.*\n(?:    .*\n|\n(?=    ))*", TEXT, re.M)
    return textwrap.dedent(block.group(0))


class RecipesTest(unittest.TestCase):
    def expect_no_problems(self, script):
        self.assertEqual(subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False).stderr, "")
        for command in re.findall(r"parity (?:run|report|compare)[^|;\n]*", script):
            self.assertEqual(COMMANDS.problems(re.sub(r"\$\{\{.*?\}\}|\$\w+", "1", command)), [])

    def test_github_matrix(self):
        job = yaml_subset.load(recipe("strategy:"))
        self.assertEqual(len(job["strategy"]["matrix"]["shard"]), 3)
        self.expect_no_problems(job["steps"][0]["run"])

    def test_gitlab_parallel(self):
        pipeline = yaml_subset.load(recipe("parity:"))
        self.assertEqual(pipeline["parity"]["parallel"], 3)
        self.expect_no_problems(pipeline["parity"]["script"])
        self.expect_no_problems(pipeline["report"]["script"])

    def test_indexed_job(self):
        job = yaml_subset.load(recipe("apiVersion:"))
        self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
        spec = job["spec"]
        self.assertEqual(spec["completionMode"], "Indexed")
        container = spec["template"]["spec"]["containers"][0]
        self.assertIn(f"$i/{spec['completions']}", container["command"][2])
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]},
                         {volume["name"] for volume in spec["template"]["spec"]["volumes"]})
        self.expect_no_problems(container["command"][2])

    def test_shares_of_the_indexed_job(self):
        """Exit status 1 of parity is a result, others fail the pod."""
        command = yaml_subset.load(recipe("apiVersion:"))["spec"]["template"]["spec"]["containers"][0]["command"][2]
        for status, expected in [(0, 0), (1, 0), (4, 1)]:
            script = f"parity() {{ echo \"$@\"; return {status}; }}; {command}"
            done = subprocess.run(["sh", "-c", script], env={"JOB_COMPLETION_INDEX": "2"}, capture_output=True, text=True, check=False)
            self.assertEqual((done.stdout.strip(), done.returncode), ("run --shard 3/3 --out /out/shard3", expected))

    def collect(self, folder, pods):
        script = recipe("collect() {").split("collect train")[0]
        return subprocess.run(["sh", "-c", f"{script}\ncollect train {pods} all"], cwd=folder, check=False, capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "WAIT": "0.01"}, timeout=30)

    def test_traces_of_pods_are_collected(self):
        self.expect_no_problems(recipe("collect() {"))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "kubectl").write_text(KUBECTL)
            (folder / "kubectl").chmod(0o755)
            for rank, trace in enumerate(["trace.h5", "trace.rank1.h5", "trace.rank2.h5"]):
                (folder / f"pod-{rank}/traces").mkdir(parents=True)
                (folder / f"pod-{rank}/traces" / trace).write_text(str(rank))
            done = self.collect(folder, 3)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({file.name: file.read_text() for file in (folder / "all").iterdir()},
                             {"trace.h5": "0", "trace.rank1.h5": "1", "trace.rank2.h5": "2"})
            self.assertTrue(all((folder / f"pod-{rank}/taken").exists() for rank in range(3)))
            (folder / "pod-3").mkdir()  # a pod that failed
            self.assertNotEqual(self.collect(folder, 4).returncode, 0)
            self.assertFalse((folder / "pod-3/taken").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
