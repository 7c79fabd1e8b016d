# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Finds what a command line names that does not exist: presets, build options, scripts, verbs of parity, its options.

For commands in documents and workflows that take too long to be run by a test.
"""
import functools
import json
import os
import re
import shlex
import subprocess

# Programs of the machine; what they are called with is not checked.
OUTSIDE = {"apt-get", "bash", "docker", "echo", "export", "git", "ninja", "pre-commit", "source"}
PRESETS = {"--workflow": "workflowPresets", "--build": "buildPresets", "ctest": "testPresets", "": "configurePresets"}


class Commands:
    """Checks command lines against the tree `source` and the program below `binary`."""

    def __init__(self, source, binary):
        self.source, self.program = source, binary / "bin/parity"
        self.presets = json.loads((source / "CMakePresets.json").read_text())
        self.declared = "".join(file.read_text() for file in source.glob("harness/cmake/*.cmake"))

    def problems(self, script):
        """Sentences about the commands of a shell script, one a line or joined by "&&"."""
        found = []
        for line in re.sub(r"\\\n", " ", script).splitlines():
            for command in re.split(r"&&|\|\||;|\|", line):
                words = shlex.split(command, comments=True)
                while words and re.match(r"[A-Z_]+=", words[0]):
                    words.pop(0)
                found += [f"{problem}: {command.strip()}" for problem in self.of_words(words)]
        return found

    def of_words(self, words):
        if not words or words[0] in OUTSIDE:
            return []
        if words[0] in ("cmake", "ctest"):
            return self.of_cmake(words)
        if words[0] == "parity" or words[0].endswith("/bin/parity"):
            return self.of_parity(words[1:])
        if words[0] == "python3":
            return [f"there is no {word}" for word in words[1:2] if not (self.source / word).is_file()]
        file = self.source / words[0]
        if "/" in words[0] and file.is_file():
            return [] if os.access(file, os.X_OK) else [f"{words[0]} is not executable"]
        return [f"there is no {words[0]}"]

    def of_cmake(self, words):
        found = []
        if "--preset" in words[:-1]:
            name = words[words.index("--preset") + 1]
            kind = PRESETS["ctest" if words[0] == "ctest" else next((w for w in words if w in PRESETS), "")]
            if not re.search(r"\$", name) and name not in [row["name"] for row in self.presets[kind]]:
                found.append(f"{kind} have no {name}")
        for option in re.findall(r"-D(PARITY_\w+)=", " ".join(words)):
            if not re.search(rf"(option|set)\({option} ", self.declared):
                found.append(f"no option is called {option}")
        return found

    @functools.lru_cache(maxsize=None)
    def help_of(self, verbs):
        done = subprocess.run([self.program, *verbs, "--help"], capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else ""

    def of_parity(self, words):
        if not words or words[0].startswith("-"):
            return []
        verbs = (words[0],)
        if not self.help_of(verbs):
            return [f"parity has no verb {words[0]}"]
        if len(words) > 1 and re.search(rf"^  {re.escape(words[1])}  ", self.help_of(verbs), re.M):
            verbs += (words[1],)
        options = [word.split("=")[0] for word in words if word.startswith("--") and word != "--"]
        return [f"parity {' '.join(verbs)} has no option {option}" for option in options
                if not re.search(rf"{re.escape(option)}\b", self.help_of(verbs))]
