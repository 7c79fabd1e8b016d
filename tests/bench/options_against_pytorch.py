# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Speed and peak memory of parity-train's options, each next to an ordinary PyTorch program with the same option.

Usage: options_against_pytorch.py BUILD_DIR [--pairs N] [--steps N] [--only NAME]... [--python PYTHON]

Runs the two alternately as trainer_against_pytorch.py does, one thread each, and prints a line per option: the ratio
of tokens per second (parity-train to PyTorch, median of the pairs) and that of peak memory. PyTorch's own optimizers,
and its fused operators where it has them; recipes and other forms that it lacks are written out in tensor operations.
Exit status 1 if an option trains fewer tokens per second than PyTorch, or other numbers.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile

from trainer_against_pytorch import compare, write_config

OPTIONS = {
    "plain": [],
    "adam (L2)": ['optimizer.name="adam"'],
    "lion": ['optimizer.name="lion"', 'optimizer.implementation="plain"'],
    "adafactor": ['optimizer.name="adafactor"', 'optimizer.implementation="plain"'],
    "muon": ['optimizer.name="muon"'],
    "decay of matrices": ['optimizer.decay="matrices"'],
    "weights kahan": ['optimizer.weights="kahan"'],
    "weights master": ['optimizer.weights="master"'],
    "loss scale": ['loss.scale="dynamic"'],
    "float8 rows": ['linear.recipe="float8_row"'],
    "mxfp8": ['linear.recipe="mxfp8"'],
    "nvfp4": ['linear.recipe="nvfp4"'],
    "z-loss": ["loss.z_coef=1e-4"],
    "multi-token": ["architecture.mtp_depth=1"],
    "lora": ["lora.rank=8"],
    "sinks": ["architecture.attention_sinks=true", 'attention.backend="flex"'],
    "softcaps": ["architecture.attention_softcap=50.0", "architecture.logit_softcap=30.0", 'attention.backend="flex"'],
    "gated attention": ['architecture.attention_gate="elements"'],
    "biases": ['architecture.biases="all"'],
    "gpt2": ['model="gpt2.debug"'],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--only", action="append", choices=OPTIONS, default=[])
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    arguments.profile, arguments.dtype = "portable", "float32"
    missed = []
    print(f"{'option':20}{'tokens/s':>10}{'memory':>10}   ratios of parity-train to PyTorch")
    for name in arguments.only or OPTIONS:
        arguments.set = OPTIONS[name]
        with tempfile.TemporaryDirectory() as folder:
            write_config(arguments, pathlib.Path(folder) / "config.json")
            ours, theirs = compare(arguments, pathlib.Path(folder))
        ratio = {key: statistics.median(a[key] / b[key] for a, b in zip(ours, theirs)) for key in ("tokens/s", "MiB")}
        same = all(run["losses"] == ours[0]["losses"] for run in ours + theirs)
        print(f"{name:20}{ratio['tokens/s']:10.3f}{ratio['MiB']:10.3f}   {'' if same else 'OTHER LOSSES'}", flush=True)
        if not same or ratio["tokens/s"] < 1:
            missed.append(name)
    print(f"missed: {', '.join(missed)}" if missed else "every option trains at least as fast as PyTorch, with its bits")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
