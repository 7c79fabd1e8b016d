# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices drawn one after another by PyTorch's own nn.init, as raw float32.

    pytorch_draws.py OUT SEED DRAW...     DRAW: normal:ROWSxCOLUMNS:STD, trunc:ROWSxCOLUMNS:STD or cut:... (at 3 STD)
"""
import sys

import torch
from torch import nn

out, seed, *draws = sys.argv[1:]
torch.manual_seed(int(seed))
with open(out, "wb") as file:
    for kind, shape, std in (draw.split(":") for draw in draws):
        x, std = torch.empty(*map(int, shape.split("x"))), float(std)
        if kind == "normal":
            nn.init.normal_(x, std=std)
        elif kind == "cut":
            nn.init.trunc_normal_(x, std=std, a=-3 * std, b=3 * std)
        else:
            nn.init.trunc_normal_(x, std=std)
        file.write(x.numpy().tobytes())
