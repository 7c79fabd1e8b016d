# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training loop of accelerate that records itself: accumulation, clipping and a schedule.

Usage: accelerate_loop.py OUTPUT KEY=NUMBER...     keys: updates, micro_batches, warmup, max_norm, record
OUTPUT gets the final parameters, the losses of the updates, and the norms that accelerate used.
"""
import sys

import accelerate
import torch

import parity.accelerate

config = {"updates": 5, "micro_batches": 2, "warmup": 2, "max_norm": 0.05, "divided": 1, "record": 1}
config |= {key: float(value) if "." in value else int(value) for key, value in (word.split("=") for word in sys.argv[2:])}

torch.set_num_threads(1)
tracker = parity.accelerate.Tracker(capture={"tensors": [{}]})
accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=config["micro_batches"], log_with=tracker)
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: min(1.0, (done + 1) / config["warmup"]))
inputs = torch.randn(256, 8, generator=torch.Generator().manual_seed(1))
loader = torch.utils.data.DataLoader(inputs, batch_size=4)
model, optimizer, loader, warmup = accelerator.prepare(model, optimizer, loader, warmup)
accelerator.init_trackers("run", config=config)
if config["record"]:
    tracker.watch(model, optimizer)

losses, norms, total = [], [], 0.0
for batch in loader:
    with accelerator.accumulate(model):
        loss = (model(batch) - batch[:, :4]).square().mean()
        accelerator.backward(loss * (1 if config["divided"] else config["micro_batches"]))
        total += loss.detach() / config["micro_batches"]
        if accelerator.sync_gradients:
            norms.append(accelerator.clip_grad_norm_(model.parameters(), config["max_norm"]).item())
        optimizer.step()
        warmup.step()
        optimizer.zero_grad()
    values = {"loss": total, "note": "text is no channel"}
    (accelerator if accelerator.num_processes == 1 else tracker).log(values, step=len(norms))
    if accelerator.sync_gradients:
        losses.append(total.item())
        total = 0.0
    if len(losses) == config["updates"]:
        break
if accelerator.is_main_process:
    torch.save((list(accelerator.unwrap_model(model).parameters()), losses, norms), sys.argv[1])
accelerator.end_training()
