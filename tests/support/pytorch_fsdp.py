# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains Llama 3 with PyTorch's fully_shard over Gloo on what a parity trace holds for replay.

    pytorch_fsdp.py REPLAY_TRACE     one rank; reads RANK, WORLD_SIZE, PARITY_RENDEZVOUS (a fresh file),
                                     PARITY_CONFIG, PARITY_DTYPE, and on rank 0 PARITY_TRACE

The mesh is parallel.dp_replicate x parallel.dp_shard. Units, reduction (a sum) and reshard_after_forward are
torchtitan's; model, data and optimizer those of pytorch_llama.py. REPLAY_TRACE comes from one process: each rank
takes its rows of it.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard

import pytorch_llama
import pytorch_schedules


def make_mesh(config):
    replicate, shard = config["parallel.dp_replicate"], config["parallel.dp_shard"]
    if replicate == 1:
        return init_device_mesh("cpu", (shard,), mesh_dim_names=("dp_shard",))
    return init_device_mesh("cpu", (replicate, shard), mesh_dim_names=("dp_replicate", "dp_shard"))


def shard(model, mesh, config):
    policy = MixedPrecisionPolicy()
    if config.get("parallel.mixed_precision") == "bf16":
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for unit in (model.tok_embeddings, *model.layers):
        fully_shard(unit, mesh=mesh, mp_policy=policy, reshard_after_forward=True)
    fully_shard([model.norm, model.output], mesh=mesh, mp_policy=policy, reshard_after_forward=False)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)
            module.set_force_sum_reduction_for_comms(True)


def share_of(micro_batches, rank, size):
    """This rank's rows of an update, in as many micro-batches."""
    whole = [torch.cat(parts) for parts in zip(*micro_batches)]
    mine = [rows.chunk(size)[rank].chunk(len(micro_batches)) for rows in whole]
    return list(zip(*mine))


def summed(number):
    dist.all_reduce(number)
    return number


def train_step(model, optimizer, micro_batches, config):
    """One update. Returns loss and gradient norm as numbers."""
    optimizer.zero_grad()
    valid = summed(sum((labels != -100).sum() for _, labels, _ in micro_batches))
    losses = []
    for index, (tokens, labels, positions) in enumerate(micro_batches):
        last = index + 1 == len(micro_batches)
        model.set_requires_gradient_sync(last or config["parallel.sync"] == "each")
        logits = pytorch_llama.wide(model(tokens, positions))
        loss = nn.functional.cross_entropy(logits.flatten(0, -2), labels.flatten(),
                                           reduction="sum", ignore_index=-100) / valid
        loss.backward()
        losses.append(loss.detach())
    norm = nn.utils.clip_grad_norm_(model.parameters(), config["clip.max_norm"])
    optimizer.step()
    return summed(torch.stack(losses).sum()).item(), norm.full_tensor().item()


def main():
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    config = pytorch_llama.read_config()
    dtype = getattr(torch, os.environ["PARITY_DTYPE"])
    torch.set_default_dtype(dtype)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    dist.init_process_group("gloo", init_method="file://" + os.environ["PARITY_RENDEZVOUS"], rank=rank,
                            world_size=size)
    weights, batches = pytorch_llama.read_replay(sys.argv[1], dtype)
    model = pytorch_llama.Llama(weights, config, dtype)
    shard(model, make_mesh(config), config)
    optimizer = pytorch_llama.make_optimizer(model, config)
    schedule = pytorch_schedules.make_schedule(optimizer, config)
    channels = {"loss": [], "grad_norm": [], "lr": []}
    timings = {"step_seconds": []}
    for step in range(1, config["steps"] + 1):
        start = time.perf_counter()
        channels["lr"].append(optimizer.param_groups[0]["lr"])
        loss, norm = train_step(model, optimizer, share_of(batches[step], rank, size), config)
        schedule.step()
        channels["loss"].append(loss)
        channels["grad_norm"].append(norm)
        timings["step_seconds"].append(time.perf_counter() - start)
    if rank == 0:
        pytorch_llama.write_trace(os.environ["PARITY_TRACE"], channels, timings)
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # Gloo's threads may end an interpreter that winds down in an orderly way


if __name__ == "__main__":
    main()
