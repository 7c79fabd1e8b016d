# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Parts that some families of models have, in ordinary PyTorch, for pytorch_llama.py. Written after the papers and
Hugging Face's models: Gemma 2 (caps, scaled embedding), gpt-oss (sinks), Qwen3-Next (gates), GPT-2 (LayerNorm, GELU,
biases), DeepSeek-V3 (multi-token prediction), LoRA.

Shapes: B rows, S positions, D width, H heads, d head width.
"""
import fnmatch
import math

import torch
import torch.nn.functional as F
from torch import nn


class Linear(nn.Linear):
    """A linear layer with the biases and the low-rank adapter that its weights have."""
    def __init__(self, weights, name, config):
        rows, columns = weights[name + ".weight"].shape
        super().__init__(columns, rows, bias=name + ".bias" in weights)
        self.is_adapted = name + ".lora_a.weight" in weights
        if self.is_adapted:
            rank = weights[name + ".lora_a.weight"].shape[0]
            self.lora_a, self.lora_b = nn.Linear(columns, rank, bias=False), nn.Linear(rank, rows, bias=False)
            divisor = rank if config.get("lora.scale", "rank") == "rank" else math.sqrt(rank)
            self.scale, self.merged = config.get("lora.alpha", 16.0) / divisor, config.get("lora.form") == "merged"

    def forward(self, x):
        if not self.is_adapted:
            return super().forward(x)
        if self.merged:
            return F.linear(x, self.weight + self.lora_b.weight @ self.lora_a.weight * self.scale, self.bias)
        return super().forward(x) + self.lora_b(self.lora_a(x)) * self.scale


def norm_of(weights, name, eps):
    """RMSNorm, or LayerNorm if it has a bias."""
    width = len(weights[name + ".weight"])
    return nn.LayerNorm(width, eps=eps) if name + ".bias" in weights else nn.RMSNorm(width, eps=eps)


class FeedForward(nn.Module):
    """SwiGLU, or GELU without w3."""
    def __init__(self, weights, prefix, config):
        super().__init__()
        for name in ("w1", "w2", "w3"):
            if f"{prefix}{name}.weight" in weights:
                setattr(self, name, Linear(weights, prefix + name, config))

    def forward(self, x):
        if hasattr(self, "w3"):
            return self.w2(F.silu(self.w1(x)) * self.w3(x))
        return self.w2(F.gelu(self.w1(x), approximate="tanh"))


def attend(q, k, v, mask, cap, sinks):
    """Attention by its scores, [B, H, S, d]; mask [B or 1, 1, S, S] bool or None for causal, sinks [H] or None."""
    S = q.shape[2]
    if mask is None:
        mask = torch.ones(S, S, dtype=torch.bool).tril()
    scores = (q @ k.transpose(2, 3)) * (1 / math.sqrt(q.shape[3]))
    if cap:
        scores = torch.tanh(scores / cap) * cap
    scores = scores.masked_fill(~mask, float("-inf"))
    if sinks is not None:
        scores = torch.cat([scores, sinks.view(1, -1, 1, 1).expand(len(q), -1, S, 1)], dim=3)
    return F.softmax(scores, dim=3)[..., :S] @ v


def gated(out, gate):
    """Heads [B, S, H, d] times the sigmoid of a gate, [B, S, H d] or [B, S, H]."""
    return out * torch.sigmoid(gate).view(*out.shape[:3], -1)


def capped(logits, cap):
    return torch.tanh(logits / cap) * cap if cap else logits


def scaled(embedding, how):
    """Gemma's factor of the embedding."""
    root = math.sqrt(embedding.shape[-1])
    if how == "sqrt_dim_bfloat16":
        root = torch.tensor(root, dtype=torch.bfloat16).item()
    return embedding if how == "none" else embedding * root


def z_loss(logits, labels):
    """PaLM's: the sum of (log Z)^2 over labels that count."""
    return torch.logsumexp(logits, dim=-1).square().masked_fill(labels == -100, 0).sum()


def freeze(model, config):
    """Adapters alone train if there are any, and nothing that a pattern names."""
    for name, parameter in model.named_parameters():
        adapters_only = config.get("lora.rank", 0) > 0 and ".lora_" not in name
        named = any(fnmatch.fnmatchcase(name, pattern) for pattern in config.get("train.freeze") or [])
        parameter.requires_grad_(not adapters_only and not named)


class MultiToken(nn.Module):
    """One depth of multi-token prediction: a norm of both inputs, their projection, a block, a norm."""
    def __init__(self, weights, prefix, eps, block):
        super().__init__()
        self.hidden_norm, self.embedding_norm = (norm_of(weights, prefix + name, eps)
                                                 for name in ("hidden_norm", "embedding_norm"))
        rows, columns = weights[prefix + "proj.weight"].shape
        self.proj, self.block, self.norm = nn.Linear(columns, rows, bias=False), block, norm_of(weights, prefix + "norm", eps)

    def forward(self, h, embedding, turns, mask):
        h = self.hidden_norm(h)
        return self.norm(self.block(self.proj(torch.cat([h, self.embedding_norm(embedding)], dim=-1)), turns, mask))


def further(x, depth, filler):
    """Every row moved `depth` positions forward."""
    return F.pad(x[:, depth:], (0, depth), value=filler)


def further_labels(labels, documents, depth):
    """The labels of a depth; -100 where the row or the document ends before."""
    moved = further(labels, depth, -100)
    return moved if documents is None else torch.where(further(documents, depth, -1) == documents, moved, -100)
