#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of the harness compared with training, as ratios: a whole suite, the same unchanged, and many cases.

  suite       wall time over what its distinct runs need of the cores: a run of r ranks with t threads each trains for
              its seconds on min(r t, cores) of them; the aim is at most 1.3
  unchanged   wall time of a second run, all from the cache; the aim is under 2 s
  memory      peak of the harness's own memory (mapped traces are the page cache's) with N cases over that with a tenth of them; the aim is about 1

Usage: suite_overhead.py PARITY [CASE...]     (from the project's root; the default is every case)
       suite_overhead.py PARITY --many [N]    (synthetic cases, no trainer; N is 200)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np


def run(parity, words, cwd=None):
    """Seconds, peak bytes of the harness's own memory (not of its children, not of traces that it maps), exit status."""
    begin = time.monotonic()
    process = subprocess.Popen([parity, "run", *words], cwd=cwd, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak = max([peak] + [int(l.split()[1]) * 1024 for l in status.splitlines() if l.startswith("RssAnon")])
        except (OSError, ValueError):
            pass
        time.sleep(0.002)
    return time.monotonic() - begin, peak, process.returncode


def training(out, cores):
    """Runs, their seconds, and the seconds that all cores need for them: run.json of each says how long it took."""
    runs = [json.loads(f.read_text()) for f in pathlib.Path(out).glob("runs/*/run.json")]

    def slots(identity):
        return identity["ranks"] * int(identity["environment"]["OMP_NUM_THREADS"])
    return (len(runs), sum(r["seconds"] for r in runs),
            sum(r["seconds"] * min(slots(r["identity"]), cores) / cores for r in runs))


def whole_suite(parity, cases):
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as out:
        cold, peak, status = run(parity, [*cases, "--out", out])
        runs, trained, needed = training(out, cores)
        print(f"suite      {cold:7.1f} s wall, exit {status}; {trained:.1f} s of training in {runs} runs, which need "
              f"{needed:.1f} s of all {cores} cores: ratio {cold / needed:.2f} (aim 1.3)")
        warm, _, status = run(parity, [*cases, "--out", out])
        summary = json.loads(pathlib.Path(out, "results.json").read_text())["summary"]
        print(f"unchanged  {warm:7.2f} s wall for {summary['cases']} cases, {summary['checks']} checks, "
              f"{summary['runs_cached']} of {summary['runs']} runs from the cache, exit {status} (aim 2 s)")
        print(f"memory     {peak / 2**20:7.1f} MiB peak of the harness")


def write_many(folder, count):
    for i in range(count):
        for arm in "ab":
            path = folder / "cases/many" / f"{i}{arm}.h5"
            path.parent.mkdir(parents=True, exist_ok=True)
            with h5py.File(path, "w") as f:
                f.attrs["schema"], f.attrs["status"] = "parity.trace/1.0", "complete"
                f["steps"] = np.arange(1, 101)
                for name in ("loss", "lr", "grad_norm"):
                    f[f"channels/{name}"] = np.linspace(8, 1 + i / count, 100)
                f["tensors/100/param/w/0"] = np.full((512, 512), i, "f4")
        arms = "".join(f'[arms.{a}]\ncommand = ["cp", "{{case_dir}}/{i}{a}.h5", "{{run_dir}}/trace.h5"]\n'
                       f'inputs = ["{i}{a}.h5"]\n' for a in "ab")
        checks = "".join(f'[[checks]]\n{what}\nrelation = "identical"\nbecause = "x"\n'
                         for what in ('channel = ["loss", "lr"]', 'tensor = "*"\nphase = "param"'))
        (folder / "cases/many" / f"{i}.toml").write_text("[golden]\narms = []\n" + arms + checks)


def many_cases(parity, count):
    peaks = {}
    for number in (max(count // 10, 1), count):
        with tempfile.TemporaryDirectory() as name:
            write_many(pathlib.Path(name), number)
            cold, peaks[number], status = run(parity, [], name)
            warm, warm_peak, _ = run(parity, [], name)
            print(f"{number:5} cases  {cold:6.1f} s cold, {warm:6.2f} s unchanged, exit {status}, "
                  f"peak {peaks[number] / 2**20:.1f} MiB cold, {warm_peak / 2**20:.1f} MiB unchanged")
    small, large = (peaks[n] for n in sorted(peaks))
    print(f"memory     ratio {large / small:.2f} for ten times the cases")


def main():
    parity = str(pathlib.Path(sys.argv[1]).resolve())
    if "--many" in sys.argv:
        many_cases(parity, int(sys.argv[3]) if len(sys.argv) > 3 else 200)
    else:
        whole_suite(parity, sys.argv[2:])


if __name__ == "__main__":
    main()
