# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Gated delta nets in ordinary PyTorch, for pytorch_llama.py. Written after Gated Delta Networks (arXiv:2412.06464),
with the projections, convolutions and gates of Qwen3-Next.

Shapes: B rows, S positions, D width, H value heads, d head width, N chunks of C tokens.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from pytorch_rope import wide


def linear_of(weights, name):
    rows, columns = weights[name + ".weight"].shape
    return nn.Linear(columns, rows, bias=False)


class ShortConvolution(nn.Module):
    """silu of a causal convolution of each channel, which does not reach into other documents."""
    def __init__(self, shape):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(shape))

    def forward(self, x, documents):
        S, taps = x.shape[1], self.weight.shape[2]
        y = x * self.weight[:, 0, -1]
        for back in range(1, taps):
            earlier = F.pad(x, (0, 0, back, 0))[:, :S]
            if documents is not None:
                earlier = torch.where((F.pad(documents, (back, 0), value=-1)[:, :S] == documents)[..., None], earlier, 0)
            y = y + earlier * self.weight[:, 0, -1 - back]
        return F.silu(y)


def recurrent(q, k, v, g, beta, documents):
    """Token by token. q, k, v [B, H, S, d], g and beta [B, H, S]."""
    state, out, decay = q.new_zeros(*k.shape[:2], k.shape[3], v.shape[3]), [], g.exp()
    for t in range(q.shape[2]):
        if t > 0 and documents is not None:
            begins = documents[:, t] != documents[:, t - 1]
            kept = state * torch.where(begins[:, None], 0, decay[:, :, t])[..., None, None]
        else:
            kept = state * decay[:, :, t, None, None]
        key = k[:, :, t:t + 1]
        lacks = (v[:, :, t:t + 1] - key @ kept) * beta[:, :, t, None, None]
        state = kept + key.mT @ lacks
        out.append(q[:, :, t:t + 1] @ state)
    return torch.cat(out, dim=2)


def chunked(q, k, v, g, beta, documents, C):
    """In chunks: the recurrence of each is solved as one triangular system."""
    S, e, d = q.shape[2], v.shape[3], k.shape[3]
    fill = -S % C

    def cut(x):
        return (F.pad(x, (0, 0, 0, fill)) if x.dim() == 4 else F.pad(x, (0, fill))).unflatten(2, (-1, C))
    q, k, v, g, beta = cut(q), cut(k), cut(v), cut(g), cut(beta)[..., None]
    G = g @ torch.ones(C, C).triu()
    between = (G[..., :, None] - G[..., None, :]).tril().exp().tril()
    since, until = G.exp(), (G[..., -1:] - G).exp()
    if documents is not None:
        ids = F.pad(documents, (0, fill)).unflatten(1, (-1, C))[:, None]
        before = F.pad(ids[..., -1:], (0, 0, 1, 0))[:, :, :-1]
        between = between.where(ids[..., :, None] == ids[..., None, :], 0)
        since, until = since.where(ids == before, 0), until.where(ids == ids[..., -1:], 0)
    since, until = since[..., None], until[..., None]
    k_beta = k * beta
    lower = ((k_beta @ k.mT) * between).tril(-1)
    U, W = torch.linalg.solve_triangular(lower, torch.cat([v * beta, k_beta * since], dim=-1), upper=False,
                                         unitriangular=True).split([e, d], dim=-1)
    inside, q_state, k_state = (q @ k.mT) * between, q * since, (k * until).mT
    state, out = q.new_zeros(*k.shape[:2], d, e), []
    for n in range(q.shape[2]):
        lacks = U[:, :, n] - W[:, :, n] @ state
        out.append(q_state[:, :, n] @ state + inside[:, :, n] @ lacks)
        state = state * since[:, :, n, -1:] + k_state[:, :, n] @ lacks
    return torch.cat(out, dim=2)[:, :, :S]


class GatedDeltaNet(nn.Module):
    def __init__(self, weights, prefix, eps, config):
        super().__init__()
        for name in ("wq", "wk", "wv", "wo", "wg", "wb", "wa"):
            setattr(self, name, linear_of(weights, prefix + name))
        for name in ("q_conv", "k_conv", "v_conv"):
            setattr(self, name, ShortConvolution(weights[f"{prefix}{name}.weight"].shape))
        heads = len(weights[prefix + "a_log"])
        self.a_log, self.dt_bias = (nn.Parameter(torch.empty(heads)) for _ in range(2))
        self.norm = nn.RMSNorm(len(weights[prefix + "norm.weight"]), eps=eps)
        self.form, self.chunk = config.get("architecture.delta_form", "chunked"), config.get("architecture.delta_chunk", 64)

    def heads(self, y):
        return wide(y.unflatten(2, (-1, len(self.norm.weight))).transpose(1, 2))

    def forward(self, x, documents):
        q, k = self.heads(self.q_conv(self.wq(x), documents)), self.heads(self.k_conv(self.wk(x), documents))
        q, k = (y * torch.rsqrt(y.square().sum(-1, keepdim=True) + 1e-6) for y in (q, k))
        v = self.heads(self.v_conv(self.wv(x), documents))
        sharing = v.shape[1] // k.shape[1]
        if sharing > 1:
            q, k = (y.repeat_interleave(sharing, dim=1) for y in (q, k))
        beta = wide(torch.sigmoid(self.wb(x)))
        g = F.softplus(wide(self.wa(x)) + wide(self.dt_bias)) * -wide(self.a_log).exp()
        args = (q * (1 / math.sqrt(len(self.norm.weight))), k, v, g.transpose(1, 2), beta.transpose(1, 2), documents)
        o = recurrent(*args) if self.form == "recurrent" else chunked(*args, self.chunk)
        gate = F.silu(self.wg(x)).unflatten(2, (-1, len(self.norm.weight)))
        return self.wo((self.norm(o.transpose(1, 2).to(x.dtype)) * gate).flatten(2))
