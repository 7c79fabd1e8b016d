# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Initial weights of a Llama 3 by PyTorch's own nn.init, as raw float32 in model order.

Usage: pytorch_init.py OUT SEED DIM LAYERS KV_WIDTH HIDDEN VOCAB
Draws in torchtitan's order: embedding, then each layer's wq wk wv wo w1 w2 w3, then the output.
"""
import sys

import torch
from torch import nn

out, (seed, dim, layers, kv_width, hidden, vocab) = sys.argv[1], map(int, sys.argv[2:])
torch.manual_seed(seed)
weights = [nn.init.normal_(torch.empty(vocab, dim))]
for layer in range(layers):
    depth_std = 0.02 / (2 * (layer + 1)) ** 0.5
    shapes = [(dim, dim, 0.02), (kv_width, dim, 0.02), (kv_width, dim, 0.02), (dim, dim, depth_std),
              (hidden, dim, 0.02), (dim, hidden, depth_std), (hidden, dim, depth_std)]
    weights += [nn.init.trunc_normal_(torch.empty(rows, columns), mean=0.0, std=std)
                for rows, columns, std in shapes]
    weights += [torch.ones(dim), torch.ones(dim)]
std = dim ** -0.5
weights += [torch.ones(dim), nn.init.trunc_normal_(torch.empty(vocab, dim), mean=0.0, std=std,
                                                   a=-3 * std, b=3 * std)]
with open(out, "wb") as file:
    for weight in weights:
        file.write(weight.numpy().tobytes())
