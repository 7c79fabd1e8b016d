# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""LICENSE, CONTRIBUTING.md, CHANGELOG.md, SECURITY.md and CITATION.cff say what is so.

Usage: documents_test.py SOURCE_DIR BINARY_DIR
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

import yaml_subset
from commands import Commands

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"  # apache.org/licenses/LICENSE-2.0.txt
FACTS = json.loads(subprocess.run([BINARY / "bin/parity", "version", "--json"], capture_output=True, text=True,
                                  check=True).stdout)


def text_of(name):
    return (SOURCE / name).read_text()


def paths_of(text):
    """Links and quoted names of a document that refer to something in this tree."""
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    quoted = re.findall(r"`([\w.-]+/[\w./-]*)`", text)
    return [path for path in links + quoted if not re.match(r"https?:|build/|out/|origin/", path)]


def anchors_of(text):
    """The anchors of a document's headings, as GitHub forms them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(file):
    """Links of a document to a file, or to a heading of a document, that does not exist."""
    text = re.sub(r"^```.*?^```", "", file.read_text(), flags=re.M | re.S)
    for link, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)]*)\)", text):
        target = file.parent / link if link else file
        if re.match(r"https?:", link):
            continue
        if not target.exists() or anchor and target.suffix == ".md" and anchor not in anchors_of(target.read_text()):
            yield f"{link}#{anchor}" if anchor else link


def next_versions(version):
    """The versions that may follow `version`."""
    major, minor, patch = map(int, version.split("."))
    return {f"{major}.{minor}.{patch + 1}", f"{major}.{minor + 1}.0", f"{major + 1}.0.0"}


def versions_of(changelog):
    """[(name, date, body)] of the versions of a changelog, newest first."""
    parts = re.split(r"^## \[(.+?)\](?: - (\S+))?$", changelog, flags=re.M)
    return list(zip(parts[1::3], parts[2::3], parts[3::3]))


class DocumentsTest(unittest.TestCase):
    def test_licence_is_apache_2(self):
        self.assertEqual(hashlib.sha256(text_of("LICENSE").encode()).hexdigest(), APACHE_2)

    def test_paths_exist(self):
        for name in ("CONTRIBUTING.md", "CHANGELOG.md", ".github/SECURITY.md", ".github/actions/parity/README.md"):
            paths = paths_of(text_of(name))
            missing = [path for path in paths if not any((folder / path).exists() for folder in
                                                         (SOURCE, (SOURCE / name).parent))]
            self.assertEqual(missing, [], name)
        self.assertGreater(len(paths_of(text_of("CONTRIBUTING.md"))), 30)
        self.assertEqual(paths_of("[a](b/c.md) [f](g.md#h) `d/e/` `x y/z` [w](https://x.org)"), ["b/c.md", "g.md", "d/e/"])

    def test_links_of_each_document_exist(self):
        folders = [folder for folder in SOURCE.iterdir() if folder.name in
                   (".github", "cases", "golden", "harness", "reference", "reports", "tests")]
        files = [*SOURCE.glob("*.md"), *(file for folder in folders for file in folder.rglob("*.md"))]
        self.assertGreater(len(files), 40)
        for file in files:
            self.assertEqual(list(broken_links(file)), [], file.relative_to(SOURCE))
        with tempfile.TemporaryDirectory() as folder:
            planted = pathlib.Path(folder) / "a.md"
            planted.write_text("# One of `two`\n[a](a.md#one-of-two) [b](#one) [c](none.md) [d](https://x.org/y#z)\n")
            self.assertEqual(list(broken_links(planted)), ["#one", "none.md"])

    def test_cases_of_the_build_environment_name_its_packages(self):
        """The suite's preset installs no PyTorch in Python. A case that needs it is then skipped, and does not fail."""
        for file in sorted((SOURCE / "cases").rglob("*.toml")):
            python = tomllib.loads(file.read_text()).get("python", {})
            if python.get("venv", "").endswith("build/venv"):
                self.assertIn("typing-extensions", python.get("packages", []), file)

    def test_contributing_is_short(self):
        self.assertLessEqual(len(text_of("CONTRIBUTING.md").splitlines()), 120)

    def test_commands_of_contributing_exist(self):
        text = text_of("CONTRIBUTING.md")
        blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
        quoted = re.findall(r"`((?:parity|pre-commit) [^`]*)`", text)
        self.assertGreaterEqual(len(blocks), 2)
        commands = Commands(SOURCE, BINARY)
        for script in blocks + quoted:
            self.assertEqual(commands.problems(script), [])
        declared = "".join(file.read_text() for file in SOURCE.glob("tests/**/CMakeLists.txt"))
        for name in re.findall(r"ctest .*-R (\w+)", text):
            self.assertRegex(declared, rf"parity_test\({name}\s")

    def test_changelog_has_the_schemas(self):
        versions = versions_of(text_of("CHANGELOG.md"))
        self.assertEqual([name for name, _, _ in versions][0], "Unreleased")
        for name, date, body in versions:
            self.assertRegex(date or "", r"^$" if name == "Unreleased" else r"^\d{4}-\d\d-\d\d$")
            schemas = dict(re.findall(r"^\| (\w+) \| (parity\.\w+/\S+) \|$", body, re.M))
            self.assertEqual(set(schemas), {"trace", "golden", "results"}, name)
            if name == "Unreleased":
                self.assertEqual(schemas, {kind: FACTS[f"{kind}_schema"] for kind in schemas})
            kinds = set(re.findall(r"^### (.*)$", body, re.M))
            self.assertLessEqual(kinds, {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"})

    def test_changelog_has_this_version(self):
        dates = [date for _, date, _ in versions_of(text_of("CHANGELOG.md"))[1:]]
        self.assertEqual(dates, sorted(dates, reverse=True))
        (_, _, unreleased), (newest, _, _) = versions_of(text_of("CHANGELOG.md"))[:2]
        coming = next_versions(newest) if re.search(r"^- ", unreleased, re.M) else set()
        self.assertIn(FACTS["version"], {newest} | coming)
        self.assertEqual(next_versions("0.1.2"), {"0.1.3", "0.2.0", "1.0.0"})

    def test_changelog_names_every_verb_and_relation(self):
        commands = subprocess.run([BINARY / "bin/parity", "--help"], capture_output=True, text=True, check=True).stdout
        verbs = re.findall(r"^  (\w+)  ", commands.split("Subcommands:")[1], re.M)
        declared = "".join(file.read_text() for file in SOURCE.glob("harness/compare/**/*.hpp"))
        relations = re.search(r"enum_names\(Relation\) \{.*?\{(.*?)\}", declared, re.S).group(1)
        words = verbs + re.findall(r'"(\w+)"', relations)
        missing = [word for word in words if not re.search(rf"`(parity )?{word}`", text_of("CHANGELOG.md"))]
        self.assertEqual(missing, [], "CHANGELOG.md lacks them; add an entry below Unreleased that names each in backquotes")

    def test_citation_is_of_this_version(self):
        citation = yaml_subset.load(text_of(".github/CITATION.cff"))
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(citation))
        self.assertEqual((citation["license"], str(citation["version"])), ("Apache-2.0", FACTS["version"]))
        self.assertEqual(citation["authors"], [{"name": "The parity authors"}])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
