# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training loop of DeepSpeed on the CPU that records itself: ZeRO, accumulation, clipping and a schedule.

Usage: deepspeed_loop.py OUTPUT KEY=NUMBER...     keys: stage, updates, micro_batches, warmup, divided, record, adapter
OUTPUT gets the final parameters, the losses of the updates, and the norms that DeepSpeed used.
"""
import os
import sys

for name, value in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0",
                    "DS_ACCELERATOR": "cpu"}.items():
    os.environ.setdefault(name, value)

import deepspeed
import torch

import parity.deepspeed

config = {"stage": 1, "updates": 4, "micro_batches": 2, "warmup": 2, "divided": 1, "record": 1, "adapter": 1}
config |= {key: int(value) for key, value in (word.split("=") for word in sys.argv[2:])}

torch.set_num_threads(1)
deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False  # else DeepSpeed compiles it for minutes
deepspeed.init_distributed("gloo", verbose=False)
rank, ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
groups = [{"params": list(model[0].parameters())}, {"params": list(model[2].parameters()), "lr": 2e-2}]
optimizer = torch.optim.AdamW(groups, lr=1e-2)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: min(1.0, (done + 1) / config["warmup"]))
engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, lr_scheduler=warmup, config={
    "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": config["micro_batches"],
    "gradient_clipping": 0.05, "zero_optimization": {"stage": config["stage"]}, "steps_per_print": None,
    "zero_allow_untested_optimizer": True, "zero_force_ds_cpu_optimizer": False})
record = parity.deepspeed.record if config["adapter"] else lambda engine, **options: parity.record(engine.module, **options)
rec = record(engine, capture={"tensors": [{}]}) if config["record"] else None

batches = torch.randn(64, 4, 8, generator=torch.Generator().manual_seed(1))[rank::ranks]
losses, norms, total = [], [], 0.0
for batch in batches[:config["updates"] * config["micro_batches"]]:
    loss = (engine(batch) - batch[:, :4]).square().mean()
    engine.backward(loss * (1 if config["divided"] else config["micro_batches"]))
    engine.step()
    total += loss.detach() / config["micro_batches"]
    if rec:
        rec.step(loss=loss)
    if engine.was_step_applied():
        losses.append(total.item())
        total = 0.0
        norm = engine.get_global_grad_norm()
        norms.append(None if norm is None else float(norm))
if rec:
    rec.close()
if rank == 0:
    torch.save(([one.detach() for one in engine.module.parameters()], losses, norms), sys.argv[1])
torch.distributed.destroy_process_group()
