# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A Trainer of torchtitan on the CPU, which it does not support by itself, with a small Llama and made-up tokens.

Usage: titan_loop.py OUTPUT KEY=NUMBER...     keys: steps, micro_batches, warmup, divided, record
OUTPUT gets the final parameters, and losses, rates and norms as torchtitan's metrics processor got them.
"""
import dataclasses
import os
import sys

import torch

CPU = {"get_device_name": lambda _: "cpu", "reset_peak_memory_stats": lambda: None, "empty_cache": lambda: None,
       "memory_stats": lambda _: {}, "get_device_properties": lambda _: type("Memory", (), {"total_memory": 1 << 30})}
for name, function in CPU.items():
    setattr(torch.cpu, name, function)
torch._utils._get_available_device_type = lambda: "cpu"
for name, value in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
                    "MASTER_PORT": "0"}.items():
    os.environ.setdefault(name, value)

import torchtitan.distributed.utils
from torchtitan.components import metrics
from torchtitan.config import JobConfig
from torchtitan.models import llama3
from torchtitan.protocols import train_spec
from torchtitan.train import Trainer

import parity.titan

config = {"steps": 4, "micro_batches": 2, "warmup": 2, "divided": 1, "record": 1}
config |= {key: int(value) for key, value in (word.split("=") for word in sys.argv[2:])}
torchtitan.distributed.utils.set_pg_timeouts = lambda **_: None  # its barrier is for GPUs
torch.set_num_threads(1)


def batches(**_):
    """Batches of two rows with eight tokens."""
    generator = torch.Generator().manual_seed(1)
    return [({"input": rows[:, :-1]}, rows[:, 1:])
            for rows in torch.randint(0, 64, (config["steps"] * config["micro_batches"], 2, 9), generator=generator)]


class Metrics(metrics.MetricsProcessor):
    """Keeps what the Trainer logs."""

    seen: list = []

    def log(self, step, global_avg_loss, global_max_loss, grad_norm, extra_metrics=None):
        Metrics.seen.append((float(global_avg_loss), extra_metrics["lr"], grad_norm))


class Summed(Trainer):
    """Does not divide the gradients by the number of micro-batches."""

    def forward_backward_step(self, *, global_valid_tokens, **given):
        tokens = global_valid_tokens if config["divided"] else global_valid_tokens / config["micro_batches"]
        return super().forward_backward_step(global_valid_tokens=tokens, **given)


llama = llama3.get_train_spec()
small = llama3.TransformerModelArgs(dim=16, n_layers=2, n_heads=2, vocab_size=64, rope_theta=10000)
train_spec.register_train_spec("small", dataclasses.replace(
    llama, model_args={"small": small}, build_dataloader_fn=batches, build_tokenizer_fn=None,
    build_validator_fn=None, build_metrics_processor_fn=lambda job, dims, _: Metrics(job, dims)))

job = JobConfig()
job.model.name = job.model.flavor = "small"
job.training.steps, job.training.seq_len, job.training.max_norm = config["steps"], 8, 0.05
job.training.local_batch_size, job.training.global_batch_size = 2, 2 * config["micro_batches"]
job.optimizer.lr, job.lr_scheduler.warmup_steps, job.metrics.log_freq = 1e-2, config["warmup"], 1
job.debug.seed = 3
job.activation_checkpoint.mode = "none"

trainer = (parity.titan.recorded(Summed, capture={"tensors": [{}]}) if config["record"] else Summed)(job)
trainer.train()
trainer.close()
torch.save((dict(trainer.model_parts[0].named_parameters()), Metrics.seen), sys.argv[1])
torch.distributed.destroy_process_group()
