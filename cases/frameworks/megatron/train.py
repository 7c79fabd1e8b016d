# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""GPTModel, DistributedDataParallel and an optimizer of Megatron-Core, on CPUs and Gloo. Two lines record them.

Usage: train.py CONFIG.json
keys: steps, tp, pp, sp (sequence parallelism over the ranks of tp), distributed (optimizer), micro_batches (of a rank),
marked (whether the norms say that they see a part of the sequence), scaled (gradients are scaled by the optimizer),
sinks (attention has a learned sink for each head), fixed (true: sinks say that each rank of tp has its own heads),
scale (of the first weights)
Megatron-Core asks for CUDA by name only to place small tensors and to check dtypes. Below, these calls get the CPU.
"""

import contextlib
import json
import os
import sys
import zlib

for name, value in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}.items():
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

import parity.megatron
from megatron.core import parallel_state, tensor_parallel
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.transformer.transformer_block import TransformerBlockSubmodules
from megatron.core.transformer.transformer_config import TransformerConfig

VOCABULARY, LENGTH, BATCH, LAYERS = 32, 8, 2, 2
config = {"steps": 6, "tp": 1, "pp": 1, "sp": False, "distributed": False, "micro_batches": 4, "marked": True, "scaled": True,
          "sinks": False, "fixed": False, "scale": 0.1}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)

torch.distributed.init_process_group("gloo")
parallel_state.initialize_model_parallel(config["tp"], config["pp"])
tensor_parallel.get_cuda_rng_tracker().fork = lambda *_: contextlib.nullcontext()  # the model has no dropout
first, last = parallel_state.is_pipeline_first_stage(), parallel_state.is_pipeline_last_stage()


class Norm(torch.nn.LayerNorm):
    """A layer norm that knows sequence parallelism, which that of Megatron-Core refuses without Apex."""

    def __init__(self, config, hidden_size, eps=1e-5, **_):
        super().__init__(hidden_size, eps)
        for parameter in self.parameters():
            parameter.sequence_parallel = config.sequence_parallel and MARKED


MARKED = config["marked"]
settings = TransformerConfig(
    num_layers=LAYERS, hidden_size=16, num_attention_heads=2, use_cpu_initialization=True, hidden_dropout=0,
    attention_dropout=0, tensor_model_parallel_size=config["tp"], pipeline_model_parallel_size=config["pp"],
    sequence_parallel=config["sp"], add_bias_linear=False, params_dtype=torch.float32, pipeline_dtype=torch.get_default_dtype(),
    bias_activation_fusion=False, bias_dropout_fusion=False, masked_softmax_fusion=False, gradient_accumulation_fusion=False,
    softmax_type="learnable" if config["sinks"] else "vanilla")
layer = get_gpt_layer_local_spec()
layer.submodules.input_layernorm = layer.submodules.pre_mlp_layernorm = Norm
block = TransformerBlockSubmodules(layer_specs=[layer] * (LAYERS // config["pp"]), layer_norm=Norm)
plain = GPTModel(config=settings, transformer_layer_spec=block, vocab_size=VOCABULARY, max_sequence_length=LENGTH,
                 pre_process=first, post_process=last)


sinks = [parameter for name, parameter in plain.named_parameters() if name.endswith("softmax_offset")]


def draw_weights():
    """Gives each parameter the values of its name in the whole model, on whichever rank it is."""
    before = parallel_state.get_pipeline_model_parallel_rank() * (LAYERS // config["pp"])
    for name, parameter in plain.named_parameters():
        words = name.split(".")
        if words[:2] == ["decoder", "layers"]:
            words[2] = str(before + int(words[2]))
        cut = parameter.partition_dim if getattr(parameter, "tensor_model_parallel", False) else None
        cut = 0 if any(parameter is sink for sink in sinks) else cut
        shape = [size * (config["tp"] if dim == cut else 1) for dim, size in enumerate(parameter.shape)]
        random = torch.Generator().manual_seed(zlib.crc32(".".join(words).encode()))
        drawn = torch.randn(shape, generator=random) * config["scale"] + ("layernorm.weight" in name)
        whole = drawn if cut is None else drawn.chunk(config["tp"], cut)[parallel_state.get_tensor_model_parallel_rank()]
        parameter.data.copy_(whole)


draw_weights()
for sink in sinks if config["fixed"] else []:  # Megatron-LM issue 7452, finding 8
    tensor_parallel.set_tensor_model_parallel_attributes(sink, True, 0, 1)
model = DistributedDataParallel(settings, DistributedDataParallelConfig(
    grad_reduce_in_fp32=True, use_distributed_optimizer=config["distributed"]), plain)
optimizer = get_megatron_optimizer(OptimizerConfig(
    optimizer="adam", lr=1e-2, weight_decay=0.01, clip_grad=0.5, params_dtype=torch.float32,
    use_distributed_optimizer=config["distributed"]), [model])
settings.finalize_model_grads_func = finalize_model_grads
settings.no_sync_func = model.no_sync
settings.grad_scale_func = optimizer.scale_loss if config["scaled"] else None


def forward_step(batches, model):
    tokens = next(batches)
    positions = torch.arange(LENGTH).expand(BATCH, LENGTH)
    mask = torch.ones(LENGTH, LENGTH).triu(1).bool()[None, None]
    output = model(tokens[:, :-1], positions, mask, labels=tokens[:, 1:])

    def loss_of(output):
        loss = output.float().mean()
        return loss, {"loss": loss.detach().clone()}  # which Megatron divides in place

    return output, loss_of


rec = parity.megatron.record([model], optimizer, config=config)
replica, replicas = parallel_state.get_data_parallel_rank(), parallel_state.get_data_parallel_world_size()
starts = torch.randint(0, VOCABULARY, (256, BATCH, 1), generator=torch.Generator().manual_seed(1))
batches = iter(((starts + torch.arange(LENGTH + 1)) % VOCABULARY)[replica::replicas])
for _ in range(config["steps"]):
    model.zero_grad_buffer()
    optimizer.zero_grad()
    found = get_forward_backward_func()(
        forward_step_func=forward_step, data_iterator=batches, model=[model], num_microbatches=config["micro_batches"],
        seq_length=LENGTH, micro_batch_size=BATCH, forward_only=False)
    optimizer.step()
    loss = sum(one["loss"] for one in found) / config["micro_batches"] if last else None
    if loss is not None:
        torch.distributed.all_reduce(loss, group=parallel_state.get_data_parallel_group())
        loss /= replicas
    rec.step(loss=loss)
rec.close()
torch.distributed.destroy_process_group()
