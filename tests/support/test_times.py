# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The slowest tests, and how many there were, from the JUnit files that the test programs wrote.

Usage: test_times.py JUNIT_DIR [--rows N]

Exit status 1 if a test failed, 3 if a file is missing or cut off, which means that a program died.
"""
import argparse
import collections
import pathlib
import sys
import xml.etree.ElementTree as tree


def cases_of(file):
    """(seconds, name, state) of each test. Raises tree.ParseError for a file that is cut off."""
    for case in tree.parse(file).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.get("result") == "skipped" or case.find("skipped") is not None
        failed = case.find("failure") is not None
        yield float(case.get("time", 0)), name, "failed" if failed else "skipped" if skipped else "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=20)
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.xml"))
    if not files:
        sys.exit(f"no *.xml in {options.folder}; run the tests first: cmake --workflow --preset test")
    cases = []
    for file in files:
        try:
            cases += [(seconds, name, state, file.stem) for seconds, name, state in cases_of(file)]
        except tree.ParseError as error:
            print(f"{file}: {error}; its program died before it had written all results", file=sys.stderr)
            sys.exit(3)
    for seconds, name, _, program in sorted(cases, reverse=True)[:options.rows]:
        print(f"{seconds:8.1f} s  {program}: {name}")
    for _, name, state, program in cases:
        if state == "failed":
            print(f"failed: {program}: {name}")
    count = collections.Counter(state for _, _, state, _ in cases)
    print(f"{sum(case[0] for case in cases):8.1f} s  in {len(cases)} tests of {len(files)} programs")
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    sys.exit(1 if count["failed"] else 0)


if __name__ == "__main__":
    main()
