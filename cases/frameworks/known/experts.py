# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A small OLMoE of transformers, alone or with its experts shared out among ranks.    Usage: experts.py CONFIG.json

keys: steps, distributed (what transformers.distributed.DistributedConfig gets; none: no ranks), fixed (true: without the
defect of transformers up to 5.16)
"""

import json
import os
import sys
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
import parity
import torch
import torch.distributed as dist
import transformers
from transformers.integrations import moe

with open(sys.argv[1], encoding="utf-8") as file:
    config = {"distributed": {}, "fixed": False} | json.load(file)
torch.set_num_threads(1)
VOCABULARY, LENGTH, ROWS = 64, 12, 8


def add_partial_gradients():
    """Each rank has the gradients of its own experts' scores, and nobody adds them (#48205)."""
    from transformers.distributed import tensor_parallel

    share_out = tensor_parallel.EpRouterParallel.transform_output_post_forward

    def added(self, module, output, mesh):
        logits, scores, *more = output
        scores = tensor_parallel._AllReduceBackward.apply(scores, mesh.get_group())
        return share_out(self, module, (logits, scores, *more), mesh)

    tensor_parallel.EpRouterParallel.transform_output_post_forward = added


def network():
    torch.manual_seed(3)
    model = transformers.OlmoeForCausalLM(transformers.OlmoeConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=16, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4, num_experts=8, num_experts_per_tok=2, max_position_embeddings=64, eos_token_id=1))
    with tempfile.TemporaryDirectory() as folder:  # only a model that is loaded is shared out
        model.save_pretrained(folder)
        more = {}
        if config["distributed"]:
            from transformers.distributed import DistributedConfig

            dist.init_process_group("gloo")  # later, since rank 0 alone would save
            more = {"distributed_config": DistributedConfig(**config["distributed"])}
        return transformers.OlmoeForCausalLM.from_pretrained(folder, experts_implementation="grouped_mm", **more)


moe._can_use_grouped_mm = lambda *_: False  # PyTorch's kernel has no float64; transformers has a substitute
if config["fixed"]:
    add_partial_gradients()
model = network().train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=False)
rec = parity.record(model, optimizer, config=config)
random = torch.Generator().manual_seed(1)
for _ in range(config["steps"]):
    tokens = (torch.randint(0, VOCABULARY, (ROWS, 1), generator=random) + torch.arange(LENGTH)) % VOCABULARY
    optimizer.zero_grad()
    loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
    loss.backward()
    optimizer.step()
    rec.step(loss=loss)
rec.close()
if config["distributed"]:
    dist.destroy_process_group()
