# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A small network under DistributedDataParallel, FSDP2 or neither, on Gloo. Two lines record it.

Usage: train.py CONFIG.json
keys: steps, wrapper ("none", "ddp", "fsdp"), micro_batches, synchronise ("last", or "never" for the missing all-reduce),
scale (of each micro-batch's loss, beyond 1 / micro_batches), max_norm
"""

import contextlib
import json
import os
import sys

os.environ |= {"CUDA_VISIBLE_DEVICES": ""}
import parity
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

config = {"steps": 8, "wrapper": "none", "micro_batches": 1, "synchronise": "last", "scale": 1.0, "max_norm": 0.3}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)
torch.set_num_threads(1)
ROWS = 32  # of an update, over all ranks and micro-batches

rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
if ranks > 1:
    dist.init_process_group("gloo")

torch.manual_seed(3)
network = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(),
                              torch.nn.Linear(64, 4))
model = network
if config["wrapper"] == "ddp":
    model = DistributedDataParallel(network)
elif config["wrapper"] == "fsdp":
    for layer in network:
        if isinstance(layer, torch.nn.Linear):
            fully_shard(layer)
    fully_shard(network)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
rec = parity.record(model, optimizer, config=config)


def without_sync(last):
    """Whether this micro-batch leaves its gradients on their rank."""
    quiet = config["synchronise"] == "never" or not last
    if config["wrapper"] == "fsdp":
        network.set_requires_gradient_sync(not quiet)
    return model.no_sync() if config["wrapper"] == "ddp" and quiet else contextlib.nullcontext()


data = torch.Generator().manual_seed(1)
for _ in range(config["steps"]):
    rows = torch.randn(ROWS, 16, generator=data)[rank::ranks].to(torch.get_default_dtype())
    pieces = rows.chunk(config["micro_batches"])
    total = 0.0
    for number, piece in enumerate(pieces):
        with without_sync(number + 1 == len(pieces)):
            loss = (model(piece) - piece[:, :4].cumsum(dim=1)).square().mean() / len(pieces)
            (loss * config["scale"]).backward()
        total += loss.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
    optimizer.step()
    optimizer.zero_grad()
    if ranks > 1:
        dist.all_reduce(total)
        total /= ranks
    rec.step(loss=total)
rec.close()
if ranks > 1:
    dist.destroy_process_group()
