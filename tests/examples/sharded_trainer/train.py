# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training script in PyTorch over several ranks that two lines record: a small transformer with tensor and sequence
parallelism (parallelize_module), data parallelism (fully_shard), AdamW and clipping.

Usage: train.py DTYPE [CONFIG.json]     keys: steps, dp, tp, defect
"""

import json
import sys

import parity
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

config = {"steps": 4, "dp": 1, "tp": 1, "defect": "none"}
if len(sys.argv) > 2:
    with open(sys.argv[2], encoding="utf-8") as file:
        config |= json.load(file)
dtype = getattr(torch, sys.argv[1])
VOCABULARY, WIDTH, HEAD, HIDDEN, BATCH, LENGTH = 21, 12, 3, 30, 8, 10


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.mlp_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = nn.ModuleDict({name: nn.Linear(WIDTH, WIDTH, bias=False) for name in ("q", "k", "v", "o")})
        self.attention.forward = self.attend
        self.mlp = nn.Sequential(nn.Linear(WIDTH, HIDDEN, bias=False), nn.GELU(), nn.Linear(HIDDEN, WIDTH, bias=False))

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (self.attention[name](x).unflatten(-1, (-1, HEAD)).transpose(1, 2) for name in "qkv")
        heads = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.attention["o"](heads.transpose(1, 2).flatten(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def parallelize(model: Model, mesh: dist.DeviceMesh) -> None:
    """Tensor and sequence parallelism within the blocks and around them, then shards of what is left."""
    gathered = PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate())
    for block in model.blocks:
        parallelize_module(
            block,
            mesh["tp"],
            {
                "attention_norm": SequenceParallel(),
                "attention": gathered,
                **{f"attention.{name}": ColwiseParallel() for name in "qkv"},
                "attention.o": RowwiseParallel(output_layouts=Shard(1)),
                "mlp_norm": SequenceParallel(),
                "mlp": gathered,
                "mlp.0": ColwiseParallel(),
                "mlp.2": RowwiseParallel(output_layouts=Shard(1)),
            },
        )
    around = {
        "embed": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
    parallelize_module(model, mesh["tp"], around)
    for block in model.blocks:
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])


torch.manual_seed(7)
model = Model().to(dtype)  # random numbers of float32 in either type, so that both train the same model
torch.set_default_dtype(dtype)
text = torch.randint(VOCABULARY, (BATCH, LENGTH + 1))
whole_head = model.head.weight.detach().clone()
dp, tp, rank = config["dp"], config["tp"], 0
mesh = None
if dp * tp > 1:
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dp, tp), mesh_dim_names=("dp", "tp"))
    rank = mesh["dp"].get_local_rank()
    parallelize(model, mesh)
if config["defect"] == "offset" and dist.get_rank() == 1:  # rank 1 loads the rows of rank 0
    shard = model.head.weight.to_local()
    with torch.no_grad():
        shard.copy_(whole_head[: shard.shape[0]])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
rec = parity.record(model, optimizer, config=config)

text = text[rank * BATCH // dp : (rank + 1) * BATCH // dp]
for _ in range(config["steps"]):
    logits = model(text[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    if config["defect"] == "gradient" and dist.get_rank() == 1:  # rank 1 forgets a gradient of its shard
        model.blocks[1].mlp[0].weight.grad.zero_()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.3)
    optimizer.step()
    mean = loss.detach() / dp
    if mesh is not None:
        dist.all_reduce(mean, group=mesh.get_group("dp"))
    rec.step(loss=mean)

if mesh is not None:
    dist.destroy_process_group()
