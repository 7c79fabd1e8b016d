# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains Llama 3 with PyTorch's fully_shard over Gloo on the replay data of a parity trace.

    pytorch_fsdp.py REPLAY_TRACE     one rank, see pytorch_ranks.py

The mesh is parallel.dp_replicate x parallel.dp_shard. Units, reduction (a sum) and reshard_after_forward are
torchtitan's; model, data and optimizer those of pytorch_llama.py. REPLAY_TRACE comes from one process: each rank
takes its rows of it.
"""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard

import pytorch_llama
import pytorch_moe
import pytorch_ranks


def make_mesh(config):
    replicate, shard = config["parallel.dp_replicate"], config["parallel.dp_shard"]
    if replicate == 1:
        return init_device_mesh("cpu", (shard,), mesh_dim_names=("dp_shard",))
    return init_device_mesh("cpu", (replicate, shard), mesh_dim_names=("dp_replicate", "dp_shard"))


def shard(model, mesh, config, apart=frozenset()):
    """Applies fully_shard to the model; parameters that are `apart` stay unchanged."""
    policy = MixedPrecisionPolicy()
    if config.get("parallel.mixed_precision") == "bf16":
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for unit in (model.tok_embeddings, *model.layers):
        fully_shard(unit, mesh=mesh, mp_policy=policy, reshard_after_forward=True, ignored_params=set(apart))
    fully_shard([model.norm, model.output], mesh=mesh, mp_policy=policy, reshard_after_forward=False)
    fully_shard(model, mesh=mesh, mp_policy=policy, ignored_params=set(apart))
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)
            module.set_force_sum_reduction_for_comms(True)


def share_of(micro_batches, rank, size):
    """This rank's rows of an update, in the same number of micro-batches."""
    whole = [torch.cat(parts) for parts in zip(*(batch[:3] for batch in micro_batches))]
    mine = [rows.chunk(size)[rank].chunk(len(micro_batches)) for rows in whole]
    return list(zip(*mine))


def summed(number):
    dist.all_reduce(number)
    return number


def backward(model, micro_batches, valid, config):
    """Gradients of an update. Returns the losses of its micro-batches."""
    losses, passes = [], len(micro_batches) * dist.get_world_size()
    pytorch_moe.count_update(model, lambda: [model(tokens, positions) for tokens, _, positions in micro_batches], summed)
    for index, (tokens, labels, positions) in enumerate(micro_batches):
        last = index + 1 == len(micro_batches)
        model.set_requires_gradient_sync(last or config["parallel.sync"] == "each")
        logits = pytorch_llama.wide(model(tokens, positions))
        loss = nn.functional.cross_entropy(logits.flatten(0, -2), labels.flatten(),
                                           reduction="sum", ignore_index=-100) / valid
        torch.autograd.backward([loss, *pytorch_moe.take_losses(model, passes)])
        losses.append(loss.detach())
    return losses


def train_step(model, optimizer, micro_batches, config):
    """One update. Returns loss and gradient norm as numbers."""
    optimizer.zero_grad()
    valid = summed(sum((labels != -100).sum() for _, labels, *_ in micro_batches))
    losses = backward(model, micro_batches, valid, config)
    norm = nn.utils.clip_grad_norm_(model.parameters(), config["clip.max_norm"])
    pytorch_moe.end_update(model, summed)
    optimizer.step()
    return summed(torch.stack(losses).sum()).item(), norm.full_tensor().item()


def prepare(model, config):
    shard(model, make_mesh(config), config)
    optimizer = pytorch_llama.make_optimizer(model, config)
    rank, size = dist.get_rank(), dist.get_world_size()
    return optimizer, lambda batches: train_step(model, optimizer, share_of(batches, rank, size), config)


if __name__ == "__main__":
    pytorch_ranks.run(prepare)
