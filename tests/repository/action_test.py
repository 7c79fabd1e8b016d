# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The GitHub Action of .github/actions/parity, run as a workflow of another repository runs it.

The other repository has two cases of command arms, one that agrees and one that differs. The scripts of action.yml
run with the built parity; its conditions and expressions are evaluated here. Only the build is a rehearsal: cmake is a
stand-in that notes its words, since a whole build takes minutes.

Usage: action_test.py SOURCE_DIR BINARY_DIR
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml_subset

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
FOLDER = SOURCE / ".github/actions/parity"
ACTION = yaml_subset.load((FOLDER / "action.yml").read_text())

CASE = """question = "Does the new loader feed the same batches?"
[arms.old]
command = ["{python}", "{{case_dir}}/train.py", "0"]
[arms.new]
command = ["{python}", "{{case_dir}}/train.py", "{shift}"]
[[checks]]
channel  = "loss"
arms     = ["old", "new"]
relation = "identical"
because  = "the loader alone was rewritten"
[golden]
arms = []
"""
TRAINER = """import os, sys
import h5py, numpy
steps = numpy.arange(1, 6)
with h5py.File(os.environ["PARITY_TRACE"], "w") as trace:
    trace.attrs["schema"] = "parity.trace/1.0"
    trace.attrs["status"] = "complete"
    trace["steps"] = steps
    trace["channels/loss"] = 2.0 / steps + float(sys.argv[1])
"""


def value_of(expression, context):
    """The text of a "${{ }}" expression: names joined by "||", "&&" and compared with a text."""
    def operand(text):
        text = text.strip()
        if text == "always()":
            return "true"
        comparison = re.fullmatch(r"(\S+) (==|!=) '([^']*)'", text)
        if comparison:
            name, operator, other = comparison.groups()
            return "true" if (context(name) == other) == (operator == "==") else ""
        if not re.fullmatch(r"[a-z]+(\.[\w-]+)+", text):
            raise ValueError(f"this test cannot evaluate {text!r}")
        return context(text)

    for choice in expression.split("||"):
        values = [operand(part) for part in choice.split("&&")]
        if all(values):
            return values[-1]
    return ""


def outputs_of(file):
    """What a step wrote to GITHUB_OUTPUT: NAME=VALUE lines, and NAME<<MARK blocks."""
    text = file.read_text() if file.exists() else ""
    blocks = dict((name, body) for name, _, body in re.findall(r"^([\w-]+)<<(\w+)\n(.*?)\n\2$", text, re.M | re.S))
    return {**dict(re.findall(r"^([\w-]+)=(.*)$", text, re.M)), **blocks}


class Job:
    """One job whose only step uses the action, with `given` inputs, in the workspace `folder`."""

    def __init__(self, folder, given, path=""):
        self.folder, self.path = folder, path
        self.inputs = {name: given.get(name, row.get("default", "")) for name, row in ACTION["inputs"].items()}
        self.temp = pathlib.Path(tempfile.mkdtemp(prefix="runner_"))
        self.steps, self.status, self.log, self.used = {}, 0, "", {}
        for number, step in enumerate(ACTION["runs"]["steps"]):
            self.take(number, step)

    def context(self, name):
        kind, rest = name.split(".", 1)
        if kind == "inputs":
            return self.inputs[rest]
        if kind == "runner":
            return {"os": "Linux", "arch": "X64", "temp": str(self.temp)}[rest]
        if kind == "steps":
            step, _, output = rest.partition(".outputs.")
            return self.steps.get(step, {}).get(output, "")
        raise ValueError(f"this test does not know {name}")

    def evaluated(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: value_of(match.group(1), self.context), str(text))

    def take(self, number, step):
        condition = step.get("if", "")
        if condition and not value_of(condition, self.context):
            return
        if self.status and "always()" not in condition:
            return
        if "uses" in step:
            self.used[step["uses"].split("@")[0]] = {k: self.evaluated(v) for k, v in step["with"].items()}
            return
        output = self.temp / f"output{number}"
        environment = dict(os.environ, GITHUB_ACTIONS="true", GITHUB_ACTION_PATH=str(FOLDER),
                           GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(self.temp / "summary.md"),
                           GITHUB_WORKSPACE=str(self.folder), RUNNER_TEMP=str(self.temp))
        environment["PATH"] = f"{self.path}{os.environ['PATH']}"
        environment.update({name: self.evaluated(value) for name, value in step.get("env", {}).items()})
        where = self.folder / self.evaluated(step.get("working-directory", "."))
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=where,
                              env=environment, capture_output=True, text=True, timeout=120)
        self.log += done.stdout + done.stderr
        self.status = self.status or done.returncode
        self.steps[step.get("id", str(number))] = outputs_of(output)

    def output(self, name):
        return self.evaluated(ACTION["outputs"][name]["value"])

    def summary(self):
        file = self.temp / "summary.md"
        return file.read_text() if file.exists() else ""


class ActionTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="action_"))
        self.addCleanup(shutil.rmtree, self.root)
        for name, shift in (("same", "0"), ("other file", "0.5")):
            case = self.root / "parity/cases/loader" / f"{name}.toml"
            case.parent.mkdir(parents=True, exist_ok=True)
            case.write_text(CASE.format(python=sys.executable, shift=shift))
        (self.root / "parity/cases/loader/train.py").write_text(TRAINER)

    def job(self, path="", **given):
        given = {"working-directory": "parity", "program": str(BINARY / "bin/parity"), **given}
        job = Job(self.root, given, path)
        self.addCleanup(shutil.rmtree, job.temp)
        return job

    def check_posted(self, job, *cases):
        """The summary of the job is that of the report, and it is about these cases and no others."""
        self.assertEqual(job.summary(), pathlib.Path(job.output("report")).with_name("summary.md").read_text() + "\n")
        results = json.loads(pathlib.Path(job.output("results")).read_text())
        self.assertEqual({case["name"] for case in results["cases"]}, set(cases))

    def test_agreeing_case_passes(self):
        job = self.job(cases="\n  loader/same\n", arguments="--jobs 1\n --drift  fail")
        self.assertEqual(job.status, 0, job.log)
        self.assertEqual((job.output("status"), job.output("verdict")), ("0", "agree"))
        self.check_posted(job, "loader/same")
        self.assertNotIn("::error", job.log)
        self.assertTrue(pathlib.Path(job.output("results")).is_file())
        self.assertTrue(pathlib.Path(job.output("report")).is_file())
        self.assertNotIn("actions/cache", job.used)  # nothing was built

    def test_differing_case_fails_and_is_posted(self):
        job = self.job()  # all cases
        self.assertEqual(job.status, 1, job.log)
        self.assertEqual(job.output("verdict"), "differ")
        self.check_posted(job, "loader/same", "loader/other file")
        self.assertIn("::error file=parity/cases/loader/other file.toml,line=6,", job.log)
        upload = job.used["actions/upload-artifact"]  # also where a case failed
        self.assertEqual(upload["name"], "parity-report")
        folder = self.root / "parity/out/parity"
        self.assertEqual(upload["path"].split("\n"), [str(folder), f"!{folder}/runs/**"])

    def test_name_with_a_blank_is_one_case(self):
        job = self.job(cases="cases/loader/other file.toml", artifact="")
        self.assertEqual((job.status, job.output("verdict")), (1, "differ"), job.log)
        self.check_posted(job, "loader/other file")
        self.assertNotIn("actions/upload-artifact", job.used)

    def test_bad_input_is_posted(self):
        job = self.job(cases="loader/smae")
        self.assertEqual((job.status, job.output("verdict")), (2, "bad_input"), job.log)
        self.assertIn("parity judged nothing (exit status 2)", job.summary())
        self.assertIn("loader/smae", job.summary())  # the message of parity
        self.assertRegex(job.log, "::error title=parity::.*loader/smae")
        self.assertNotIn("actions/upload-artifact", job.used)

    def test_old_results_are_no_results(self):
        self.assertEqual(self.job(cases="loader/same").status, 0)
        job = self.job(cases="loader/smae")
        self.assertEqual((job.status, job.output("results")), (2, ""))

    def test_no_results_never_pass(self):
        job = self.job(program="/bin/true")
        self.assertEqual((job.status, job.output("verdict")), (70, "internal"), job.log)
        self.assertIn("parity judged nothing", job.summary())

    def test_inputs_are_data(self):
        job = self.job(cases="loader/same\n$(touch cases_ran); `touch cases_ran`", arguments="--tag $(touch${IFS}arguments_ran)")
        self.assertNotEqual(job.status, 0)
        self.assertEqual(list(self.root.rglob("*_ran")), [])
        for step in ACTION["runs"]["steps"]:
            self.assertNotIn("${{", step.get("run", ""), "an expression inside a script runs what a caller writes")

    def test_build_uses_options_that_exist(self):
        stand_in = self.root / "bin/cmake"
        stand_in.parent.mkdir()
        stand_in.write_text('#!/bin/sh\necho "cmake $*" >> "$GITHUB_WORKSPACE/calls"\n'
                            'case "$1" in --build) mkdir -p "$2/bin"; ln -s "$TEST_PARITY" "$2/bin/parity";; esac\n')
        stand_in.chmod(0o755)
        shutil.copy(stand_in, self.root / "bin/sudo")
        (self.root / "bin/sudo").write_text('#!/bin/sh\n[ "$1" = chown ] || exec "$@"\n')
        os.environ["TEST_PARITY"] = str(BINARY / "bin/parity")
        job = self.job(path=f"{self.root}/bin:", program="", cases="loader/same", trainer="true")
        self.assertEqual((job.status, job.output("verdict")), (0, "agree"), job.log)
        calls = (self.root / "calls").read_text()
        self.assertIn("-P harness/cmake/bootstrap.cmake", calls)
        self.assertIn("--target parity parity-train", calls)
        declared = "".join(file.read_text() for file in SOURCE.glob("harness/cmake/*.cmake"))
        for option in set(re.findall(r"-D(PARITY_\w+)=", calls)):
            self.assertRegex(declared, rf"(option|set)\({option} ")
        self.assertRegex(job.used["actions/cache"]["key"], r"^parity-Linux-X64-[0-9a-f]{64}-true$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
