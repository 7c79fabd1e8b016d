# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A push of trained weights to a generator: directly, and by way of the whole state dict on every rank.

Usage: push_time.py BUILD_DIR [--rounds N] [--dtype NAME] [--set KEY=VALUE]...

For each of a few pairs of layouts: real ranks over Gloo, one thread each, push alternately both ways, in an order that
turns each round; the first round warms up and does not count. Prints for each pair medians over the rounds of the
slowest rank's seconds and what all ranks gave to collectives, and the ratio gathered over direct of both: more than 1
is for the direct way. Exit status 1 if the two ways served other bits.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

from parallel_against_pytorch import config_of, run
from trainer_against_pytorch import PROFILES

# 51 million parameters.
MODEL = {"architecture.dim": 640, "architecture.n_layers": 8, "architecture.n_heads": 10,
         "architecture.n_kv_heads": 10, "architecture.vocab_size": 8192, "architecture.ffn_hidden": 1792,
         "data.seq_len": 16, "data.global_batch": 8}
# What the trainer is cut into, and over how many ranks the generator is.
PAIRS = [({"dp_shard": 2}, 1), ({"dp_shard": 2}, 2), ({"tp": 2}, 2), ({"tp": 2}, 1), ({"pp": 2}, 2), ({"dp_replicate": 2}, 2),
         ({"dp_shard": 4}, 2), ({"dp_shard": 2, "dp_replicate": 2}, 2), ({"dp_shard": 2, "tp": 2}, 2)]


def measure(arguments, folder, mesh, tp, number):
    settings = (setting.split("=", 1) for setting in arguments.set)
    config = config_of(arguments.build, MODEL, {f"parallel.{key}": value for key, value in mesh.items()},
                       {key: json.loads(value) for key, value in settings})
    (folder / "config.json").write_text(json.dumps(config))
    ranks = 1
    for size in mesh.values():
        ranks *= size
    result = folder / "result.json"
    environment = {**os.environ, **PROFILES["portable"], "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                   "GLOO_SOCKET_IFNAME": "lo"}
    run([str(arguments.build / "tests" / "push_bench"), str(folder / "config.json"), str(tp), arguments.dtype,
         str(arguments.rounds + 1), str(result)], environment, ranks, folder / f"store{number}")
    return json.loads(result.read_text())


def line_of(mesh, tp, found):
    direct, gathered = found["direct"], found["gathered"]
    seconds = [statistics.median(way["push"][1:]) for way in (direct, gathered)]
    ratios = sorted(b / a for a, b in zip(direct["push"][1:], gathered["push"][1:]))
    moved = f"{gathered['bytes'] / direct['bytes']:.1f} of bytes" if direct["bytes"] > 2**20 else "nothing moves directly"
    name = " x ".join(f"{key} {size}" for key, size in mesh.items())
    return (f"{name:28} -> tp {tp}: push {seconds[0]:.3f} and {seconds[1]:.3f} s, "
            f"{direct['bytes'] / 2**20:.1f} and {gathered['bytes'] / 2**20:.1f} MiB of a model of "
            f"{found['parameter_bytes'] / 2**20:.0f}; gathered / direct: {statistics.median(ratios):.1f} of seconds "
            f"({ratios[0]:.1f} to {ratios[-1]:.1f}), {moved}; "
            f"pull {statistics.median(direct['pull'][1:]):.3f} s, planned in {direct['plan']:.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, (mesh, tp) in enumerate(PAIRS):
            print(line_of(mesh, tp, measure(arguments, folder, mesh, tp, number)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
