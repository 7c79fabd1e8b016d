# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The common parts of PyTorch's programs of several ranks: a process group over Gloo, and the loop over the updates.

Each rank is a process with RANK, WORLD_SIZE, PARITY_RENDEZVOUS (a fresh file), PARITY_CONFIG, PARITY_DTYPE, and on
rank 0 PARITY_TRACE; its argument is a trace of one process with initial weights and batches for replay.
"""
import os
import sys
import time

import torch
import torch.distributed as dist

import pytorch_llama
import pytorch_recipes
import pytorch_schedules


def run(prepare):
    """Trains config["steps"] updates and leaves rank 0's loss, grad_norm and lr in PARITY_TRACE. Does not return.

    prepare(model, config) puts the parallelism around the whole model. It returns the optimizer, and the update: a
    function of its micro-batches [(tokens, labels, positions, other numbers)] that returns loss and gradient norm as numbers.
    """
    config = pytorch_llama.read_config()
    dtype = getattr(torch, os.environ["PARITY_DTYPE"])
    torch.set_default_dtype(dtype)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    dist.init_process_group("gloo", init_method="file://" + os.environ["PARITY_RENDEZVOUS"],
                            rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    weights, batches = pytorch_llama.read_replay(sys.argv[1], dtype)
    model = pytorch_llama.Llama(weights, config, dtype)
    pytorch_recipes.multiply_by_recipe(model, config)
    optimizer, train_step = prepare(model, config)
    schedule = pytorch_schedules.make_schedule(optimizer, config)
    channels = {"loss": [], "grad_norm": [], "lr": []}
    timings = {"step_seconds": []}
    for step in range(1, config["steps"] + 1):
        start = time.perf_counter()
        channels["lr"].append(optimizer.param_groups[0]["lr"])
        loss, norm = train_step(batches[step])
        schedule.step()
        channels["loss"].append(loss)
        channels["grad_norm"].append(norm)
        timings["step_seconds"].append(time.perf_counter() - start)
    if dist.get_rank() == 0:
        pytorch_llama.write_trace(os.environ["PARITY_TRACE"], channels, timings)
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # Gloo's threads may end an interpreter that winds down in an orderly way
