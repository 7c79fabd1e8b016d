# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of recording per training step: nothing recorded, channels, sketches, whole tensors.

Usage: capture_cost.py BUILD_DIR [--rounds N] [--steps N] [--without WAY]... [--set KEY=VALUE]...

Each round runs parity-train once each way, one after the other, so that a machine that changes speed does so for
all; the order turns by one each round. Seconds of a step are those between the lines that the trainer logs, from the
first to the last, so recording and its effect on the next step count; medians over the rounds.

  channels   every scalar of each step; the aim is at most 1 % more than nothing
  sketches   and digest, statistics and sketch of every parameter and gradient of each step; at most 10 %
  tensors    and all of them whole; at most what writing that many bytes to the same disk takes

Exit status 1 if one costs more.
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

from parallel_against_pytorch import config_of
from trainer_against_pytorch import PROFILES

RULE = {"phases": ["grad", "param"]}
WAYS = {"nothing": None, "channels": {}, "sketches": {"sketches": [RULE]}, "tensors": {"tensors": [RULE]}}


def run(trainer, environment, trace):
    """Seconds per step, and of the process after its last step."""
    child = subprocess.Popen(trainer, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    times = [time.perf_counter() for line in child.stdout if line.startswith("step ")]
    if child.wait() != 0 or len(times) < 3:
        sys.exit(f"{' '.join(trainer)} ended with {child.returncode} after {len(times)} steps")
    end = time.perf_counter() - times[-1]
    return statistics.median(b - a for a, b in zip(times, times[1:])), end, trace.stat().st_size if trace else 0


def seconds_to_write(path, size):
    """Of a plain program on the same disk."""
    piece = os.urandom(8 << 20)
    start = time.perf_counter()
    with open(path, "wb", buffering=0) as file:
        for _ in range(-(-size // len(piece))):
            file.write(piece)
    return time.perf_counter() - start


def measure(arguments, folder):
    """Rows of {way: (seconds a step, at the end, bytes of the trace)}, one per round; and seconds to write."""
    environment = {**os.environ, **PROFILES["portable"], "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    trainer = [str(arguments.build / "bin" / "parity-train"), str(folder / "config.json")]
    rounds, writes = [], []
    names = [way for way in WAYS if way not in arguments.without]
    for number in range(arguments.rounds):
        found = {}
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            trace = folder / "trace.h5" if WAYS[name] is not None else None
            more = ["--trace", str(trace), "--capture", str(folder / f"{name}.json")] if trace else []
            found[name] = run(trainer + more, environment, trace)
        written = found.get("tensors", (0, 0, 0))[2]
        writes.append(seconds_to_write(folder / "plain", written))
        rounds.append(found)
        print(f"round {number + 1}: " + ", ".join(f"{n} {found[n][0]:.4f} s" for n in names)
              + f"; {written / 2**20:.0f} MiB written plainly in {writes[-1]:.2f} s", flush=True)
    return rounds, writes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--without", action="append", default=[], choices=list(WAYS)[1:], help="leave out a way")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        settings = (setting.split("=", 1) for setting in arguments.set)
        config = config_of(arguments.build, {"steps": arguments.steps}, {k: json.loads(v) for k, v in settings})
        (folder / "config.json").write_text(json.dumps(config))
        for way, capture in WAYS.items():
            (folder / f"{way}.json").write_text(json.dumps(capture or {}))
        rounds, writes = measure(arguments, folder)
    ways = list(rounds[0])
    median = {way: statistics.median(found[way][0] for found in rounds) for way in ways}
    extra = {way: statistics.median(found[way][0] / found["nothing"][0] for found in rounds) - 1 for way in ways}
    write = statistics.median(writes) / arguments.steps / median["nothing"]
    held = True
    for way, most in (("channels", 0.01), ("sketches", 0.10), ("tensors", write)):
        if way not in ways:
            continue
        ok = extra[way] <= most
        held = held and ok
        print(f"{way:9} {median[way]:.4f} s a step, {100 * extra[way]:+6.2f} % of {median['nothing']:.4f} s; "
              f"{rounds[-1][way][2] / arguments.steps / 2**20:6.2f} MiB a step; aim {100 * most:.2f} %"
              f"  {'ok' if ok else 'MISSED'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
