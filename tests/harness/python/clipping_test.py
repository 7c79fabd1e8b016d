# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Clipping of gradients by PyTorch's functions, however a script calls them: what the recorder sees of it, and what
`parity audit` and `parity explain` say.

Usage: clipping_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import pathlib
import subprocess
import sys
import unittest
import warnings

from recorded import ENVIRONMENT, RecordedTest, Trace

import torch
from torch.nn.utils import clip_grad_norm_ as norm_early
from torch.nn.utils import clip_grad_value_ as value_early
from torch.nn.utils import clip_grads_with_norm_ as with_norm_early
from torch.nn.utils import get_total_norm as total_early

import parity

PARITY = sys.argv[2]
ALL = {"tensors": [{}]}
FUNCTIONS = ("_get_total_norm", "_clip_grads_with_norm_", "clip_grad_value_")


def hooks():
    """What PyTorch's decorators call."""
    found = [getattr(torch.nn.utils.clip_grad, name) for name in FUNCTIONS]
    return [one.__closure__[one.__code__.co_freevars.index("func")].cell_contents for one in found]


class ClippingTest(RecordedTest):
    def train(self, clip, path=None):
        """Two updates. clip: parameters -> norm or None, which the channel grad_norm gets if the recorder has none.
        Returns the trace, and the gradients before and after clipping: (step, name) -> values."""
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        before, after = {}, {}
        with parity.record(model, optimizer, path=path or self.path, capture=ALL) as rec:
            for step in (1, 2):
                model.zero_grad()
                loss = model(torch.randn(16, 4)).square().mean()
                loss.backward()
                before |= {(step, name): one.grad.clone() for name, one in model.named_parameters()}
                norm = clip(list(model.parameters()))
                after |= {(step, name): one.grad.clone() for name, one in model.named_parameters()}
                optimizer.step()
                rec.step(loss=loss, **({} if norm is None else {"grad_norm": norm}))
        return Trace(path or self.path), before, after

    def parity(self, *words):
        done = subprocess.run([PARITY, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return done

    def laws(self):
        return {row["law"]: row for row in json.loads(self.parity("audit", self.path, "--json").stdout)["laws"]}

    def assert_phase(self, trace, phase, wanted):
        for (step, name), values in wanted.items():
            self.assertTrue(torch.equal(trace.tensors[step, phase, name], values), (phase, step, name))

    def test_clipping_by_value_is_recorded(self):
        calls = {
            "early": lambda parameters: value_early(parameters, 0.01),
            "late": lambda parameters: torch.nn.utils.clip_grad_value_(parameters, clip_value=0.01),
            "loop": lambda parameters: torch.nn.utils.clip_grad.clip_grad_value_(iter(parameters), 0.01, foreach=False),
        }
        for how, clip in calls.items():
            with self.subTest(how):
                trace, before, after = self.train(clip)
                self.assertEqual(trace.provenance["recipe"]["clip"], {"value": 0.01})
                self.assert_phase(trace, "grad", before)
                self.assert_phase(trace, "grad_clipped", after)
                self.assertFalse(torch.equal(before[1, "0.weight"], after[1, "0.weight"]))
                self.assertNotIn("grad_norm", trace.channels)
                clip_law = self.laws()["clip"]
                self.assertEqual(clip_law["answer"], "holds", clip_law)
                self.assertIn("clipped by value to 0.01", str(clip_law["notes"]))

    def test_norm_beside_clipping_by_value_is_lawful(self):
        def norm_of(parameters):
            return torch.sqrt(sum(one.grad.square().sum() for one in parameters)).item()

        def norm_first(parameters):
            norm = norm_of(parameters)
            value_early(parameters, 0.01)
            return norm

        def norm_last(parameters):
            value_early(parameters, 0.01)
            return norm_of(parameters)

        for clip, note in ((norm_first, False), (norm_last, True)):
            self.train(clip)
            row = self.laws()["grad_norm"]
            self.assertEqual(row["answer"], "holds", row)
            self.assertEqual("after clipping by value" in str(row["notes"]), note, row)
        self.train(lambda parameters: norm_first(parameters) * 2**0.5)
        self.assertEqual(self.laws()["grad_norm"]["answer"], "departs")

    def test_defects_of_clipping_by_value_depart(self):
        def left_out(parameters):
            value_early(parameters, 0.01)
            parameters[0].grad.mul_(2)

        def scaled(parameters):
            value_early(parameters, 0.01)
            parameters[3].grad.mul_(0.5)

        for clip, words in ((left_out, "0.weight"), (scaled, "2.bias")):
            self.train(clip)
            row = self.laws()["clip"]
            self.assertEqual(row["answer"], "departs", row)
            self.assertIn(words, row["departures"][0]["sentence"])

    def test_other_clippings_by_value_are_not_asked(self):
        def both(parameters):
            norm_early(parameters, 0.05)
            value_early(parameters, 0.01)

        def reverse(parameters):
            value_early(parameters, 0.01)
            norm_early(parameters, 0.05)

        for clip, recipe, why in ((both, {"max_norm": 0.05, "norm_type": 2.0, "value": 0.01}, "by norm and by value"),
                                  (reverse, {"max_norm": 0.05, "norm_type": 2.0, "value": 0.01}, "by norm and by value")):
            trace, before, after = self.train(clip)
            self.assertEqual(trace.provenance["recipe"]["clip"], recipe)
            self.assert_phase(trace, "grad_clipped", after)
            if clip is not reverse:  # there the norm is that of gradients that are cut off
                self.assert_phase(trace, "grad", before)
            laws = self.laws()
            self.assertEqual(laws["clip"]["answer"], "not asked", laws["clip"])
            self.assertIn(why, laws["clip"]["why"])
            self.assertNotEqual(laws["grad_norm"]["answer"], "departs", laws["grad_norm"])

    def test_clipping_by_norm_is_seen_however_it_is_imported(self):
        def in_two(parameters):
            norm = total_early([one.grad for one in parameters])
            with_norm_early(parameters, 0.05, norm)

        for clip in (in_two, lambda parameters: norm_early(parameters, 0.05),
                     lambda parameters: torch.nn.utils.clip_grads_with_norm_(
                         parameters, 0.05, torch.nn.utils.get_total_norm([one.grad for one in parameters]))):
            trace, before, after = self.train(lambda parameters, clip=clip: clip(parameters) and None)
            self.assertEqual(trace.provenance["recipe"]["clip"], {"max_norm": 0.05, "norm_type": 2.0})
            self.assert_phase(trace, "grad", before)
            self.assert_phase(trace, "grad_clipped", after)
            self.assertEqual(len(trace.channels["grad_norm"]), 2)
            self.assertEqual(self.laws()["clip"]["answer"], "holds")

    def test_explain_names_the_value(self):
        paths = [pathlib.Path(f"{self.path}.{i}.h5") for i in range(3)]
        for path, clip in zip(paths, (None, 0.01, 0.02), strict=True):
            self.train((lambda parameters, value=clip: value_early(parameters, value)) if clip else lambda _: None, path)
        done = self.parity("explain", paths[0], paths[1])
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, "value to which elements of gradients are clipped.*none seen.*0.01")
        self.assertRegex(self.parity("explain", paths[1], paths[2]).stdout, "are clipped.*0.01.*0.02")

    def test_clipping_is_restored(self):
        before = hooks()
        model = torch.nn.Linear(2, 2)
        rec = parity.record(model, torch.optim.SGD(model.parameters(), lr=1), path=self.path)
        for seen, one in zip(hooks(), before, strict=True):
            self.assertIsNot(seen, one)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rec.close()
        self.assertEqual(hooks(), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
