# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the Python recorder costs a training step in PyTorch.

Usage: recorder_cost.py SOURCE_DIR RECORDER_LIBRARY [--rounds N] [--width N]

Trains copies of one model side by side, one step each in turn, in a random order in each round:

    plain     no recorder                          off       parity.record without a trace
    channels  loss, lr and grad_norm               sketches  the same, and sketches of all gradients and
                                                             parameters every tenth step

Prints medians of the steps and ratios of the means to `plain`, and from a process each the growth of resident memory by
the recorder over the model's (parameters, gradients, optimizer state). Exit status 1 if channels cost more than 1 % of a
step, sketches more than 3 %, or memory more than 5 %.
"""
import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

KINDS = ("plain", "off", "channels", "sketches")
AIMS = {"off": 1.005, "channels": 1.01, "sketches": 1.03}


def resident():
    """Resident memory of this process [MiB]."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Training:
    """A model and its recorder."""

    def __init__(self, kind, folder, width, steps):
        import torch

        import parity

        torch.manual_seed(0)
        layers = [layer for _ in range(6) for layer in (torch.nn.Linear(width, width), torch.nn.GELU())]
        self.model = torch.nn.Sequential(*layers)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.batch = torch.randn(width // 2, width)
        every_tenth = list(range(10, steps + 10, 10))
        capture = {"sketches": [{"phases": ["grad", "param"], "steps": every_tenth}]} if kind == "sketches" else {}
        path = pathlib.Path(folder) / f"{kind}.h5" if kind in ("channels", "sketches") else None
        self.recorder = None if kind == "plain" else parity.record(self.model, self.optimizer, path=path, capture=capture)

    def step(self):
        import torch

        self.optimizer.zero_grad(set_to_none=False)
        loss = self.model(self.batch).square().mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        if self.recorder is not None:
            self.recorder.step(loss=loss)


def times_of(folder, width, rounds):
    """Seconds of each step, by kind."""
    trainings = {kind: Training(kind, folder, width, rounds) for kind in KINDS}
    times = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in random.sample(KINDS, len(KINDS)):
            begin = time.perf_counter()
            trainings[kind].step()
            times[kind].append(time.perf_counter() - begin)
    for training in trainings.values():
        if training.recorder is not None:
            training.recorder.close()
    return times


def memory_of(kind, arguments):
    """Resident memory [MiB] after eleven steps, least of five processes, and the size of the model's tensors."""
    words = [sys.executable, __file__, *arguments, "--memory", kind]
    environment = dict(os.environ, MALLOC_MMAP_THRESHOLD_="65536")  # gives freed tensors back, so that runs agree
    runs = [subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.split()
            for _ in range(3)]
    return min([float(word) for word in run] for run in runs)


def trimmed_mean(values):
    """The mean without the slowest and fastest tenth: steps of the machine's other work. Keeps every tenth step, which is
    the one that records."""
    kept = sorted(values)[len(values) // 20:len(values) - len(values) // 20]
    return statistics.fmean(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--memory", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["PARITY_RECORDER_LIBRARY"] = str(options.library.resolve())
    os.environ.pop("PARITY_TRACE", None)
    sys.path.insert(0, str(options.source.resolve() / "harness/python/src"))
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        if options.memory:
            training = Training(options.memory, folder, options.width, 20)
            for _ in range(11):
                training.step()
            size = 4 * sum(parameter.nbytes for parameter in training.model.parameters()) / 2**20
            print(resident(), size)
            return 0
        times = times_of(folder, options.width, options.rounds)
    missed = False
    plain = trimmed_mean(times["plain"])
    for kind in KINDS:
        ratio = trimmed_mean(times[kind]) / plain
        missed |= ratio > AIMS.get(kind, ratio)
        print(f"{kind:9} {1000 * statistics.median(times[kind]):7.1f} ms a step, ratio of means {ratio:.4f}")
    words = [str(options.source), str(options.library), "--width", str(options.width)]
    without, size = memory_of("plain", words)
    for kind in KINDS[1:]:
        growth = (memory_of(kind, words)[0] - without) / size
        missed |= growth > 0.05
        print(f"{kind:9} memory {100 * growth:+.1f} % of the model's {size:.0f} MiB")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
