# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Law `loss`: the gradient of the matrix that makes the logits is that of the loss which a script logs.

Usage: loss_gradient_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import subprocess
import sys
import unittest

from recorded import ENVIRONMENT, RecordedTest

import torch

import parity

PARITY = sys.argv[2]
WORDS, WIDTH = 50, 16


class Model(torch.nn.Module):
    def __init__(self, tied):
        super().__init__()
        self.embedding, self.norm = torch.nn.Embedding(WORDS, WIDTH), torch.nn.LayerNorm(WIDTH)
        self.lm_head = torch.nn.Linear(WIDTH, WORDS, bias=False)
        if tied:
            self.lm_head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.lm_head(self.norm(self.embedding(tokens)))


class LossGradientTest(RecordedTest):
    def train(self, micro_batches=4, scale=1.0, tied=False, extra=None, ignored=0, reduction="mean", logged=None, dtype=torch.float32, shift=False):
        """Three updates. scale: of each micro-batch's loss. extra: logits -> another term of the trained loss. ignored: labels of
        the first row that do not count. Returns the law's row."""
        torch.manual_seed(3)
        model = Model(tied).to(dtype)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        data = torch.Generator().manual_seed(1)
        with parity.record(model, optimizer, path=self.path, capture={"tensors": [{}]}) as rec:
            for _ in range(3):
                x = torch.randint(0, WORDS, (micro_batches, 2, 9), generator=data)
                tokens, labels = (x, x.clone()) if shift else (x[..., :-1], x[..., 1:].clone())
                labels[:, 0, :ignored] = -100
                losses = []
                for part, wanted in zip(tokens, labels):
                    logits, wanted = (model(part)[:, :-1], wanted[:, 1:]) if shift else (model(part), wanted)
                    losses.append(torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), reduction=reduction))
                    (scale * losses[-1] + (extra(logits) if extra else 0)).backward()
                rec.tensor("input", "labels", labels.flatten(0, 1))
                optimizer.step()
                optimizer.zero_grad()
                rec.step(loss=sum(losses) / micro_batches if logged is None else logged(losses))
        done = subprocess.run([PARITY, "audit", self.path, "--law", "loss", "--json"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return json.loads(done.stdout)["laws"][0]

    def assert_departs(self, row, words):
        self.assertEqual(row["answer"], "departs", row)
        self.assertEqual(len(row["departures"]), 1, row)
        self.assertIn(words, row["departures"][0]["sentence"])

    def test_micro_batches(self):
        for dtype in (torch.float32, torch.bfloat16, torch.float64):
            for shift in (False, True):
                row = self.train(scale=0.25, dtype=dtype, shift=shift)
                self.assertEqual(row["answer"], "holds", row)
                self.assertIn("the gradient of lm_head.weight is that of the loss", row["notes"])
                self.assert_departs(self.train(scale=1.0, dtype=dtype, shift=shift), "4 times that of the loss at update 1: the gradients of 4 "
                                    "micro-batches are added up, not averaged")
                self.assert_departs(self.train(scale=0.0625, dtype=dtype, shift=shift), "0.25 times that of the loss at update 1: it is divided once "
                                    "too often by 4, the number of micro-batches")

    def test_a_sum_over_tokens(self):
        row = self.train(micro_batches=1, reduction="sum", logged=lambda losses: losses[0] / 16)
        self.assert_departs(row, "16 times that of the loss at update 1: it is that of the sum over 16 tokens")

    def test_an_unknown_factor_is_a_note(self):
        row = self.train(scale=0.25 * 1.7)
        self.assertEqual(row["answer"], "holds", row)
        self.assertIn("the gradient of lm_head.weight is 1.7 times that of the loss at update 1", row["notes"])

    def test_gradients_with_a_loss_scale_are_not_asked(self):
        """Fused AdamW takes the scale of a GradScaler out itself."""
        for scale in (4.0, 64.0):  # as many as micro-batches, and as tokens
            torch.manual_seed(3)
            model = Model(False)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)
            scaler = torch.amp.GradScaler("cpu", init_scale=scale)
            with parity.record(model, optimizer, path=self.path, capture={"tensors": [{}]}) as rec:
                for _ in range(3):
                    x, losses = torch.randint(0, WORDS, (4, 2, 9)), []
                    for part in x:
                        losses.append(torch.nn.functional.cross_entropy(model(part[:, :-1]).flatten(0, 1), part[:, 1:].flatten()))
                        scaler.scale(losses[-1] / 4).backward()
                    rec.tensor("input", "labels", x[..., 1:].flatten(0, 1))
                    scaler.step(optimizer)
                    scaler.update()
                    optimizer.zero_grad()
                    rec.step(loss=sum(losses) / 4)
            done = subprocess.run([PARITY, "audit", self.path, "--law", "loss", "--json"], capture_output=True, text=True, env=ENVIRONMENT)
            row = json.loads(done.stdout)["laws"][0]
            self.assertEqual(row["answer"], "holds", row)
            self.assertIn("gradients have a loss scale that the optimizer takes out, so their size is not asked", row["notes"])

    def test_what_cannot_be_asked_is_not_accused(self):
        """Tied embeddings add their own gradient, and other terms another direction."""
        for options in ({"tied": True}, {"extra": lambda logits: logits.logsumexp(-1).square().mean()}):
            row = self.train(scale=0.25, **options)
            self.assertEqual(row["answer"], "holds", row)
            self.assertNotIn("the gradient of lm_head.weight", " ".join(row["notes"]))
            self.assertEqual(self.train(scale=1.0, **options)["answer"], "holds")

    def test_ignored_labels(self):
        for ignored in (3, 8):  # equally many in each micro-batch
            row = self.train(scale=0.25, ignored=ignored)
            self.assertEqual(row["answer"], "holds", row)
            self.assertIn("the gradient of lm_head.weight is that of the loss", row["notes"])
            self.assert_departs(self.train(ignored=ignored), "the gradients of 4 micro-batches are added up")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
