# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the recorder keeps of clipping by norm in several calls or by another order, and what the laws say of it.

Usage: clip_calls_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import subprocess
import sys
import unittest

from recorded import ENVIRONMENT, RecordedTest

import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

import parity
from parity.observe import clip_calls

PARITY = sys.argv[2]
NAMES = ["0.weight", "0.bias", "2.weight", "2.bias"]


def norm(parameters, order=2.0):
    return torch.linalg.vector_norm(torch.cat([one.grad.flatten() for one in parameters]), order).item()


class ClipCallsTest(RecordedTest):
    def train(self, clip, passes=1, between=None, steps=3, after=None):
        """clip: parameters -> channels. after: called after the optimizer's step. between: called after each backward pass but the last.
        Returns the gradients before clipping of each step, and the norms that clip had returned."""
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        parameters, before = list(model.parameters()), {}
        with parity.record(model, optimizer, path=self.path, capture={"tensors": [{}]}) as rec:
            for step in range(1, steps + 1):
                model.zero_grad()
                for number in range(passes):
                    (10 * model(torch.randn(16, 4)).square().mean()).backward()
                    if between and number + 1 < passes:
                        between(parameters)
                before |= {(step, name): one.grad.clone() for name, one in model.named_parameters()}
                channels = clip(parameters) or {}
                optimizer.step()
                if after:
                    after(parameters)
                rec.step(**channels)
        return before

    def laws(self):
        done = subprocess.run([PARITY, "audit", self.path, "--json"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {row["law"]: row for row in json.loads(done.stdout)["laws"]}

    def assert_lawful(self):
        for law, row in self.laws().items():
            self.assertNotEqual(row["answer"], "departs", row)
            if law in ("grad_norm", "clip"):
                self.assertEqual(row["answer"], "holds", row)

    def assert_departs(self, law, words):
        row = self.laws()[law]
        self.assertEqual(row["answer"], "departs", row)
        self.assertIn(words, row["departures"][0]["sentence"])

    def assert_grad(self, before):
        trace = self.complete()
        for (step, name), values in before.items():
            self.assertTrue(torch.equal(trace.tensors[step, "grad", name], values), (step, name))
        return trace

    def test_other_orders(self):
        for order in (1.0, float("inf")):
            def clip(parameters, order=order):
                clip_grad_norm_(parameters, 0.05, norm_type=order)

            before = self.train(clip)
            trace = self.assert_grad(before)
            flat = torch.cat([before[1, name].flatten() for name in NAMES])
            wanted = torch.linalg.vector_norm(flat, order).item()
            self.assertAlmostEqual(trace.channels["grad_norm"][0] / wanted, 1, places=5)
            self.assert_lawful()
            self.train(lambda parameters, order=order: {"grad_norm": 1.01 * norm(parameters, order)})
            self.train(lambda parameters, order=order: [clip_grad_norm_(parameters, 0.05, norm_type=order),
                                                        {"grad_norm": 3.0}][1])
            self.assert_departs("grad_norm", "times the")

    def test_clipping_after_the_step(self):
        words = "gradients are clipped after the optimizer's step, which used them as they were before"
        for clip in (clip_grad_norm_, clip_grad_value_):
            self.train(lambda parameters: None, after=lambda parameters, clip=clip: clip(parameters, 0.05))
            self.assertIs(self.complete().provenance["recipe"]["clip"]["late"], True)
            self.assert_departs("clip", words)
            self.train(lambda parameters, clip=clip: [clip(parameters, 0.05), None][1])
            self.assertNotIn("late", self.complete().provenance["recipe"]["clip"])
            self.assertNotIn(words, json.dumps(self.laws()))

    def assert_in_time(self):
        done = subprocess.run([PARITY, "audit", self.path], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        self.assertNotIn("after the optimizer's step", done.stdout)
        self.assertNotIn("late", json.dumps(self.complete().provenance["recipe"].get("clip", {})))

    def test_clipping_in_time_is_not_late(self):
        """Calls after a step whose gradients are others, or are not used yet, or that change nothing."""
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))

        def backward():
            (10 * model(torch.randn(16, 4)).square().mean()).backward()

        def whole_before_each(optimizers, clip):
            backward()
            for optimizer in optimizers:
                clip(model.parameters(), 0.05)
                optimizer.step()

        def fresh_gradients(optimizers, clip):
            backward()
            optimizers[0].step()
            model.zero_grad()
            backward()
            clip(model.parameters(), 0.05)
            optimizers[1].step()

        def norm_for_the_log(optimizers, clip):
            backward()
            clip(model.parameters(), 0.05)
            for optimizer in optimizers:
                optimizer.step()
            clip_grad_norm_(model.parameters(), float("inf"))

        class Clipping(torch.optim.SGD):
            def step(self, closure=None):
                clip_grad_norm_([one for group in self.param_groups for one in group["params"]], 0.05)
                return super().step(closure)

        def inside(optimizers, clip):
            backward()
            for optimizer in optimizers:
                optimizer.step()

        halves = [model[number].parameters for number in (0, 2)]
        for turn, make in ((whole_before_each, torch.optim.SGD), (norm_for_the_log, torch.optim.SGD), (inside, Clipping), (fresh_gradients, None)):
            for clip in (clip_grad_norm_, clip_grad_value_):
                both = [make(half(), lr=0.01) for half in halves] if make else [torch.optim.SGD(model.parameters(), lr=0.01) for _ in range(2)]
                with parity.record(model, both, path=self.path, capture={"tensors": [{"phases": ["param"]}]}) as rec:
                    for _ in range(3):
                        model.zero_grad()
                        turn(both, clip)
                        rec.step()
                with self.subTest(turn=turn.__name__, clip=clip.__name__):
                    self.assert_in_time()

    def test_a_hook_after_the_step_ends_the_update(self):
        torch.manual_seed(3)
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        held = []
        optimizer.register_step_post_hook(lambda *_: held[0].step())
        with parity.record(model, optimizer, path=self.path, capture={"tensors": [{}]}) as rec:
            held.append(rec)
            for _ in range(3):
                model.zero_grad()
                (10 * model(torch.randn(16, 4)).square().mean()).backward()
                clip_grad_norm_(model.parameters(), 0.05)
                optimizer.step()
        self.assert_in_time()
        self.assert_lawful()

    def test_a_hook_after_the_step_closes_the_recorder(self):
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        held = []
        optimizer.register_step_post_hook(lambda *_: (held[0].step(), held[0].close()))
        held.append(parity.record(model, optimizer, path=self.path))
        for _ in range(2):
            model(torch.randn(16, 4)).square().mean().backward()
            optimizer.step()
        self.complete()

    def test_two_optimizers_in_turn(self):
        """The gradients of the second are clipped after the step of the first, and before their own."""
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
        both = [torch.optim.SGD(model[number].parameters(), lr=0.1) for number in (0, 2)]
        with parity.record(model, both, path=self.path, capture={"tensors": [{}]}) as rec:
            for _ in range(3):
                model.zero_grad()
                (10 * model(torch.randn(16, 4)).square().mean()).backward()
                for number, optimizer in zip((0, 2), both):
                    clip_grad_norm_(model[number].parameters(), 0.05)
                    optimizer.step()
                rec.step()
        self.assert_lawful()

    def test_a_closure_clips_before_the_step(self):
        torch.manual_seed(3)
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with parity.record(model, optimizer, path=self.path, capture={"tensors": [{}]}) as rec:
            for _ in range(3):
                def closure():
                    model.zero_grad()
                    loss = (10 * model(torch.randn(16, 4))).square().mean()
                    loss.backward()
                    clip_grad_norm_(model.parameters(), 0.05)
                    return loss
                optimizer.step(closure)
                rec.step()
        self.assert_lawful()

    def test_a_call_for_each_set(self):
        def clip(parameters, factor=1.0):
            clip_grad_norm_(parameters[::2], 0.5)
            clip_grad_norm_(parameters[1::2], 0.05)
            parameters[1].grad.mul_(factor)
            parameters[3].grad.mul_(factor)

        trace = self.assert_grad(self.train(clip))
        recipe = trace.provenance["recipe"]["clip"]
        self.assertEqual(recipe["max_norm"], [0.5, 0.05])
        self.assertEqual([call["names"] for call in recipe["calls"]], [NAMES[::2], NAMES[1::2]])
        self.assertEqual([call["max_norm"] for call in recipe["calls"]], [0.5, 0.05])
        self.assert_lawful()
        self.train(lambda parameters: clip(parameters, factor=2.0))
        self.assert_departs("clip", "as if max_norm were 0.09999")

    def test_the_same_gradients_twice(self):
        def clip(parameters):
            self.first.append(clip_grad_norm_(parameters, 0.5).item())
            clip_grad_norm_(parameters, 0.25)

        self.first = []
        trace = self.assert_grad(self.train(clip))
        self.assertEqual(trace.channels["grad_norm"], self.first)
        self.assertEqual([call["max_norm"] for call in trace.provenance["recipe"]["clip"]["calls"]], [0.5, 0.25])
        self.assert_lawful()

    def test_clipping_of_each_micro_batch(self):
        """The last clipping counts, whose gradients are others than those of the first."""
        before = self.train(lambda parameters: clip_grad_norm_(parameters, 0.25) and None, passes=2,
                            between=lambda parameters: clip_grad_norm_(parameters, 0.5))
        trace = self.assert_grad(before)
        self.assertEqual(trace.provenance["recipe"]["clip"], {"max_norm": 0.25, "norm_type": 2.0})
        self.assert_lawful()

    def test_other_gradients_between(self):
        """Gradients that are made anew after a clipping are not clipped again."""
        def between(parameters):
            clip_grad_norm_(parameters, 0.5)
            for one in parameters:
                one.grad = None

        self.assert_grad(self.train(lambda parameters: clip_grad_norm_(parameters, 0.25) and None, passes=2,
                                    between=between))
        self.assert_lawful()

    def test_overlapping_sets_are_not_asked(self):
        def clip(parameters):
            clip_grad_norm_(parameters, 0.5)
            clip_grad_norm_(parameters[:1], 0.05)

        self.assert_grad(self.train(clip))
        for law in ("grad_norm", "clip"):
            self.assertEqual(self.laws()[law]["answer"], "not asked")

    def test_values_that_change(self):
        """The recipe has what each update was given, and the law judges each by that."""
        limits = iter([None, 0.05, 0.05, 0.02])

        def clip(parameters):
            if (limit := next(limits)) is not None:
                clip_grad_value_(parameters, limit)

        recipe = self.assert_grad(self.train(clip, steps=4)).provenance["recipe"]
        self.assertNotIn("clip", recipe)
        self.assertEqual(recipe["clip_changes"], [{"step": 2, "clip": {"value": 0.05}}, {"step": 4, "clip": {"value": 0.02}}])
        row = self.laws()["clip"]
        self.assertEqual((row["answer"], row["checked"]), ("holds", 12), row)

        limits = iter([0.05, 0.05, 0.05, 0.05])

        def wrong(parameters):
            clip(parameters)
            parameters[0].grad.mul_(1.5)

        self.train(wrong, steps=4)
        self.assert_departs("clip", "0.weight: not clamped to the clip value 0.05")

    def test_max_norms_that_change(self):
        limits = iter([0.5, 0.5, 0.25])
        trace = self.assert_grad(self.train(lambda parameters: clip_grad_norm_(parameters, next(limits)) and None))
        self.assertEqual([change["step"] for change in trace.provenance["recipe"]["clip_changes"]], [3])
        self.assert_lawful()

    def test_values_of_sets_and_one_left_out(self):
        def clip(parameters):
            clip_grad_value_(parameters[:2], 0.05)
            clip_grad_value_(parameters[2:3], 0.02)

        recipe = self.assert_grad(self.train(clip)).provenance["recipe"]
        self.assertEqual(recipe["clip"]["values"], [{"names": NAMES[:2], "value": 0.05}, {"names": NAMES[2:3], "value": 0.02}])
        row = self.laws()["clip"]
        self.assertEqual((row["answer"], row["checked"]), ("holds", 9), row)
        self.assertIn("2.bias is not clipped by value at 3 updates", " ".join(row["notes"]))

    def test_more_changes_than_a_recipe_has(self):
        """Values of a schedule are many: the recipe keeps the first, and the law says which updates it leaves out."""
        limits = iter([0.05 - 1e-6 * step for step in range(60)])

        def clip(parameters):
            for one in parameters:  # with names, as each call has another value
                clip_grad_value_(one, next(limits))

        before = clip_calls._MOST
        self.addCleanup(setattr, clip_calls, "_MOST", before)
        clip_calls._MOST = 2000
        changes = self.assert_grad(self.train(clip, steps=15)).provenance["recipe"]["clip_changes"]
        self.assertGreater(len(changes), 3)
        self.assertIsNone(changes[-1]["clip"])
        row = self.laws()["clip"]
        self.assertEqual(row["answer"], "holds", row)
        self.assertIn("updates are not asked", " ".join(row["notes"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
