# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The distributed recipe of torchtune with a small Llama, on rows of its own.    Usage: tune.py CONFIG.json RUN_DIR

keys: steps, micro_batches, fixed (true: without the defect of torchtune up to 0.5)
"""

import importlib.util
import json
import os
import pathlib
import sys

os.environ |= {"CUDA_VISIBLE_DEVICES": ""}
import omegaconf
import parity
import torch
import torch.distributed as dist
import torchtune
from torchtune import training

with open(sys.argv[1], encoding="utf-8") as file:
    config = {"micro_batches": 1, "fixed": False} | json.load(file)
torch.set_num_threads(1)
VOCABULARY, LENGTH, ROWS, IGNORED = 64, 16, 8, -100  # rows of an update, over all ranks and micro-batches

place = importlib.util.spec_from_file_location(
    "recipe", pathlib.Path(torchtune.__file__).parents[1] / "recipes/full_finetune_distributed.py")
recipe = importlib.util.module_from_spec(place)
place.loader.exec_module(recipe)


class Recipe(recipe.FullFinetuneRecipeDistributed):
    """Gets its first weights and its rows from here, and saves nothing."""

    def load_checkpoint(self, cfg_checkpointer):
        torch.manual_seed(3)
        return {training.MODEL_KEY: torchtune.config.instantiate(cfg_checkpointer).state_dict()}

    def _setup_data(self, batch_size, **_):
        data = torch.Generator().manual_seed(1)
        batches = []
        for _ in range(config["steps"]):
            tokens = (torch.randint(0, VOCABULARY, (ROWS, 1), generator=data) + torch.arange(LENGTH)) % VOCABULARY
            lengths = torch.randint(4, LENGTH, (ROWS, 1), generator=data)
            place = torch.arange(LENGTH)
            labels = torch.where((place > 0) & (place <= lengths), tokens, IGNORED)  # the first token is not a label
            mine = (one[dist.get_rank() :: dist.get_world_size()].split(batch_size) for one in (tokens, labels))
            batches += [{"tokens": rows, "labels": of} for rows, of in zip(*mine)]
        return torch.utils.data.DistributedSampler(batches), batches

    def save_checkpoint(self, epoch):
        pass


class Ender:
    """A metric logger of the recipe that ends an update of a recorder."""

    def __init__(self, rec):
        self.rec = rec

    def log_dict(self, values, step):
        self.rec.step(loss=values["loss"], grad_norm=values["grad_norm"])

    def close(self):
        self.rec.close()


def whole_gradients():
    """FSDP averages over ranks, though the recipe divides by the tokens of all of them (#2172)."""
    divide = training.scale_grads
    training.scale_grads = lambda model, factor: divide(model, factor * dist.get_world_size())


for name in ("get_memory_stats", "log_memory_stats", "cleanup_before_training"):  # CPUs have no memory of a device
    setattr(training, name, lambda *_, **__: None)
dist.init_process_group("gloo")
if config["fixed"]:
    whole_gradients()
model = {"_component_": "torchtune.models.llama3.llama3", "vocab_size": VOCABULARY, "num_layers": 2, "num_heads": 4,
         "num_kv_heads": 4, "embed_dim": 32, "max_seq_len": LENGTH, "intermediate_dim": 64}
settings = omegaconf.OmegaConf.create({
    "model": model, "checkpointer": model, "tokenizer": {"_component_": "builtins.object"}, "dataset": {}, "shuffle": False,
    "metric_logger": {"_component_": "torchtune.training.metric_logging.StdoutLogger"}, "output_dir": sys.argv[2],
    "optimizer": {"_component_": "torch.optim.AdamW", "lr": 1e-2}, "loss": {"_component_": "torch.nn.CrossEntropyLoss"},
    "batch_size": ROWS // dist.get_world_size() // config["micro_batches"], "epochs": 1, "max_steps_per_epoch": None,
    "gradient_accumulation_steps": config["micro_batches"], "clip_grad_norm": 1e9, "device": "cpu", "dtype": "fp32",
    "resume_from_checkpoint": False, "seed": 3})
run = Recipe(cfg=settings)
run.setup(cfg=settings)
rec = parity.record(run._model, run._optimizer, config=config)
run._is_rank_zero, run.profiler_profile_memory = True, False  # the recipe logs on one rank alone
run._metric_logger = Ender(rec)
run.train()
run.cleanup()
