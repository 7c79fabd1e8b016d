# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The phase grad_local does not have the factor that a GradScaler gives the loss.

Usage: loss_scale_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import subprocess
import sys
import unittest
import warnings

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

    def test_a_pass_without_scaler(self):
        """Its gradient has no factor, and neither has the sum after unscale_; without unscale_ the sum keeps it."""
        for when in ("after unscale_", "before unscale_", "of other gradients"):
            torch.manual_seed(3)
            model, alone = torch.nn.Linear(4, 2), []
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
            capture = {"tensors": [{"phases": ["grad_local"]}], "micro_batches": True}
            with parity.record(model, optimizer, path=self.path, capture=capture) as rec:
                model.zero_grad()
                loss, other = (model(torch.randn(16, 4)).square().mean() for _ in range(2))
                for one in (loss, other):
                    alone.append(torch.autograd.grad(one, model.weight, retain_graph=True)[0])
                scaler.scale(loss).backward()
                if when == "after unscale_":
                    scaler.unscale_(optimizer)
                if when == "of other gradients":
                    model.zero_grad()
                other.backward()
                if when == "before unscale_":
                    scaler.unscale_(optimizer)
                whole = model.weight.grad.clone()
                optimizer.step()
                rec.step()
            tensors = Trace(self.path).tensors
            for number, wanted in enumerate(alone):
                torch.testing.assert_close(tensors[1, "grad_local", f"weight@{number}:micro_batch"], wanted, msg=when)
            torch.testing.assert_close(tensors[1, "grad_local", "weight"], whole, msg=when)

    def test_a_fault_in_one_of_two_micro_batches(self):
        """Other tensors wait for the sum of both, and a fault that cannot know the last pass ends the recording."""
        fault = {"kind": "scale", "phase": "grad_local", "name": "2.weight", "size": 1.0, "steps": [2]}
        other = self.folder / "other.h5"
        self.train(scale=None, faults=[fault])
        self.train(scale=None, path=other)
        changed, plain = Trace(self.path), Trace(other)
        self.assertEqual((changed.status, changed.steps), ("complete", [1, 2, 3]))
        for name in ("0.weight", "0.bias", "2.weight", "2.bias"):
            factor = 2 if name == "2.weight" else 1
            key = (2, "grad_local", name)
            self.assertTrue(torch.equal(changed.tensors[key], factor * plain.tensors[key]), name)

        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        capture = {"tensors": [{"phases": ["grad_local"]}], "faults": [dict(fault, name="weight")]}
        path = self.folder / "unknown.h5"
        with warnings.catch_warnings(), parity.record(model, optimizer, path=path, capture=capture) as rec:
            warnings.simplefilter("ignore")
            for _ in range(2):
                for _ in range(2):
                    model(torch.randn(16, 4)).square().mean().backward()
                optimizer.step()
                rec.step()
        reason = Trace(f"{path}.partial").failure["reason"]
        self.assertIn("which has more than 1 backward pass; give parity.record their number", reason)

    def test_the_scaler_is_restored(self):
        before = torch.amp.GradScaler.scale
        model = torch.nn.Linear(2, 2)
        rec = parity.record(model, torch.optim.SGD(model.parameters(), lr=1), path=self.path)
        self.assertIsNot(torch.amp.GradScaler.scale, before)
        rec.stop("the test has seen it")
        self.assertIs(torch.amp.GradScaler.scale, before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
