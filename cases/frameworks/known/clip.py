# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A table of many rows, trained with clipping.    Usage: clip.py CONFIG.json

keys: steps, norm ("clip_grad_norm_": PyTorch's own; "rows": norms of rows, then their norm; "float64": summed in float64)
"""

import json
import sys

import parity
import torch

with open(sys.argv[1], encoding="utf-8") as file:
    config = json.load(file)
torch.set_num_threads(1)
torch.manual_seed(1)
model = torch.nn.Embedding(32768, 64)
target = torch.randn(32768, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=2e4)
rec = parity.record(model, optimizer, config=config)
target = target.to(torch.get_default_dtype())
for _ in range(config["steps"]):
    optimizer.zero_grad()
    loss = (model.weight - target).square().mean()
    loss.backward()
    gradient = model.weight.grad
    if config["norm"] == "clip_grad_norm_":
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
    else:
        norm = gradient.norm(dim=1).norm() if config["norm"] == "rows" else gradient.double().norm().to(gradient.dtype)
        torch.nn.utils.clip_grads_with_norm_(model.parameters(), 1e-3, norm)
    optimizer.step()
    rec.step(loss=loss, norm=norm)
