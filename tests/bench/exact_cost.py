# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of an exact twin next to the float32 run that it follows: time of a step, and memory.

Usage: exact_cost.py BUILD_DIR [--rounds N] [--steps N] [--set KEY=VALUE]...

Each round trains each model in float32 and as an exact twin, one after the other, on one thread. Seconds of a step are
processor time between the lines that the trainer logs, since other work on the machine does not count there. Memory is
the largest resident set. The ratios are medians over the rounds.

  llama3.debug   two levels of primes
  llama4.debug   three: its experts weigh their input, so that an exponential follows another one

The aims are 50 times a step and 4 times the memory. Exit status 1 if one is missed.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from parallel_against_pytorch import config_of
from trainer_against_pytorch import PROFILES

MODELS = {"llama3.debug": 2, "llama4.debug": 3}
MOST_TIME, MOST_MEMORY = 50, 4


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(trainer, environment):
    """Processor seconds of a step, and the largest resident set in MiB."""
    child = subprocess.Popen(trainer, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    times = [processor_seconds(child.pid) for line in child.stdout if line.startswith("step ")]
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0 or len(times) < 2:
        sys.exit(f"{' '.join(trainer)} ended with {status} after {len(times)} steps")
    return (times[-1] - times[0]) / (len(times) - 1), usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=3, help="of the exact twin; float32 takes ten times as many")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    settings = {key: json.loads(value) for key, value in (each.split("=", 1) for each in arguments.set)}
    environment = {**os.environ, **PROFILES["portable"], "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    held = True
    with tempfile.TemporaryDirectory() as name:
        config = pathlib.Path(name) / "config.json"
        for model, levels in MODELS.items():
            times, memories = [], []
            for number in range(arguments.rounds):
                found = {}
                for dtype in sorted(["float32", "exact"], reverse=number % 2 == 0):
                    steps = arguments.steps * (10 if dtype == "float32" else 1)
                    config.write_text(json.dumps(config_of(arguments.build, {"steps": steps, "model": model}, settings)))
                    found[dtype] = run([str(arguments.build / "bin" / "parity-train"), str(config), "--dtype", dtype],
                                       environment)
                times.append(found["exact"][0] / found["float32"][0])
                memories.append(found["exact"][1] / found["float32"][1])
                print(f"{model}, round {number + 1}: float32 {found['float32'][0]:.3f} s and {found['float32'][1]:.0f} MiB, "
                      f"exact {found['exact'][0]:.2f} s and {found['exact'][1]:.0f} MiB", flush=True)
            time, memory = statistics.median(times), statistics.median(memories)
            ok = time <= MOST_TIME and memory <= MOST_MEMORY
            held = held and ok
            print(f"{model}, {levels} levels: {time:.1f} times a step (aim {MOST_TIME}), "
                  f"{memory:.1f} times the memory (aim {MOST_MEMORY})  {'ok' if ok else 'MISSED'}", flush=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
