# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A loop in PyTorch: a small network, AdamW, warmup, clipping.    Usage: torch_loop.py CONFIG.json

keys: steps, warmup, base_lr, beta2, eps, max_norm, weight_decay (default: PyTorch's), first (1: warmup counts from 1)
"""

import parity
import torch
from shared import batches, config, first_weights

torch.set_num_threads(1)
weights = {name: torch.nn.Parameter(torch.from_numpy(values)) for name, values in first_weights().items()}


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for name, values in weights.items():
            self.register_parameter(name.replace(".", "_"), values)

    def forward(self, inputs):
        hidden = torch.tanh(inputs @ weights["0.weight"] + weights["0.bias"])
        return hidden @ weights["1.weight"] + weights["1.bias"]


model = Network()
given = {"weight_decay": config["weight_decay"]} if "weight_decay" in config else {}
optimizer = torch.optim.AdamW(model.parameters(), lr=config["base_lr"], betas=(0.9, config["beta2"]), eps=config["eps"], **given)
schedule = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda done: min(1.0, (done + config["first"]) / config["warmup"]))
rec = parity.record(model, optimizer, config=config)
for inputs, targets in batches():
    loss = (model(torch.from_numpy(inputs)) - torch.from_numpy(targets)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
    optimizer.step()
    rec.step(loss=loss)
    schedule.step()
