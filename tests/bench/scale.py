# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the harness costs for a run of many ranks: synthetic traces of Llama 3 70B's tensors under FSDP, sketches only.

Usage: scale.py BUILD_DIR [--ranks N,N,...] [--layers N] [--steps N] [--rows N]

For each number of ranks it writes two runs with the Recorder, one rank after another: a sketch of each rank's shard of
the gradient of each tensor. The runs differ in one element of one rank. Then it joins, compares and reads them. A shard
has --rows elements in place of the model's: files and all that reads them depend on the number of rows of sketches alone,
not on what was summed up in each.

Prints for each step: CPU seconds, peak memory of the process, and both per rank and tensor. Exit status 1 if `compare` does
not name the one tensor that differs, or if its cost per rank and tensor grows with the number of ranks by more than half.
"""
import argparse
import ctypes
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "harness/python/src"))
NAMES = ("attention.wq", "attention.wk", "attention.wv", "attention.wo", "feed_forward.w1", "feed_forward.w2", "feed_forward.w3",
         "attention_norm", "ffn_norm")
CAPTURE = json.dumps({"sketches": [{"phases": ["grad"]}]})


def tensors_of(layers):
    return [f"layers.{layer}.{name}.weight" for layer in range(layers) for name in NAMES] + \
        ["tok_embeddings.weight", "norm.weight", "output.weight"]


def write_rank(path, rank, ranks, names, steps, rows, changed):
    """One rank's file. changed  the name of the tensor of which one element differs, on the last rank."""
    from parity.native.memory import Memory
    from parity.native.trace_file import TraceFile
    values = (ctypes.c_float * rows)(*(random.Random(rank).random() for _ in range(rows)))
    other = (ctypes.c_float * rows)(*values)
    other[rows // 2] *= 2
    layout = json.dumps({"global_shape": [rows * ranks], "placements": [
        {"mesh": "dp_shard", "coordinate": rank, "size": ranks, "kind": "shard", "dim": 0, "ranges": [[rank * rows, (rank + 1) * rows]]}]})
    trace = TraceFile(str(path), rank=rank, ranks=ranks, config="{}", capture=CAPTURE)
    for step in range(1, steps + 1):
        trace.begin_step(step)
        trace.value("loss", 1.0 / step, 0)
        for name in names:
            here = other if name == changed and rank == ranks - 1 else values
            trace.offer("grad", name, Memory("float32", (rows,), (1,), ctypes.addressof(here), here), layout=layout if ranks > 1 else None)
        trace.end_step()
    return trace


def write_run(path, ranks, names, steps, rows, changed=""):
    """Rank 0 last, since it records the digests of the others' files. Returns the seconds of a rank and its bytes."""
    path.parent.mkdir()
    begin = time.process_time()
    for rank in reversed(range(ranks)):
        trace = write_rank(path, rank, ranks, names, steps, rows, changed)
        trace.finish()
        trace.close()
    size = sum(file.stat().st_size for file in path.parent.iterdir())
    return (time.process_time() - begin) / ranks, size / ranks


def measured(argv):
    """CPU seconds of a process and its children, peak MiB of its own memory, status and output."""
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(argv, stdout=output, stderr=subprocess.STDOUT)
        peak = 0
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                output.seek(0)
                return usage.ru_utime + usage.ru_stime, peak / 1024, os.waitstatus_to_exitcode(status), output.read()
            try:
                lines = pathlib.Path(f"/proc/{child.pid}/status").read_text().splitlines()
                peak = max([peak, *(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))])
            except (OSError, ValueError):
                pass
            time.sleep(0.005)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[32, 128, 512])
    parser.add_argument("--layers", type=int, default=80)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--folder", type=pathlib.Path, help="keep the traces there")
    arguments = parser.parse_args()
    os.environ["PARITY_RECORDER_LIBRARY"] = str(arguments.build / "lib/libparity-recorder.so")
    parity = str(arguments.build / "bin/parity")
    names = tensors_of(arguments.layers)
    changed = names[len(names) // 2]
    folder = arguments.folder or pathlib.Path(tempfile.mkdtemp())
    held, cost = True, []
    try:
        for ranks in arguments.ranks:
            runs = [folder / f"{ranks}_{side}/trace.h5" for side in "ab"]
            seconds, size = write_run(runs[0], ranks, names, arguments.steps, arguments.rows)
            write_run(runs[1], ranks, names, arguments.steps, arguments.rows, changed)
            parts = ranks * len(names) * arguments.steps
            print(f"{ranks} ranks, {len(names)} tensors, {arguments.steps} steps: {size / 2**20:.2f} MiB a rank "
                  f"({size / len(names) / arguments.steps:.0f} bytes a tensor and step), written in {seconds:.2f} s a rank")
            for verb, argv in (("compare", [parity, "compare", *map(str, runs)]), ("audit", [parity, "audit", str(runs[0])]),
                               ("compare_equal", [parity, "compare", str(runs[0]), str(runs[0])])):
                seconds, peak, status, output = measured(argv)
                print(f"  {verb:13} {seconds:7.2f} s of CPU, {peak:7.1f} MiB; {1e6 * seconds / parts:6.2f} us and "
                      f"{peak * 2**20 / parts:6.0f} bytes a rank, tensor and step; status {status}", flush=True)
                if verb == "compare":
                    held &= status == 1 and changed in output
                    cost.append(seconds / parts)
                if verb == "compare_equal":
                    held &= status == 0
            if arguments.folder is None:
                for path in runs:
                    shutil.rmtree(path.parent)
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)
    growth = max(cost) / min(cost)
    print(f"compare's cost a rank and tensor varies by a factor of {growth:.2f} over these sizes")
    return 0 if held and cost[-1] <= 1.5 * cost[0] else 1


if __name__ == "__main__":
    sys.exit(main())
