# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Initial weights of a Llama 3 or 4 or a Qwen3 by PyTorch's own nn.init, as raw float32 in model order.

Usage: pytorch_init.py OUT SCHEME SEED DIM LAYERS WIDTH KV_WIDTH HIDDEN VOCAB HEAD_NORM TIED EXPERTS EXPERT_HIDDEN
                       SHARED_HIDDEN EVERY
SCHEME: depth_scaled or normal. HEAD_NORM: width of the norms of heads, 0 = none. EXPERTS: 0 = none; else in layers
EVERY - 1, 2 EVERY - 1, ...; SHARED_HIDDEN: 0 = no shared expert.
Draws in torchtitan's order: embedding, then each layer's wq wk wv wo w1 w2 w3, or in the place of w1 w2 w3 those of
the experts, the router's gate and those of the shared expert, then the output.
"""
import sys

import torch
from torch import nn

out, scheme = sys.argv[1:3]
seed, dim, layers, width, kv_width, hidden, vocab, head_norm, tied, *moe = map(int, sys.argv[3:])
experts, expert_hidden, shared_hidden, every = moe
torch.manual_seed(seed)


def matrix(*shape, depth=None, ends_branch=False):
    """Of standard deviation 0.02, or narrower by what each scheme goes by."""
    x = torch.empty(*shape)
    if scheme == "normal":
        return nn.init.normal_(x, std=0.02 / (2 * layers) ** 0.5 if ends_branch and experts else 0.02)
    return nn.init.trunc_normal_(x, mean=0.0, std=0.02 if depth is None else 0.02 / (2 * (depth + 1)) ** 0.5)


def feed_forward(width, depth):
    return [matrix(width, dim), matrix(dim, width, depth=depth), matrix(width, dim, depth=depth)]


def mixture(depth):
    weights = [matrix(experts, expert_hidden, dim), matrix(experts, dim, expert_hidden, depth=depth, ends_branch=True),
               matrix(experts, expert_hidden, dim, depth=depth), matrix(experts, dim, depth=depth)]
    return weights + (feed_forward(shared_hidden, depth) if shared_hidden else [])


embedding = torch.empty(vocab, dim)
if scheme == "depth_scaled":
    nn.init.normal_(embedding)
elif not tied:
    nn.init.normal_(embedding, std=0.02)
weights = [embedding]
for layer in range(layers):
    attention = [matrix(width, dim), matrix(kv_width, dim), matrix(kv_width, dim),
                 matrix(dim, width, depth=layer, ends_branch=True)]
    norms = [torch.ones(head_norm), torch.ones(head_norm)] if head_norm else []
    second = mixture(layer) if experts and (layer + 1) % every == 0 else feed_forward(hidden, layer)
    weights += attention + norms + second + [torch.ones(dim), torch.ones(dim)]
weights.append(torch.ones(dim))
std = dim ** -0.5
output = embedding if tied else torch.empty(vocab, dim)
if scheme == "normal":
    nn.init.normal_(output, std=0.02)
else:
    nn.init.trunc_normal_(output, mean=0.0, std=std, a=-3 * std, b=3 * std)
if not tied:
    weights.append(output)
with open(out, "wb") as file:
    for weight in weights:
        file.write(weight.numpy().tobytes())
