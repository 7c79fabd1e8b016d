# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity audit` on traces of the package that need a second run or single micro-batches, with planted defects.

Usage: audit_pairs_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from recorded import ENVIRONMENT

import torch

import parity

PARITY = sys.argv[2]
ALL = {"tensors": [{"steps": [], "phases": [], "names": ["*"]}], "sketches": []}


class AuditedTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def audit(self, *words):
        """The exit status, and the only row of the answer."""
        done = subprocess.run([PARITY, "audit", *map(str, words), "--json"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return done.returncode, json.loads(done.stdout)["laws"][0]

    def departs(self, sentence, *words):
        status, row = self.audit(*words)
        self.assertEqual((status, row["answer"]), (1, "departs"), row)
        self.assertIn(sentence, " | ".join(each["sentence"] for each in row["departures"]))

    def holds(self, *words):
        status, row = self.audit(*words)
        self.assertEqual((status, row["answer"]), (0, "holds"), row)
        return row


class RestartTest(AuditedTest):
    def network(self):
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
        return model, torch.optim.AdamW(model.parameters(), lr=1e-2)

    def train(self, name, model, optimizer, updates, **options):
        data = torch.Generator().manual_seed(1)
        with parity.record(model, optimizer, path=str(self.folder / name), capture=ALL, **options) as recorder:
            for _ in range(updates):
                loss = model(torch.randn(32, 8, generator=data)).square().mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                recorder.step(loss=loss)
        return self.folder / name

    def resume(self, change=lambda model, state: None, with_optimizer=True, **options):
        """Trains three updates, and two more in new objects that loaded the state after a change."""
        model, optimizer = self.network()
        before = self.train("before.h5", model, optimizer, 3)
        weights, state = model.state_dict(), optimizer.state_dict()
        model, optimizer = self.network()
        model.load_state_dict(weights)
        if with_optimizer:
            optimizer.load_state_dict(state)
        change(model, optimizer)
        return self.train("after.h5", model, optimizer, 2, **options), "--before", before, "--law", "restart"

    def test_a_restored_state_holds(self):
        for options in ({}, {"after": 3}):
            with self.subTest(options):
                row = self.holds(*self.resume(**options))
                self.assertEqual(row["checked"], 4 * 4)  # weights, exp_avg, exp_avg_sq and step of four parameters
                self.assertIn("generator, schedule position and data position were not compared", row["notes"])

    def test_what_was_lost_is_named(self):
        def forget_first_moment(_, optimizer):
            for state in optimizer.state.values():
                state["exp_avg"].zero_()

        def restart_counters(_, optimizer):
            for state in optimizer.state.values():
                state["step"].zero_()

        def round_weights(model, _):
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.copy_(parameter.bfloat16())

        for change, sentence in ((forget_first_moment, "exp_avg of every tensor: not restored after update 3: starts from zero"),
                                 (restart_counters, "step of every tensor: not restored after update 3: is 0 in place of 3"),
                                 (round_weights, "parameter of every tensor: not restored after update 3: was rounded to bfloat16")):
            for options in ({}, {"after": 3}):
                with self.subTest(sentence, **options):
                    self.departs(sentence, *self.resume(change, **options))

    def test_an_optimizer_without_state_is_not_agreement(self):
        self.departs("exp_avg, exp_avg_sq and step of every tensor: not restored after update 3: they start from zero",
                     *self.resume(with_optimizer=False))


class MicroBatchTest(AuditedTest):
    def train(self, between=lambda model, number: None, at_end=lambda model: None):
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        path = self.folder / "run.h5"
        with parity.record(model, optimizer, path=str(path), capture=ALL | {"micro_batches": True}) as recorder:
            for _ in range(2):
                for number in range(3):
                    (model(torch.randn(32, 8)).square().mean() / 3).backward()
                    between(model, number)
                at_end(model)
                optimizer.step()
                optimizer.zero_grad()
                recorder.step(loss=1.0)
        return path, "--law", "reduction"

    def test_the_sum_holds(self):
        row = self.holds(*self.train())
        self.assertEqual((row["checked"], row["notes"]), (2 * 4, ["gradients are the sum of the micro-batches' gradients"]))

    def test_a_gradient_that_was_dropped_is_named(self):
        def forget(model, number):
            if number == 0:
                model[2].weight.grad.zero_()

        self.departs("2.weight: the gradient is not the sum of the micro-batches': that of micro-batch 0 is missing",
                     *self.train(forget))

    def test_a_gradient_that_counts_twice_is_named(self):
        def double(model, number):
            if number == 0:
                model[0].bias.grad.mul_(2)

        self.departs("0.bias: the gradient is not the sum of the micro-batches': that of micro-batch 0 counts 2 times",
                     *self.train(double))


class Attention(torch.nn.Module):
    """One head, whose mask allows `ahead` keys after the query and leaves no document unless `leaks`."""

    def __init__(self, ahead=0, leaks=False):
        super().__init__()
        self.embedding, self.keys = torch.nn.Embedding(50, 16), torch.nn.Linear(16, 16)
        self.output, self.ahead, self.leaks = torch.nn.Linear(16, 50), ahead, leaks

    def forward(self, tokens, document_ids):
        x, place = self.embedding(tokens), torch.arange(tokens.shape[1])
        mask = place[None, :] <= place[:, None] + self.ahead
        if not self.leaks:
            mask = mask & (document_ids[:, None, :] == document_ids[:, :, None])
        scores = (x @ self.keys(x).transpose(1, 2)).masked_fill(~mask, float("-inf"))
        return self.output(scores.softmax(-1) @ x)


class CausalityTest(AuditedTest):
    def train(self, name, token, **mask):
        torch.manual_seed(3)
        model = Attention(**mask)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        tokens = torch.randint(0, 50, (2, 12), generator=torch.Generator().manual_seed(1))
        tokens[0, 5] = token
        document_ids = torch.tensor([[0] * 3 + [1] * 5 + [2] * 4] * 2)
        with parity.record(model, optimizer, path=str(self.folder / name), capture=ALL) as recorder:
            loss = model(tokens, document_ids).square().mean()
            loss.backward()
            optimizer.step()
            recorder.step(loss=loss)
        return self.folder / name

    def pair(self, **mask):
        return self.train("plain.h5", 7, **mask), "--changed", self.train("changed.h5", 8, **mask)

    def test_a_mask_of_documents_holds(self):
        row = self.holds(*self.pair())
        self.assertIn("the recorded document_ids separate documents", row["notes"])

    def test_a_leak_between_documents_is_named(self):
        self.departs("4 positions between 8 and 11 of row 0 moved, which are in another document", *self.pair(leaks=True))

    def test_a_mask_too_wide_by_one_is_named(self):
        self.departs("position 4 of row 0 moved, which comes before it, so a later token is seen", *self.pair(ahead=1))

    def test_the_same_run_twice_is_not_a_probe(self):
        plain = self.train("plain.h5", 7)
        status, row = self.audit(plain, "--changed", self.train("again.h5", 7))
        self.assertEqual((status, row["answer"]), (3, "not asked"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
