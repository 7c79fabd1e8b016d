# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Memory that `parity compare` keeps of two files larger than it.

Usage: large_pair.py BUILD_DIR [--gb N] [--folder DIR] [--profile]

Makes two sparse traces of one float32 tensor each, N GB together (20), which differ in one element and hold a few
values; the rest are holes, which the system reads as zeros. Prints the peak of the program's resident memory (VmHWM of
/proc, mapped pages count) and the seconds. Exit status 1 if it is 300 MB or more, or the element was not found.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

ROW = 1 << 20


def write_trace(path, rows, element):
    with h5py.File(path, "w", libver=("v108", "v110")) as file:
        file.attrs["schema"], file.attrs["status"] = "parity.trace/1.0", "complete"
        file["steps"], file["channels/loss"] = [1], [1.0]
        group = file.create_group("tensors/1/param/w")
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_layout(h5py.h5d.CONTIGUOUS)
        creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        space = h5py.h5s.create_simple((rows, ROW))
        data = h5py.Dataset(h5py.h5d.create(group.id, b"0", h5py.h5t.IEEE_F32LE, space, creation))
        for row in range(0, rows, max(1, rows // 7)):
            data[row, :1000] = np.arange(1000, dtype="f4") + row
        data[element] = 3.0


def peak_of(argv):
    """Resident bytes at most, seconds, output."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(argv, stdout=output)
        peak = 0
        while child.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
                peak = max([peak] + [int(l.split()[1]) * 1024 for l in status.splitlines() if l.startswith("VmHWM")])
            except OSError:
                pass
            time.sleep(0.01)
        seconds = time.perf_counter() - start
        output.seek(0)
        return peak, seconds, output.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--gb", type=float, default=20)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    rows = max(8, int(arguments.gb * 1e9 / 2 / 4 / ROW))
    element = (rows - 3, ROW - 5)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        paths = [pathlib.Path(name) / f"{side}.h5" for side in "ab"]
        write_trace(paths[0], rows, element)
        write_trace(paths[1], rows, (rows - 3, ROW - 6))
        size = sum(path.stat().st_size for path in paths)
        argv = [arguments.build / "bin" / "parity", "compare", *paths, "--json"]
        peak, seconds, output = peak_of([str(word) for word in argv + ["--profile"] * arguments.profile])
    row = json.loads(output)["tensors"][0]
    found = row["worst"] == [element[0], element[1] - 1] and row["differing"] == 2
    print(f"{size / 1e9:.1f} GB in two files: peak {peak / 1e6:.0f} MB resident (aim: below 300), {seconds:.1f} s, "
          f"{size / 1e9 / seconds:.1f} GB/s; element {'found' if found else 'NOT FOUND: ' + json.dumps(row)}")
    return 0 if found and peak < 300e6 else 1


if __name__ == "__main__":
    sys.exit(main())
