# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A loop in the style of torchtune: a LambdaLR, and gradients that are divided by the labels of the whole update.

Usage: tune.py CONFIG.json
keys: steps, micro_batches, labels ("equal", "unequal"), warmup
"""

import math

from shared import batches, config, decoder, optimizer_of

import parity
import torch
from torch.nn import functional

WARMUP = config["warmup"]


def factor(done):
    if done < WARMUP:
        return done / WARMUP
    return 0.5 * (1.0 + math.cos(math.pi * (done - WARMUP) / (config["steps"] - WARMUP)))


model = decoder()
optimizer = optimizer_of(model)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
rec = parity.record(model, optimizer, config=config)
for pieces in batches():
    total, labels_seen = 0.0, 0
    for tokens, labels in pieces:
        count = (labels != -100).sum()
        loss = functional.cross_entropy(model(tokens).flatten(0, 1), labels.flatten(), ignore_index=-100) * count
        loss.backward()
        total += loss.detach()
        labels_seen += count
    for parameter in model.parameters():
        parameter.grad /= labels_seen
    torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
    optimizer.step()
    optimizer.zero_grad()
    schedule.step()
    rec.step(loss=total / labels_seen)
