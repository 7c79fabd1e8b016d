# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the adapters share: their arguments, traces read by h5py, and `parity compare`.

Each test is called as: NAME_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import concurrent.futures
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import recorded  # noqa: E402
from recorded import ENVIRONMENT, SOURCE  # noqa: E402

PARITY = sys.argv[2]
for name in ("PARITY_CAPTURE", "PARITY_CONFIG"):
    os.environ.pop(name, None)
os.environ |= {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "offline", "CUDA_VISIBLE_DEVICES": "", "TQDM_DISABLE": "1"}

import torch  # noqa: E402

torch.set_num_threads(1)
ALL = {"tensors": [{}]}


class Trace(recorded.Trace):
    """What a complete trace holds."""

    def __init__(self, path):
        super().__init__(path)
        assert self.status == "complete", path

    def phase(self, step, phase):
        """name -> tensor of a phase at a step."""
        return {name: value for (at, where, name), value in self.tensors.items() if (at, where) == (step, phase)}

    def norm(self, step, phase):
        """The norm over all tensors of a phase, in float64."""
        return sum(value.double().square().sum() for value in self.phase(step, phase).values()).sqrt().item()


class AdapterTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def path(self, name):
        return str(self.folder / name)

    def different(self, one, other):
        """channel -> first step at which `parity compare` reports it as different."""
        done = subprocess.run([PARITY, "compare", one, other], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        channels = done.stdout.partition("\n\n")[0].splitlines()[1:]
        rows = [line.split() for line in channels if line and not line.startswith(" ")]
        return {row[0]: int(row[2]) for row in rows if row[1] == "different"}

    def assert_same_bits(self, expected, actual):
        """Two lists of tensors have the same bits."""
        self.assertEqual(len(expected), len(actual))
        self.assertTrue(expected, "there is nothing to compare")
        for one, other in zip(expected, actual, strict=True):
            self.assertTrue(torch.equal(one, other))

    def assert_clipped(self, trace, limit):
        """In each step the norm is that of the gradients before clipping, and clipping scaled them to the limit."""
        for step, norm in zip(trace.steps, trace.channels["grad_norm"], strict=True):
            self.assertAlmostEqual(trace.norm(step, "grad"), norm, delta=1e-5 * norm)
            self.assertGreater(norm, limit)
            self.assertAlmostEqual(trace.norm(step, "grad_clipped"), limit, delta=1e-4 * limit)


class LoopTest(AdapterTest):
    """A test whose training is a script of its own. loop: its path."""

    loop = ""

    def recorded(self, name, *words):
        """Runs the script. Returns the trace, and what the script saved: its parameters, then what it logged."""
        run_in_a_process(self.loop, self.path("end.pt"), *words, PARITY_TRACE=self.path(name))
        return (Trace(self.path(name)), *torch.load(self.path("end.pt"), weights_only=False))

    def planted(self, defect):
        """channel -> first step at which a run with this word differs from one without it."""
        self.recorded("right.h5")
        self.recorded("wrong.h5", defect)
        return self.different(self.path("right.h5"), self.path("wrong.h5"))


def run_in_a_process(script, *arguments, **environment):
    """Runs a Python script with the package. Returns what it printed. Raises if it fails."""
    named = os.environ | {"PYTHONPATH": ENVIRONMENT["PYTHONPATH"]} | environment
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, env=named)
    if done.returncode != 0:
        raise AssertionError(done.stdout[-3000:] + done.stderr[-6000:])
    return done.stdout


def run_ranks(ranks, script, *arguments, **environment):
    """Runs a script in processes that PyTorch's variables tell their rank."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with concurrent.futures.ThreadPoolExecutor(ranks) as pool:
        runs = [pool.submit(run_in_a_process, script, *arguments, **environment, RANK=str(rank), LOCAL_RANK=str(rank),
                            WORLD_SIZE=str(ranks), LOCAL_WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1",
                            MASTER_PORT=str(port)) for rank in range(ranks)]
        return [run.result() for run in runs]


def parameters_of(model):
    return [parameter.detach().clone() for parameter in model.parameters()]


def main():
    done = unittest.main(argv=sys.argv[:1], exit=False)
    sys.exit(0 if done.result.wasSuccessful() else 1)  # W&B takes no bool


__all__ = ["ALL", "PARITY", "SOURCE", "AdapterTest", "LoopTest", "Trace", "json", "main", "parameters_of", "run_in_a_process",
           "run_ranks"]
