# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Peak memory of a rank: FSDP compared with replicate and with one process, for a model large enough to show.

Usage: memory_of_ranks.py BUILD_DIR [--ranks N] [--dim D] [--layers L]

Parameters, gradients and AdamW's two moments take 16 bytes a parameter in float32. Replicate holds them on each rank,
FSDP an N-th of them, plus the units that are currently gathered. Prints the peak of rank 0 above that of
a rank with next to no model, the bytes a parameter, and the ratio; exit status 1 if FSDP takes more than half of
replicate.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

from parallel_against_pytorch import config_of, run
from trainer_against_pytorch import PROFILES

# What glibc keeps of freed memory is not counted: here it keeps next to nothing.
GIVES_BACK = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_TOP_PAD_": "0",
              "MALLOC_ARENA_MAX": "1"}


def peak_of_rank_0(build, folder, name, config, ranks):
    """MiB."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(config))
    environment = {**os.environ, **PROFILES["portable"], "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                   "GLOO_SOCKET_IFNAME": "lo", **GIVES_BACK}
    return run([str(build / "bin" / "parity-train"), "--quiet", str(file)], environment, ranks, folder / f"store.{name}")


def parameters_of(config):
    dim, ffn = config["architecture.dim"], config["architecture.ffn_hidden"]
    block = 4 * dim * dim + 3 * dim * ffn + 2 * dim
    return 2 * config["architecture.vocab_size"] * dim + config["architecture.n_layers"] * block + dim


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--dim", type=int, default=512)
    parser.add_argument("--layers", type=int, default=8)
    arguments = parser.parse_args()
    shape = {"steps": 2, "data.seq_len": 32, "data.global_batch": arguments.ranks, "architecture.vocab_size": 4096,
             "architecture.n_layers": arguments.layers, "architecture.n_heads": 8, "architecture.n_kv_heads": 8}
    large = {**shape, "architecture.dim": arguments.dim, "architecture.ffn_hidden": 4 * arguments.dim}
    small = {**shape, "architecture.dim": 16, "architecture.ffn_hidden": 16, "architecture.n_layers": 1}
    ways = {"one process": (1, {}), "replicate": (arguments.ranks, {"parallel.dp_replicate": arguments.ranks}),
            "FSDP": (arguments.ranks, {"parallel.dp_shard": arguments.ranks})}
    above = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for way, (ranks, mesh) in ways.items():
            config = config_of(arguments.build, large, mesh)
            full = peak_of_rank_0(arguments.build, folder, way.replace(" ", "_"), config, ranks)
            empty = peak_of_rank_0(arguments.build, folder, way.replace(" ", "_") + "_empty",
                                   config_of(arguments.build, small, mesh), ranks)
            above[way] = full - empty
            print(f"{way:12} {ranks} rank{'s' if ranks > 1 else ' '}  {above[way]:7.0f} MiB, "
                  f"{above[way] * 2**20 / parameters_of(config):5.1f} bytes a parameter", flush=True)
    ratio = above["FSDP"] / above["replicate"]
    print(f"FSDP over replicate: {ratio:.2f} over {arguments.ranks} ranks")
    return 0 if ratio <= 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
