# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Packs the programs that tests/gpu/run.py needs, for a machine with a GPU and PyTorch but without a network.

Usage: pack.py BUILD_DIR OUT.tar.xz

The pack holds the built programs, stripped, the shared libraries they need, and the files of the repository that they
read. It leaves out what the other machine has: LibTorch, CUDA, NCCL, the C and the C++ library. There,

    tar -xf OUT.tar.xz && python3 parity-gpu/tests/gpu/run.py parity-gpu/build --torch PYTHON

runs every stage with the PyTorch of that interpreter. It must be of the version that the build was made with.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("bin/parity", "bin/parity-train", "bin/parity-train.schema.json", "bin/parity-operator", "bin/parity-exact",
            "share/parity/plotly.min.js",
            "bin/libparity-cuda.so", "bin/libparity-mkl.so", "bin/libparity-memory.so", "lib/libparity-recorder.so",
            "lib/libparity-recorder.so.0", "lib/libparity-device.so", "lib/libparity-operators.so", "lib/libparity-operators.so.0", "tests/reference_gpu_test", "tests/device_measure_bench")
FOLDERS = ("cases/device", "tests/gpu", "tests/bench", "harness/python/src", "golden/device")
THEIRS = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+)\.so|lib(torch|c10|nccl|cud|gomp))")


def libraries_of(program):
    """Paths of the shared libraries that a program loads, but for those of the other machine."""
    listing = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", listing, re.MULTILINE)
    return [pathlib.Path(path) for name, path in found if not THEIRS.match(name) and "/site-packages/" not in path]


def strip(source, target):
    """Copies a program without the symbols of a debugger."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(source, "rb") as file:
        is_program = file.read(4) == b"\x7fELF"
    subprocess.run(["strip", "-o", target, source] if is_program else ["cp", source, target], check=True)


def pack(build, out):
    missing = [name for name in PROGRAMS if not (build / name).exists()]
    if missing:
        sys.exit(f"pack.py: {build} lacks {', '.join(missing)}; build them: cmake --workflow --preset gpu")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in PROGRAMS:
            strip(build / program, folder / "build" / program)
        needed = {library for program in PROGRAMS if not program.endswith((".json", ".js"))
                  for library in libraries_of(build / program)}
        for library in sorted(needed):
            strip(library, folder / "build" / "lib" / library.name)
        tracked = subprocess.run(["git", "-C", SOURCE, "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS],
                                 check=True, capture_output=True, text=True).stdout.split()
        partial = out.with_name(out.name + ".partial")
        with tarfile.open(partial, "w:xz") as archive:
            archive.add(folder / "build", "parity-gpu/build")
            for file in tracked:
                archive.add(SOURCE / file, f"parity-gpu/{file}")
        partial.replace(out)
    print(f"{out}: {out.stat().st_size / 2**20:.1f} MiB, {len(PROGRAMS)} programs, {len(needed)} libraries")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    pack(arguments.build.resolve(), arguments.out.resolve())
