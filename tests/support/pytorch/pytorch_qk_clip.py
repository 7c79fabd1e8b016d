# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""QK-clip in ordinary PyTorch, for pytorch_llama.py. Written after Kimi K2 (arXiv:2507.20534), algorithm 1.

Shapes: B rows, H heads, S positions, d head width.
"""
import torch

from pytorch_rope import wide


@torch.no_grad()
def watch(module, q, k, mask, scale):
    """Keeps the largest logit of each head; q and k [B, H, S, d], mask as F.scaled_dot_product_attention's."""
    if mask is None:
        mask = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool).tril()
    logits = ((wide(q) @ wide(k).mT) * scale).masked_fill(~mask, float("-inf")).amax(dim=(0, 2, 3))
    before = getattr(module, "largest_logits", None)
    module.largest_logits = logits if before is None else torch.maximum(before, logits)


def scale_heads(weight, factors):
    """Multiplies rows, grouped by head; factors [H, rows of a head]."""
    weight.mul_(factors.to(weight.dtype).flatten()[:, None])


def per_head(*groups):
    """[H, rows of a head] from pairs of a factor for each head and its number of rows."""
    return torch.cat([factor[:, None].expand(-1, rows) for factor, rows in groups], dim=1)


def clip_module(module, gamma):
    root, one = gamma.sqrt(), torch.ones_like(gamma)
    if hasattr(module, "latent"):  # queries and keys have n elements without RoPE, then r with it
        n, r, e = module.latent["widths"]
        queries = module.wq_b if module.has_query_latent else module.wq
        scale_heads(queries.weight, per_head((root, n), (gamma, r)))
        scale_heads(module.wkv_b.weight, per_head((root, n), (one, e)))
    elif module.sharing > 1:  # a shared key stays, like the shared part of a latent key
        scale_heads(module.wq.weight, per_head((gamma, module.head_dim)))
    else:
        for layer in (module.wq, module.wk):
            scale_heads(layer.weight, per_head((root, module.head_dim)))


@torch.no_grad()
def clip(model, config):
    """Ends an update. Returns its largest logit and the number of heads that were clipped; None without QK-clip."""
    tau = config.get("optimizer.qk_clip", 0)
    watched = [module for module in model.modules() if hasattr(module, "largest_logits")]
    if not tau:
        return None
    largest, clipped = float("-inf"), 0
    for module in watched:
        logits = module.largest_logits.double()
        largest = max(largest, logits.max().item())
        if config.get("optimizer.qk_clip_scope") == "layer":
            logits = logits.max().expand_as(logits)
        clipped += (logits > tau).sum().item()
        clip_module(module, torch.where(logits > tau, tau / logits, 1))
        del module.largest_logits
    return largest, clipped
