# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Scaled dot product attention in the forms that disputes are about. q, k, v [b, h, s, d]."""

import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


def math_form(q, k, v):
    with sdpa_kernel(SDPBackend.MATH):
        return scaled_dot_product_attention(q, k, v, is_causal=True)


def flash(q, k, v):
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return scaled_dot_product_attention(q, k, v, is_causal=True)


def dense_mask(q, k, v):
    """An explicit mask of -inf, added to the scores."""
    s = q.shape[-2]
    mask = torch.full((s, s), -math.inf, dtype=q.dtype).triu(1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask
    return torch.softmax(scores, -1) @ v


def flex(q, k, v):
    """The modification of scores that flex attention applies, without its compiler."""
    from torch.nn.attention.flex_attention import flex_attention

    return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: torch.where(i >= j, score, -math.inf))


def without_scale(q, k, v):
    """The factor 1 / sqrt(d) left out."""
    return scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)
