# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of `parity compare` on two logs, next to readers of Python, and the time until the page of wide logs is open.

Usage: log_pair.py BUILD_DIR [--steps N] [--channels N] [--rounds N] [--chromium PROGRAM]

Writes two logs of N steps (1,000,000) and 3 channels as JSON lines and as CSV. Alternates `parity compare A B`, `json.loads`
of each line of both, `numpy.loadtxt` of both, and `wc -l A B`; prints medians. Then compares two CSV logs of N / 10 steps
and 200 channels (--channels) with --html, and opens that page and an empty one in Chromium. Exit status 1 if comparing the
JSON lines takes longer than 2 s, or the page 2 s longer than an empty one.
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

MOST_SECONDS = 2
READERS = {"json.loads": "import json, sys\nfor p in sys.argv[1:]:\n for line in open(p): json.loads(line)",
           "numpy.loadtxt": "import sys, numpy\nfor p in sys.argv[1:]: numpy.loadtxt(p, delimiter=',', skiprows=1)"}


def columns(steps, count, seed):
    """Steps, loss, lr, and noise for the other channels. The loss depends on the seed."""
    generator = np.random.default_rng(1)
    step = np.arange(1, steps + 1)
    loss = 2 + 1000 / (step + 300) + 0.05 * generator.standard_normal(steps) + 1e-4 * seed * (step > steps / 2)
    return [step, loss, np.full(steps, 3e-4), *(generator.random(steps) for _ in range(count - 2))]


def write_csv(path, names, values):
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for row in zip(*values, strict=True):
            file.write("%d," % row[0] + ",".join("%.6g" % value for value in row[1:]) + "\n")


def write_json_lines(path, names, values):
    form = "{" + ", ".join(f'"{name}": %.6g' if name != "step" else '"step": %d' for name in names) + "}\n"
    with open(path, "w") as file:
        file.writelines(form % row for row in zip(*values, strict=True))


def seconds_of(argv, code=0):
    start = time.perf_counter()
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert done.returncode == code, (done.returncode, argv)
    return time.perf_counter() - start


def compare_narrow(parity, folder, steps, rounds):
    names = ["step", "loss", "lr", "grad_norm"]
    for seed in (0, 1):
        values = columns(steps, 3, seed)
        write_json_lines(folder / f"{seed}.jsonl", names, values)
        write_csv(folder / f"{seed}.csv", names, values)
    lines, tables = ([str(folder / f"{seed}.{kind}") for seed in (0, 1)] for kind in ("jsonl", "csv"))
    programs = {"wc -l, JSON lines": ["wc", "-l", *lines], "parity compare, JSON lines": [parity, "compare", *lines],
                "json.loads of each line": [sys.executable, "-c", READERS["json.loads"], *lines],
                "parity compare, CSV": [parity, "compare", *tables],
                "numpy.loadtxt": [sys.executable, "-c", READERS["numpy.loadtxt"], *tables]}
    times = {label: [] for label in programs}
    for _ in range(rounds):
        for label, argv in programs.items():
            times[label].append(seconds_of(argv, 1 if argv[0] == parity else 0))
    medians = {label: statistics.median(values) for label, values in times.items()}
    for label, median in medians.items():
        print(f"{label:30} {median:6.2f} s  {median / medians['parity compare, JSON lines']:6.2f} of parity's JSON lines")
    return medians["parity compare, JSON lines"]


def open_wide(parity, folder, steps, channels, rounds, chromium):
    names = ["step", "loss", "lr", *(f"layers.{i}/norm" for i in range(channels - 2))]
    for seed in (0, 1):
        write_csv(folder / f"wide{seed}.csv", names, columns(steps, channels, seed))
    page = folder / "page.html"
    argv = [parity, "compare", str(folder / "wide0.csv"), str(folder / "wide1.csv"), "--html", str(page)]
    print(f"page of {channels} channels, {steps} steps: written in {seconds_of(argv, 1):.2f} s, "
          f"{page.stat().st_size / 1e6:.1f} MB")
    shot = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--screenshot={folder}/shot.png"]
    times = {"about:blank": [], page.as_uri(): []}
    for _ in range(rounds):
        for address, seconds in times.items():
            seconds.append(seconds_of([*shot, address]))
    empty, opened = (statistics.median(values) for values in times.values())
    print(f"Chromium, screenshot of an empty page {empty:.2f} s, of this page {opened:.2f} s")
    return opened - empty


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--channels", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    arguments = parser.parse_args()
    parity = str(arguments.build / "bin/parity")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        met = compare_narrow(parity, folder, arguments.steps, arguments.rounds) <= MOST_SECONDS
        if arguments.chromium:
            met &= open_wide(parity, folder, arguments.steps // 10, arguments.channels, arguments.rounds,
                             arguments.chromium) <= MOST_SECONDS
        else:
            print("the page is not opened: no Chromium")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
