# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A small Llama of transformers on documents, one a row or two packed into a row.    Usage: packing.py CONFIG.json

keys: steps, packed (documents in a row), mask (true: an attention mask of ones, as a collator may add it), cache (true,
the default of the model's config: the pass makes a cache of keys)
"""

import json
import os
import sys

os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
import parity
import torch
import transformers

with open(sys.argv[1], encoding="utf-8") as file:
    config = json.load(file)
torch.set_num_threads(1)
DOCUMENTS, LENGTH, VOCABULARY = 8, 12, 64

torch.manual_seed(3)
model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=4, max_position_embeddings=64, attn_implementation="sdpa"))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
rec = parity.record(model, optimizer, config=config)
random = torch.Generator().manual_seed(1)
for _ in range(config["steps"]):
    tokens = (torch.randint(0, VOCABULARY, (DOCUMENTS, 1), generator=random) + torch.arange(LENGTH)) % VOCABULARY
    labels = torch.where(torch.arange(LENGTH) == 0, -100, tokens)  # the first token of a document has no predecessor
    positions = torch.arange(LENGTH).expand(DOCUMENTS, LENGTH)
    tokens, labels, positions = (one.reshape(-1, config["packed"] * LENGTH) for one in (tokens, labels, positions))
    optimizer.zero_grad()
    loss = model(input_ids=tokens, position_ids=positions, labels=labels, use_cache=config["cache"],
                 attention_mask=torch.ones_like(tokens) if config["mask"] else None).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    rec.step(loss=loss)
