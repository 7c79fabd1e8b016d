# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What both loops share: the config, a small decoder, its optimizer's groups, and rows of tokens."""

import json
import os
import sys

os.environ |= {"CUDA_VISIBLE_DEVICES": ""}
import torch
from torch import nn
from torch.nn import functional

config = {"steps": 8, "micro_batches": 1, "labels": "unequal", "warmup": 4, "base_lr": 2**-7, "index": "zero",
          "max_norm": 1.0}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)
torch.set_num_threads(1)
VOCABULARY, LENGTH, ROWS, WIDTH, HEADS = 64, 16, 8, 32, 4


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        parts = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(self.norm_1(x)).chunk(3, -1))
        x = x + self.out(functional.scaled_dot_product_attention(*parts, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.norm_2(x))))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks, self.norm = nn.Sequential(Block(), Block()), nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.tokens(tokens) + self.positions.weight)))


def decoder():
    torch.manual_seed(3)
    return Decoder()


def optimizer_of(model):
    """AdamW that decays matrices only."""
    parameters = list(model.parameters())
    groups = [{"params": [one for one in parameters if one.dim() >= 2], "weight_decay": 0.1},
              {"params": [one for one in parameters if one.dim() < 2], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=config["base_lr"], betas=(0.9, 0.95))


def batches():
    """For each update its micro-batches of (tokens, labels). Labels of -100 count nothing."""
    random = torch.Generator().manual_seed(1)
    for _ in range(config["steps"]):
        first = torch.randint(0, VOCABULARY, (ROWS, 1), generator=random)
        ignored = torch.randint(2, LENGTH - 1, (ROWS, 1), generator=random)
        if config["labels"] == "equal":
            ignored = torch.full((ROWS, 1), 2)
        rows = (first + torch.arange(LENGTH + 1)) % VOCABULARY
        labels = rows[:, 1:].masked_fill(torch.arange(LENGTH) < ignored, -100)
        yield list(zip(rows[:, :-1].chunk(config["micro_batches"]), labels.chunk(config["micro_batches"]), strict=True))
