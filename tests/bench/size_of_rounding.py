# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Measures what rounding costs, for the constants of harness/compare/twins/rounding_size.hpp.

    size_of_rounding.py equal [PAIRS [ROWS.jsonl]]   pairs of small decoders trained in PyTorch that differ in the order of arithmetic alone
    size_of_rounding.py planted         the same with one operator in bfloat16 or float16, in float32 runs only
    size_of_rounding.py norm            PyTorch's own float32 norm on this CPU

Each arm runs in float32 and as its float64 twin. Of each quantity over the steps the script reports, in units of
u ||q|| with u = 2^-24, how far each arm is from its own twin (r_a, r_b), the gap of the arms (g), and the amplification
A that the twins show, and what the rule says.
Shapes: B rows, S positions, D width, H heads, d head width, V vocabulary.
"""
import collections
import json
import math
import os
import random
import sys

import torch
import torch.nn.functional as F

U32, U64 = 2.0**-24, 2.0**-53
NEAR, ALIKE, USUAL, MOST, IN_COMMON, MOST_AMPLIFICATION = 0.25, 32, 2, 8192, 2**18, 1024  # as in rounding_size.hpp

ORDERS = {  # honest choices of the order of arithmetic; the first of each is the reference
    "attention": ["plain", "sdpa", "streamed"],
    "norm": ["rsqrt", "divide", "fused", "by_norm"],
    "matmul": ["whole", "split", "transposed"],
    "loss": ["cross_entropy", "by_hand", "chunked", "row_by_row"],
    "micro_batches": [1, 2, 4],
    "optimizer": ["own", "rearranged"],
    "clip": ["by_tensor", "as_one_vector", "chunked"],
    "rows": ["in_order", "reversed"],
}
PLANTS = ["norm", "softmax", "loss", "lse", "reduction", "rope", "optimizer", "optimizer_v", "matmul", "grad_norm"]


class Decoder:
    """A decoder whose every operator has several forms; `plant` (operator, dtype) makes one narrow, in float32 only."""

    def __init__(self, shape, dtype, order, plant=None):
        self.shape, self.dtype, self.order = shape, dtype, order
        self.plant = plant if dtype == torch.float32 else None
        draw = torch.Generator().manual_seed(shape["seed"])
        D, V, hidden = shape["D"], shape["V"], 2 * shape["D"]

        def weight(*sizes):
            values = torch.randn(*sizes, generator=draw) / math.sqrt(sizes[-1])
            return values.to(dtype).requires_grad_()
        self.weights = {"embedding": weight(V, D), "head": weight(V, D), "norm": torch.ones(D, dtype=dtype, requires_grad=True)}
        for layer in range(shape["layers"]):
            for name, sizes in {"wq": (D, D), "wk": (D, D), "wv": (D, D), "wo": (D, D),
                                "w1": (hidden, D), "w3": (hidden, D), "w2": (D, hidden)}.items():
                self.weights[f"{layer}.{name}"] = weight(*sizes)
            for name in ("attention_norm", "ffn_norm"):
                self.weights[f"{layer}.{name}"] = torch.ones(D, dtype=dtype, requires_grad=True)
        d, S = D // shape["H"], shape["S"]
        frequencies = 1 / 5e5 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
        angles = torch.arange(S, dtype=torch.float64)[:, None] * frequencies + shape["start"] * frequencies
        self.cos, self.sin = (self.narrow("rope", f(angles).float().to(dtype)) for f in (torch.cos, torch.sin))
        self.m = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.v = {name: torch.zeros_like(w) for name, w in self.weights.items()}

    def narrow(self, operator, x):
        """x rounded through the planted type where this operator is the planted one."""
        return x.to(self.plant[1]).to(x.dtype) if self.plant and self.plant[0] == operator else x

    def rms_norm(self, x_BSD, weight):
        form, eps = self.order["norm"], 1e-5
        if self.plant and self.plant[0] == "norm":
            narrow = x_BSD.to(self.plant[1])
            return x_BSD * torch.rsqrt(narrow.pow(2).mean(-1, keepdim=True) + eps).to(self.dtype) * weight
        if form == "fused":
            return F.rms_norm(x_BSD, (x_BSD.shape[-1],), weight, eps)
        if form == "divide":
            return weight * (x_BSD / torch.sqrt((x_BSD * x_BSD).mean(-1, keepdim=True) + eps))
        if form == "by_norm":
            squares = torch.linalg.vector_norm(x_BSD, dim=-1, keepdim=True).square() / x_BSD.shape[-1]
            return x_BSD * (weight * torch.rsqrt(squares + eps))
        return x_BSD * torch.rsqrt(x_BSD.pow(2).mean(-1, keepdim=True) + eps) * weight

    def linear(self, x, weight):
        if self.plant and self.plant[0] == "matmul":
            return (x.to(self.plant[1]) @ weight.to(self.plant[1]).T).to(self.dtype)
        if self.order["matmul"] == "split":
            half = x.shape[-1] // 2
            return x[..., :half] @ weight[:, :half].T + x[..., half:] @ weight[:, half:].T
        if self.order["matmul"] == "transposed":
            return (weight @ x.reshape(-1, x.shape[-1]).T).T.reshape(*x.shape[:-1], weight.shape[0])
        return x @ weight.T

    def rotate(self, x_BHSd):
        left, right = x_BHSd.chunk(2, -1)
        return torch.cat([left * self.cos - right * self.sin, left * self.sin + right * self.cos], -1)

    def attend(self, q, k, v):
        form, scale, S = self.order["attention"], 1 / math.sqrt(q.shape[-1]), q.shape[-2]
        if form == "sdpa" and not self.plant:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        allowed = torch.ones(S, S, dtype=torch.bool).tril()
        if form == "streamed" and not self.plant:
            return self.attend_streamed(q, k, v, scale, allowed)
        scores = (q @ k.transpose(-1, -2) * scale).masked_fill(~allowed, -math.inf)
        if self.plant and self.plant[0] == "softmax":
            return torch.softmax(scores.to(self.plant[1]), -1).to(self.dtype) @ v
        return torch.softmax(scores, -1) @ v

    def attend_streamed(self, q, k, v, scale, allowed):
        """Blocks of keys with a running maximum and sum."""
        most = torch.full(q.shape[:-1] + (1,), -1e30, dtype=self.dtype)
        total, result = torch.zeros_like(most), torch.zeros_like(q)
        for begin in range(0, k.shape[-2], 8):
            part = slice(begin, begin + 8)
            scores = (q @ k[..., part, :].transpose(-1, -2) * scale).masked_fill(~allowed[:, part], -1e30)
            larger = torch.maximum(most, scores.amax(-1, keepdim=True).detach())
            weights = torch.exp(scores - larger)
            shrink = torch.exp(most - larger)
            total = total * shrink + weights.sum(-1, keepdim=True)
            result = result * shrink + weights @ v[..., part, :]
            most = larger
        return result / total

    def token_losses(self, logits_TV, labels_T):
        form = self.order["loss"]
        logits_TV = self.narrow("loss", logits_TV)
        if self.plant and self.plant[0] == "lse":
            narrow = logits_TV.to(self.plant[1])
            return torch.logsumexp(narrow, -1).to(self.dtype) - logits_TV.gather(-1, labels_T[:, None])[:, 0]
        if form == "by_hand":
            most = logits_TV.amax(-1, keepdim=True).detach()
            sums = torch.exp(logits_TV - most).sum(-1)
            return torch.log(sums) + most[:, 0] - logits_TV.gather(-1, labels_T[:, None])[:, 0]
        if form == "chunked":
            parts = torch.stack([torch.logsumexp(part, -1) for part in logits_TV.chunk(4, -1)])
            return torch.logsumexp(parts, 0) - logits_TV.gather(-1, labels_T[:, None])[:, 0]
        return F.cross_entropy(logits_TV, labels_T, reduction="none")

    def loss_of(self, tokens_BS, labels_BS, count):
        shape, w = self.shape, self.weights
        B, S = tokens_BS.shape
        x = w["embedding"][tokens_BS]
        for layer in range(shape["layers"]):
            h = self.rms_norm(x, w[f"{layer}.attention_norm"])
            q, k, v = (self.linear(h, w[f"{layer}.{name}"]).view(B, S, shape["H"], -1).transpose(1, 2)
                       for name in ("wq", "wk", "wv"))
            mixed = self.attend(self.rotate(q), self.rotate(k), v).transpose(1, 2).reshape(B, S, -1)
            x = x + self.linear(mixed, w[f"{layer}.wo"])
            h = self.rms_norm(x, w[f"{layer}.ffn_norm"])
            x = x + self.linear(F.silu(self.linear(h, w[f"{layer}.w1"])) * self.linear(h, w[f"{layer}.w3"]), w[f"{layer}.w2"])
        logits = self.linear(self.rms_norm(x, w["norm"]), w["head"]).reshape(B * S, -1)
        losses = self.token_losses(logits, labels_BS.reshape(-1))
        if self.order["loss"] == "row_by_row":
            return sum(losses.view(B, S).sum(-1)) / count
        return losses.sum() / count

    def norm_of(self, tensors):
        tensors = [x.detach() for x in tensors]
        if self.plant and self.plant[0] == "grad_norm":
            return torch.stack([x.to(self.plant[1]).norm() for x in tensors]).norm().to(self.dtype)
        if self.order["clip"] == "as_one_vector":
            return torch.cat([x.reshape(-1) for x in tensors]).square().sum().sqrt()  # not its norm: see float32_norm
        if self.order["clip"] == "chunked":
            return torch.stack([p.square().sum() for x in tensors for p in x.reshape(-1).split(1000)]).sum().sqrt()
        return torch.stack([x.square().sum() for x in tensors]).sum().sqrt()

    def step(self, number, tokens_BS, labels_BS):
        """One update of AdamW with clipping. Returns its channels."""
        count, total = tokens_BS.numel(), 0
        if self.order["rows"] == "reversed":
            tokens_BS, labels_BS = tokens_BS.flip(0), labels_BS.flip(0)
        gradients = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        for tokens, labels in zip(tokens_BS.chunk(self.order["micro_batches"]), labels_BS.chunk(self.order["micro_batches"])):
            loss = self.loss_of(tokens, labels, count)
            for name, gradient in zip(self.weights, torch.autograd.grad(loss, self.weights.values())):
                gradients[name] = self.narrow("reduction", gradients[name] + self.narrow("reduction", gradient))
            total = total + loss.detach()
        norm = self.norm_of(gradients.values())
        factor = torch.clamp(1.0 / (norm + 1e-6), max=1.0)
        before = {name: w.detach().clone() for name, w in self.weights.items()}
        lr, beta1, beta2, eps = self.shape["lr"], 0.9, 0.95, 1e-8
        for name, w in self.weights.items():
            g = gradients[name] * factor
            self.m[name] = self.narrow("optimizer", self.m[name] * beta1 + g * (1 - beta1))
            self.v[name] = self.narrow("optimizer_v", self.v[name] * beta2 + g * g * (1 - beta2))
            one, two = 1 - beta1**number, 1 - beta2**number
            if self.order["optimizer"] == "rearranged":
                change = self.m[name] * (lr / one) / (self.v[name].sqrt() / math.sqrt(two) + eps)
            else:
                change = lr * (self.m[name] / one) / ((self.v[name] / two).sqrt() + eps)
            with torch.no_grad():
                w.sub_(change)
        changes = [w.detach() - before[name] for name, w in self.weights.items()]
        self.gradients = gradients
        return {"loss": total, "grad_norm": norm, "update_norm": self.norm_of(changes)}


def train(shape, dtype, order, plant=None):
    """{quantity: float64 vector}: channels over the steps, and tensors after the last one."""
    model = Decoder(shape, dtype, order, plant)
    draw = torch.Generator().manual_seed(shape["seed"] + 1)
    channels = collections.defaultdict(list)
    for number in range(1, shape["steps"] + 1):
        text = torch.randint(shape["V"], (shape["B"], shape["S"] + 1), generator=draw)
        for name, value in model.step(number, text[:, :-1], text[:, 1:]).items():
            channels[name].append(value.double())
    found = {name: torch.stack(values) for name, values in channels.items()}
    for kind, tensors in {"grad": model.gradients, "param": model.weights, "optim m": model.m, "optim v": model.v}.items():
        for name, x in tensors.items():
            found[f"{kind} {name}"] = x.detach().double().reshape(-1)
    return found


def measure(a, b, twin_a, twin_b):
    """{quantity: (r_a, r_b, g, A)} in units of u ||q||."""
    rows = {}
    for name, wide in twin_a.items():
        norm = wide.norm().item()
        def units(x, u):
            return x.norm().item() / (u * norm) if norm else (math.inf if x.norm().item() else 0.0)
        rows[name] = (units(a[name] - wide, U32), units(b[name] - twin_b[name], U32), units(b[name] - a[name], U32),
                      units(twin_b[name] - wide, U64))
    return rows


def verdict(r_a, r_b, g, A):
    """As rounding_size.cpp, for two float32 arms; `different` where the float64 gap is not rounding."""
    if not A <= MOST_AMPLIFICATION:
        return "different"
    if not max(r_a, r_b) * U32 <= NEAR:
        return "vacuous"
    most = IN_COMMON if g <= ALIKE * max(USUAL, A) else max(MOST, ALIKE * A)
    return "rounding" if max(r_a, r_b) <= min(ALIKE * max(min(r_a, r_b), USUAL, A), most) else "imprecise"


def drawn_shape(draw, seed):
    H = draw.choice([1, 2, 4])
    return {"seed": seed, "D": H * draw.choice([8, 16, 32]), "H": H, "layers": draw.choice([1, 2, 3, 4]), "V": draw.choice([64, 256, 512]),
            "S": draw.choice([16, 32, 64]), "B": draw.choice([4, 8]), "steps": draw.choice([1, 2, 3, 5, 8]),
            "lr": draw.choice([1e-4, 1e-3, 3e-3, 1e-2]), "start": draw.choice([0, 0, 1000])}


def reference_order():
    return {name: forms[0] for name, forms in ORDERS.items()}


def kind_of(name):
    return name if " " not in name else name[:name.rindex(" ")]


def equal_pairs(pairs, rows_file=None):
    excess, verdicts, gaps = collections.defaultdict(list), collections.Counter(), []
    for seed in range(pairs):
        draw = random.Random(seed)
        shape, order = drawn_shape(draw, seed), reference_order()
        for name in draw.sample(sorted(ORDERS), draw.choice([1, 1, 2, 3, 8])):
            order[name] = draw.choice(ORDERS[name][1:])
        runs = [train(shape, dtype, form) for dtype in (torch.float32, torch.float64) for form in (reference_order(), order)]
        for name, row in measure(*runs).items():
            said = verdict(*row)
            if rows_file:
                print(json.dumps([seed, name, *row]), file=rows_file, flush=True)
            verdicts[kind_of(name), said] += 1
            r_a, r_b, g, A = row
            gaps.append(g / (r_a + r_b) if r_a + r_b else 0.0)
            beside = max(r_a, r_b) / max(min(r_a, r_b), A, 1.0)
            excess[kind_of(name)].append((max(r_a, r_b), beside, seed, name, row))
            if said != "rounding":
                print("pair", seed, name, said, "r_a %.3g r_b %.3g g %.3g A %.3g" % row, shape, order, flush=True)
    print(f"\n{pairs} pairs, {sum(verdicts.values())} quantities:", dict(collections.Counter(s for (_, s), n in verdicts.items() for _ in range(n))))
    print("gap over both distances: median %.2f, largest %.2f" % (sorted(gaps)[len(gaps) // 2], max(gaps)))
    print(f"{'quantity':12} {'median r':>9} {'99.9 % r':>9} {'largest r':>10} {'largest farther/max(nearer, A, 1)':>36} {'the same, / max(nearer, A, c)':>32}")
    for kind, rows in excess.items():
        sizes = sorted(row[0] for row in rows)
        beside = max(rows, key=lambda row: row[1])
        ruled = max(max(r[:2]) / max(min(r[:2]), r[3], USUAL) for *_, r in rows)
        print(f"{kind:12} {sizes[len(sizes) // 2]:9.3g} {sizes[int(len(sizes) * 0.999)]:9.3g} {sizes[-1]:10.3g} {beside[1]:36.3g} {ruled:32.3g}")


def planted_casts():
    shape = {"seed": 1, "D": 64, "H": 4, "layers": 2, "V": 256, "S": 64, "B": 8, "steps": 5, "lr": 3e-3, "start": 0}
    order = dict(reference_order(), micro_batches=4)
    a, twin = (train(shape, dtype, order) for dtype in (torch.float32, torch.float64))
    for operator in PLANTS:
        for dtype in (torch.bfloat16, torch.float16):
            b = train(shape, torch.float32, order, (operator, dtype))
            rows = measure(a, b, twin, twin)
            seen = [name for name, row in rows.items() if verdict(*row) != "rounding"]
            channels = ", ".join(f"{name} {rows[name][1]:.3g}" for name in ("loss", "grad_norm", "update_norm"))
            largest = {kind: max(row[1] for name, row in rows.items() if kind_of(name) == kind and " " in name)
                       for kind in ("grad", "param", "optim m", "optim v")}
            tensors = ", ".join(f"{kind} {size:.3g}" for kind, size in largest.items())
            print(f"{operator:12} {str(dtype)[6:]:9} r_b of {channels}; largest {tensors}; "
                  f"imprecise: {sum(' ' not in n for n in seen)} of 3 channels, {sum(' ' in n for n in seen)} of {len(rows) - 3} tensors", flush=True)


def float32_norm():
    for power in (10, 16, 20, 24):
        x = torch.randn(2**power, generator=torch.Generator().manual_seed(1))
        print(f"2^{power} elements: {(x.norm().double() / x.double().norm() - 1).item():+.2g} relative, "
              f"{abs(x.norm().double() / x.double().norm() - 1).item() / U32:.3g} roundings")


if __name__ == "__main__":
    torch.manual_seed(0)
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "equal":
        with open(sys.argv[3] if len(sys.argv) > 3 else os.devnull, "w") as rows:
            equal_pairs(int(sys.argv[2]) if len(sys.argv) > 2 else 1000, rows)
    elif what == "planted":
        planted_casts()
    elif what == "norm":
        float32_norm()
    else:
        sys.exit(__doc__)
