# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The dearest outputs of a build, from ninja's log.

Usage: build_cost.py BUILD_DIR [--rows N]

Prints wall seconds of each output's newest step, how many steps ran and their sum. Steps run side by side, so the sum
is larger than the time that passed.
"""
import argparse
import pathlib
import subprocess
import sys


def known_outputs(build):
    """What the build makes today: the log also remembers what it no longer makes."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    return {line.rsplit(": ", 1)[0] for line in listing.stdout.splitlines()}


def newest_steps(log, known):
    """(seconds, output), dearest first; a step with several outputs counts once. Raises ValueError for another file."""
    lines = log.read_text().splitlines()
    if not lines or not lines[0].startswith("# ninja log v"):
        raise ValueError(f"{log} is not a ninja log")
    steps = {}
    for line in lines[1:]:
        start, end, _, output, command = line.split("\t")
        if output in known:
            steps[output] = ((int(end) - int(start)) / 1000, command, start)
    unique = {(command, start): (seconds, output) for output, (seconds, command, start) in reversed(steps.items())}
    return sorted(unique.values(), reverse=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=10)
    options = parser.parse_args()
    log = options.build / ".ninja_log"
    if not log.exists():
        sys.exit(f"no {log} (nothing was built there with ninja)")
    steps = newest_steps(log, known_outputs(options.build))
    for seconds, output in steps[:options.rows]:
        print(f"{seconds:8.1f} s  {output}")
    print(f"{sum(seconds for seconds, _ in steps):8.1f} s  in {len(steps)} steps")


if __name__ == "__main__":
    main()
