# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains pytorch_llama.py's model with PyTorch's own tensor parallelism over Gloo: an independent witness.

    pytorch_tensor_parallel.py REPLAY_TRACE     one rank, see pytorch_ranks.py

The plan is torchtitan's for Llama 3 (parallelize_module), with or without sequence and loss parallelism.
"""
import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel,
                                               SequenceParallel, loss_parallel, parallelize_module)

import pytorch_llama
import pytorch_ranks


def parallelize(model, mesh, config):
    sequence = config["parallel.sequence_parallel"]
    residual = Shard(1) if sequence else Replicate()
    logits = dict(output_layouts=Shard(-1), use_local_output=False) if config["parallel.loss_parallel"] else \
        dict(output_layouts=Replicate())
    top = {"tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=residual),
           "output": ColwiseParallel(input_layouts=residual, **logits)}
    block = {"attention": PrepareModuleInput(input_layouts=(residual, None, None),
                                             desired_input_layouts=(Replicate(), None, None)),
             "attention.wq": ColwiseParallel(), "attention.wk": ColwiseParallel(), "attention.wv": ColwiseParallel(),
             "attention.wo": RowwiseParallel(output_layouts=residual),
             "feed_forward": PrepareModuleInput(input_layouts=(residual,), desired_input_layouts=(Replicate(),)),
             "feed_forward.w1": ColwiseParallel(), "feed_forward.w3": ColwiseParallel(),
             "feed_forward.w2": RowwiseParallel(output_layouts=residual)}
    if sequence:
        top["norm"] = SequenceParallel()
        block.update({"attention_norm": SequenceParallel(), "ffn_norm": SequenceParallel()})
    parallelize_module(model, mesh, top)
    for layer in model.layers:
        parallelize_module(layer, mesh, block)


def whole(x):
    return x.full_tensor() if isinstance(x, DTensor) else x


def clip(parameters, max_norm):
    """clip_grad_norm_ where some parameters are DTensors and some are not. Returns the norm before."""
    norm = torch.linalg.vector_norm(torch.stack([whole(torch.linalg.vector_norm(p.grad)) for p in parameters]))
    factor = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    for p in parameters:
        local = p.grad.to_local() if isinstance(p.grad, DTensor) else p.grad
        local.mul_(factor)
    return norm


def place_gradients(parameters):
    """Gives each gradient its parameter's placement: norms' stay one term per rank, the embedding's may be whole."""
    for p in parameters:
        if isinstance(p.grad, DTensor) and p.grad.placements != p.placements:
            p.grad = p.grad.redistribute(placements=p.placements)


def train_step(model, optimizer, micro_batches, config):
    optimizer.zero_grad()
    parameters = list(model.parameters())
    valid = sum((labels != -100).sum() for _, labels, *_ in micro_batches)
    with loss_parallel() if config["parallel.loss_parallel"] else contextlib.nullcontext():
        losses = [whole(pytorch_llama.forward_backward(model, tokens, labels, positions, valid, len(micro_batches),
                                                       config)[0])
                  for tokens, labels, positions, *_ in micro_batches]
    place_gradients(parameters)
    norm = clip(parameters, config["clip.max_norm"])
    optimizer.step()
    return torch.stack(losses).sum().item(), norm.item()


def make_optimizer(model, config):
    """One group of DTensors and one of others, which a fused kernel does not take together."""
    optimizer = pytorch_llama.make_optimizer(model, config)
    group, = optimizer.param_groups
    parameters = group["params"]
    group["params"] = [p for p in parameters if isinstance(p, DTensor)]
    others = [p for p in parameters if not isinstance(p, DTensor)]
    if others:
        optimizer.add_param_group({**group, "params": others})
    return optimizer


def prepare(model, config):
    parallelize(model, init_device_mesh("cpu", (dist.get_world_size(),)), config)
    optimizer = make_optimizer(model, config)
    return optimizer, lambda batches: train_step(model, optimizer, batches, config)


if __name__ == "__main__":
    pytorch_ranks.run(prepare)
