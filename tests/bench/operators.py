#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What judging an operator costs beside running it, over 100 shapes.

Prints the seconds of the arms' own runs and of their twins, of the exact reference, and of judging; and the ratio that
has to be below 3: all of the case's processor seconds over those of its runs plus those of the exact reference.

Usage: operators.py PARITY PYTHON      PYTHON has PyTorch
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

KERNELS = """
import torch
def formula(x, weight, eps): return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight
def library(x, weight, eps): return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, eps)
"""
CASE = """
[operator]
inputs.x      = {shape = ["b", "s", 128], grad = true}
inputs.weight = {shape = [128], grad = true}
inputs.eps    = 1e-6
sweep = {b = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16], s = [1, 2, 3, 7, 16, 31, 33, 64, 100, 128]}
exact = "rms_norm"
[arms.formula]
python = "kernels.py:formula"
[arms.library]
python = "kernels.py:library"
[[checks]]
arms     = ["formula", "library"]
relation = "equivalent"
because  = "both are the formula"
[[checks]]
arms     = ["library"]
relation = "accurate"
times    = 4
because  = "a kernel loses as much as the formula"
[golden]
arms = []
"""


def main():
    parity, python = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "kernels.py").write_text(KERNELS)
        (place / "one.toml").write_text(CASE)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        done = subprocess.run([parity, "run", "one.toml", "--out", "out", "--jobs", "1"], cwd=folder, text=True,
                              capture_output=True, env=dict(os.environ, PARITY_PYTHON=python))
        wall = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        case = json.loads((place / "out/results.json").read_text())["cases"][0]
        seconds = {file.parent.name: json.loads(file.read_text())["seconds"]
                   for file in (place / "out").glob("runs/*/run.json")}
        exact = sum(arm["seconds"] for arm in case["arms"] if arm["name"] == "exact")
        own = sum(seconds.values()) - exact
        judging = case["time"]["judging"]
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"verdict {case['verdict']}, exit {done.returncode}; 100 shapes")
        print(f"runs of the operators and their twins {own:.1f} s, exact reference {exact:.1f} s, judging with all "
              f"negative controls {judging:.2f} s; wall {wall:.1f} s, processor {cpu:.1f} s")
        ratio = wall / (own + exact)
        print(f"ratio {ratio:.2f} (has to be below 3)")
        return 0 if ratio < 3 and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
