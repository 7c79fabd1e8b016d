# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""torchtitan's Trainer on CPUs, by a config of parity-train.

Usage: train.py CONFIG.json [TRACE.h5]
CONFIG.json has the keys of parity-train that torchtitan has, too. TRACE.h5 is a run of parity-train, recorded with
replay = true, whose first weights and batches this run has. Without it they are made here (data.py).
The key `fixed` lists defects of torchtitan 0.2.2 that the run is without (fixes.py). With the key `version`, the run stops if
another version of torchtitan is installed.
"""

import dataclasses
import importlib.metadata
import json
import sys

import on_cpu  # before torchtitan
import data
import fixes
import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.tensor import DTensor
from torchtitan.config import JobConfig
from torchtitan.protocols import train_spec
from torchtitan.train import Trainer

import parity.titan

config = {
    "seed": 42, "architecture": {}, "moe": {"hidden": 0}, "clip": {"max_norm": 1.0}, "optimizer": {"weight_decay": 0.1},
    "data": {"micro_batches": 1, "seed": 1, "ignore_fraction": 0.0},
    "lr": {"warmup_steps": 2, "decay": "linear", "min_factor": 0.0},
    "parallel": dict.fromkeys(("dp_shard", "dp_replicate", "tp", "cp", "pp"), 1)}
with open(sys.argv[1], encoding="utf-8") as file:
    for key, value in json.load(file).items():
        config[key] = config.get(key, {}) | value if isinstance(value, dict) else value


WIDTHS = {"dim": "dim", "n_layers": "n_layers", "n_heads": "n_heads", "n_kv_heads": "n_kv_heads", "vocab_size": "vocab_size",
          "norm_eps": "norm_eps", "ffn_hidden": "inter_dim", "kv_lora_rank": "kv_lora_rank", "v_head_dim": "v_head_dim",
          "qk_nope_head_dim": "qk_nope_head_dim", "qk_rope_head_dim": "qk_rope_head_dim"}


def spec(name, flavor):
    """torchtitan's description of the model, with the widths of the config."""
    theirs = train_spec.get_train_spec(name)
    model = theirs.model_args[flavor + "model"]
    widths = {WIDTHS[key]: value for key, value in config["architecture"].items() if value and key in WIDTHS}
    if config["moe"]["hidden"]:
        widths["moe_inter_dim"] = config["moe"]["hidden"]
    model = dataclasses.replace(model, **{key: value for key, value in widths.items() if hasattr(model, key)})
    return dataclasses.replace(theirs, model_args={flavor: model}, build_dataloader_fn=batches, build_tokenizer_fn=None,
                               build_validator_fn=None, state_dict_adapter=None)


def batches(dp_world_size, dp_rank, **_):
    """This rank's rows of each micro-batch."""
    return [({"input": tokens.chunk(dp_world_size)[dp_rank]}, labels.chunk(dp_world_size)[dp_rank])
            for update in updates for tokens, labels in update]


def job(name, flavor):
    """torchtitan's config."""
    made, rows, rates, parallel = JobConfig(), config["data"], config["lr"], config["parallel"]
    made.model.name, made.model.flavor = name, flavor
    made.training.steps, made.training.seq_len, made.training.max_norm = config["steps"], rows["seq_len"], config["clip"]["max_norm"]
    made.training.global_batch_size = rows["global_batch"]
    made.training.local_batch_size = rows["global_batch"] // rows["micro_batches"] // (
        parallel["dp_shard"] * parallel["dp_replicate"])
    made.training.dtype = made.training.mixed_precision_param = made.training.mixed_precision_reduce = on_cpu.DTYPE
    made.optimizer.lr, made.optimizer.weight_decay = rates["base"], config["optimizer"]["weight_decay"]
    made.lr_scheduler.warmup_steps, made.lr_scheduler.decay_type = rates["warmup_steps"], rates["decay"]
    made.lr_scheduler.min_lr_factor = rates["min_factor"]
    made.parallelism.data_parallel_shard_degree = parallel["dp_shard"]
    made.parallelism.data_parallel_replicate_degree = parallel["dp_replicate"]
    made.parallelism.tensor_parallel_degree = parallel["tp"]
    made.parallelism.context_parallel_degree = parallel["cp"]
    made.parallelism.pipeline_parallel_degree = parallel["pp"]
    made.activation_checkpoint.mode, made.metrics.log_freq, made.debug.seed = "none", 1, config["seed"]
    return made


class WholeLoss(Trainer):
    """Returns the loss of all ranks from each micro-batch, so that the recorder gets what torchtitan logs."""

    def forward_backward_step(self, *arguments, **given):
        if isinstance(self.loss_fn, fixes.Divided):
            self.loss_fn.labels = given["global_valid_tokens"]
        loss = super().forward_backward_step(*arguments, **given)
        loss = (loss.full_tensor() if isinstance(loss, DTensor) else loss).detach().reshape(())
        if self.parallel_dims.pp_enabled and not self.pp_has_last_stage:
            loss = torch.zeros_like(loss)
        if isinstance(self.loss_fn, fixes.Divided):
            loss = loss * self.loss_fn.labels  # torchtitan divides what it logs
        dist.all_reduce(loss)
        return loss / self.parallel_dims.tp


def prepare(trainer):
    """Replaces the weights that torchtitan drew, on each rank by its part of the first weights."""
    for part in trainer.model_parts:
        own = {name: weights[name].detach().to(value.dtype) for name, value in part.named_parameters()}
        set_model_state_dict(part, own, options=StateDictOptions(full_state_dict=True, strict=False))
        on_cpu.reduce_by_sums(part)


if (found := importlib.metadata.version("torchtitan")) != (wanted := config.get("version", found)):
    sys.exit(f"found torchtitan {found} in place of {wanted}; run: sh cases/frameworks/known/make.sh")
kind = config["model"].split(".")
described = fixes.applied(spec(*kind), config.get("fixed", []))
train_spec.register_train_spec(kind[0], described)
widths = described.model_args[kind[1]]
widths.update_from_config(job(*kind))
weights, updates = data.replayed(sys.argv[2]) if len(sys.argv) > 2 else data.made(config, lambda: described.model_cls(widths))
trainer = parity.titan.recorded(WholeLoss, config=config)(job(*kind))
prepare(trainer)
trainer.train()
trainer.close()
dist.destroy_process_group()
