# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Lets torchtitan's Trainer run on CPUs and Gloo, in float32 or float64. Import it before torchtitan."""

import os

os.environ |= {"CUDA_VISIBLE_DEVICES": ""} | {name: value for name, value in {
    "RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}.items()
    if name not in os.environ}
import torch

DTYPE = os.environ.get("PARITY_DTYPE", "float32")
torch.set_num_threads(1)
for name, function in {
        "get_device_name": lambda _: "cpu", "reset_peak_memory_stats": lambda: None, "empty_cache": lambda: None,
        "memory_stats": lambda _: {}, "get_device_properties": lambda _: type("Memory", (), {"total_memory": 1 << 30})}.items():
    setattr(torch.cpu, name, function)
torch._utils._get_available_device_type = lambda: "cpu"

if DTYPE == "float64":
    from parity.recording import twin

    twin.begin()  # before the model, so that the table of RoPE is computed in float64

import torchtitan.config
import torchtitan.distributed.utils
from torch.distributed.fsdp import FSDPModule
from torch.distributed.pipelining.stage import PipelineStage

torchtitan.config.TORCH_DTYPE_MAP["float64"] = torch.float64
torchtitan.distributed.utils.set_pg_timeouts = lambda **_: None  # its barrier is for GPUs
histogram = torch.histc  # on CPUs it does not count integers
torch.histc = lambda values, **limits: histogram(values.double(), **limits).long()
PipelineStage._get_init_p2p_neighbors_ops = lambda _: []  # Gloo connects by itself; this sends a float32


def reduce_by_sums(model):
    """Lets FSDP add gradients by sums. With torchtitan's factor of 1 it asks for a kind of sum that Gloo does not have."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.set_force_sum_reduction_for_comms(True)
