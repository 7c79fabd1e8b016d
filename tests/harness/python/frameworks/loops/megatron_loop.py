# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training loop of Megatron-Core on the CPU that records itself: GPTModel, its DistributedDataParallel and optimizers.

Usage: megatron_loop.py OUTPUT KEY=NUMBER...
Keys: tp, pp, bf16, fp16, dist, glu, clip, updates, micro_batches, record, doubled, scale
OUTPUT (of rank k > 0: OUTPUT.<k>) gets the losses and norms of the updates, the gradients of the first one before clipping, the final parameters,
and how many steps were skipped. Megatron-Core asks for CUDA by name only to place small tensors and to check dtypes. Below,
these calls get the CPU.
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
    """Tensors for CUDA are made on the CPU. Types are called as those of CUDA, and float64 of a twin as float32."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = dict(options or {})
        if str(options.get("device", "")).startswith("cuda"):
            options["device"] = "cpu"
        if function is torch.Tensor.type and len(arguments) == 1:
            return function(*arguments).replace("torch.", "torch.cuda.").replace("Double", "Float")
        return function(*arguments, **options)


torch.cuda.current_device = lambda: "cpu"
torch.cuda.device_count = lambda: 1
torch.cuda.synchronize = lambda *_: None
torch.set_num_threads(1)
OnCpu().__enter__()

from megatron.core import parallel_state, tensor_parallel
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.transformer.module import Float16Module
from megatron.core.transformer.transformer_config import TransformerConfig

import parity.megatron

VOCABULARY, LENGTH, BATCH = 32, 8, 2
config = {"tp": 1, "pp": 1, "bf16": 0, "fp16": 0, "dist": 0, "glu": 0, "clip": 1, "updates": 3, "micro_batches": 2,
          "record": 1, "doubled": 0, "scale": 1}
config |= {key: int(value) for key, value in (word.split("=") for word in sys.argv[2:])}
dtype = torch.bfloat16 if config["bf16"] else torch.float16 if config["fp16"] else torch.float32

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
parallel_state.initialize_model_parallel(config["tp"], config["pp"])
tensor_parallel.get_cuda_rng_tracker().fork = lambda *_: contextlib.nullcontext()  # the model has no dropout
torch.manual_seed(3)
first, last = parallel_state.is_pipeline_first_stage(), parallel_state.is_pipeline_last_stage()
settings = TransformerConfig(
    num_layers=2, hidden_size=16, num_attention_heads=2, use_cpu_initialization=True, hidden_dropout=0, attention_dropout=0,
    tensor_model_parallel_size=config["tp"], pipeline_model_parallel_size=config["pp"], bf16=bool(config["bf16"]),
    fp16=bool(config["fp16"]), params_dtype=dtype, pipeline_dtype=dtype, gated_linear_unit=bool(config["glu"]),
    activation_func=torch.nn.functional.silu if config["glu"] else torch.nn.functional.gelu,
    bias_activation_fusion=False, bias_dropout_fusion=False, masked_softmax_fusion=False, gradient_accumulation_fusion=False)
model = GPTModel(config=settings, transformer_layer_spec=get_gpt_layer_local_spec(), vocab_size=VOCABULARY,
                 max_sequence_length=LENGTH, pre_process=first, post_process=last)
plain = model
if dtype is not torch.float32:
    model = Float16Module(settings, model)
model = DistributedDataParallel(
    settings, DistributedDataParallelConfig(grad_reduce_in_fp32=True, use_distributed_optimizer=bool(config["dist"])), model)
optimizer = get_megatron_optimizer(OptimizerConfig(
    optimizer="adam", lr=1e-2, weight_decay=0.01, clip_grad=0.05 * config["clip"], bf16=settings.bf16, fp16=settings.fp16,
    initial_loss_scale=2.0**21, hysteresis=1, params_dtype=dtype, use_distributed_optimizer=bool(config["dist"])), [model])
settings.finalize_model_grads_func = finalize_model_grads
settings.no_sync_func = model.no_sync
settings.grad_scale_func = optimizer.scale_loss


def forward_step(batches, model):
    tokens = next(batches)
    positions = torch.arange(LENGTH).expand(BATCH, LENGTH)
    mask = torch.ones(LENGTH, LENGTH).triu(1).bool()[None, None]
    output = model(tokens[:, :-1], positions, mask, labels=tokens[:, 1:])

    def loss_of(output):
        loss = output.float().mean() * config["scale"]
        return loss, {"loss": loss.detach().clone()}  # which Megatron divides in place

    return output, loss_of


rec = parity.megatron.record([model], optimizer, capture={"tensors": [{}]}) \
    if config["record"] else None
replica, replicas = parallel_state.get_data_parallel_rank(), parallel_state.get_data_parallel_world_size()
batches = torch.randint(0, VOCABULARY, (64, BATCH, LENGTH + 1), generator=torch.Generator().manual_seed(1))
batches = iter(batches[replica::replicas])
losses, norms, gradients, skipped = [], [], {}, 0
while len(norms) < config["updates"]:
    model.zero_grad_buffer()
    optimizer.zero_grad()
    found = get_forward_backward_func()(
        forward_step_func=forward_step, data_iterator=batches, model=[model], num_microbatches=config["micro_batches"],
        seq_length=LENGTH, micro_batch_size=BATCH, forward_only=False)
    if config["doubled"] and rank == 1 and len(norms) == 1:
        dict(plain.named_parameters())["decoder.layers.1.mlp.linear_fc1.weight"].main_grad.mul_(2)
    if not norms:
        scale = optimizer.get_loss_scale().item()
        gradients = {name: one.main_grad / scale for name, one in plain.named_parameters()}
    done, norm, _ = optimizer.step()
    loss = sum(one["loss"] for one in found) / config["micro_batches"] if last else None
    if rec:
        rec.step(loss=loss)
    if done:
        losses.append(None if loss is None else loss.item())
        norms.append(norm)
    else:
        skipped += 1
if rec:
    rec.close()
torch.save((losses, norms, gradients, {name: one.detach() for name, one in plain.named_parameters()}, skipped),
           sys.argv[1] + (f".{rank}" if rank else ""))
torch.distributed.destroy_process_group()
