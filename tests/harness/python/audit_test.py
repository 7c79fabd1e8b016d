# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity audit` on traces of the package: PyTorch's optimizers are lawful, and defects of a script are named.

Usage: audit_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
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


def network():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Embedding(50, 16), torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 50))


class AuditTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name) / "run.h5"

    def train(self, make, clip=None, after=None, halves=False):
        """Trains six updates and returns the audit: law -> finding.

        make: model -> optimizer, or a list of them. clip: parameters -> None. after: called with the model after each update.
        halves: divides the loss once more.
        """
        model = network()
        optimizer = make(model)
        recorder = parity.record(model, optimizer, path=str(self.path), capture=ALL)
        data = torch.Generator().manual_seed(1)
        for _ in range(6):
            x = torch.randint(0, 50, (4, 9), generator=data)
            tokens, labels = x[:, :-1].contiguous(), x[:, 1:].contiguous()
            loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), labels.flatten())
            loss = loss / 2 if halves else loss
            loss.backward()
            recorder.tensor("input", "labels", labels)
            (clip or (lambda parameters: torch.nn.utils.clip_grad_norm_(parameters, 0.3)))(model.parameters())
            for one in optimizer if isinstance(optimizer, list) else [optimizer]:
                one.step()
                one.zero_grad()
            if after:
                after(model)
            recorder.step(loss=loss)
        recorder.close()
        done = subprocess.run([PARITY, "audit", str(self.path), "--json"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {row["law"]: row for row in json.loads(done.stdout)["laws"]}

    def sentence(self, row):
        return row["departures"][0]["sentence"] if row["departures"] else ""

    def test_optimizers_are_lawful(self):
        makers = {
            "AdamW": lambda model: torch.optim.AdamW(model.parameters(), lr=1e-2),
            "L2": lambda model: torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=0.1),
            "SGD": lambda model: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01),
            "Nesterov": lambda model: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True),
        }
        for word, make in makers.items():
            with self.subTest(word):
                audit = self.train(make)
                for law in ("grad_norm", "clip", "update", "schedule", "loss"):
                    self.assertEqual(audit[law]["answer"], "holds", audit[law])
                self.assertIn(word, " ".join(audit["update"]["notes"]))

    def test_muon_is_asked_about_its_momentum(self):
        def make(model):
            matrices = [model[1].weight, model[4].weight]
            others = [p for p in model.parameters() if all(p is not one for one in matrices)]
            return [torch.optim.AdamW(others, lr=1e-2), torch.optim.Muon(matrices, lr=2e-2, weight_decay=0.01)]

        def grow(model):
            for p in (model[1].weight, model[4].weight):
                optimizer_state[0].state[p]["momentum_buffer"].mul_(1.5)

        optimizer_state = []
        update = self.train(make)["update"]
        self.assertEqual(update["answer"], "holds", update)
        self.assertIn("of 2 matrices only the momentum is compared", " ".join(update["notes"]))

        def make_and_keep(model):
            both = make(model)
            optimizer_state[:] = [both[1]]
            return both
        spoiled = self.train(make_and_keep, after=grow)["update"]
        self.assertEqual(spoiled["answer"], "departs", spoiled)

    def test_groups_are_noted(self):
        def make(model):
            matrices = [p for p in model.parameters() if p.ndim > 1]
            return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1},
                                      {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0.0}], lr=1e-2)
        update = self.train(make)["update"]
        self.assertEqual(update["answer"], "holds", update)
        self.assertIn("group 0: 0.weight, 1.weight and 4.weight", update["notes"])

    def test_defects_are_named(self):
        def adamw(model):
            return torch.optim.AdamW(model.parameters(), lr=1e-2)

        def keep_norm(model):
            with torch.no_grad():
                model[3].weight.fill_(1)

        def clip_some(parameters):
            parameters = list(parameters)
            norm = torch.nn.utils.clip_grad_norm_(parameters, 0.3)
            parameters[-1].grad.mul_((norm + 1e-6) / 0.3)

        self.assertIn("3.weight: left out", self.sentence(self.train(adamw, after=keep_norm)["update"]))
        self.assertIn("4.bias: not clipped", self.sentence(self.train(adamw, clip=clip_some)["clip"]))
        audit = self.train(adamw, halves=True)
        self.assertEqual(audit["update"]["answer"], "holds")
        self.assertIn("loss is 0.5 times the mean over all tokens", self.sentence(audit["loss"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
