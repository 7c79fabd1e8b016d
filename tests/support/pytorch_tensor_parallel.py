# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains pytorch_llama.py's model with PyTorch's own tensor parallelism over Gloo: an independent witness.

    pytorch_tensor_parallel.py REPLAY_TRACE     starts config["parallel.tp"] ranks of itself; environment as there

The plan is torchtitan's for Llama 3 (parallelize_module), with or without sequence and loss parallelism.
"""
import contextlib
import os
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel,
                                               SequenceParallel, loss_parallel, parallelize_module)

import pytorch_llama
import pytorch_schedules


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
    """Lays each gradient as its parameter lies: norms' are still a term a rank, the embedding's may be whole."""
    for p in parameters:
        if isinstance(p.grad, DTensor) and p.grad.placements != p.placements:
            p.grad = p.grad.redistribute(placements=p.placements)


def train_step(model, optimizer, micro_batches, config):
    optimizer.zero_grad()
    parameters = list(model.parameters())
    valid = sum((labels != -100).sum() for _, labels, _ in micro_batches)
    with loss_parallel() if config["parallel.loss_parallel"] else contextlib.nullcontext():
        losses = [whole(pytorch_llama.forward_backward(model, tokens, labels, positions, valid, len(micro_batches),
                                                       config))
                  for tokens, labels, positions in micro_batches]
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


def train(config, dtype, replay):
    weights, batches = pytorch_llama.read_replay(replay, dtype)
    model = pytorch_llama.Llama(weights, config, dtype)
    parallelize(model, init_device_mesh("cpu", (dist.get_world_size(),)), config)
    optimizer = make_optimizer(model, config)
    schedule = pytorch_schedules.make_schedule(optimizer, config)
    channels = {"loss": [], "grad_norm": [], "lr": []}
    timings = {"tokens_per_second": [], "step_seconds": []}
    for step in range(1, config["steps"] + 1):
        start = time.perf_counter()
        channels["lr"].append(optimizer.param_groups[0]["lr"])
        loss, norm = train_step(model, optimizer, batches[step], config)
        schedule.step()
        seconds = time.perf_counter() - start
        channels["loss"].append(loss)
        channels["grad_norm"].append(norm)
        timings["step_seconds"].append(seconds)
        timings["tokens_per_second"].append(sum(tokens.numel() for tokens, _, _ in batches[step]) / seconds)
    if dist.get_rank() == 0:
        pytorch_llama.write_trace(os.environ["PARITY_TRACE"], channels, timings)


def be_rank(config):
    dtype = getattr(torch, os.environ.get("PARITY_DTYPE") or config["dtype"])
    torch.set_default_dtype(dtype)
    torch.set_num_threads(config["threads"])
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    dist.init_process_group("gloo", init_method="file://" + os.environ["PARITY_STORE"],
                            rank=int(os.environ["RANK"]), world_size=config["parallel.tp"])
    train(config, dtype, sys.argv[1])
    dist.barrier()
    dist.destroy_process_group()


def main():
    config = pytorch_llama.read_config()
    if "RANK" in os.environ:
        return be_rank(config)
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([sys.executable, *sys.argv],
                                  env={**os.environ, "RANK": str(rank), "PARITY_STORE": folder + "/store",
                                       "GLOO_SOCKET_IFNAME": "lo"})
                 for rank in range(config["parallel.tp"])]
        sys.exit(max(abs(rank.wait()) for rank in ranks))


if __name__ == "__main__":
    main()
