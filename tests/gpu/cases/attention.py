# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Causal attention by three kernels of the GPU. q, k, v [b, h, s, d]."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def _by(backend, q, k, v):
    with sdpa_kernel(backend):
        on = [x.cuda() for x in (q, k, v)]
        return torch.nn.functional.scaled_dot_product_attention(*on, is_causal=True).to(q.device)


def math(q, k, v):
    return _by(SDPBackend.MATH, q, k, v)


def flash(q, k, v):
    return _by(SDPBackend.FLASH_ATTENTION if q.dtype == torch.bfloat16 else SDPBackend.MATH, q, k, v)


def efficient(q, k, v):
    return _by(SDPBackend.EFFICIENT_ATTENTION if q.dtype != torch.float64 else SDPBackend.MATH, q, k, v)
