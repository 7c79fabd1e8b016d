# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of an update over several ranks, compared with PyTorch over Gloo doing the same updates.

Usage: parallel_against_pytorch.py BUILD_DIR [--pairs N] [--steps N] [--replicate N] [--shard N] [--tensor N]
                                   [--pipeline N] [--schedule NAME] [--set KEY=VALUE]... [--python PYTHON]

With --tensor against parallelize_module, with --pipeline (4 pieces) against torch.distributed.pipelining, else against
fully_shard (--shard, default 2; over one rank of each against the ordinary program).

Runs the two alternately, one thread per rank, on the same rows. Seconds of an update are the median over the steps
after the first of rank 0. Prints each pair, the peak memory of a rank, and the ratio of times (PyTorch's over
ours: more than 1 is faster); exit status 1 if parity-train was slower or computed other losses.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import h5py

from trainer_against_pytorch import PROFILES

SUPPORT = pathlib.Path(__file__).parents[1] / "support" / "pytorch"


def run(argv, environment, ranks, store):
    """Runs so many ranks to their end. Returns the peak resident MiB of rank 0."""
    children = [subprocess.Popen(argv, env={**environment, "RANK": str(rank), "WORLD_SIZE": str(ranks),
                                            "PARITY_RENDEZVOUS": str(store)} if ranks > 1 else environment)
                for rank in range(ranks)]
    peak = 0
    for child in children:
        _, status, usage = os.wait4(child.pid, 0)
        peak = peak or usage.ru_maxrss / 1024
        if status != 0:
            sys.exit(f"{argv[0]} ended with {os.waitstatus_to_exitcode(status)}")
    return peak


def measure(argv, environment, ranks, folder, name):
    store = folder / f"store.{name}"
    trace = folder / f"{name}.h5"
    peak = run(argv, {**environment, "PARITY_TRACE": str(trace)}, ranks, store)
    with h5py.File(trace) as file:
        return {"seconds": statistics.median(file["channels/step_seconds"][1:]), "MiB": peak,
                "losses": list(file["channels/loss"][:])}


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--replicate", type=int, default=1)
    parser.add_argument("--shard", type=int)
    parser.add_argument("--tensor", type=int, default=1)
    parser.add_argument("--pipeline", type=int, default=1)
    parser.add_argument("--schedule", choices=["gpipe", "1f1b", "interleaved"], default="1f1b")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    if arguments.shard is None:
        arguments.shard = 2 if arguments.tensor * arguments.pipeline == 1 else 1
    sharing = arguments.shard * arguments.replicate
    if sum(size > 1 for size in (sharing, arguments.tensor, arguments.pipeline)) > 1:
        parser.error("--tensor and --pipeline stand alone: the programs beside them have no other dimension")
    return arguments


def config_of(build, *changes):
    """Every key of the trainer with its default, but for the changes."""
    schema = json.loads((build / "bin" / "parity-train.schema.json").read_text())
    config = {key: row["default"] for key, row in schema["keys"].items()}
    for change in changes:
        config.update(change)
    return config


def write_config(arguments, path, mesh):
    settings = (setting.split("=", 1) for setting in arguments.set)
    changes = {"steps": arguments.steps}, mesh, {key: json.loads(value) for key, value in settings}
    path.write_text(json.dumps(config_of(arguments.build, *changes)))


def main():
    arguments = read_arguments()
    mesh = {"parallel.dp_replicate": arguments.replicate, "parallel.dp_shard": arguments.shard,
            "parallel.tp": arguments.tensor}
    if arguments.pipeline > 1:
        mesh |= {"parallel.pp": arguments.pipeline, "parallel.pp_schedule": arguments.schedule,
                 "parallel.pp_microbatches": 4, "parallel.pp_stages": 2 if arguments.schedule == "interleaved" else 1}
    ranks = arguments.replicate * arguments.shard * arguments.tensor * arguments.pipeline
    program = "pytorch_tensor_parallel.py" if arguments.tensor > 1 else \
        "pytorch_pipeline.py" if arguments.pipeline > 1 else "pytorch_fsdp.py" if ranks > 1 else "pytorch_llama.py"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_config(arguments, folder / "one.json", {})
        write_config(arguments, folder / "several.json", mesh)
        (folder / "capture.json").write_text('{"tensors": [], "sketches": [], "replay": true}')
        environment = {**os.environ, **PROFILES["portable"], "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                       "PARITY_CONFIG": str(folder / "several.json"), "PARITY_DTYPE": "float32",
                       "GLOO_SOCKET_IFNAME": "lo"}
        trainer = [str(arguments.build / "bin" / "parity-train"), "--quiet"]
        run(trainer + [str(folder / "one.json"), "--capture", str(folder / "capture.json"),
                       "--trace", str(folder / "replay.h5")], environment, 1, None)
        environment["LD_PRELOAD"] = str(arguments.build / "bin" / "libparity-mkl.so")  # PyTorch takes AVX2 as well
        ours, theirs = [], []
        for pair in range(arguments.pairs):
            ours.append(measure(trainer, environment, ranks, folder, f"ours{pair}"))
            theirs.append(measure([arguments.python, str(SUPPORT / program), str(folder / "replay.h5")],
                                  environment, ranks, folder, f"theirs{pair}"))
            print(f"pair {pair + 1}: {ours[-1]['seconds']:.4f} s and {theirs[-1]['seconds']:.4f} s an update, "
                  f"rank 0 {ours[-1]['MiB']:.0f} and {theirs[-1]['MiB']:.0f} MiB", flush=True)
        ratios = [b["seconds"] / a["seconds"] for a, b in zip(ours, theirs)]
        same = all(run["losses"] == ours[0]["losses"] for run in ours + theirs)
        print(f"PyTorch's time over ours: median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")
        print("losses: " + ("bit for bit the same" if same else "DIFFERENT"))
        return 0 if same and statistics.median(ratios) >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
