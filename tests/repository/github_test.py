# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Files that GitHub reads: each parses, has the keys that GitHub asks for, and names only what exists.

Usage: github_test.py SOURCE_DIR BINARY_DIR
"""
import pathlib
import re
import subprocess
import sys
import unittest

import yaml_subset
from commands import Commands

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
GITHUB = SOURCE / ".github"
COMMANDS = Commands(SOURCE, BINARY)
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}


def shell_problems(script):
    """Problems that bash and Commands find in a script of a step."""
    parsed = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True)
    return [parsed.stderr] if parsed.returncode else COMMANDS.problems(script)


def form_problems(form):
    """Sentences about an issue form that GitHub would refuse, or that nobody could fill in."""
    for key in ("name", "description", "body"):
        if not form.get(key):
            yield f"lacks {key}"
    ids = [field.get("id") for field in form["body"] if field["type"] != "markdown"]
    if None in ids or len(set(ids)) != len(ids):
        yield f"each field needs an id of its own: {ids}"
    for field in form["body"]:
        if field["type"] not in FIELDS:
            yield f"{field['type']} is not a type of field"
        if not field["attributes"].get("value" if field["type"] == "markdown" else "label"):
            yield f"{field.get('id')} has no label"
        if field["type"] == "dropdown" and len(field["attributes"]["options"]) < 2:
            yield f"{field['id']} offers no choice"
    if not any(field.get("validations", {}).get("required") for field in form["body"]):
        yield "asks for nothing that is required"


def job_problems(job):
    """Sentences about a job that would not run as intended."""
    if "runs-on" not in job or "timeout-minutes" not in job:
        yield "lacks runs-on or timeout-minutes"
    rows = job.get("strategy", {}).get("matrix", {}).get("include", [])
    if len({row["name"] for row in rows}) != len(rows):
        yield "two rows of the matrix have one name"
    for step in job["steps"]:
        if ("uses" in step) == ("run" in step):
            yield f"a step either uses an action or runs a script: {step}"
        if "uses" in step and not re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]):
            yield f"{step['uses']} names no version"
        if "${{" in step.get("run", ""):
            yield f"an expression stands inside a script: {step['run']}"
    for script in [row["command"] for row in rows] + [step.get("run", "") for step in job["steps"]]:
        yield from shell_problems(script)


class GithubTest(unittest.TestCase):
    def test_forms_can_be_filled_in(self):
        forms = [file for file in sorted(GITHUB.glob("ISSUE_TEMPLATE/*.yml")) if file.name != "config.yml"]
        self.assertGreaterEqual(len(forms), 3)
        for file in forms:
            with self.subTest(file.name):
                self.assertEqual(list(form_problems(yaml_subset.load(file.read_text()))), [])

    def test_bug_form_asks_for_evidence(self):
        for name in ("bug", "wrong_verdict"):
            text = (GITHUB / f"ISSUE_TEMPLATE/{name}.yml").read_text()
            fields = {field.get("id") for field in yaml_subset.load(text)["body"]}
            self.assertLessEqual({"version", "case", "results"}, fields)
            self.assertIn("`parity version --json`", text)
            self.assertIn("results.json", text)

    def test_commands_of_forms_exist(self):
        for file in (*GITHUB.glob("ISSUE_TEMPLATE/*.yml"), GITHUB / "SECURITY.md", GITHUB / "pull_request_template.md"):
            for command in re.findall(r"`(parity [^`]*)`", file.read_text()):
                self.assertEqual(COMMANDS.problems(command), [], file.name)

    def test_workflow_runs_what_exists(self):
        workflow = yaml_subset.load((GITHUB / "workflows/ci.yml").read_text())
        self.assertLessEqual({"push", "pull_request", "schedule"}, set(workflow["on"]))
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        for name, job in workflow["jobs"].items():
            with self.subTest(name):
                self.assertEqual(list(job_problems(job)), [])

    def test_workflow_keeps_the_report(self):
        steps = yaml_subset.load((GITHUB / "workflows/ci.yml").read_text())["jobs"]["check"]["steps"]
        self.assertIn(".ci/run", [step.get("run") for step in steps])
        upload = steps[-1]
        self.assertEqual((upload["uses"].split("@")[0], upload["if"]), ("actions/upload-artifact", "always()"))
        suite = re.search(r"--out \"\$\{(?:CMAKE|PROJECT|parity)_SOURCE_DIR\}/(out/suite)\"",
                          "".join(file.read_text() for file in SOURCE.glob("harness/**/CMakeLists.txt")))
        self.assertIn(suite.group(1), upload["with"]["path"].split("\n"))

    def test_action_uses_versions(self):
        action = yaml_subset.load((GITHUB / "actions/parity/action.yml").read_text())
        for step in action["runs"]["steps"]:
            if "uses" in step:
                self.assertRegex(step["uses"], r"^[\w-]+/[\w-]+@v\d+$")
            else:
                self.assertEqual(step["shell"], "bash")
                self.assertEqual(shell_problems(step["run"].replace("$GITHUB_ACTION_PATH", ".github/actions/parity")), [])

    def test_action_readme_has_every_input(self):
        action = yaml_subset.load((GITHUB / "actions/parity/action.yml").read_text())
        readme = (GITHUB / "actions/parity/README.md").read_text()
        rows = re.findall(r"^\| (`.*?) \|", readme, re.M)
        named = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
        self.assertEqual(named, set(action["inputs"]) | set(action["outputs"]))
        usage = yaml_subset.load(re.search(r"^```yaml\n(.*?)^```", readme, re.M | re.S).group(1))
        step = usage["jobs"]["parity"]["steps"][-1]
        self.assertLessEqual(set(step["with"]), set(action["inputs"]))
        self.assertEqual(COMMANDS.problems("parity run " + step["with"]["arguments"]), [])

    def test_this_test_sees_what_does_not_exist(self):
        for script in ("cmake --workflow --preset tset", "cmake -DPARITY_REFERNCE=ON -S .", ".ci/rnu", "parity rnu",
                       "parity run --drfit fail", "ctest --preset suite", "if true"):
            self.assertNotEqual(shell_problems(script), [], script)
        for text in ("a: [1, {}]", "a: b: c", "a: yes", "a: 1\na: 2", "a:\n\t- 1", "a: &x 1", "- 1\nb: 2", "a: 'b' c"):
            with self.assertRaises(ValueError, msg=text):
                yaml_subset.load(text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
