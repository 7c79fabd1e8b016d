# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training in PyTorch on one device, recorded by two lines; prints what each way of recording costs a step.

Usage: train.py cpu|cuda TRACE [short]

short: without the timing.
"""
import statistics
import sys
import time

import parity
import torch

place, path = sys.argv[1:3]
torch.use_deterministic_algorithms(True)
SKETCHES = {"sketches": [{"phases": ["grad", "param", "optim"]}]}
EVERYTHING = {"sketches": [{}]}


def train(width, layers, rows, steps, **recording):
    """Seconds of each step after the second."""
    torch.manual_seed(0)
    blocks = [block for _ in range(layers) for block in (torch.nn.Linear(width, width), torch.nn.LayerNorm(width), torch.nn.GELU())]
    model = torch.nn.Sequential(*blocks).to(place)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    inputs = torch.randn(rows, width)
    batch = inputs.to(place)
    rec = parity.record(model, optimizer, **recording) if recording else None
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad()
        loss = (model(batch) - batch).square().mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if rec is not None:
            rec.step(loss=loss)
        if place == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    if rec is not None:
        rec.close()
    return times[2:]


train(64, 2, 256, 6, path=path, capture=EVERYTHING, micro_batches=1)
if place == "cuda" and "short" not in sys.argv:
    ways = {"nothing": {}, "channels": {"path": path + ".channels"}, "sketches": {"path": path + ".sketches", "capture": SKETCHES},
            "everything": {"path": path + ".everything", "capture": EVERYTHING, "micro_batches": 1}}
    for name, recording in ways.items():
        print(f"{name}: {1e3 * statistics.median(train(4096, 8, 8192, 8, **recording)):.2f} ms a step")
