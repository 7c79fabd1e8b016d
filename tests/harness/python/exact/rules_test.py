# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Operators of plain PyTorch models: each equals its formula, forward and backward, and differs from a wrong one.

Usage: exact/rules_test.py SOURCE_DIR
"""
import math

from exactly import ExactTest, main, numbers

import torch
import torch.nn.functional as F

LABELS = torch.tensor([1, 2, -100, 3])


def variance(x, minus):
    return (x - x.mean(-1, keepdim=True)).pow(2).sum(-1, keepdim=True) / (x.shape[-1] - minus)


def layer_norm(x, w, b, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(variance(x, 0) + eps) * w + b


def rms_norm(x, w, eps):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * w


def tanh_gelu(x, cubic=0.044715):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + cubic * torch.pow(x, 3))))


def cross_entropy(x, weight=None, smoothing=0.0):
    kept = LABELS >= 0
    logs, index = torch.log_softmax(x[kept], -1), LABELS[kept][:, None]
    each = -logs.gather(1, index)[:, 0]
    if weight is None:
        return (1 - smoothing) * each.sum() / 3 + smoothing / x.shape[1] * -logs.sum() / 3
    return (each * weight[LABELS[kept]]).sum() / weight[LABELS[kept]].sum()


def attention(q, k, v, ahead=1):
    scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]))
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(ahead)
    return torch.softmax(scores.masked_fill(future, -math.inf), -1) @ v


def convolution(x, w, b, stride=(2, 1)):
    """Groups of 2, padding of (2, 1), as windows times weights."""
    parts = []
    for group in range(2):
        padded = F.pad(x[:, 2 * group : 2 * group + 2], (1, 1, 2, 2))
        windows = padded.unfold(2, 3, stride[0]).unfold(3, 2, stride[1])
        parts.append(torch.einsum("ncyxij,ocij->noyx", windows, w[3 * group : 3 * group + 3]))
    return torch.cat(parts, 1) + b[:, None, None]


X = numbers(4, 7)
ROW = numbers(7)

# name -> (operator, its formula, another function, inputs, options)
CASES = {
    "linear": (F.linear, lambda x, w, b: x @ w.T + b, lambda x, w, b: x @ w.T, (X, numbers(5, 7), numbers(5)), {}),
    "addmm": (lambda a, b, c: torch.addmm(a, b, c, beta=0.5, alpha=2), lambda a, b, c: a * 0.5 + 2 * (b @ c),
              lambda a, b, c: a + 2 * (b @ c), (numbers(3, 4), numbers(3, 5), numbers(5, 4)), {}),
    "baddbmm": (torch.baddbmm, lambda a, b, c: a + torch.einsum("bij,bjk->bik", b, c), lambda a, b, c: b @ c,
                (numbers(2, 3, 4), numbers(2, 3, 5), numbers(2, 5, 4)), {}),
    "addmv": (torch.addmv, lambda a, b, c: a + b @ c, lambda a, b, c: a - b @ c, (numbers(3), numbers(3, 5), numbers(5)), {}),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (7,), w, b), layer_norm,
                   lambda x, w, b: layer_norm(x, w, b, 1e-5 * (1 + 1e-10)), (X, ROW, numbers(7, seed=1)), {}),
    "layer_norm over two": (lambda x: F.layer_norm(x, (4, 7)),
                            lambda x: layer_norm(x.flatten(1), 1, 0).view(x.shape), lambda x: F.layer_norm(x, (7,)),
                            numbers(3, 4, 7), {}),
    "rms_norm": (lambda x, w: F.rms_norm(x, (7,), w, 1e-5), lambda x, w: rms_norm(x, w, 1e-5),
                 lambda x, w: rms_norm(x, w, 2e-5), (X, ROW), {"constants": "decimal"}),
    "rms_norm by a root": (lambda x, w: rms_norm(x, w, 1e-5),
                           lambda x, w: x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w,
                           lambda x, w: x / (x.pow(2).mean(-1, keepdim=True).sqrt() + 1e-5) * w, (X, ROW), {}),
    "var": (lambda x: x.var(-1), lambda x: variance(x, 1)[:, 0], lambda x: variance(x, 0)[:, 0], X, {"constants": "fraction"}),
    "var_mean": (lambda x: torch.var_mean(x, -1, correction=0), lambda x: (variance(x, 0)[:, 0], x.mean(-1)),
                 lambda x: (variance(x, 1)[:, 0], x.mean(-1)), X, {"constants": "fraction"}),
    "std": (lambda x: x.std(-1, keepdim=True), lambda x: variance(x, 1).sqrt(), lambda x: variance(x, 1), X,
            {"constants": "fraction"}),
    "gelu": (F.gelu, lambda x: x * 0.5 * (1 + torch.erf(x * math.sqrt(0.5))), tanh_gelu, X, {}),
    "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), tanh_gelu, lambda x: tanh_gelu(x, 0.0447151), X, {}),
    "silu": (F.silu, lambda x: x / (1 + torch.exp(-x)), lambda x: x / (1 + torch.exp(x)), X, {}),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.1), lambda x: torch.where(x > 0, x, 0.1 * x), F.leaky_relu, X, {}),
    "elu": (lambda x: F.elu(x, 0.7), lambda x: torch.where(x > 0, x, 0.7 * (x.exp() - 1)), F.elu, X, {}),
    "softplus": (F.softplus, lambda x: torch.log(1 + torch.exp(x)), lambda x: torch.log(1 + 2 * torch.exp(x)), X, {}),
    "logsigmoid": (F.logsigmoid, lambda x: -torch.log(1 + torch.exp(-x)), lambda x: torch.log(1 + torch.exp(-x)), X, {}),
    "glu": (F.glu, lambda x: x[:, :2] * torch.sigmoid(x[:, 2:]), lambda x: x[:, 2:] * torch.sigmoid(x[:, :2]),
            numbers(3, 4), {}),
    "embedding": (lambda w: F.embedding(torch.tensor([1, 2, 2, 0]), w),
                  lambda w: F.one_hot(torch.tensor([1, 2, 2, 0]), 4).float() @ w,
                  lambda w: F.embedding(torch.tensor([1, 2, 2, 0]), w, padding_idx=2), numbers(4, 6), {}),
    "dropout of 0": (lambda x: F.dropout(x, 0.0), lambda x: x, lambda x: x * 0.5, X, {}),
    "cross_entropy": (lambda x: F.cross_entropy(x, LABELS), cross_entropy,
                      lambda x: F.cross_entropy(x, LABELS, reduction="none").mean(), X, {}),
    "cross_entropy smoothed": (lambda x: F.cross_entropy(x, LABELS, label_smoothing=0.1),
                               lambda x: cross_entropy(x, smoothing=0.1), cross_entropy, X, {"constants": "decimal"}),
    "cross_entropy weighted": (lambda x, w: F.cross_entropy(x, LABELS, w), cross_entropy,
                               lambda x, w: (F.cross_entropy(x, LABELS, w, reduction="none") / 3).sum(),
                               (X.clone().requires_grad_(), ROW.abs()), {}),
    "cross_entropy of maps": (lambda x: F.cross_entropy(x, torch.arange(6).view(2, 3) % 5),
                              lambda x: F.cross_entropy(x.transpose(1, 2).flatten(0, 1), torch.arange(6) % 5),
                              lambda x: F.cross_entropy(x.transpose(1, 2).flatten(0, 1), torch.arange(1, 7) % 5),
                              numbers(2, 5, 3), {}),
    "mse_loss": (F.mse_loss, lambda x, y: (x - y).pow(2).mean(), lambda x, y: (x - y).pow(2).sum() / 27,
                 (X, numbers(4, 7, seed=1)), {}),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), attention,
                  lambda q, k, v: attention(q, k, v, 2), [numbers(2, 3, 5, 4, seed=i) for i in range(3)], {}),
    "normalize": (lambda x: F.normalize(x, dim=-1), lambda x: x / x.pow(2).sum(-1, keepdim=True).sqrt(),
                  lambda x: x / x.pow(2).mean(-1, keepdim=True).sqrt(), X, {}),
    "conv1d": (lambda x, w: F.conv1d(x, w, dilation=2),
               lambda x, w: sum(torch.einsum("ncl,oc->nol", x[:, :, 2 * i : 2 * i + 5], w[:, :, i]) for i in range(3)),
               lambda x, w: F.conv1d(x, w, padding=1)[:, :, :5], (numbers(2, 4, 9), numbers(3, 4, 3)), {}),
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, stride=(2, 1), padding=(2, 1), groups=2), convolution,
               lambda x, w, b: F.conv2d(x, w.flip(2), b, stride=(2, 1), padding=(2, 1), groups=2),
               (numbers(2, 4, 7, 6), numbers(6, 2, 3, 2), numbers(6)), {}),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b),
                   lambda x, w, b: layer_norm(x.view(3, 2, 10), 1, 0).view(3, 4, 5) * w[:, None] + b[:, None],
                   lambda x, w, b: F.group_norm(x, 4, w, b), (numbers(3, 4, 5), numbers(4), numbers(4, seed=1)), {}),
    "max_pool": (lambda x: F.max_pool2d(x, 2), lambda x: x.view(2, 3, 2, 2, 2, 2).amax((3, 5)),
                 lambda x: x[:, :, ::2, ::2], numbers(2, 3, 4, 4), {}),
    "hardtanh": (F.hardtanh, lambda x: x.clamp(-1, 1), lambda x: F.hardtanh(x, -1, 0.5), X, {}),
    "softmax shifted": (lambda x: torch.softmax(x, -1), lambda x: (x - 3).exp() / (x - 3).exp().sum(-1, keepdim=True),
                        lambda x: x.exp() / (x - 3).exp().sum(-1, keepdim=True), X, {}),
    "a third": (lambda x: x * (1 / 3), lambda x: x / 3, lambda x: x * 0.3333333333, X, {"constants": "fraction"}),
}  # fmt: skip


class RulesTest(ExactTest):
    def test_operators_equal_their_formulas_alone(self):
        for name, (operator, formula, other, inputs, options) in CASES.items():
            with self.subTest(name):
                self.expect_same(operator, formula, inputs, **options)
                self.expect_different(operator, other, inputs, **options)

    def test_another_key_gives_the_same_verdict(self):
        for key in range(5, 9):
            operator, formula, other, inputs, _ = CASES["rms_norm by a root"]
            self.expect_same(operator, formula, inputs, key=key)
            self.expect_different(operator, other, inputs, key=key)

    def test_a_rounded_constant_is_hinted_at(self):
        verdict = self.expect_different(lambda x: x * (1 / 3), lambda x: x / 3, X)
        self.assertIn('constants="fraction"', verdict.hint)
        self.assertIn(verdict.hint, str(verdict))
        self.assertEqual(self.expect_different(lambda x: x * 0.3334, lambda x: x / 3, X).hint, "")


if __name__ == "__main__":
    main()
