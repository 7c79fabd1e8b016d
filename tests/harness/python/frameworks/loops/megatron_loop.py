# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training loop of Megatron-Core, with a small GPT, its schedule and its optimizers. They ask for CUDA by name, so this
script, and not the adapter, gives them the CPU.

Usage: megatron_loop.py OUTPUT KEY=NUMBER...     keys: tp, pp, bf16, distributed, updates, micro_batches, scale, record
OUTPUT gets the parameters of this rank at the end, the losses of the updates, and the norms that Megatron used.
"""
import contextlib
import os
import sys

for name, value in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
                    "MASTER_PORT": "0"}.items():
    os.environ.setdefault(name, value)

import torch
from torch.overrides import TorchFunctionMode


class OnCpu(TorchFunctionMode):
    """Makes tensors on the CPU that are asked for on CUDA, and calls their types those of CUDA."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = dict(options or {})
        if str(options.get("device", "")).startswith("cuda"):
            options["device"] = "cpu"
        if function is torch.Tensor.type and len(arguments) == 1:
            return function(*arguments).replace("torch.", "torch.cuda.")
        return function(*arguments, **options)


torch.cuda.current_device = lambda: "cpu"
torch.cuda.device_count = lambda: 1
torch.cuda.synchronize = lambda *_: None
OnCpu().__enter__()
torch.set_num_threads(1)
torch.distributed.init_process_group("gloo")

from megatron.core import parallel_state, tensor_parallel
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.transformer.module import Float16Module
from megatron.core.transformer.transformer_config import TransformerConfig

import parity.megatron

config = {"tp": 1, "pp": 1, "bf16": 0, "distributed": 0, "updates": 3, "micro_batches": 2, "scale": 1, "record": 1}
config |= {key: int(value) for key, value in (word.split("=") for word in sys.argv[2:])}
dtype = torch.bfloat16 if config["bf16"] else torch.float32
parallel_state.initialize_model_parallel(config["tp"], config["pp"])
tensor_parallel.get_cuda_rng_tracker().fork = lambda *_: contextlib.nullcontext()  # nothing is dropped out
torch.manual_seed(3)
gpt = TransformerConfig(
    num_layers=2, hidden_size=16, num_attention_heads=2, hidden_dropout=0, attention_dropout=0, use_cpu_initialization=True,
    tensor_model_parallel_size=config["tp"], pipeline_model_parallel_size=config["pp"], pipeline_dtype=dtype,
    params_dtype=dtype, bf16=bool(config["bf16"]), bias_dropout_fusion=False, masked_softmax_fusion=False,
    gradient_accumulation_fusion=False)
model = GPTModel(gpt, get_gpt_layer_local_spec(), vocab_size=32, max_sequence_length=8,
                 pre_process=parallel_state.is_pipeline_first_stage(), post_process=parallel_state.is_pipeline_last_stage(),
                 share_embeddings_and_output_weights=False)
model = Float16Module(gpt, model) if config["bf16"] else model
model = DistributedDataParallel(gpt, DistributedDataParallelConfig(
    grad_reduce_in_fp32=True, use_distributed_optimizer=bool(config["distributed"])), model)
optimizer = get_megatron_optimizer(OptimizerConfig(
    optimizer="adam", lr=1e-2, weight_decay=0.01, clip_grad=0.05, bf16=bool(config["bf16"]), params_dtype=dtype,
    use_distributed_optimizer=bool(config["distributed"])), [model])
gpt.finalize_model_grads_func, gpt.grad_scale_func = finalize_model_grads, optimizer.scale_loss


def forward_step(iterator, model):
    tokens = next(iterator)
    mask = torch.ones(8, 8).triu(1).bool()[None, None]
    losses = model(tokens[:, :-1], torch.arange(8).expand(2, 8), mask, labels=tokens[:, 1:])

    def mean(losses):
        loss = losses.float().mean() * config["scale"]
        return loss, {"loss": loss.detach().clone()}  # which Megatron divides in place

    return losses, mean


replica, replicas = parallel_state.get_data_parallel_rank(), parallel_state.get_data_parallel_world_size()
batches = torch.randint(0, 32, (64, 2, 9), generator=torch.Generator().manual_seed(1))[replica::replicas]
batches, losses, norms = iter(batches), [], []
rec = parity.megatron.record([model], optimizer, capture={"tensors": [{}]}) if config["record"] else None
for _ in range(config["updates"]):
    model.zero_grad_buffer()
    optimizer.zero_grad()
    seen = get_forward_backward_func()(
        forward_step_func=forward_step, data_iterator=batches, model=[model], num_microbatches=config["micro_batches"],
        seq_length=8, micro_batch_size=2, forward_only=False)
    _, norm, _ = optimizer.step()
    losses.append(sum(one["loss"].item() for one in seen) / config["micro_batches"])
    norms.append(norm)
    if rec:
        rec.step(loss=losses[-1])
if rec:
    rec.close()
torch.save(([one.detach() for one in model.parameters()], losses, norms),
           sys.argv[1] + (f".{torch.distributed.get_rank()}" if torch.distributed.get_rank() else ""))
torch.distributed.destroy_process_group()
