# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains Llama 3 over parts of each sequence with PyTorch and Gloo on the replay data of a parity trace.

    pytorch_context_parallel.py REPLAY_TRACE     one rank, see pytorch_ranks.py

PyTorch's own context parallelism has no attention on CPUs, so this program assembles its parts: rank r of n has
chunks r and 2n - 1 - r of 2n, keys and values come from the functional all-gather that autograd supports, the mask is
made from whole sequences. Model, data and optimizer are those of pytorch_llama.py.
"""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed._functional_collectives import all_gather_tensor_autograd

import pytorch_llama
import pytorch_ranks
from pytorch_rope import rotate


def own_places(length, rank, size):
    chunks = torch.arange(length).chunk(2 * size)
    return torch.cat([chunks[rank], chunks[2 * size - 1 - rank]])


def whole_sequence(x, order):
    """[B, S / n, K, d] of each rank to [B, S, K, d] in the order of the sequence."""
    return all_gather_tensor_autograd(x.contiguous(), 1, dist.group.WORLD)[:, order]


def attention(module, x, turns, mask, order):
    B, S, _ = x.shape
    q, k, v = (w(x).view(B, S, -1, module.head_dim) for w in (module.wq, module.wk, module.wv))
    q, k = rotate(q, turns), rotate(k, turns)
    k, v = whole_sequence(k, order), whole_sequence(v, order)
    repeats = q.shape[2] // k.shape[2]
    if repeats > 1:
        k, v = (t.repeat_interleave(repeats, dim=2) for t in (k, v))
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return module.wo(out.transpose(1, 2).contiguous().view(B, S, -1))


def forward(model, tokens, positions, config):
    """Logits of this rank's places."""
    rank, size = dist.get_rank(), dist.get_world_size()
    own = own_places(tokens.shape[1], rank, size)
    order = torch.cat([own_places(tokens.shape[1], r, size) for r in range(size)]).argsort()
    mask = pytorch_llama.dense_mask(tokens, positions, config)[:, :, own]
    turns = model.table[positions[:, own]].unsqueeze(2)
    h = model.tok_embeddings(tokens[:, own])
    for layer in model.layers:
        h = h + attention(layer.attention, layer.attention_norm(h), turns, mask, order)
        h = h + layer.feed_forward(layer.ffn_norm(h))
    return model.output(model.norm(h)), own


def train_step(model, optimizer, micro_batches, config):
    """One update. Returns loss and gradient norm as numbers."""
    optimizer.zero_grad()
    valid = sum((labels != -100).sum() for _, labels, *_ in micro_batches)
    losses = []
    for tokens, labels, positions, *_ in micro_batches:
        logits, own = forward(model, tokens, positions, config)
        loss = F.cross_entropy(logits.flatten(0, -2), labels[:, own].flatten(), reduction="sum",
                               ignore_index=-100) / valid
        loss.backward()
        losses.append(loss.detach())
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    norm = nn.utils.clip_grad_norm_(model.parameters(), config["clip.max_norm"])
    optimizer.step()
    loss = torch.stack(losses).sum()
    dist.all_reduce(loss)
    return loss.item(), norm.item()


def prepare(model, config):
    optimizer = pytorch_llama.make_optimizer(model, config)
    return optimizer, lambda batches: train_step(model, optimizer, batches, config)


if __name__ == "__main__":
    pytorch_ranks.run(prepare)
