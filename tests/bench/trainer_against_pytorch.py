# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Speed, peak memory and start-up of parity-train, compared with an ordinary PyTorch program doing the same updates.

Usage: trainer_against_pytorch.py BUILD_DIR [--pairs N] [--steps N] [--dtype D] [--profile portable|native]
                                  [--set KEY=VALUE]... [--python PYTHON]

Runs the two alternately, one thread each, so that a machine that changes speed does so for both. Both write a
trace; tokens per second are the median over the steps after the first of each run, then the median over runs.
Start-up is the wall time of a process outside its steps: loading, initialisation, writing the trace. Prints one
line per pair and the ratios; exit status 1 if parity-train trained fewer tokens per second, or other numbers.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import h5py

PROFILES = {
    "portable": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2,STRICT", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "native": {"MKL_CBWR": "AUTO,STRICT"},
}
PROGRAM = pathlib.Path(__file__).parents[1] / "support" / "pytorch" / "pytorch_llama.py"


def run(argv, environment):
    """Wall seconds, CPU seconds and peak resident MiB of a child process."""
    start = time.perf_counter()
    child = subprocess.Popen(argv, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{argv[0]} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(argv, environment, trace):
    wall, cpu, memory = run(argv, {**environment, "PARITY_TRACE": str(trace)})
    with h5py.File(trace) as file:
        rates = file["channels/tokens_per_second"][1:]
        in_steps = float(file["channels/step_seconds"][:].sum())
        return {"tokens/s": statistics.median(rates), "MiB": memory, "start-up s": wall - in_steps, "cpu s": cpu,
                "losses": list(file["channels/loss"][:])}


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--profile", choices=PROFILES, default="portable")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--python", default=sys.executable)
    return parser.parse_args()


def write_config(arguments, path):
    schema = json.loads((arguments.build / "bin" / "parity-train.schema.json").read_text())
    config = {key: row["default"] for key, row in schema["keys"].items()}
    config["steps"] = arguments.steps
    for setting in arguments.set:
        key, value = setting.split("=", 1)
        config[key] = json.loads(value)
    path.write_text(json.dumps(config))


def report(ours, theirs):
    median = lambda runs, key: statistics.median(run[key] for run in runs)
    print(f"{'':14}{'parity-train':>14}{'PyTorch':>12}{'ratio':>9}")
    for key in ("tokens/s", "MiB", "start-up s", "cpu s"):
        a, b = median(ours, key), median(theirs, key)
        print(f"{key:14}{a:14.2f}{b:12.2f}{a / b:9.3f}")
    ratios = [a["tokens/s"] / b["tokens/s"] for a, b in zip(ours, theirs)]
    print(f"tokens/s ratio of the pairs: median {statistics.median(ratios):.3f}, "
          f"{min(ratios):.3f} to {max(ratios):.3f}")
    same = all(run["losses"] == ours[0]["losses"] for run in ours + theirs)
    print("losses: " + ("bit for bit the same" if same else "DIFFERENT"))
    return 0 if same and statistics.median(ratios) >= 1 else 1


def compare(arguments, folder, each=lambda pair, ours, theirs: None):
    """The measures of both programs, run by run, for the config in `folder`."""
    (folder / "capture.json").write_text('{"tensors": [], "sketches": [], "replay": true}')
    environment = {**os.environ, **PROFILES[arguments.profile], "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                   "PARITY_CONFIG": str(folder / "config.json"), "PARITY_DTYPE": arguments.dtype}
    trainer = [str(arguments.build / "bin" / "parity-train"), "--quiet"]
    witness = [arguments.python, str(PROGRAM), str(folder / "replay.h5")]
    run(trainer + ["--capture", str(folder / "capture.json")],
        {**environment, "PARITY_TRACE": str(folder / "replay.h5")})
    if arguments.profile == "portable":  # MKL takes its AVX2 branch on every vendor's CPU, in PyTorch too
        environment["LD_PRELOAD"] = str(arguments.build / "bin" / "libparity-mkl.so")
    ours, theirs = [], []
    for pair in range(arguments.pairs):
        ours.append(measure(trainer, environment, folder / "ours.h5"))
        theirs.append(measure(witness, environment, folder / "theirs.h5"))
        each(pair, ours[-1], theirs[-1])
    return ours, theirs


def main():
    arguments = read_arguments()
    with tempfile.TemporaryDirectory() as name:
        write_config(arguments, pathlib.Path(name) / "config.json")
        say = lambda pair, ours, theirs: print(
            f"pair {pair + 1}: {ours['tokens/s']:.0f} against {theirs['tokens/s']:.0f} tokens/s", flush=True)
        return report(*compare(arguments, pathlib.Path(name), say))


if __name__ == "__main__":
    sys.exit(main())
