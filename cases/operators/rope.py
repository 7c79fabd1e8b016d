# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Rotary embeddings as complex numbers, and by rotating halves. x [b, s, h, d]; cos, sin [s, d/2]."""

import torch


def complex_numbers(x, cos, sin):
    """Pairs of neighbours are complex numbers (Meta's llama)."""
    wide = x if x.dtype == torch.float64 else x.float()
    pairs = torch.view_as_complex(wide.reshape(*x.shape[:-1], -1, 2))
    turned = pairs * torch.complex(cos.to(wide.dtype), sin.to(wide.dtype))[None, :, None]
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)


def rotate_half(x, cos, sin):
    """Pairs are i and i + d/2 (Hugging Face); rows of the projections are permuted to match."""
    half = x.shape[-1] // 2
    order = torch.arange(x.shape[-1]).view(half, 2).t().reshape(-1)
    y = x[..., order]
    both = lambda table: torch.cat([table, table], -1)[None, :, None]  # noqa: E731
    turned = torch.cat([-y[..., half:], y[..., :half]], -1)
    return (y * both(cos) + turned * both(sin))[..., order.argsort()]


def unpermuted(x, cos, sin):
    """Rotates halves of weights that are laid out for complex numbers."""
    half = x.shape[-1] // 2
    both = lambda table: torch.cat([table, table], -1)[None, :, None]  # noqa: E731
    return x * both(cos) + torch.cat([-x[..., half:], x[..., :half]], -1) * both(sin)
