# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of `parity compare` on two equal checkpoints, next to reading both files.

Usage: checkpoint_pair.py BUILD_DIR [--gb N] [--folder DIR] [--rounds N]

Writes two equal safetensors files of N GB each (1) in float32, with the tensors of a Llama, and reads both once, so that
the file cache has them. Then alternates: `cat A B > /dev/null`, `cmp A B`, `parity compare A B`, and `parity compare` with
a file of other names whose q and k are permuted. Prints medians. Exit status 1 if parity takes longer than `cmp` on
equal names.
"""
import argparse
import json
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

WIDTH, INNER, HEAD, KEY_ROWS, VOCABULARY = 2048, 5632, 64, 512, 32000
NAMES = {"self_attn.q_proj": "attention.wq", "self_attn.k_proj": "attention.wk", "self_attn.v_proj": "attention.wv",
         "self_attn.o_proj": "attention.wo", "mlp.gate_proj": "feed_forward.w1", "mlp.up_proj": "feed_forward.w3",
         "mlp.down_proj": "feed_forward.w2"}
SHAPES = {"self_attn.q_proj": (WIDTH, WIDTH), "self_attn.k_proj": (KEY_ROWS, WIDTH), "self_attn.v_proj": (KEY_ROWS, WIDTH),
          "self_attn.o_proj": (WIDTH, WIDTH), "mlp.gate_proj": (INNER, WIDTH), "mlp.up_proj": (INNER, WIDTH),
          "mlp.down_proj": (WIDTH, INNER)}


def tensors_of(gigabytes):
    """(name, other name, shape, whether its rows are permuted) of a Llama of about this size."""
    yield "model.embed_tokens.weight", "tok_embeddings.weight", (VOCABULARY, WIDTH), False
    block = sum(4 * rows * columns for rows, columns in SHAPES.values())
    for i in range(max(1, int((gigabytes * 1e9 - 4 * VOCABULARY * WIDTH) / block))):
        for part, shape in SHAPES.items():
            yield f"model.layers.{i}.{part}.weight", f"layers.{i}.{NAMES[part]}.weight", shape, part[10:] in ("q_proj", "k_proj")


def write(paths, gigabytes):
    """Two equal files, and one under the other names."""
    tensors = list(tensors_of(gigabytes))
    for path, other in zip(paths, (False, False, True), strict=True):
        header, at = {}, 0
        for name, renamed, shape, _ in tensors:
            header[renamed if other else name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * shape[0] * shape[1]]}
            at += 4 * shape[0] * shape[1]
        text = json.dumps(header).encode()
        generator = np.random.default_rng(1)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for _, _, shape, permuted in tensors:
                values = generator.standard_normal(shape, dtype="f4")
                if other and permuted:
                    values = values.reshape(-1, 2, HEAD // 2, shape[1]).swapaxes(1, 2).copy()
                file.write(values.tobytes())


def seconds_of(argv):
    start = time.perf_counter()
    done = subprocess.run(argv, stdout=subprocess.DEVNULL)
    assert done.returncode == 0, argv
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--gb", type=float, default=1)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    parity = str(arguments.build / "bin/parity")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        a, b, other = (str(pathlib.Path(name) / f"{side}.safetensors") for side in ("a", "b", "other"))
        write((a, b, other), arguments.gb)
        size = 2 * pathlib.Path(a).stat().st_size
        programs = {"cat A B": ["cat", a, b], "cmp A B": ["cmp", a, b], "parity compare A B": [parity, "compare", a, b],
                    "parity compare, renamed and permuted": [parity, "compare", a, other]}
        subprocess.run(["cat", a, b, other], stdout=subprocess.DEVNULL, check=True)
        times = {label: [] for label in programs}
        for _ in range(arguments.rounds):
            for label, argv in programs.items():
                times[label].append(seconds_of(argv))
    medians = {label: statistics.median(values) for label, values in times.items()}
    for label, median in medians.items():
        print(f"{label:40} {median:6.2f} s  {size / 1e9 / median:5.1f} GB/s  {median / medians['cmp A B']:.2f} of cmp")
    return 0 if medians["parity compare A B"] <= medians["cmp A B"] else 1


if __name__ == "__main__":
    sys.exit(main())
