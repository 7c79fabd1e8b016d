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

    def train(self, make, clip=None, after=None, halves=False, norms=None):
        """Trains six updates and returns the audit: law -> finding.

        make: model -> optimizer, or a list of them. clip: parameters -> None. after: called with the model after each update.
        halves: divides the loss once more. norms: a list to which clip adds the norm, for the channel grad_norm.
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
            recorder.step(loss=loss, **({"grad_norm": norms[-1]} if norms else {}))
        recorder.close()
        done = subprocess.run([PARITY, "audit", str(self.path), "--json"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {row["law"]: row for row in json.loads(done.stdout)["laws"]}

    def sentence(self, row):
        return row["departures"][0]["sentence"] if row["departures"] else ""

    def test_optimizers_are_lawful(self):
        makers = [
            ("AdamW", lambda model: torch.optim.AdamW(model.parameters(), lr=1e-2)),
            ("L2", lambda model: torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=0.1)),
            ("SGD", lambda model: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)),
            ("Nesterov", lambda model: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)),
            ("SGD", lambda model: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, dampening=0.5)),
            ("AdamW", lambda model: torch.optim.AdamW(model.parameters(), lr=1e-2, maximize=True)),
            ("AdamW", lambda model: torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=True)),
            ("AdamW", lambda model: torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)),
            ("Adafactor", lambda model: torch.optim.Adafactor(model.parameters(), lr=1e-2)),
        ]
        for word, make in makers:
            with self.subTest(word):
                audit = self.train(make)
                for law in ("grad_norm", "clip", "update", "schedule", "loss"):
                    self.assertEqual(audit[law]["answer"], "holds", audit[law])
                self.assertIn(word, " ".join(audit["update"]["notes"]))

    def test_a_wrong_momentum_of_muon_departs(self):
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
        self.assertIn("Muon: the steps of 2 matrices are", " ".join(update["notes"]))

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

    def test_a_parameter_has_the_numbers_of_its_own_group(self):
        def make(rates, change=lambda optimizer: None):
            def of(model):
                layers = [one for one in model if list(one.parameters())]
                optimizer = torch.optim.AdamW([{"params": list(one.parameters()), "lr": rate} for one, rate in zip(layers, rates)])
                change(optimizer)
                return optimizer
            return of

        def share_rates(optimizer):  # each step uses the rate of group 0, as an optimizer that reads its defaults
            def use_first(one, *_):
                rates[:] = [group["lr"] for group in one.param_groups]
                for group in one.param_groups:
                    group["lr"] = rates[0]

            def restore(one, *_):
                for group, rate in zip(one.param_groups, rates):
                    group["lr"] = rate

            rates = []
            step = optimizer.step

            def wrong_step(*given):
                hook = optimizer.register_step_pre_hook(use_first)  # after the recorder's hook has read the rates
                step(*given)
                hook.remove()
                restore(optimizer)
            optimizer.step = wrong_step

        rates = (1e-2, 5e-3, 5e-3, 2e-3)
        update = self.train(make(rates))["update"]
        self.assertEqual(update["answer"], "holds", update)
        self.assertIn("group 1: 1.bias and 1.weight", update["notes"])
        update = self.train(make(rates, share_rates))["update"]
        self.assertEqual(update["answer"], "departs", update)
        self.assertIn("a learning rate of 0.01, 2 times the 0.005", str(update["departures"]))
        self.assertIn("a learning rate of 0.01, 5 times the 0.002", str(update["departures"]))

    def test_other_rules_are_not_asked(self):
        makers = {
            "NAdam": lambda model: torch.optim.NAdam(model.parameters()),
            "RAdam": lambda model: torch.optim.RAdam(model.parameters()),
            "RMSprop": lambda model: torch.optim.RMSprop(model.parameters(), momentum=0.9),
            "ASGD": lambda model: torch.optim.ASGD(model.parameters()),
            "Rprop": lambda model: torch.optim.Rprop(model.parameters()),
            "Adagrad": lambda model: torch.optim.Adagrad(model.parameters()),
        }
        for word, make in makers.items():
            with self.subTest(word):
                update = self.train(make)["update"]
                self.assertEqual(update["answer"], "not asked", update)
                self.assertIn("no rule for the state of every tensor is known", update["why"])

    def test_clipping_by_hand_leaves_the_norm_lawful(self):
        def clip_by(factor):
            def clip(parameters):
                parameters = list(parameters)
                norm = torch.sqrt(sum(one.grad.square().sum() for one in parameters))
                for one in parameters:
                    one.grad.mul_(min(1.0, 0.3 / (norm.item() + 1e-6)))
                norms.append(norm.item() * factor)
            norms = []
            return clip, norms

        for factor, answer, sentence in ((1, "holds", ""), (2**0.5, "departs", "the norm times the root of 2")):
            clip, norms = clip_by(factor)
            row = self.train(lambda model: torch.optim.AdamW(model.parameters(), lr=1e-2), clip=clip, norms=norms)["grad_norm"]
            self.assertEqual(row["answer"], answer, row)
            self.assertIn(sentence, self.sentence(row))

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
