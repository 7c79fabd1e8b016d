# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a mixture of experts with PyTorch over Gloo: fully_shard, and some of the experts on each rank.

    pytorch_experts.py REPLAY_TRACE     one rank, see pytorch_ranks.py

parallel.ep is parallel.dp_shard, so that the experts of a rank are whole there. Tokens travel by the all-to-all of
torch.distributed; the gradient norm is torchtitan's, of experts and the rest separately; rows as in pytorch_fsdp.py.
Shapes: N rows of tokens, E experts, e = E / ranks of them here, D width.
"""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed._functional_collectives import all_to_all_single_autograd
from torch.distributed.tensor import DTensor, Shard

import pytorch_fsdp
import pytorch_llama
import pytorch_moe
import pytorch_ranks


class TravellingExperts(nn.Module):
    """Experts of which this rank has its part, for tokens of all ranks."""
    def __init__(self, whole):
        super().__init__()
        rank, ranks = dist.get_rank(), dist.get_world_size()
        self.own = pytorch_moe.Experts(1, 1, 1, whole.grouped)
        self.own.product = whole.product
        for name in ("w1", "w2", "w3"):
            setattr(self.own, name, nn.Parameter(getattr(whole, name).detach().chunk(ranks)[rank].clone()))

    def forward(self, x_ND, counts_E):
        ranks = dist.get_world_size()
        theirs_E = torch.empty_like(counts_E)
        dist.all_to_all_single(theirs_E, counts_E)
        sent, received = (c.view(ranks, -1).sum(1).tolist() for c in (counts_E, theirs_E))
        x_RD = all_to_all_single_autograd(x_ND, received, sent, dist.group.WORLD)
        runs = torch.arange(x_RD.shape[0]).split(theirs_E.tolist())  # by rank, then by expert
        e = len(runs) // ranks
        order = torch.cat([runs[r * e + i] for i in range(e) for r in range(ranks)])
        y_RD = self.own(x_RD[order], theirs_E.view(ranks, e).sum(0))
        return all_to_all_single_autograd(y_RD[order.argsort()], sent, received, dist.group.WORLD)


def norm_of(dense, experts, mesh):
    """sqrt(norm of the experts^2 + norm of the others^2)."""
    of_dense = nn.utils.get_total_norm([p.grad for p in dense]).full_tensor()
    parts = [DTensor.from_local(p.grad, mesh, [Shard(0)]) for p in experts]
    of_experts = nn.utils.get_total_norm(parts).full_tensor()
    return (of_experts ** 2 + of_dense ** 2) ** 0.5


def train_step(parts, micro_batches, config):
    """One update. Returns loss and gradient norm as numbers."""
    model, dense, experts, optimizers, mesh = parts
    for optimizer in optimizers:
        optimizer.zero_grad()
    valid = pytorch_fsdp.summed(sum((labels != -100).sum() for _, labels, *_ in micro_batches))
    losses = pytorch_fsdp.backward(model, micro_batches, valid, config)
    norm = norm_of(dense, experts, mesh)
    for some in (experts, dense):
        nn.utils.clip_grads_with_norm_(some, config["clip.max_norm"], norm)
    pytorch_moe.end_update(model, pytorch_fsdp.summed)
    optimizers[1].param_groups[0]["lr"] = optimizers[0].param_groups[0]["lr"]
    for optimizer in optimizers:
        optimizer.step()
    return pytorch_fsdp.summed(torch.stack(losses).sum()).item(), norm.item()


class Of(nn.Module):
    """Some parameters, for an optimizer that asks a model for them."""
    def __init__(self, parameters):
        super().__init__()
        self.all = nn.ParameterList(parameters)


def prepare(model, config):
    for module in model.modules():
        if isinstance(module, pytorch_moe.MoE):
            module.experts = TravellingExperts(module.experts)
    experts = [p for name, p in model.named_parameters() if ".experts.own." in name]
    mesh = pytorch_fsdp.make_mesh(config)
    pytorch_fsdp.shard(model, mesh, config, apart=set(experts))
    dense = [p for name, p in model.named_parameters() if ".experts.own." not in name]
    optimizers = [pytorch_llama.make_optimizer(Of(some), config) for some in (dense, experts)]
    rank, size = dist.get_rank(), dist.get_world_size()
    parts = (model, dense, experts, optimizers, mesh)
    return optimizers[0], lambda batches: train_step(parts, pytorch_fsdp.share_of(batches, rank, size), config)


if __name__ == "__main__":
    pytorch_ranks.run(prepare)
