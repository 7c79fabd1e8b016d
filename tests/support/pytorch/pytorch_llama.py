# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a decoder (Llama 3 and 4, Qwen3) with ordinary PyTorch on the replay data of a parity trace: an independent witness.

    pytorch_llama.py REPLAY_TRACE     reads PARITY_CONFIG, PARITY_TRACE and PARITY_DTYPE

Initial parameters and batches come from /replay of REPLAY_TRACE; model, loss, clipping and optimizer are
PyTorch's own or written here after the papers and torchtitan, schedules in pytorch_schedules.py, sharing nothing
with the C++ trainer.
Shapes: B rows, S positions, D width, H heads, d head width, V vocabulary.
"""
import json
import os
import sys
import time

import h5py
import torch
import torch.nn.functional as F
from torch import nn

import pytorch_latent
import pytorch_moe
import pytorch_policy_loss
import pytorch_schedules
from pytorch_optimizers import make_optimizer
from pytorch_rope import rope_table, rotate, rotate_by_halves, scaling_of, turns_of, wide

HEADS = 16  # of every debug model
THETA = {"llama3": 5e5, "llama4": 5e5, "qwen3": 1e6, "deepseek_v3": 1e4}


def read_config():
    """The config as {dotted key: value}."""
    def flatten(table, prefix=""):
        for key, value in table.items():
            if isinstance(value, dict):
                yield from flatten(value, f"{prefix}{key}.")
            else:
                yield prefix + key, value
    with open(os.environ["PARITY_CONFIG"]) as file:
        return dict(flatten(json.load(file)))


EOS_OF_TEXT = 257


def documents_of(tokens, positions, config):
    """Number of each token's document [B, S], or None: by EOS, by jumps of positions, or by zeros of positions."""
    rule = config.get("attention.documents") or []
    if not rule:
        return None
    if rule[0] == "eos":
        eos = EOS_OF_TEXT if config["data.source"] == "text" else config["data.eos_id"]
        ends = (tokens == eos).cumsum(1)
        return torch.cat([torch.zeros_like(ends[:, :1]), ends[:, :-1]], dim=1)
    if rule[0] == "position_difference":
        before = torch.cat([positions[:, :1] - 1, positions[:, :-1]], dim=1)
        return (positions - before != 1).cumsum(1)
    return (positions == 0).cumsum(1)


def same_block(S, positions, config):
    """[B or 1, S, S] whether both lie in one fixed block; for "chunked" counted from the end of left padding."""
    size, places = config["attention.fixed_block"], torch.arange(S).expand(1, S)
    if config["attention.fixed_block_form"] == "chunked":
        padding = ((positions == 0).cumprod(1).sum(1, keepdim=True) - 1).clamp(min=0)
        places = places - padding
    blocks = places.div(size, rounding_mode="floor")
    return blocks[:, :, None] == blocks[:, None, :]


def dense_mask(tokens, positions, config, local=True):
    """[B or 1, 1, S, S] bool, true where a query may look at a key; None for causal by flag.

    `local`: with the window and the blocks, which do not hold in layers without RoPE.
    """
    S = tokens.shape[1]
    window, block = (config.get(f"attention.{key}", 0) if local else 0 for key in ("sliding_window", "fixed_block"))
    documents = documents_of(tokens, positions, config)
    if documents is None and not window and not block:
        if config.get("attention.backend") != "dense":
            return None
    q, kv = torch.arange(S)[:, None], torch.arange(S)[None, :]
    allowed = (q >= kv).unsqueeze(0)
    if documents is not None:
        allowed = allowed & (documents[:, :, None] == documents[:, None, :])
    if block and config["attention.fixed_block_form"] == "first_written":
        inside = torch.arange(S) % block  # the other rules are asked about places inside the block
        allowed = allowed.expand(-1, S, S)[:, inside][:, :, inside]
    if block:
        allowed = allowed & same_block(S, positions, config)
    if window:
        allowed = allowed & (q - kv < window)
    return allowed.unsqueeze(1)


class Attention(nn.Module):
    def __init__(self, dim, shape):
        super().__init__()
        self.head_dim, self.sharing, self.rotate = shape["head_dim"], shape["sharing"], shape["rotate"]
        if shape["fused"]:
            self.wqkv = nn.Linear(dim, shape["width"] + 2 * shape["kv_width"], bias=False)
        else:
            self.wq = nn.Linear(dim, shape["width"], bias=False)
            self.wk = nn.Linear(dim, shape["kv_width"], bias=False)
            self.wv = nn.Linear(dim, shape["kv_width"], bias=False)
        self.wo = nn.Linear(shape["width"], dim, bias=False)
        self.has_norms = shape["qk_norm"]
        if self.has_norms:
            self.q_norm, self.k_norm = (nn.RMSNorm(self.head_dim, eps=shape["eps"]) for _ in range(2))

    def project(self, x):
        B, S, _ = x.shape
        if hasattr(self, "wqkv"):  # of each key head its queries, its key and its value
            qkv = self.wqkv(x).view(B, S, -1, self.sharing + 2, self.head_dim)
            return [part.reshape(B, S, -1, self.head_dim) for part in qkv.split([self.sharing, 1, 1], dim=3)]
        return [w(x).view(B, S, -1, self.head_dim) for w in (self.wq, self.wk, self.wv)]

    def forward(self, x, turns, mask):
        B, S, _ = x.shape
        q, k, v = self.project(x)
        if self.has_norms:
            q, k = self.q_norm(q), self.k_norm(k)
        if turns is not None:
            q, k = self.rotate(q, turns), self.rotate(k, turns)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        # After the transposition: the memory order of a gradient's heads decides the order of sums in key heads' norms.
        repeats = q.shape[1] // k.shape[1]
        if repeats > 1:
            k, v = (t.repeat_interleave(repeats, dim=1) for t in (k, v))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        return self.wo(out.transpose(1, 2).contiguous().view(B, S, -1))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, dim, shape, index, weights, config):
        super().__init__()
        prefix = f"layers.{index}."
        self.attention = pytorch_latent.LatentAttention(weights, prefix + "attention.", shape) \
            if shape["latent"] else Attention(dim, shape)
        if prefix + "moe.experts.w1" in weights:
            self.moe = pytorch_moe.MoE(dim, weights, prefix + "moe.", config, FeedForward)
        else:
            self.feed_forward = FeedForward(dim, weights[prefix + "feed_forward.w1.weight"].shape[0])
        self.attention_norm = nn.RMSNorm(dim, eps=shape["eps"])
        self.ffn_norm = nn.RMSNorm(dim, eps=shape["eps"])

    def forward(self, x, turns, mask):
        h = x + self.attention(self.attention_norm(x), turns, mask)
        return h + (self.moe if hasattr(self, "moe") else self.feed_forward)(self.ffn_norm(h))


def shape_of(weights, config):
    """What the blocks are made of, from the weights' shapes and the config."""
    is_qwen = config["model"].startswith("qwen3")
    rope = config.get("architecture.rope", "model")
    halves = is_qwen if rope == "model" else rope == "rotate_half"
    shape = {"eps": config.get("architecture.norm_eps") or (1e-6 if is_qwen else 1e-5),
             "theta": config.get("architecture.rope_theta") or THETA[config["model"].split(".")[0]],
             "scaling": scaling_of(config), "rotate": rotate_by_halves if halves else rotate, "latent": None}
    first = "layers.0.attention."
    if first + "wkv_a.weight" in weights:
        shape["latent"] = pytorch_latent.latent_of(config, shape["scaling"])
        return {**shape, "rope_width": shape["latent"]["widths"][1]}
    width, fused = weights[first + "wo.weight"].shape[1], weights.get(first + "wqkv.weight")
    kv_width = weights[first + "wk.weight"].shape[0] if fused is None else (fused.shape[0] - width) // 2
    qk_norm = first + "q_norm.weight" in weights
    head_dim = len(weights[first + "q_norm.weight"]) if qk_norm else \
        width // (config.get("architecture.n_heads") or HEADS)
    return {**shape, "width": width, "kv_width": kv_width, "sharing": width // kv_width, "head_dim": head_dim,
            "rope_width": head_dim, "qk_norm": qk_norm, "fused": fused is not None}


class TiedOutput(nn.Module):
    """Logits with the embedding's own weight."""
    def __init__(self, embedding):
        super().__init__()
        self.of = [embedding]  # in a list: not a parameter once more

    def forward(self, x):
        return F.linear(x, self.of[0].weight)


class Llama(nn.Module):
    def __init__(self, weights, config, dtype):
        super().__init__()
        vocab, dim = weights["tok_embeddings.weight"].shape
        layers = sum(name.endswith("attention_norm.weight") for name in weights)
        self.config, shape = config, shape_of(weights, config)
        self.table = rope_table(shape["rope_width"], config.get("architecture.max_seq_len") or 2048, shape["theta"],
                                shape["scaling"], dtype, shape["rotate"] is rotate_by_halves)
        self.tok_embeddings = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Block(dim, shape, i, weights, config) for i in range(layers))
        self.norm = nn.RMSNorm(dim, eps=shape["eps"])
        tied = "output.weight" not in weights
        self.output = TiedOutput(self.tok_embeddings) if tied else nn.Linear(dim, vocab, bias=False)
        self.to(dtype)
        self.load_state_dict(weights)

    def hidden(self, tokens, positions):
        turns, mask = turns_of(self.table, positions), dense_mask(tokens, positions, self.config)
        every = self.config.get("architecture.nope_every", 0)
        nope_mask = dense_mask(tokens, positions, self.config, local=False) if every else None
        h = self.tok_embeddings(tokens)
        for i, layer in enumerate(self.layers):
            h = layer(h, None, nope_mask) if every and i % every == 0 else layer(h, turns, mask)
        return self.norm(h)

    def forward(self, tokens, positions):
        return self.output(self.hidden(tokens, positions))


def chunked_backward(model, tokens, positions, labels, chunks, loss_of):
    """Output projection, loss and backward chunk by chunk, then once through the decoder. Returns the loss."""
    hidden = model.hidden(tokens, positions)
    parts = hidden.detach().flatten(0, 1).chunk(chunks)
    total, gradients = 0, []
    for part, some in zip(parts, labels.flatten().chunk(chunks)):
        part = part.detach().requires_grad_()
        loss = loss_of(model.output(part), some)
        loss.backward()
        total = total + loss.detach()
        gradients.append(part.grad)
    hidden.backward(torch.cat(gradients).view_as(hidden))
    return total


def forward_backward(model, tokens, labels, positions, valid, count, config):
    """One of `count` micro-batches of an update with `valid` labels. Returns its loss as differentiated."""
    def cross_entropy(logits, labels, reduction):
        return F.cross_entropy(wide(logits).flatten(0, -2), labels.flatten(), reduction=reduction, ignore_index=-100)
    rule = config.get("loss.normalization", "global_tokens")
    own = (labels != -100).sum()
    if config.get("loss.chunks", 0) > 0:
        divide = {"global_tokens": lambda c: c / valid, "microbatch_mean": lambda c: c / own / count,
                  "gradient_scaling": lambda c: c}[rule]
        return chunked_backward(model, tokens, positions, labels, config["loss.chunks"],
                                lambda logits, some: divide(cross_entropy(logits, some, "sum")))
    with torch.autocast("cpu", torch.bfloat16, enabled=config.get("train.autocast", False)):
        logits = model(tokens, positions)
        if rule == "global_tokens":
            loss = cross_entropy(logits, labels, "sum") / valid
        elif rule == "microbatch_mean":
            loss = cross_entropy(logits, labels, "mean") / count
        elif own == 0:
            loss = cross_entropy(logits, labels, "sum")
        else:
            loss = cross_entropy(logits, labels, "mean") * own
    torch.autograd.backward([loss, *pytorch_moe.take_losses(model, count)])
    return loss.detach()


def policy_forward_backward(model, batch, valid, completions, config):
    """The same for rollouts, of an update with the given numbers of tokens and completions that count."""
    tokens, labels, positions, numbers = batch
    loss = pytorch_policy_loss.loss_of_config(config, wide(model(tokens, positions)), labels, numbers, valid, completions)
    loss.backward()
    return loss.detach()


def train_step(model, optimizer, micro_batches, config):
    """One update. Returns loss and gradient norm as numbers."""
    optimizer.zero_grad()
    valid = sum((labels != -100).sum() for _, labels, _, _ in micro_batches)
    if config.get("data.source") == "rollouts":
        completions = sum((labels != -100).any(1).sum() for _, labels, _, _ in micro_batches)
        losses = [policy_forward_backward(model, batch, valid, completions, config) for batch in micro_batches]
    else:
        pytorch_moe.count_update(model, lambda: [model(tokens, positions) for tokens, _, positions, _ in micro_batches])
        losses = [forward_backward(model, tokens, labels, positions, valid, len(micro_batches), config)
                  for tokens, labels, positions, _ in micro_batches]
    if config.get("loss.normalization") == "gradient_scaling":
        torch._foreach_mul_([p.grad for p in model.parameters()], 1 / valid)
        loss = sum(losses).item() / valid
    else:
        loss = torch.stack(losses).sum()
    if config["clip.max_norm"] > 0:
        norm = nn.utils.clip_grad_norm_(model.parameters(), config["clip.max_norm"])
    else:
        norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    pytorch_moe.end_update(model)
    optimizer.step()
    return loss.item(), norm.item()


def read_replay(path, dtype):
    with h5py.File(path) as file:
        weights = {name: torch.from_numpy(data[()]).to(dtype) for name, data in file["replay/initial"].items()}
        batches = {int(step): [batch_of(group[m]) for m in sorted(group, key=int)]
                   for step, group in file["replay/batches"].items()}
    return weights, batches


def batch_of(group):
    """Tokens, labels and positions of a micro-batch, and by name what its loss looks at besides."""
    fields = {name: torch.from_numpy(data[()]) for name, data in group.items()}
    return tuple(fields.pop(name) for name in ("tokens", "labels", "positions")) + (fields,)


def write_trace(path, channels, timings):
    """A minimal trace: schema, status, steps and channels."""
    with h5py.File(path, "w") as file:
        file.attrs["schema"] = "parity.trace/1.0"
        file.attrs["status"] = "complete"
        count = len(channels["loss"])
        file["steps"] = range(1, count + 1)
        file.attrs["last_step"] = count
        for name, values in {**channels, **timings}.items():
            file[f"channels/{name}"] = values
            file[f"channels/{name}"].attrs["kind"] = "timing" if name in timings else "numeric"


def main():
    config = read_config()
    dtype = getattr(torch, os.environ.get("PARITY_DTYPE") or config["dtype"])
    torch.set_default_dtype(dtype)
    torch.set_num_threads(config["threads"])
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    weights, batches = read_replay(sys.argv[1], dtype)
    model = Llama(weights, config, dtype)
    optimizer = make_optimizer(model, config)
    schedule = pytorch_schedules.make_schedule(optimizer, config)
    channels = {"loss": [], "grad_norm": [], "lr": []}
    timings = {"tokens_per_second": [], "step_seconds": []}
    for step in range(1, config["steps"] + 1):
        start = time.perf_counter()
        channels["lr"].append(optimizer.param_groups[0]["lr"])
        loss, norm = train_step(model, optimizer, batches[step], config)
        schedule.step()
        seconds = time.perf_counter() - start
        channels["loss"].append(loss)
        channels["grad_norm"].append(norm)
        timings["step_seconds"].append(seconds)
        timings["tokens_per_second"].append(sum(batch[0].numel() for batch in batches[step]) / seconds)
    write_trace(os.environ["PARITY_TRACE"], channels, timings)


if __name__ == "__main__":
    main()
