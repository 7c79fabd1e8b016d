# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of a report of many cases, compared with one of a single case.

Usage: report_of_many_cases.py BUILD_DIR [--cases N] [--repeats N] [--plots] [--chromium PROGRAM]

Makes results.json with cases as large as those of the default suite (5 curves, 22 checks, 114 rows of tensors, a
map of differences), renders it with `parity report`, and opens the page in headless Chromium. Prints a line for
one case and one for N, medians over the repeats:

    render     wall seconds of `parity report`       peak    its resident MiB
    html       size of index.html in MB              open    seconds until the page answers (its script has run)
    loaded     seconds until the plotting library has loaded as well

and their ratios. Exit status 1 if N cases take more than 5 s to render or 2 s to open.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

STEPS = list(range(1, 11))
CLOCK = """<script>addEventListener("load", () => {
  const times = performance.getEntriesByType("navigation")[0];
  document.documentElement.dataset.times = [times.domContentLoadedEventEnd, performance.now()].join(" ");
});</script>
"""


def curve(channel, number):
    """Two arms a rounding apart."""
    first = [8.125 / (step + number) for step in STEPS]
    second = [value * (1 + 1e-7) for value in first]
    gap = [abs(a - b) for a, b in zip(first, second)]
    return {"channel": channel, "steps": STEPS, "series": {"whole": first, "split": second},
            "gap": {"split": gap}, "floor": [1e-7] * 10, "golden": {"whole": first, "split": second}}


def check(name, number, kind, quantity, **more):
    arms = ["whole"] if kind == "golden" else ["whole", "split"]
    verdict = "identical" if kind == "golden" else "rounding"
    return {"id": f"{name}:{number}", "kind": kind, "quantity": quantity, "arms": arms, "passed": True,
            "relation": "identical" if kind == "golden" else "equivalent", "verdict": verdict,
            "sentence": f"{quantity} of split and whole differ only by rounding over steps 1-10",
            "because": "the order of a sum is not its value", "limit": {"collapse_log2": 20, "relative64": 1e-13},
            "measured": {"collapse_log2": 27.8, "relative64": 8e-17, "max_ulp": 12, "relative_l2": 2.4e-7},
            "finding": {"where": {"step": 1, "tensor": quantity}, "distance": {"ulp": 12, "relative": 2.4e-7},
                        "next": f"parity compare {name}:whole {name}:split --step 1"}, **more}


def tensor_rows():
    return [{"step": 1, "phase": "grad", "name": f"layers.{i}.attention.wq.weight", "identical": False,
             "relative_l2": 1e-7 / (i + 1), "max_ulp": 100 * i, "collapse_log2": 27.1} for i in range(57)]


def picture():
    return {"step": 1, "phase": "grad", "tensor": "layers.0.attention.wq.weight", "shape": [256, 256], "rows": 256,
            "columns": 256, "row_starts": [i * 256 // 48 for i in range(48)],
            "column_starts": [i * 4 for i in range(64)],
            "cells": [[float(f"{1e-9 * (1 + r * c % 97):.2e}") for c in range(64)] for r in range(48)]}


def case(number):
    name = f"topic{number % 7}/case_{number}"
    checks = [check(name, 0, "pair", "loss, grad_norm"), check(name, 1, "pair", "lr"),
              check(name, 2, "pair", "grad *", tensors=tensor_rows(), picture=picture()),
              check(name, 3, "pair", "param *", tensors=tensor_rows())]
    checks += [check(name, len(checks) + i, "golden", f"channel_{i}") for i in range(18)]
    config = {f"group{i // 8}": {f"key_{j}": j * number for j in range(i // 8 * 8, i // 8 * 8 + 8)} for i in range(56)}
    arm = {"status": "complete", "steps": 10, "ranks": 1, "seconds": 4.2 + number, "config": config,
           "provenance": {"cpu": {"features": "avx avx2 fma"}, "libraries": {"torch": "2"}}}
    return {"name": name, "file": f"cases/{name}.toml", "passed": True, "verdict": "rounding", "reference": "whole",
            "title": "Gradient accumulation", "question": "Does splitting an update leave loss and gradients the same?",
            "sentence": "whole and split compute the same thing and differ only by rounding (22 checks passed)",
            "seconds": 8.4 + number, "arms": [{"name": "whole", **arm}, {"name": "split", **arm}],
            "curves": [curve(channel, i) for i, channel in enumerate(("loss", "lr", "grad_norm", "norm", "tokens"))],
            "config_difference": [{"key": "data.micro_batches", "values": {"whole": 1, "split": 4}}],
            "checks": checks, "reproduce": f"parity run {name}"}


def render(program, folder, plots):
    """Seconds and peak resident MiB. Not ru_maxrss, in which a child begins with what its parent had."""
    start = time.perf_counter()
    child = subprocess.Popen([program, "report", folder, *(["--plots"] if plots else [])], stdout=subprocess.DEVNULL)
    peak = 0
    while child.poll() is None:
        status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
        peak = max([peak] + [int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")])
        time.sleep(0.005)
    if child.returncode != 0:
        sys.exit(f"parity report ended with {child.returncode}")
    return time.perf_counter() - start, peak


def open_page(chromium, folder):
    page = (folder / "index.html").read_text()
    (folder / "timed.html").write_text(page.replace("<style>", CLOCK + "<style>", 1))
    with tempfile.TemporaryDirectory() as profile:
        dom = subprocess.run([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
                              f"--user-data-dir={profile}", "--window-size=1400,1000",
                              f"file://{folder / 'timed.html'}"], capture_output=True, text=True, timeout=300).stdout
    found = re.search(r'data-times="([0-9.]+) ([0-9.]+)"', dom)
    if not found:
        sys.exit(f"{chromium} did not load the page")
    return float(found[1]) / 1000, float(found[2]) / 1000


def measure(program, chromium, cases, repeats, plots):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = {"schema": "parity.results/2", "summary": {}, "cases": [case(number) for number in range(cases)]}
        (folder / "results.json").write_text(json.dumps(results, indent=1))
        renders = [render(program, folder, plots) for _ in range(repeats)]
        opens = [open_page(chromium, folder) for _ in range(repeats)]
        return {"render": statistics.median(seconds for seconds, _ in renders), "peak": max(peak for _, peak in renders),
                "html": (folder / "index.html").stat().st_size / 1e6,
                "open": statistics.median(seconds for seconds, _ in opens),
                "loaded": statistics.median(seconds for _, seconds in opens)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--plots", action="store_true")
    parser.add_argument("--chromium", default="chromium")
    options = parser.parse_args()
    program = options.build.resolve() / "bin" / "parity"
    rows = {cases: measure(program, options.chromium, cases, options.repeats, options.plots)
            for cases in (1, options.cases)}
    for cases, row in rows.items():
        print(f"{cases:4} cases: " + ", ".join(f"{key} {value:.2f}" for key, value in row.items()))
    one, many = rows[1], rows[options.cases]
    print("     ratio: " + ", ".join(f"{key} {many[key] / one[key]:.1f}" for key in one))
    return 1 if many["render"] > 5 or many["open"] > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
