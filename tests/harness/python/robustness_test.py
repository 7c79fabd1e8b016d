# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever goes wrong in the recorder, the training goes on with the same bits, and the trace says why it is partial.

Usage: robustness_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import os
import subprocess
import sys
import unittest
import warnings
from unittest import mock

from recorded import ENVIRONMENT, RecordedTest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import parity
from parity.native.trace_file import TraceFile
from parity.passes.keeping import Keeping
from parity.recording.gradients import Gradients
from parity.recording.recorder import Recorder

EVERYTHING = {"tensors": [{}], "operators": [{}]}


def train(recorder_of, updates=3):
    """Trains a small network. Returns its parameters."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    rec = recorder_of(model, optimizer)
    for _ in range(updates):
        optimizer.zero_grad()
        loss = model(torch.randn(5, 4)).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        rec.step(loss=loss)
    rec.close()
    return [parameter.detach().clone() for parameter in model.parameters()]


class RobustnessTest(RecordedTest):
    def setUp(self):
        super().setUp()
        self.unrecorded = train(lambda *_: parity.NoRecorder())

    def record(self, model, optimizer):
        return parity.record(model, optimizer, path=self.path, capture=EVERYTHING)

    def check_training(self, recorder_of=None):
        """Trains again with warnings ignored; the parameters are those of a training without a recorder."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            recorded = train(recorder_of or self.record)
        self.assertTrue(all(torch.equal(*pair) for pair in zip(recorded, self.unrecorded, strict=True)))

    def test_error_inside_each_hook(self):
        for owner, method in ((Keeping, "keep"), (Keeping, "flush"), (TraceFile, "offer"), (TraceFile, "value"),
                              (Gradients, "_keep_local"),
                              (Gradients, "_keep"),
                              (Recorder, "_before_step")):
            for call in (1, 7):
                with self.subTest(f"{method}, call {call}"):
                    original, seen = getattr(owner, method), []

                    def broken(*arguments, original=original, seen=seen, call=call, **options):
                        seen.append(1)
                        if len(seen) == call:
                            raise ValueError("broken on purpose")
                        return original(*arguments, **options)

                    with mock.patch.object(owner, method, broken):
                        self.check_training()
                    if len(seen) >= call:
                        self.partial("broken on purpose")
                    else:
                        self.complete()
                    for file in self.folder.iterdir():
                        file.unlink()

    def test_forked_child_in_mid_run(self):
        class Forking:
            def __init__(self, rec):
                self.rec = rec

            def step(self, **channels):
                child = os.fork()
                if child == 0:
                    self.rec.step(**channels)
                    self.rec.close()
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
                self.rec.step(**channels)

            def close(self):
                self.rec.close()

        self.check_training(lambda *arguments: Forking(self.record(*arguments)))
        self.assertEqual(self.complete().steps, [1, 2, 3])

    def test_second_recorder_names_the_first(self):
        rec = parity.record(path=self.path)
        with self.assertRaisesRegex(parity.Error, "run.h5"):
            parity.record(path=self.path)
        rec.step(loss=1)
        rec.close()
        self.complete()

    def test_file_that_cannot_grow(self):
        """As on a full disk: writes fail beyond a size. Python ignores the signal of this limit."""
        script = ("import resource, sys, parity, torch\n"
                  "model = torch.nn.Linear(256, 256)\n"
                  "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                  "rec = parity.record(model, optimizer, path=sys.argv[1], capture={'tensors': [{}]})\n"
                  "resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))\n"
                  "for _ in range(20):\n"
                  "    optimizer.zero_grad(); model(torch.ones(2, 256)).sum().backward(); optimizer.step(); rec.step(loss=1.0)\n"
                  "rec.close(); print('trained')\n")
        done = subprocess.run([sys.executable, "-c", script, str(self.path)], env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"), done.stderr)
        self.assertRegex(done.stderr, "recording stopped in update .*partial.*File too large")
        self.assertFalse(self.path.exists())
        self.assertTrue(os.path.exists(f"{self.path}.partial"))

    def test_mode_that_stays_open(self):
        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **kwargs or {})

        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        rec = self.record(model, optimizer)
        with self.assertWarnsRegex(RuntimeWarning, "another TorchDispatchMode is open"), Mode():
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
            rec.step()
        rec.close()
        self.partial("another TorchDispatchMode")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
