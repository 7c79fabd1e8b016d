# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Initial weights of a Llama 3 or Qwen3 by PyTorch's own nn.init, as raw float32 in model order.

Usage: pytorch_init.py OUT SCHEME SEED DIM LAYERS WIDTH KV_WIDTH HIDDEN VOCAB HEAD_NORM TIED
SCHEME: depth_scaled or normal. HEAD_NORM: width of the norms of heads, 0 = none.
Draws in torchtitan's order: embedding, then each layer's wq wk wv wo w1 w2 w3, then the output.
"""
import sys

import torch
from torch import nn

out, scheme = sys.argv[1:3]
seed, dim, layers, width, kv_width, hidden, vocab, head_norm, tied = map(int, sys.argv[3:])
torch.manual_seed(seed)


def matrix(rows, columns, std):
    x = torch.empty(rows, columns)
    return nn.init.normal_(x, std=0.02) if scheme == "normal" else nn.init.trunc_normal_(x, mean=0.0, std=std)


embedding = torch.empty(vocab, dim)
if scheme == "depth_scaled":
    nn.init.normal_(embedding)
elif not tied:
    nn.init.normal_(embedding, std=0.02)
weights = [embedding]
for layer in range(layers):
    depth_std = 0.02 / (2 * (layer + 1)) ** 0.5
    attention = [matrix(width, dim, 0.02), matrix(kv_width, dim, 0.02), matrix(kv_width, dim, 0.02),
                 matrix(dim, width, depth_std)]
    norms = [torch.ones(head_norm), torch.ones(head_norm)] if head_norm else []
    feed_forward = [matrix(hidden, dim, 0.02), matrix(dim, hidden, depth_std), matrix(hidden, dim, depth_std)]
    weights += attention + norms + feed_forward + [torch.ones(dim), torch.ones(dim)]
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
