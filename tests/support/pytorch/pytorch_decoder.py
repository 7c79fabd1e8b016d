# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The decoder of pytorch_llama.py in ordinary PyTorch: masks, attention, blocks and the whole model, made from the
names and shapes of its weights. Written after the papers and torchtitan.

Shapes: B rows, S positions, D width, H heads, d head width, V vocabulary.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

import pytorch_delta
import pytorch_latent
import pytorch_moe
import pytorch_qk_clip
import pytorch_variants
from pytorch_rope import rope_table, rotate, rotate_by_halves, scaling_of, turns_of

HEADS = 16  # of every debug model
THETA = {"gpt2": 1e4, "llama3": 5e5, "llama4": 5e5, "qwen3": 1e6, "deepseek_v3": 1e4}


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
    def __init__(self, dim, weights, prefix, shape, config):
        super().__init__()
        self.head_dim, self.sharing, self.rotate = shape["head_dim"], shape["sharing"], shape["rotate"]
        self.clips = config.get("optimizer.qk_clip", 0) > 0
        self.cap, self.sinks = config.get("architecture.attention_softcap", 0), None
        if prefix + "sinks" in weights:
            self.sinks = nn.Parameter(torch.empty(len(weights[prefix + "sinks"])))
        if shape["fused"]:
            self.wqkv = nn.Linear(dim, shape["width"] + 2 * shape["kv_width"], bias=False)
        for name in ("wo",) if shape["fused"] else ("wq", "wk", "wv", "wo"):
            setattr(self, name, pytorch_variants.Linear(weights, prefix + name, config))
        self.has_gate = prefix + "wg.weight" in weights
        if self.has_gate:
            self.wg = pytorch_variants.Linear(weights, prefix + "wg", config)
        self.has_norms = shape["qk_norm"]
        if self.has_norms:
            self.q_norm, self.k_norm = (pytorch_variants.norm_of(weights, prefix + name, shape["eps"])
                                        for name in ("q_norm", "k_norm"))

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
        if self.clips:
            pytorch_qk_clip.watch(self, q, k, mask, 1 / math.sqrt(self.head_dim))
        if self.cap or self.sinks is not None:
            out = pytorch_variants.attend(q, k, v, mask, self.cap, self.sinks)
        else:
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        out = out.transpose(1, 2)
        if self.has_gate:
            out = pytorch_variants.gated(out, self.wg(x))
        return self.wo(out.contiguous().view(B, S, -1))


class FeedForward(nn.Module):
    """Of shared experts."""
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, dim, shape, prefix, weights, config):
        super().__init__()
        if prefix + "delta_net.a_log" in weights:
            self.delta_net = pytorch_delta.GatedDeltaNet(weights, prefix + "delta_net.", shape["eps"], config)
        else:
            self.attention = pytorch_latent.LatentAttention(weights, prefix + "attention.", shape) \
                if shape["latent"] else Attention(dim, weights, prefix + "attention.", shape, config)
        if prefix + "moe.experts.w1" in weights:
            self.moe = pytorch_moe.MoE(dim, weights, prefix + "moe.", config, FeedForward)
        else:
            self.feed_forward = pytorch_variants.FeedForward(weights, prefix + "feed_forward.", config)
        self.attention_norm, self.ffn_norm = (pytorch_variants.norm_of(weights, prefix + name, shape["eps"])
                                              for name in ("attention_norm", "ffn_norm"))

    def forward(self, x, turns, mask, documents=None):
        normed = self.attention_norm(x)
        h = x + (self.delta_net(normed, documents) if hasattr(self, "delta_net") else self.attention(normed, turns, mask))
        return h + (self.moe if hasattr(self, "moe") else self.feed_forward)(self.ffn_norm(h))


def shape_of(weights, config):
    """What the blocks are made of, from the weights' shapes and the config."""
    is_qwen = config["model"].startswith("qwen3")
    rope = config.get("architecture.rope", "model")
    halves = is_qwen if rope == "model" else rope == "rotate_half"
    shape = {"eps": config.get("architecture.norm_eps") or (1e-6 if is_qwen else 1e-5),
             "theta": config.get("architecture.rope_theta") or THETA[config["model"].split(".")[0]],
             "scaling": scaling_of(config), "rotate": rotate_by_halves if halves else rotate, "latent": None,
             "clips": config.get("optimizer.qk_clip", 0) > 0}
    attends = (int(name.split(".")[1]) for name in weights if name.startswith("layers.") and name.endswith("attention.wo.weight"))
    first = f"layers.{min(attends, default=0)}.attention."
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
        layers = sum(name.startswith("layers.") and name.endswith("attention_norm.weight") for name in weights)
        depths = sum(name.endswith("proj.weight") for name in weights)
        self.config, shape = config, shape_of(weights, config)
        self.table = rope_table(shape["rope_width"], config.get("architecture.max_seq_len") or 2048, shape["theta"],
                                shape["scaling"], dtype, shape["rotate"] is rotate_by_halves)
        self.tok_embeddings = nn.Embedding(vocab, dim)
        self.learns_positions = "pos_embeddings.weight" in weights
        if self.learns_positions:
            self.pos_embeddings = nn.Embedding(*weights["pos_embeddings.weight"].shape)
        self.layers = nn.ModuleList(Block(dim, shape, f"layers.{i}.", weights, config) for i in range(layers))
        self.norm = pytorch_variants.norm_of(weights, "norm", shape["eps"])
        tied = "output.weight" not in weights
        self.output = TiedOutput(self.tok_embeddings) if tied else nn.Linear(dim, vocab, bias=False)
        self.mtp = nn.ModuleList(
            pytorch_variants.MultiToken(weights, f"mtp.{i}.", shape["eps"],
                                        Block(dim, shape, f"mtp.{i}.block.", weights, config)) for i in range(depths))
        self.to(dtype)
        self.load_state_dict(weights)
        pytorch_variants.freeze(self, config)

    def embedded(self, tokens):
        return pytorch_variants.scaled(self.tok_embeddings(tokens), self.config.get("architecture.embedding_scale", "none"))

    def positioned(self, h, positions):
        S = positions.shape[1]
        counts = torch.equal(positions, torch.arange(S).expand_as(positions))
        return h + self.pos_embeddings(torch.arange(S) if counts else positions)

    def turns(self, positions):
        return None if self.learns_positions else turns_of(self.table, positions)

    def hidden(self, tokens, positions):
        turns, mask = self.turns(positions), dense_mask(tokens, positions, self.config)
        every = self.config.get("architecture.nope_every", 0)
        nope_mask = dense_mask(tokens, positions, self.config, local=False) if every else None
        documents = documents_of(tokens, positions, self.config)
        h = self.embedded(tokens)
        if self.learns_positions:
            h = self.positioned(h, positions)
        for i, layer in enumerate(self.layers):
            is_nope = every and i % every == 0
            h = layer(h, None if is_nope else turns, nope_mask if is_nope else mask, documents)
        return self.norm(h)

    def logits(self, hidden):
        return pytorch_variants.capped(self.output(hidden), self.config.get("architecture.logit_softcap", 0))

    def further(self, h, tokens, positions):
        """Logits of each depth of multi-token prediction."""
        turns, mask, hidden = self.turns(positions), dense_mask(tokens, positions, self.config), []
        for depth, module in enumerate(self.mtp, start=1):
            h = module(h, self.embedded(pytorch_variants.further(tokens, depth, 0)), turns, mask)
            hidden.append(h)
        return [self.logits(h) for h in hidden]

    def forward(self, tokens, positions):
        return self.logits(self.hidden(tokens, positions))
