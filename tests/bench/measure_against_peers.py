# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of comparing, digesting and sketching, compared with other tools and with a plain read of memory.

Usage: measure_against_peers.py BUILD_DIR [--mib N] [--rounds N] [--dtypes D,...] [--python PYTHON]

Needs `cmake --build --preset benchmarks`. Two tensors of N MiB each, which differ by rounding.
Each round runs everything once, one after the other, so that a machine that changes speed does so for all. It prints
medians over the rounds.

  memory   measure_difference on one core and on two, numpy.testing.assert_allclose, torch.testing.assert_close,
           and a plain read of both sides; GB/s count both sides
  one side digest, sketch, statistics and all three as a recorder does them; GB/s of the one side, one core
  dtypes   measure_difference on one core, each dtype
  files    from two HDF5 files (page cache) to the verdict: `parity compare`, h5diff, h5diff -p 1e-5

Exit status 1 if the difference takes fewer than 8 GB/s of float32 on one core, less than 80 % of the read on two,
digest or sketch take fewer than 4 GB/s, or `parity compare` is not 15 times as fast as h5diff.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import torch

DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16,
          "float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2, "int64": torch.int64,
          "int32": torch.int32, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool}


def pair(dtype, size):
    """Two tensors of `size` bytes, a step of float32 or less apart where they can be, and their elements' bytes."""
    generator = torch.Generator().manual_seed(1)
    count = size // torch.empty(0, dtype=DTYPES[dtype]).element_size()
    part = torch.randn(min(count, 1 << 24), generator=generator)
    noise = 1 + 1e-6 * torch.randn(part.shape, generator=generator)
    if not DTYPES[dtype].is_floating_point:
        part, noise = part * 30, 1 + (torch.rand(part.shape, generator=generator) < 0.1)
    for values in (part, part * noise):
        narrow = values.abs() if dtype in ("uint8", "bool") else values
        narrow = (narrow > 20 if dtype == "bool" else narrow.to(DTYPES[dtype])).contiguous()
        yield narrow.repeat(-(-count // len(narrow)))[:count]


def save(tensor, path):
    tensor.view(torch.uint8).numpy().tofile(path)


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


class Bench:
    """Our side, in the memory of measure_bench."""

    def __init__(self, program, folder, dtype, size):
        self.program, self.dtype = program, dtype
        self.files = [folder / f"{dtype}.{side}" for side in "ea"]
        self.tensors = list(pair(dtype, size))
        for tensor, file in zip(self.tensors, self.files):
            save(tensor, file)

    def run(self, threads, repeats, *operations):
        """Median seconds of each operation."""
        argv = [self.program, self.dtype, *self.files, str(threads), str(repeats), *operations]
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        return {name: statistics.median(times) for name, times in json.loads(done.stdout).items()}

    def remove(self):
        for file in self.files:
            file.unlink()


def in_memory(bench, rounds):
    """Median seconds of each way over the rounds."""
    found = {}
    expected, actual = (tensor.numpy() for tensor in bench.tensors)
    peers = {"numpy.testing.assert_allclose": lambda: np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-3),
             "torch.testing.assert_close": lambda: torch.testing.assert_close(*bench.tensors[::-1], rtol=1e-3, atol=1e-3)}
    for _ in range(rounds):
        one = bench.run(1, 3, "read", "difference", "profile", "digest", "sketch", "statistics", "row")
        two = bench.run(2, 5, "read", "difference", "profile")
        ours = {f"{name}, 1 core": s for name, s in one.items()} | {f"{name}, 2 cores": s for name, s in two.items()}
        for name, seconds in (ours | {name: seconds_of(call) for name, call in peers.items()}).items():
            found.setdefault(name, []).append(seconds)
    return {name: statistics.median(times) for name, times in found.items()}


def write_trace(path, tensor):
    with h5py.File(path, "w") as f:
        f.attrs["schema"], f.attrs["status"] = "parity.trace/1.0", "complete"
        f["steps"], f["channels/loss"] = [1], [1.0]
        f["tensors/1/param/w/0"] = tensor.reshape(-1, 1024).numpy()


def from_files(parity, bench, folder, rounds):
    names = [str(folder / f"{side}.h5") for side in "eas"]
    for name, tensor in zip(names, (*bench.tensors, bench.tensors[0])):
        write_trace(name, tensor)
    differing, equal = names[:2], [names[0], names[2]]
    tensor = "/tensors/1/param/w/0"
    ways = {"parity compare, differing": [parity, "compare", *differing],
            "h5diff, differing": ["h5diff", "-q", *differing, tensor, tensor],
            "h5diff -p 1e-5, differing": ["h5diff", "-q", "-p", "1e-5", *differing, tensor, tensor],
            "parity compare, equal": [parity, "compare", *equal],
            "h5diff, equal": ["h5diff", "-q", *equal, tensor, tensor]}
    found = {}
    for _ in range(rounds):
        for way, argv in ways.items():
            seconds = seconds_of(lambda: subprocess.run(argv, stdout=subprocess.DEVNULL, check=False))
            found.setdefault(way, []).append(seconds)
    return {way: statistics.median(times) for way, times in found.items()}


def show(title, seconds, size):
    print(title)
    for name, each in seconds.items():
        print(f"  {name:34} {each:8.4f} s {size / each / 1e9:8.2f} GB/s", flush=True)


def judge(memory, files):
    """Rows of the aims: what, the ratio, the least it may be."""
    rate = lambda name, sides: sides / memory[name] / 1e9
    return [("difference, 1 core, GB/s", rate("difference, 1 core", 2), 8),
            ("difference over read, 2 cores", memory["read, 2 cores"] / memory["difference, 2 cores"], 0.8),
            ("digest, GB/s", rate("digest, 1 core", 1), 4), ("sketch, GB/s", rate("sketch, 1 core", 1), 4),
            ("times h5diff, differing", files["h5diff, differing"] / files["parity compare, differing"], 15),
            ("times h5diff -p, differing", files["h5diff -p 1e-5, differing"] / files["parity compare, differing"], 15),
            ("times h5diff, equal", files["h5diff, equal"] / files["parity compare, equal"], 15)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mib", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    arguments = parser.parse_args()
    size = arguments.mib << 20
    program = arguments.build / "tests" / "measure_bench"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bench = Bench(program, folder, "float32", size)
        memory = in_memory(bench, arguments.rounds)
        both = {n: s for n, s in memory.items() if not n.startswith(("digest", "sketch", "statistics", "row"))}
        show("memory, float32, both sides", both, 2 * size)
        show("one side, float32", {n: s for n, s in memory.items() if n not in both}, size)
        files = from_files(str(arguments.build / "bin" / "parity"), bench, folder, arguments.rounds)
        show("from files to the verdict", files, 2 * size)
        bench.remove()
        dtypes = {}
        for dtype in filter(None, arguments.dtypes.split(",")):
            bench = Bench(program, folder, dtype, size // 4)
            dtypes[dtype] = bench.run(1, 3, "difference")["difference"]
            bench.remove()
        show(f"dtypes, 1 core, {arguments.mib // 4} MiB a side", dtypes, size // 2)
    aims = judge({n: s / size for n, s in memory.items()}, files)
    for what, found, least in aims:
        print(f"{what:34} {found:8.2f}   aim {least}  {'ok' if found >= least else 'MISSED'}")
    return 0 if all(found >= least for _, found, least in aims) else 1


if __name__ == "__main__":
    sys.exit(main())
