# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A loop in the style of nanoGPT: the rate is computed for each iteration, and each micro-batch's mean is divided.

Usage: nano.py CONFIG.json
keys: steps, micro_batches, labels ("equal", "unequal"), warmup, index of the first update's rate ("zero": it / warmup,
"one": (it + 1) / warmup, "spread": (it + 1) / (warmup + 1))
"""

import math

from shared import VOCABULARY, batches, config, decoder, optimizer_of

import parity
import torch
from torch.nn import functional

WARMUP = config["warmup"]


def rate(iteration):
    """Linear warmup, then half a cosine to 0."""
    if iteration < WARMUP:
        done, whole = {"zero": (iteration, WARMUP), "one": (iteration + 1, WARMUP), "spread": (iteration + 1, WARMUP + 1)}[
            config["index"]]
        return config["base_lr"] * done / whole
    progress = (iteration - WARMUP) / (config["steps"] - WARMUP)
    return config["base_lr"] * 0.5 * (1.0 + math.cos(math.pi * progress))


model = decoder()
optimizer = optimizer_of(model)
rec = parity.record(model, optimizer, config=config)
for iteration, pieces in enumerate(batches()):
    for group in optimizer.param_groups:
        group["lr"] = rate(iteration)
    total = 0.0
    for tokens, labels in pieces:
        loss = functional.cross_entropy(model(tokens).view(-1, VOCABULARY), labels.reshape(-1), ignore_index=-100)
        loss = loss / len(pieces)
        loss.backward()
        total += loss.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    rec.step(loss=total)
