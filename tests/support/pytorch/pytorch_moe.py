# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts in ordinary PyTorch, for pytorch_llama.py.

Shapes: T tokens, K experts a token, N = T K, E experts, D width, F width of an expert.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

# What models differ in: score, top_k, whether a token's scores are normed, and whether they act before the experts.
MODELS = {"qwen3": ("softmax", 2, True, False), "llama4": ("sigmoid", 1, False, True),
          "deepseek_v3": ("softmax", 3, False, False)}


def settings_of(config):
    """The model's own settings and the config's departures from them."""
    score, top_k, norm, before = MODELS[config["model"].split(".")[0]]

    def chosen(key, own, *neutral):
        value = config.get(f"moe.{key}")
        return own if value in (None, "model", *neutral) else value
    return {"score": chosen("score", score), "top_k": chosen("top_k", top_k, 0),
            "norm": chosen("route_norm", norm) in (True, "on"),
            "before": chosen("score_place", "before" if before else "after") == "before",
            "scale": chosen("route_scale", 1.0, 0.0), "groups": chosen("groups", 0),
            "limited": chosen("limited_groups", 0), "force": config.get("moe.force_balance", False),
            "step": config.get("moe.load_balance_coeff", 1e-3) if config.get("moe.load_balance") != "off" else 0,
            "grouped": config.get("moe.matmul") == "grouped_bf16",
            "balance": config.get("moe.balance_loss", "none"), "alpha": config.get("moe.balance_loss_coeff", 0.01),
            "global": config.get("moe.balance_loss_scope") == "global_batch", "z": config.get("moe.z_loss_coeff", 0.0),
            "capacity": config.get("moe.capacity_factor", 0.0), "drop": config.get("moe.drop", "position")}


class Experts(nn.Module):
    def __init__(self, experts, dim, hidden, grouped):
        super().__init__()
        self.w1 = nn.Parameter(torch.empty(experts, hidden, dim))
        self.w2 = nn.Parameter(torch.empty(experts, dim, hidden))
        self.w3 = nn.Parameter(torch.empty(experts, hidden, dim))
        self.grouped, self.product = grouped, F.linear

    def forward(self, x, counts):
        if self.grouped and x.dtype != torch.float64:
            ends = counts.cumsum(0).int()

            def product(a, w):
                return torch._grouped_mm(a.bfloat16(), w.bfloat16().transpose(-2, -1), offs=ends)
            return product(F.silu(product(x, self.w1)) * product(x, self.w3), self.w2).to(x.dtype)
        parts = x.split(counts.tolist())
        return torch.cat([self.product(F.silu(self.product(part, w1)) * self.product(part, w3), w2)
                          for part, w1, w2, w3 in zip(parts, self.w1.unbind(), self.w2.unbind(), self.w3.unbind())])


class Router(nn.Module):
    def __init__(self, experts, dim):
        super().__init__()
        self.gate = nn.Linear(dim, experts, bias=False)


def keep_groups(choice, groups, limited):
    """Minus infinity for experts of groups that are not among the `limited` best by their two best scores."""
    grouped = choice.unflatten(-1, (groups, -1))
    best = grouped.topk(2, dim=-1).values.sum(-1).topk(limited, dim=-1).indices
    kept = torch.zeros(grouped.shape[:-1], dtype=torch.bool).scatter_(-1, best, True)
    return grouped.masked_fill(~kept.unsqueeze(-1), float("-inf")).flatten(-2)


class MoE(nn.Module):
    def __init__(self, dim, weights, prefix, config, feed_forward):
        super().__init__()
        self.s = settings_of(config)
        count, hidden, _ = weights[prefix + "experts.w1"].shape
        self.experts = Experts(count, dim, hidden, self.s["grouped"])
        self.router = Router(count, dim)
        shared = weights.get(prefix + "shared_experts.w1.weight")
        self.shared_experts = feed_forward(dim, shared.shape[0]) if shared is not None else None
        self.bias = torch.zeros(count)
        self.counts = torch.zeros(count, dtype=torch.int64)
        self.update_counts = None  # of the whole update, where the balance loss is of all its tokens
        self.losses = []           # of the passes since they were last taken

    def route(self, x):
        with torch.autocast("cpu", enabled=False):  # which expert a token goes to does not hang on 16 bits
            logits = self.router.gate(x)
        scores = logits.sigmoid() if self.s["score"] == "sigmoid" else logits.softmax(-1)
        with torch.no_grad():
            choice = scores + self.bias if self.s["step"] else scores
            if self.s["groups"]:
                choice = keep_groups(choice, self.s["groups"], self.s["limited"])
            experts = choice.topk(self.s["top_k"], dim=-1, sorted=False).indices
            if self.s["force"]:
                experts = torch.arange(experts.numel()).view_as(experts) % scores.shape[-1]
        weights = scores.gather(-1, experts)
        if self.s["norm"]:
            weights = weights / (weights.sum(-1, keepdim=True) + 1e-20)
        if torch.is_grad_enabled():
            self.add_losses(logits, scores, experts)
        return experts, weights * self.s["scale"]

    def add_losses(self, logits, scores, experts):
        """Switch Transformer eq. 4, with K experts a token; DeepSeek-V3 eq. 17 to 20; ST-MoE eq. 5."""
        count = scores.shape[-1]
        p = scores if self.s["score"] == "softmax" else scores / scores.sum(-1, keepdim=True)
        if self.s["balance"] != "none":
            sets = self.sequences if self.s["balance"] == "sequence" else 1
            terms = []
            for some, chosen in zip(p.chunk(sets), experts.chunk(sets)):
                n = torch.bincount(chosen.flatten(), minlength=count)
                n = (n if self.update_counts is None else self.update_counts).to(p.dtype)
                terms.append((n * count / n.sum() * some.mean(0)).sum())
            self.losses.append((self.s["alpha"], torch.stack(terms).mean()))
        if self.s["z"]:
            self.losses.append((self.s["z"], logits.logsumexp(-1).square().mean()))

    def taken(self, experts, weights):
        """The slots that experts take, by expert and then by token; slot t K + j is the j-th expert of token t."""
        order = experts.flatten().argsort(stable=True)
        if not self.s["capacity"]:
            return order
        most = math.ceil(self.s["capacity"] * experts.numel() / len(self.bias))
        slots = []
        for e in range(len(self.bias)):
            mine = [slot for slot in order.tolist() if experts.flatten()[slot] == e]
            if self.s["drop"] == "score":
                mine = sorted(mine, key=lambda slot: -weights.flatten()[slot].item())
            slots += sorted(mine[:most])
        return torch.tensor(slots)

    def forward(self, x_BSD):
        x = x_BSD.flatten(0, 1)
        self.sequences = x_BSD.shape[0]
        experts, weights = self.route(x)
        order = self.taken(experts, weights)
        if torch.is_grad_enabled():
            self.counts += torch.bincount(experts.flatten(), minlength=len(self.bias))
        elif self.update_counts is not None:
            self.update_counts += torch.bincount(experts.flatten(), minlength=len(self.bias))
        counts = torch.bincount(experts.flatten()[order], minlength=len(self.bias))
        token, weight = order // self.s["top_k"], weights.flatten()[order].unsqueeze(1)
        taken = x[token] * weight if self.s["before"] else x[token]
        given = self.experts(taken, counts)
        given = given if self.s["before"] else given * weight
        out = torch.zeros_like(x).scatter_add(0, token.unsqueeze(1).expand_as(given), given)
        if self.shared_experts is not None:
            out = out + self.shared_experts(x)
        return out.view_as(x_BSD)

    def end_update(self, reduce):
        """Moves the biases against the load, as before an optimizer's step."""
        counts = reduce(self.counts).to(self.bias.dtype)
        delta = self.s["step"] * torch.sign(counts.mean() - counts)
        self.bias += delta - delta.mean()
        self.counts.zero_()


def end_update(model, reduce=lambda counts: counts):
    """`reduce` sums counts over ranks with other tokens, in place."""
    for module in model.modules():
        if isinstance(module, MoE):
            module.end_update(reduce)


def mixtures(model):
    return [module for module in model.modules() if isinstance(module, MoE)]


def take_losses(model, passes):
    """The routers' losses of one of `passes` equal passes of an update, by kind of loss and then by block."""
    losses = [alpha / passes * loss for module in mixtures(model) for alpha, loss in module.losses]
    for module in mixtures(model):
        module.losses = []
    return losses


def count_update(model, run, reduce=lambda counts: counts):
    """Counts the load of the whole update in passes without gradients, if a balance loss is of all its tokens."""
    modules = [module for module in mixtures(model) if module.s["balance"] == "switch" and module.s["global"]]
    if not modules:
        return
    for module in modules:
        module.update_counts = torch.zeros_like(module.counts)
    with torch.no_grad():
        run()
    for module in modules:
        reduce(module.update_counts)
