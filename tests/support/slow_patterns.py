# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Each pattern that gives tests the label `slow` matches a test. GoogleTest itself passes when none does.

Usage: slow_patterns.py PROGRAM PATTERN...
"""
import fnmatch
import subprocess
import sys


def tests_of(program):
    """Full names of a program's tests, as a filter sees them."""
    listed = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    names, suite = [], ""
    for line in listed.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith(" "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def main():
    program, *patterns = sys.argv[1:]
    names = tests_of(program)
    unmatched = [pattern for pattern in patterns if not fnmatch.filter(names, pattern)]
    for pattern in unmatched:
        print(f"no test of {program} matches '{pattern}'; correct its SLOW_TESTS")
    return 1 if unmatched or not patterns else 0


if __name__ == "__main__":
    sys.exit(main())
