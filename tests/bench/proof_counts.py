#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Counts what exact twins said of the pairs that cases claim something of, and lists every pair that is not proved.

Usage: parity run --prove --out out/prove; proof_counts.py out/prove/results.json [MORE.json ...]
"""

import collections
import json
import re
import sys

CLAIMS = {"same_function": "equivalent", "other_function": "distinct"}
NOTE = re.compile(r"(\S+) and (\S+) were not proved to be (the same function|different functions): (.*)", re.S)


def pairs_of(case):
    """Yields (claim, outcome, arms, sentence) for each pair of a case in results.json."""
    for check in case["checks"]:
        if check["relation"] in CLAIMS:
            yield CLAIMS[check["relation"]], "proved" if check["passed"] else "refuted", check["arms"], check["sentence"]
    for found in filter(None, map(NOTE.fullmatch, case.get("notes") or [])):
        yield "equivalent" if found[3].startswith("the same") else "distinct", "unproved", [found[1], found[2]], found[4]


def main(files):
    counts, open_pairs = collections.Counter(), []
    for file in files:
        with open(file) as results:
            cases = json.load(results)["cases"]
        for case in cases:
            for claim, outcome, arms, sentence in pairs_of(case):
                counts[claim, outcome] += 1
                if outcome != "proved":
                    open_pairs.append(f"{claim} {outcome}: {case['name']} {' '.join(arms)}: {sentence}")
    for claim in CLAIMS.values():
        print(claim, *(f"{outcome} {counts[claim, outcome]}" for outcome in ("proved", "refuted", "unproved")))
    print(*open_pairs, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
