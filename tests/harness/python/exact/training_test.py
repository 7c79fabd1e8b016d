# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Whole training loops in an exact twin: equal ones have equal residues in each parameter and gradient.

Usage: exact/training_test.py SOURCE_DIR
"""
import copy
import unittest

from exactly import exact, main, numbers, page

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

TOKENS = torch.randint(0, 20, (4, 9), generator=torch.Generator().manual_seed(1))


class Block(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.RMSNorm(width, eps=1e-5), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        rows, length, width = x.shape
        q, k, v = self.qkv(self.first(x)).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(rows, length, width))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Model(nn.Module):
    def __init__(self, again=False):
        super().__init__()
        self.again = again  # recompute blocks in the backward pass
        self.table, self.norm, self.head = nn.Embedding(20, 16), nn.LayerNorm(16), nn.Linear(16, 20, bias=False)
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def forward(self, tokens):
        x = self.table(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.again else block(x)
        return self.head(self.norm(x))


torch.manual_seed(0)
START = Model().state_dict()


def adamw(parameters, **options):
    return torch.optim.AdamW(parameters, lr=1e-2, **options)


def sgd(parameters, **options):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01, **options)


def train(micro_batches=1, again=False, autocast=False, optimizer=adamw, clip=0.05, tokens=32, **options):
    """Returns the residues of all gradients and parameters after two updates."""
    model = Model(again)
    model.load_state_dict(START)
    with exact.twin():
        exact.draw(model)
        steps = optimizer(model.parameters(), **options)
        for _ in range(2):
            steps.zero_grad()
            for part in TOKENS.chunk(micro_batches):
                with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
                    logits = model(part[:, :-1])
                labels = part[:, 1:].flatten()
                loss = F.cross_entropy(logits.flatten(0, 1).float(), labels, reduction="sum") / tokens
                loss.backward()
                loss.item()
            nn.utils.clip_grad_norm_(model.parameters(), clip)
            steps.step()
        found = {}
        for name, parameter in model.named_parameters():
            found[name], found[f"gradient of {name}"] = map(exact.residues_of, (parameter, parameter.grad))
        return found


class TrainingTest(unittest.TestCase):
    def expect_same(self, a, b):
        self.assertEqual(a.keys(), b.keys())
        self.assertEqual([name for name in a if not torch.equal(a[name], b[name])], [])
        self.assertGreater(len(a), 40)

    def expect_different(self, a, b, least=40):
        self.assertGreater(sum(not torch.equal(a[name], b[name]) for name in a), least)

    def test_adamw(self):
        plain = train()
        self.expect_same(plain, train(micro_batches=2))
        self.expect_same(plain, train(again=True))
        self.expect_same(plain, train(autocast=True))
        self.expect_same(plain, train(foreach=True))
        self.expect_same(plain, train(fused=True))
        self.expect_different(plain, train(tokens=32.0001))
        self.expect_different(plain, train(clip=0.05 * (1 + 1e-12)))
        self.expect_different(plain, train(eps=1e-8 * (1 + 1e-12)))
        self.expect_different(plain, train(weight_decay=0.0100001))
        self.expect_different(plain, train(optimizer=sgd))

    def test_sgd(self):
        plain = train(optimizer=sgd)
        self.expect_same(plain, train(optimizer=sgd, micro_batches=4, foreach=True))
        self.expect_same(plain, train(optimizer=sgd, fused=True))
        self.expect_different(plain, train(optimizer=sgd, dampening=1e-9), least=20)

    def test_the_values_of_the_training_stay_as_they_are(self):
        def values(with_twin):
            torch.manual_seed(2)
            model, x = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8)), numbers(4, 8)
            steps = adamw(model.parameters())

            def update():
                model(x).pow(3).sum().backward()
                steps.step()
                return [parameter.detach().clone() for parameter in model.parameters()]

            if not with_twin:
                return update()
            with exact.twin():
                exact.draw(model)
                exact.draw(x, "x")
                return update()

        for a, b in zip(values(True), values(False), strict=True):
            self.assertTrue(torch.equal(a, b))


class PageTest(unittest.TestCase):
    def test_a_training_loop(self):
        def update(model, optimizer, micro_batches):
            for part in exact.draw(numbers(4, 8), "x").chunk(micro_batches):
                model(part).square().sum().backward()
            optimizer.step()

        names = {"exact": exact, "torch": torch, "update": update}
        exec(page()[2], names)
        a, b = nn.Linear(8, 8), nn.Linear(8, 8)
        for x, y in zip(names["train"](a, 1), names["train"](b, 2), strict=True):
            self.assertTrue(torch.equal(x, y))


class TwinTest(unittest.TestCase):
    def test_residues_depend_on_key_name_and_place_alone(self):
        found = []
        for key, name, value in ((1, "a", 1.0), (1, "a", 2.0), (1, "b", 1.0), (2, "a", 1.0)):
            with exact.twin(key=key):
                found.append(exact.residues_of(exact.draw(torch.full((3, 2), value), name)))
        self.assertTrue(torch.equal(found[0], found[1]))
        self.assertFalse(torch.equal(found[0], found[2]))
        self.assertFalse(torch.equal(found[0], found[3]))
        self.assertEqual(len(set(found[0].flatten().tolist())), 6)

    def test_residues_end_with_the_twin(self):
        x = torch.ones(3)
        with exact.twin():
            exact.draw(x, "x")
        with exact.twin():
            with self.assertRaisesRegex(exact.Refused, "outside of operators"):
                exact.residues_of(x)
        self.assertTrue(torch.equal(x * 2, torch.full((3,), 2.0)))

    def test_a_twin_after_an_error_is_a_new_one(self):
        with self.assertRaisesRegex(exact.Refused, "aten::lgamma"):
            with exact.twin():
                exact.draw(torch.ones(3), "x").lgamma()
        torch.ones(3).lgamma()
        with exact.twin():
            with self.assertRaisesRegex(RuntimeError, "one is active"):
                with exact.twin():
                    pass

    def test_elements_without_a_residue_are_refused(self):
        with exact.twin():
            x = exact.draw(torch.ones(3), "x")
            x[1] = torch.nan
            with self.assertRaisesRegex(exact.Refused, "1 of 3 elements have no residue"):
                exact.residues_of(x)

    def test_a_subclass_without_memory_is_no_constant(self):
        class Wrapped(torch.Tensor):
            @staticmethod
            def __new__(cls, held):
                self = torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype)
                self.held = held
                return self

            @classmethod
            def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
                result = function(*(each.held if isinstance(each, cls) else each for each in args), **(kwargs or {}))
                return cls(result) if "detach" in str(function) else result

        with exact.twin():
            x = exact.draw(torch.ones(3), "x")
            with self.assertRaisesRegex(exact.Refused, "without memory of its own"):
                exact.residues_of(Wrapped(x))
            self.assertTrue(torch.equal(exact.residues_of(Wrapped(x) * 2), exact.residues_of(x + x)))

    def test_memory_that_changed_elsewhere_is_refused(self):
        with exact.twin():
            x = exact.draw(torch.ones(3), "x")
            x.numpy()[0] = 5
            with self.assertRaisesRegex(exact.Refused, "changed outside of operators"):
                exact.residues_of(x)

    def test_levels_and_constants_are_checked(self):
        for options, pattern in (({"levels": 5}, "1 to 4"), ({"constants": "float"}, "is not known")):
            with self.assertRaisesRegex(ValueError, pattern):
                with exact.twin(**options):
                    pass

    def test_deep_models_need_renewed_norms(self):
        model = nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.SiLU(), nn.LayerNorm(4)) for _ in range(6)))
        other = copy.deepcopy(model)
        x = numbers(2, 4)
        with self.assertRaisesRegex(exact.Refused, "no level left"):
            exact.same(model, other, x)
        self.assertTrue(exact.same(model, other, x, renew=True))


if __name__ == "__main__":
    main()
