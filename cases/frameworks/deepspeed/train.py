# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A small network in an engine of DeepSpeed on Gloo, or in a plain loop of one process. Two lines record it.

Usage: train.py CONFIG.json
keys: steps, stage (of ZeRO; -1: a plain loop), micro_batches, max_norm, boundary ("declared" to the engine by
gradient_accumulation_steps, or "undeclared": several backward passes before a step), offload (true: the optimizer and its
gradients are in memory of the host), fixed (names of fixes.py)
"""

import json
import os
import sys

os.environ |= {"CUDA_VISIBLE_DEVICES": "", "DS_ACCELERATOR": "cpu"}
import torch
import torch.distributed as dist

config = {"steps": 8, "stage": -1, "micro_batches": 1, "max_norm": 0.3, "boundary": "declared", "offload": False, "fixed": []}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)
torch.set_num_threads(1)
ROWS = 32  # of an update, over all ranks and micro-batches


def network():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(),
                               torch.nn.Linear(64, 4))


def micro_batches(rank=0, ranks=1):
    """For each update the micro-batches of a rank."""
    data = torch.Generator().manual_seed(1)
    for _ in range(config["steps"]):
        yield torch.randn(ROWS, 16, generator=data)[rank::ranks].to(torch.get_default_dtype()).chunk(config["micro_batches"])


def loss_of(model, rows):
    return (model(rows) - rows[:, :4].cumsum(dim=1)).square().mean()


def plain_loop():
    import parity

    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    rec = parity.record(model, optimizer, config=config)
    for pieces in micro_batches():
        loss = sum(loss_of(model, rows) for rows in pieces) / len(pieces)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
        optimizer.step()
        optimizer.zero_grad()
        rec.step(loss=loss)


def deepspeed_loop():
    import deepspeed
    import parity.deepspeed
    from fixes import FIXES

    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False  # else DeepSpeed compiles it for minutes
    deepspeed.init_distributed("gloo", verbose=False)
    rank, ranks, declared = dist.get_rank(), dist.get_world_size(), config["boundary"] == "declared"
    offload = {"offload_optimizer": {"device": "cpu"}} if config["offload"] else {}
    model = network()
    engine, *_ = deepspeed.initialize(
        model=model, optimizer=torch.optim.AdamW(model.parameters(), lr=5e-3), config={
            "train_micro_batch_size_per_gpu": ROWS // ranks // config["micro_batches"], "steps_per_print": None,
            "gradient_accumulation_steps": config["micro_batches"] if declared else 1,
            "gradient_clipping": config["max_norm"], "zero_optimization": {"stage": config["stage"]} | offload,
            "zero_allow_untested_optimizer": True, "zero_force_ds_cpu_optimizer": False})
    for name in config["fixed"]:
        FIXES[name](engine)
    rec = parity.deepspeed.record(engine, config=config)
    for pieces in micro_batches(rank, ranks):
        for rows in pieces:
            loss = loss_of(engine, rows)
            engine.backward(loss if declared else loss / len(pieces))
            if declared:
                engine.step()
                update(rec, engine, loss.detach())
        if not declared:
            engine.step()
            update(rec, engine, loss.detach())
    rec.close()
    dist.destroy_process_group()


def update(rec, engine, loss):
    """Records the mean over ranks, and with stage 3 the parameters, which no rank holds alone."""
    import deepspeed

    dist.all_reduce(loss)
    if config["stage"] == 3 and engine.was_step_applied():
        with deepspeed.zero.GatheredParameters(list(engine.module.parameters())):
            for name, parameter in engine.module.named_parameters():
                rec.tensor("param", name, parameter.detach())
    rec.step(loss=loss / dist.get_world_size())


plain_loop() if config["stage"] < 0 else deepspeed_loop()
