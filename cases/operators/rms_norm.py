# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""RMSNorm as people write it: in the dtype of its input, and in float32 inside."""

import torch


def formula(x, weight, eps):
    """y = x / sqrt(mean(x^2) + eps) * weight, each operation in the dtype of x."""
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def upcast(x, weight, eps):
    """The same with float32 inside, as most models do; float64 stays float64."""
    wide = x.double() if x.dtype == torch.float64 else x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype) * weight


def eps_outside(x, weight, eps):
    """eps beside the root, a mistake that large inputs hide."""
    return x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps) * weight
