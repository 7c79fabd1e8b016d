# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Forward and backward passes as the Python recorder sees them, next to hooks of this test's own.

Usage: passes_test.py SOURCE_DIR PARITY_PROGRAM RECORDER_LIBRARY
"""
import sys
import unittest
import warnings

from recorded import RecordedTest

import torch
from torch.utils.checkpoint import checkpoint

import parity

EVERYTHING = {"tensors": [{}], "operators": [{}]}


class Net(torch.nn.Module):
    """Two layers, of which the first may be computed again in the backward pass, and an output that is a mapping."""

    def __init__(self, again=None):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.drop, self.second = torch.nn.Linear(4, 6), torch.nn.Dropout(0.25), torch.nn.Linear(6, 2)
        self.again = again

    def forward(self, x):
        hidden = self.first(x) if self.again is None else checkpoint(self.first, x, use_reentrant=self.again)
        return {"out": self.second(self.drop(torch.tanh(hidden))), "hidden": hidden}


class PassesTest(RecordedTest):
    def train(self, model, capture=None, updates=2, micro_batches=1, evaluate=lambda model: None, extras=(), scale=1.0):
        """Trains and records. Returns the batches."""
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        recorder = parity.record(model, optimizer, path=self.path, capture=capture, extras=extras)
        generator, batches = torch.Generator().manual_seed(5), []
        for _ in range(updates):
            optimizer.zero_grad()
            total = 0.0
            for _ in range(micro_batches):
                batch = torch.randn(3, 4, generator=generator, requires_grad=True) * scale
                loss = model(batch)["out"].square().mean()
                loss.backward()
                total += loss.item()
                batches.append(batch.detach())
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            evaluate(model)
            recorder.step(loss=total)
        recorder.close()
        return batches

    def test_outputs_and_their_gradients_are_those_of_hooks(self):
        seen, model = {}, Net()

        def hook(_module, _inputs, output):
            seen.setdefault("forward", output.detach().clone())
            output.register_hook(lambda gradient: seen.update(backward=seen.get("backward", gradient.clone())))

        model.second.register_forward_hook(hook)
        batches = self.train(model, {"tensors": [{"phases": ["forward", "backward", "input"]}]})
        tensors = self.complete().tensors
        for phase in ("forward", "backward"):
            self.assertTrue(torch.equal(tensors[1, phase, "second"], seen[phase]), phase)
        self.assertTrue(torch.equal(tensors[1, "input", "x"], batches[0]))
        self.assertEqual(self.complete().names(1, "forward"), {"first", "drop", "second", "model.out.out", "model.out.hidden"})

    def test_micro_batches_are_rows_of_one_tensor(self):
        batches = self.train(Net(), {"tensors": [{"phases": ["input", "forward"]}]}, micro_batches=3)
        tensors = self.complete().tensors
        self.assertEqual(tuple(tensors[1, "forward", "first"].shape), (9, 6))
        self.assertTrue(torch.equal(tensors[2, "input", "x"], torch.cat(batches[3:])))

    def test_an_evaluation_is_not_a_pass(self):
        def evaluate(model):
            with torch.no_grad():
                model(torch.ones(7, 4))
            model(torch.ones(5, 4))  # with gradients, but nobody asks for them

        self.train(Net(), {"tensors": [{"phases": ["forward"]}]}, evaluate=evaluate)
        self.assertEqual({tuple(value.shape)[0] for value in self.complete().tensors.values()}, {3})

    def test_a_block_that_is_computed_again_is_recorded_once(self):
        traces = []
        for again in (None, False, True):
            model = Net(again)
            model.drop.p = 0.0
            self.train(model, {"tensors": [{"phases": ["forward", "backward"]}]})
            traces.append({key: value for key, value in self.complete().tensors.items() if key[2] in ("first", "second")})
        for other in traces[1:]:
            self.assertEqual(traces[0].keys(), other.keys())
            for key, value in traces[0].items():
                self.assertTrue(torch.equal(value, other[key]), key)

    def test_recording_everything_changes_no_bit(self):
        results = []
        for capture in ({}, EVERYTHING):
            model = Net()
            torch.manual_seed(9)  # of dropout
            self.train(model, capture, updates=3, micro_batches=2, extras=("update_norm", "batch_digest", "rng"))
            results.append([parameter.detach().clone() for parameter in model.parameters()])
        self.assertTrue(all(torch.equal(*pair) for pair in zip(*results, strict=True)))

    def test_operators_belong_to_modules_and_regions(self):
        self.train(Net(), EVERYTHING)
        self.assertIn("second@0:aten::addmm:out.0", self.complete().names(1, "forward"))
        optimizer = {name.split("@")[0] for name in self.complete().names(1, "optim") if "@" in name}
        self.assertEqual(optimizer, {"optimizer"})
        clip = {name.split("@")[0] for name in self.complete().names(1, "grad_clipped") if "@" in name}
        self.assertEqual(clip, {"clip"})

    def test_local_gradients_have_the_sum_of_micro_batches(self):
        self.train(Net(), {"tensors": [{"phases": ["grad_local", "grad"]}]}, micro_batches=2)
        tensors = self.complete().tensors
        for name in ("first.weight", "second.bias"):
            self.assertTrue(torch.equal(tensors[1, "grad_local", name], tensors[1, "grad", name]), name)

    def test_a_fault_in_an_output_reaches_the_training(self):
        fault = {"faults": [{"kind": "scale", "steps": [2], "phase": "forward", "name": "second", "size": 1.0}]}
        losses = []
        for capture in ({}, fault):
            model = Net()
            model.drop.p = 0.0
            self.train(model, capture)
            losses.append(self.complete().channels["loss"])
        self.assertEqual(losses[0][0], losses[1][0])
        self.assertAlmostEqual(losses[1][1], 4 * losses[0][1], places=6)

    def test_extras_are_of_parameters_batches_and_generators(self):
        channels = []
        for scale in (1.0, 1.0, 1.0000001):
            torch.manual_seed(2)
            model = Net()
            before = [parameter.detach().clone() for parameter in model.parameters()]
            torch.manual_seed(9)
            self.train(model, updates=1, extras=("update_norm", "param_norm", "batch_digest", "rng"), scale=scale)
            change = sum((a - b).double().square().sum() for a, b in zip(model.parameters(), before, strict=True)) ** 0.5
            channels.append({name: values[0] for name, values in self.complete().channels.items()})
            self.assertAlmostEqual(channels[-1]["update_norm"], change.item(), places=12)
            norm = sum(parameter.double().square().sum() for parameter in model.parameters()) ** 0.5
            self.assertAlmostEqual(channels[-1]["param_norm"], norm.item(), places=12)
        self.assertEqual(channels[0]["batch_digest"], channels[1]["batch_digest"])
        self.assertNotEqual(channels[0]["batch_digest"], channels[2]["batch_digest"])
        self.assertLessEqual({"rng.python", "rng.torch"}, set(channels[0]))
        with self.assertRaisesRegex(parity.Error, "unknown extra rgn; give some of update_norm"):
            parity.record(Net(), path=self.path, extras=["rgn"])

    def test_an_input_of_the_trainer_takes_the_place_of_an_argument(self):
        """Whether it is recorded before the passes or after them; twice is still refused."""
        class Model(torch.nn.Linear):
            def forward(self, tokens):
                return super().forward(tokens)

        for first in (True, False):
            for passes in (1, 2):
                torch.manual_seed(0)
                model = Model(3, 2)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                with parity.record(model, optimizer, path=self.path, capture={"tensors": [{}]}) as rec:
                    for _ in range(2):
                        tokens = torch.randn(passes, 4, 3)
                        if first:
                            rec.tensor("input", "tokens", tokens)
                        for part in tokens:
                            model(part).square().sum().backward()
                        if not first:
                            rec.tensor("input", "tokens", tokens)
                        optimizer.step()
                        rec.step()
                trace = self.complete()
                self.assertTrue(torch.equal(trace.tensors[2, "input", "tokens"], tokens))
        with warnings.catch_warnings(), parity.record(model, optimizer, path=self.path, capture={"tensors": [{}]}) as rec:
            warnings.simplefilter("ignore")
            rec.tensor("input", "tokens", tokens)
            rec.tensor("input", "tokens", tokens)
        self.partial("tensor tokens of phase input was offered twice")

    def test_a_clash_of_names_ends_the_recording_and_not_the_training(self):
        model = Net()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        recorder = parity.record(model, optimizer, path=self.path, capture={"tensors": [{"phases": ["forward"]}]})
        recorder.tensor("forward", "second", torch.ones(2))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model(torch.ones(3, 4))["out"].sum().backward()
            optimizer.step()
            recorder.step(loss=1.0)
        recorder.close()
        self.assertIn("recording stopped in update 1", str(caught[0].message))
        self.partial("tensor second of phase forward was also given by rec.tensor")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
