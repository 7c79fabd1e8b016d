# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Multi-head latent attention in ordinary PyTorch, for pytorch_llama.py.

Shapes: B rows, S positions, H heads; a query and key head has n elements that do not turn and r that do, a value e.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

import pytorch_qk_clip

# (n, r, e), and YaRN's mscale, of each family; the config may override (n, r, e).
WIDTHS = {"deepseek_v3": (128, 64, 128)}
MSCALE = {"deepseek_v3.debug": 0.7, "deepseek_v3.16b": 0.7}


def latent_of(config, scaling):
    """Widths (n, r, e) and the softmax's scale."""
    own = WIDTHS.get(config["model"].split(".")[0], (0, 0, 0))
    keys = ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    n, r, e = (config.get(f"architecture.{key}") or width for key, width in zip(keys, own))
    scale = (n + r) ** -0.5
    if scaling == "yarn":
        mscale = 0.1 * MSCALE.get(config["model"], 1.0) * math.log(40.0) + 1.0
        scale = scale * mscale * mscale
    return {"widths": (n, r, e), "scale": scale}


def linear_of(weights, name):
    """An empty linear layer of a weight's shape."""
    rows, columns = weights[name].shape
    return nn.Linear(columns, rows, bias=False)


class LatentAttention(nn.Module):
    def __init__(self, weights, prefix, shape):
        super().__init__()
        self.latent, self.rotate, self.clips = shape["latent"], shape["rotate"], shape["clips"]
        self.has_query_latent = prefix + "wq_a.weight" in weights
        for name in ("wq_a", "wq_b") if self.has_query_latent else ("wq",):
            setattr(self, name, linear_of(weights, f"{prefix}{name}.weight"))
        if self.has_query_latent:
            self.q_norm = nn.RMSNorm(self.wq_a.out_features, eps=shape["eps"])
        for name in ("wkv_a", "wkv_b", "wo"):
            setattr(self, name, linear_of(weights, f"{prefix}{name}.weight"))
        self.kv_norm = nn.RMSNorm(self.wkv_b.in_features, eps=shape["eps"])

    def forward(self, x, turns, mask):
        B, S, _ = x.shape
        n, r, e = self.latent["widths"]
        q = self.wq_b(self.q_norm(self.wq_a(x))) if self.has_query_latent else self.wq(x)
        q_rest, q_turned = q.view(B, S, -1, n + r).split([n, r], dim=-1)
        latent, k_turned = self.wkv_a(x).split([self.wkv_b.in_features, r], dim=-1)
        k_turned = k_turned.unsqueeze(2)
        if turns is not None:
            q_turned, k_turned = self.rotate(q_turned, turns), self.rotate(k_turned, turns)
        k_rest, v = self.wkv_b(self.kv_norm(latent)).view(B, S, -1, n + e).split([n, e], dim=-1)
        q = torch.cat([q_rest, q_turned], dim=-1)
        k = torch.cat([k_rest, k_turned.expand(-1, -1, k_rest.shape[2], -1)], dim=-1)
        if self.clips:
            pytorch_qk_clip.watch(self, q.transpose(1, 2), k.transpose(1, 2), mask, self.latent["scale"])
        out = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=mask,
                                             is_causal=mask is None, scale=self.latent["scale"])
        return self.wo(out.transpose(1, 2).contiguous().view(B, S, -1))
