# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""An ordinary training script in PyTorch that two lines record: a small network, AdamW, a warm-up, and clipping.

Usage: train.py [CONFIG.json]     keys: steps, warmup, max_norm
"""

import json
import sys

import parity
import torch

config = {"steps": 8, "warmup": 4, "max_norm": 0.3}
if len(sys.argv) > 1:
    with open(sys.argv[1], encoding="utf-8") as file:
        config |= json.load(file)

torch.manual_seed(7)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: min(1.0, (done + 1) / config["warmup"]))
rec = parity.record(model, optimizer, config=config)

for _ in range(config["steps"]):
    inputs = torch.randn(256, 8)
    loss = (model(inputs) - inputs[:, :4]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
    optimizer.step()
    warmup.step()
    rec.step(loss=loss, examples=len(inputs))
