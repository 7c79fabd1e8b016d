# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The phase grad_local does not have the factor that a GradScaler gives the loss.

Usage: loss_scale_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import subprocess
import sys
import unittest

from recorded import ENVIRONMENT, RecordedTest, Trace

import torch

import parity

PARITY = sys.argv[2]


class LossScaleTest(RecordedTest):
    def train(self, scale=1024.0, path=None, unscale=True, faults=(), growth=2):
        """Three updates of two micro-batches, with clipping by hand. scale: of the loss at first; None: no scaler.
        Returns the last gradients before clipping."""
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=scale or 1.0, growth_interval=growth, enabled=scale is not None)
        phases = ["grad_local", "grad", "optim", "param"]  # backward keeps the factor
        capture = {"tensors": [{"phases": phases}], "faults": list(faults)} | ({} if faults else {"micro_batches": True})
        with parity.record(model, optimizer, path=path or self.path, capture=capture, micro_batches=2) as rec:
            for _ in range(3):
                model.zero_grad()
                for _ in range(2):
                    scaler.scale(10 * model(torch.randn(16, 4)).square().mean()).backward()
                if unscale:
                    scaler.unscale_(optimizer)
                gradients = [one.grad.clone() for one in model.parameters()]
                norm = torch.sqrt(sum(one.grad.square().sum() for one in model.parameters()))
                for one in model.parameters():
                    one.grad.mul_(0.05 / norm)
                scaler.step(optimizer)
                scaler.update()
                rec.step(grad_norm=norm)
        return gradients

    def parity(self, *words):
        done = subprocess.run([PARITY, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT)
        return done.returncode, done.stdout

    def law(self, name):
        laws = json.loads(self.parity("audit", self.path, "--json")[1])["laws"]
        return next(row for row in laws if row["law"] == name)

    def test_gradients_have_no_factor(self):
        other = self.folder / "other.h5"
        self.train()
        self.train(scale=None, path=other)
        scaled, plain = Trace(self.path), Trace(other)
        local = [key for key in plain.tensors if key[1] == "grad_local"]
        self.assertEqual(len(local), 3 * 4 * 3)  # updates, parameters, the sum and both micro-batches
        for key in local:
            self.assertTrue(torch.equal(scaled.tensors[key], plain.tensors[key]), key)
        code, text = self.parity("compare", other, self.path)
        self.assertEqual(code, 0, text)

    def test_laws_hold(self):
        for growth in (1, 100):  # a scale that changes after each update, and one that stays
            self.train(growth=growth)
            for name in ("grad_norm", "reduction"):
                self.assertEqual(self.law(name)["answer"], "holds", self.law(name))

    def test_a_forgotten_unscale_departs(self):
        self.train(unscale=False)
        row = self.law("grad_norm")
        self.assertEqual(row["answer"], "departs", row)
        self.assertIn("1024 times the norm", row["departures"][0]["sentence"])

    def test_a_fault_changes_scaled_gradients(self):
        fault = {"kind": "scale", "phase": "grad_local", "name": "*", "size": 1.0, "steps": [3]}
        other = self.folder / "other.h5"
        changed = self.train(faults=[fault])
        plain = self.train(scale=None, path=other, faults=[fault])
        for one, two in zip(changed, plain, strict=True):
            self.assertTrue(torch.equal(one, two))
        key = (3, "grad_local", "2.weight")
        self.assertTrue(torch.equal(Trace(self.path).tensors[key], Trace(other).tensors[key]))
        third = self.folder / "third.h5"
        for one, two in zip(changed, self.train(path=third), strict=True):
            self.assertTrue(torch.equal(one, 2 * two))
        self.assertTrue(torch.equal(Trace(self.path).tensors[key], 2 * Trace(third).tensors[key]))

    def test_the_scaler_is_restored(self):
        before = torch.amp.GradScaler.scale
        model = torch.nn.Linear(2, 2)
        rec = parity.record(model, torch.optim.SGD(model.parameters(), lr=1), path=self.path)
        self.assertIsNot(torch.amp.GradScaler.scale, before)
        rec.stop("the test has seen it")
        self.assertIs(torch.amp.GradScaler.scale, before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
