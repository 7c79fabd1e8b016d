# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Products of 16-bit matrices, with sums in float32 or in 16 bits. a [m, k], b [k, n]."""

import torch


def full(a, b):
    """PyTorch's product: sums in float32, rounded once."""
    return a @ b


def reduced(a, b):
    """Sums of 32 products rounded to the inputs' dtype before they are added, as kernels with reduced precision do."""
    parts = [a[:, k:k + 32] @ b[k:k + 32] for k in range(0, a.shape[1], 32)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
