# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity audit` on steps of Muon: torch.optim.Muon and trainers' own classes are lawful, and planted defects are named.

Usage: audit_muon_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from recorded import ENVIRONMENT

import torch

import parity

PARITY = sys.argv[2]
ALL = {"tensors": [{"steps": [], "phases": [], "names": ["*"]}], "sketches": []}


class Network(torch.nn.Module):
    """Square, wide and tall matrices between an embedding and an output."""

    def __init__(self, dtype):
        super().__init__()
        torch.manual_seed(3)
        self.embedding = torch.nn.Embedding(50, 24)
        self.up, self.down, self.square = (torch.nn.Linear(*shape, bias=False) for shape in ((24, 96), (96, 24), (24, 24)))
        self.output = torch.nn.Linear(24, 50)
        self.to(dtype)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x = x + self.down(torch.relu(self.up(x)))
        return self.output(x + torch.tanh(self.square(x)))

    def matrices(self):
        return [self.up.weight, self.down.weight, self.square.weight]

    def others(self):
        return [self.embedding.weight, *self.output.parameters()]


def orthogonalized(g, steps=5, dtype=torch.bfloat16):
    """Newton-Schulz with an operation for each product and sum, as Keller Jordan's code computes it."""
    x = g.to(dtype)
    tall = x.size(0) > x.size(1)
    x = x.T if tall else x
    x = x / (x.norm() + 1e-7)
    for _ in range(steps):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.T if tall else x


class OwnMuon(torch.optim.Optimizer):
    """A trainer's own Muon, which does not say which conventions it follows. Tests change its methods."""

    def __init__(self, params, lr=0.02, momentum=0.95, weight_decay=0.1):
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    def input(self, g, m, b):
        return g.lerp(m, b)

    def direction(self, u):
        return orthogonalized(u)

    def scale(self, p):
        return max(1, p.size(0) / p.size(1)) ** 0.5

    def decayed_by(self, p, group):
        return group["lr"] * group["weight_decay"]

    def average(self, m, g, b):
        m.lerp_(g, 1 - b)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                m = state.setdefault("momentum_buffer", torch.zeros_like(p))
                self.average(m, p.grad, group["momentum"])
                update = self.direction(self.input(p.grad, m, group["momentum"]))
                p.mul_(1 - self.decayed_by(p, group))
                p.add_(update.to(p.dtype), alpha=-group["lr"] * self.scale(p))


def own(**methods):
    """A class of Muon with other methods."""
    return type("OwnMuon", (OwnMuon,), methods)


class AuditMuonTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name) / "run.h5"

    def update(self, make, dtype=torch.float32, after=None, capture=ALL):
        """Trains five updates. Returns what the law update says.

        make: (matrices) -> the optimizer that trains them. after: called with the model after each update."""
        model = Network(dtype)
        optimizers = [make(model.matrices()), torch.optim.AdamW(model.others(), lr=1e-2)]
        recorder = parity.record(model, optimizers, path=str(self.path), capture=capture)
        data = torch.Generator().manual_seed(1)
        for _ in range(5):
            x = torch.randint(0, 50, (8, 17), generator=data)
            loss = torch.nn.functional.cross_entropy(model(x[:, :-1]).flatten(0, 1).float(), x[:, 1:].flatten())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.3)
            for one in optimizers:
                one.step()
                one.zero_grad()
            if after:
                after(model)
            recorder.step(loss=loss)
        recorder.close()
        done = subprocess.run([PARITY, "audit", str(self.path), "--law", "update", "--json"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return json.loads(done.stdout)["laws"][0]

    def assert_lawful(self, make, word, **how):
        update = self.update(make, **how)
        self.assertEqual(update["answer"], "holds", update)
        self.assertIn("the steps of 3 matrices are", " ".join(update["notes"]))
        self.assertIn(word, " ".join(update["notes"]))
        self.assertNotIn("only the momentum", " ".join(update["notes"]))

    def assert_departs(self, make, sentence, **how):
        update = self.update(make, **how)
        self.assertEqual(update["answer"], "departs", update)
        self.assertIn(sentence, update["departures"][0]["sentence"], update)
        return update["departures"][0]

    def test_pytorch_is_lawful(self):
        settings = [
            ({}, "Keller Jordan"),
            ({"nesterov": False}, "without Nesterov's"),
            ({"weight_decay": 0.0}, "Nesterov's momentum, 5 steps"),
            ({"weight_decay": 1.0, "lr": 0.005}, "Keller Jordan"),
            ({"adjust_lr_fn": "original"}, "Keller Jordan"),
            ({"adjust_lr_fn": "match_rms_adamw", "lr": 0.004}, "Moonshot"),
            ({"ns_steps": 3}, "3 steps"),
            ({"ns_coefficients": (2.0, -1.5, 0.5), "ns_steps": 8}, "8 steps"),
            ({"momentum": 0.5}, "Keller Jordan"),
        ]
        for more, word in settings:
            with self.subTest(more):
                self.assert_lawful(lambda matrices: torch.optim.Muon(matrices, **{"lr": 0.02} | more), word)

    def test_pytorch_with_parameters_of_bfloat16_is_lawful(self):
        for decay in (0.0, 0.1):
            with self.subTest(decay):
                self.assert_lawful(lambda matrices: torch.optim.Muon(matrices, lr=0.05, weight_decay=decay), "Keller Jordan", dtype=torch.bfloat16)

    def test_own_classes_are_lawful(self):
        def summed(self, m, g, b):
            m.mul_(b).add_(g)

        classes = [
            (OwnMuon, "in bfloat16, each operation rounded"),
            (own(direction=lambda self, u: orthogonalized(u, dtype=torch.float32)), "in float32 or wider"),
            (own(direction=lambda self, u: orthogonalized(u / u.norm())), "Nesterov's momentum"),
            (own(average=summed, input=lambda self, g, m, b: g + b * m), "Nesterov's momentum"),
            (own(average=summed, input=lambda self, g, m, b: m), "without Nesterov's"),
            (own(scale=lambda self, p: 1), "no factor"),
            (own(scale=lambda self, p: 0.2 * max(p.shape) ** 0.5), "Moonshot"),
            (own(scale=lambda self, p: (p.size(0) / p.size(1)) ** 0.5), "Bernstein"),
            (own(direction=lambda self, u: orthogonalized(u, steps=7)), "7 steps"),
        ]
        for number, (make, word) in enumerate(classes):
            with self.subTest(number=number, word=word):
                self.assert_lawful(make, word)

    def test_a_step_of_another_size_is_named(self):
        with self.subTest("five times"):
            departure = self.assert_departs(
                own(scale=lambda self, p: 5 * OwnMuon.scale(self, p)),
                "the step is 5 times that of Newton-Schulz with the factor sqrt(max(1, rows / columns)) (Keller Jordan)")
            self.assertEqual(departure["step"], 1)
            self.assertAlmostEqual(departure["factor"], 5, delta=0.1)
            self.assertEqual(departure["tensor"], "down.weight, square.weight and up.weight")
        with self.subTest("half of it"):
            self.assert_departs(own(scale=lambda self, p: OwnMuon.scale(self, p) / 2), "the step is 1/2 of that of Newton-Schulz")

    def test_pytorch_without_its_factor_departs(self):
        """The recipe says which factor torch.optim.Muon is to have, also where that is its default."""
        for rule, sentence in (("original", "the step lacks the factor sqrt(max(1, rows / columns)) (Keller Jordan)"),
                               ("match_rms_adamw", "the step lacks the factor 0.2 sqrt(max(rows, columns)) (Moonshot)")):
            with self.subTest(rule), unittest.mock.patch("torch.optim._muon._adjust_lr", lambda lr, *_: lr):
                departure = self.assert_departs(
                    lambda matrices: torch.optim.Muon(matrices, lr=0.02, adjust_lr_fn=None if rule == "original" else rule), sentence)
                if rule == "original":
                    self.assertEqual(departure["tensor"], "up.weight")  # of the others the factor is 1

    def test_one_convention_has_to_give_all_matrices(self):
        self.assert_departs(own(scale=lambda self, p: 1 if p.size(0) > p.size(1) else 0.2 * max(p.shape) ** 0.5),
                            "up.weight: the step follows Nesterov's momentum, 5 steps of Newton-Schulz, no factor")

    def test_a_wrong_weight_decay_is_named(self):
        with self.subTest("forgotten"):
            self.assert_departs(own(decayed_by=lambda self, p, group: 0), "the parameter is updated without the weight decay 0.1")
        with self.subTest("by the scaled rate"):
            self.assert_departs(own(decayed_by=lambda self, p, group: group["lr"] * group["weight_decay"] * 3),
                                "the parameter is updated with a weight decay of 0.3 where 0.1 is recorded")
        with self.subTest("where none is due"):
            self.assert_departs(lambda matrices: own(decayed_by=lambda self, p, group: 0.002)(matrices, weight_decay=0.0),
                                "the parameter is updated with a weight decay of 0.1 where 0 is recorded")

    def test_a_wrong_input_is_named(self):
        """Of PyTorch's own step, which calls Newton-Schulz with another matrix."""
        import torch.optim._muon as muon
        right = muon._zeropower_via_newtonschulz

        def train(spoil, **more):
            def make(matrices):
                optimizer = torch.optim.Muon(matrices, lr=0.02, **more)
                self.given = iter(())

                def begin(*_):
                    held = [(p.grad.clone(), optimizer.state[p].get("momentum_buffer", torch.zeros_like(p)).clone()) for p in matrices]
                    self.given = iter(held)
                optimizer.register_step_pre_hook(begin)
                return optimizer
            with unittest.mock.patch.object(muon, "_zeropower_via_newtonschulz", lambda u, *rest: right(spoil(u, *next(self.given)), *rest)):
                return make, self.update(make)

        def after(g, m):
            return m.lerp(g, 0.05)

        spoiled = [
            (lambda u, g, m: g, {}, "the step orthogonalizes the gradient where Nesterov's momentum is due"),
            (lambda u, g, m: after(g, m), {}, "the step orthogonalizes the momentum without Nesterov's where Nesterov's momentum is due"),
            (lambda u, g, m: g.lerp(after(g, m), 0.95), {"nesterov": False}, "the step orthogonalizes Nesterov's momentum where the momentum without Nesterov's is due"),
        ]
        for spoil, more, sentence in spoiled:
            with self.subTest(sentence):
                _, update = train(spoil, **more)
                self.assertEqual(update["answer"], "departs", update)
                self.assertIn(sentence, update["departures"][0]["sentence"])
        _, update = train(lambda u, g, m: u)
        self.assertEqual(update["answer"], "holds", update)

    def test_other_directions_are_named(self):
        cases = [
            (own(direction=lambda self, u: u / u.norm()), "the step follows Nesterov's momentum itself, which is not orthogonalized"),
            (own(direction=lambda self, u: -orthogonalized(u)), "the step goes up the gradient"),
            (own(direction=lambda self, u: torch.randn(u.shape, generator=torch.Generator().manual_seed(7))), "no known formula gives the step"),
        ]
        for make, sentence in cases:
            with self.subTest(sentence):
                self.assert_departs(make, sentence)

    def test_a_number_of_steps_that_is_not_the_recorded_one_is_named(self):
        import torch.optim._muon as muon
        right = muon._zeropower_via_newtonschulz
        with unittest.mock.patch.object(muon, "_zeropower_via_newtonschulz", lambda u, abc, steps, eps: right(u, abc, 4, eps)):
            self.assert_departs(lambda matrices: torch.optim.Muon(matrices, lr=0.02), "4 steps of Newton-Schulz are taken where 5 are recorded")

    def test_a_matrix_that_was_left_out_is_named(self):
        def left_out(decays):
            class LeavesOut(OwnMuon):
                def step(self):
                    kept = self.param_groups[0]["params"]
                    with torch.no_grad():
                        for p in kept:
                            m = self.state[p].setdefault("momentum_buffer", torch.zeros_like(p))
                        self.average(self.state[kept[2]]["momentum_buffer"], kept[2].grad, 0.95)
                        if decays:
                            kept[2].mul_(1 - 0.002)
                    self.param_groups[0]["params"] = kept[:2]
                    super().step()
                    self.param_groups[0]["params"] = kept
            return LeavesOut
        departure = self.assert_departs(left_out(False), "square.weight: left out: the parameter did not change")
        self.assertEqual(departure["tensor"], "square.weight")
        self.assert_departs(left_out(True), "square.weight: left out: only the weight decay changes the parameter")

    def test_nan_departs(self):
        def spoil(model):
            with torch.no_grad():
                model.down.weight[3, 4] = torch.nan
        update = self.update(lambda matrices: torch.optim.Muon(matrices, lr=0.02), after=spoil)
        self.assertEqual(update["answer"], "departs", update)

    def test_without_values_nothing_is_said(self):
        capture = {"tensors": [], "sketches": [{"steps": [], "phases": ["param", "optim", "grad", "grad_clipped"], "names": ["*"]}]}
        update = self.update(lambda matrices: torch.optim.Muon(matrices, lr=0.02), capture=capture)
        self.assertEqual(update["answer"], "not asked", update)
        self.assertIn("phases param, optim and grad_clipped", update["record"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
