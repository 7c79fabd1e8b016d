# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors on a GPU are measured there: the package with an emulated device, whose memory is the host's.

Usage: device_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import unittest
import warnings
from unittest import mock

from recorded import ENVIRONMENT, LIBRARY, RecordedTest

os.environ["PARITY_DEVICE_LIBRARY"] = str(pathlib.Path(LIBRARY).parent / "libemulated-device.so")

import torch

import parity
from parity.native import device
from parity.native.memory import is_torch
from parity.native.trace_file import TraceFile
from parity.recording import tensors

PARITY = sys.argv[2]
SKETCHES = {"sketches": [{}]}


def train(path, capture, on_device, micro_batches=None, passes=1):
    """Three updates with clipping. on_device: every tensor passes for one on a GPU. Returns how many tensors came to the host,
    and how many were measured."""
    counts = {"offer": 0, "measure": 0}

    def counted(name):
        real = getattr(TraceFile, name)

        def call(self, *given, **named):
            counts[name] += 1
            return real(self, *given, **named)
        return mock.patch.object(TraceFile, name, call)

    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = torch.Generator().manual_seed(1)
    with counted("offer"), counted("measure"), \
            mock.patch.object(device, "is_on_gpu", lambda value: on_device and is_torch(value)), \
            mock.patch.object(tensors, "is_on_gpu", lambda value: on_device and is_torch(value)):
        with parity.record(model, optimizer, path=path, capture=capture, micro_batches=micro_batches) as rec:
            for _ in range(3):
                for _ in range(passes):
                    model(torch.randn(6, 8, generator=data)).square().mean().backward()
                rec.tensor("input", "by_hand", torch.randn(4, 3, generator=data).t())
                torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
                optimizer.step()
                optimizer.zero_grad()
                rec.step()
    return counts["offer"], counts["measure"]


class DeviceTest(RecordedTest):
    def rows(self, path):
        done = subprocess.run([PARITY, "compare", str(self.folder / "host.h5"), str(path)], capture_output=True, text=True, env=ENVIRONMENT)
        return done.returncode, done.stdout

    def test_traces_have_the_bits_of_the_hosts(self):
        host = train(self.folder / "host.h5", SKETCHES, False, micro_batches=1)
        there = train(self.path, SKETCHES, True, micro_batches=1)
        self.assertEqual(host[1], 0)
        self.assertEqual(there[0], 0, "tensors came to the host")
        self.assertEqual(there[1], host[0])
        code, text = self.rows(self.path)
        self.assertEqual(code, 0, text)
        self.assertIn("bit for bit", text)
        self.assertRegex(text, r"\b\d{2,} tensors")

    def test_activations_of_several_passes_come_to_the_host(self):
        for passes in (1, 2):
            train(self.folder / "host.h5", SKETCHES, False, passes=passes)
            offered, measured = train(self.path, SKETCHES, True, passes=passes)
            self.assertGreater(offered, 0)
            self.assertGreater(measured, 0)
            code, text = self.rows(self.path)
            self.assertEqual(code, 0, text)

    def test_more_passes_than_promised_end_the_recording(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            train(self.path, SKETCHES, True, micro_batches=1, passes=2)
        self.assertIn("but parity.record got micro_batches=1", str(said[0].message))
        self.partial("2 passes gave")

    def test_a_device_without_memory_sends_a_tensor_to_the_host(self):
        def full(self, *given, **named):
            raise torch.OutOfMemoryError("planted")

        train(self.folder / "host.h5", SKETCHES, False)
        with warnings.catch_warnings(record=True) as said, mock.patch.object(torch.Tensor, "contiguous", full):
            warnings.simplefilter("always")
            train(self.path, SKETCHES, True)
        self.assertEqual([str(one.message) for one in said if "planted" in str(one.message)],
                         ["parity: a tensor goes to the host to be measured, which takes long (planted)"])
        self.assertEqual(self.rows(self.path)[0], 0)

    def test_kept_tensors_come_to_the_host(self):
        capture = {"tensors": [{"phases": ["grad"], "names": ["0.*"]}], "sketches": [{"phases": ["grad", "param"]}]}
        train(self.folder / "host.h5", capture, False)
        offered, measured = train(self.path, capture, True)
        self.assertEqual(offered, 3 * 2)  # updates, tensors of module 0
        self.assertEqual(measured, 3 * 4 + 4 * 6)  # the other gradients, the parameters with those before training
        self.assertEqual(len([key for key in self.complete().tensors if key[1] == "grad"]), 3 * 2)
        self.assertEqual(self.rows(self.path)[0], 0)

    def test_faults_change_memory(self):
        fault = {"kind": "scale", "phase": "grad", "name": "0.weight", "size": 1.0, "steps": [2]}
        capture = SKETCHES | {"faults": [fault]}
        train(self.folder / "host.h5", capture, False)
        train(self.path, capture, True)
        self.assertEqual(self.rows(self.path)[0], 0)
        train(self.folder / "host.h5", SKETCHES, False)
        self.assertEqual(self.rows(self.path)[0], 1)

    def test_without_the_library_tensors_go_to_the_host(self):
        """In a process of its own, since a library is opened once."""
        if os.environ.get("PARITY_DEVICE_LIBRARY") != "none":
            for given, reason in (("none", 'PARITY_DEVICE_LIBRARY is "none"'), ("/no/such.so", "this build has no such.so"),
                                  (LIBRARY, "of another version")):
                words = [sys.executable, "-c", f"import sys; sys.argv[1:] = {sys.argv[1:4]!r}; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); "
                         f"import device_test, os; os.environ['PARITY_DEVICE_LIBRARY'] = {given!r}; "
                         f"print(device_test.train({str(self.path)!r}, device_test.SKETCHES, True)[1])"]
                done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, check=True)
                self.assertEqual(done.stdout, "0\n")
                self.assertEqual(done.stderr.count("whole tensors go to the host"), 1, done.stderr)
                self.assertIn(reason, done.stderr)
                train(self.folder / "host.h5", SKETCHES, False)
                self.assertEqual(self.rows(self.path)[0], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
