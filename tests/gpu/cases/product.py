# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products on both devices. a [m, k], b [k, n]."""

import os

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch


def cpu(a, b):
    return a @ b


def cuda(a, b):
    torch.backends.cuda.matmul.allow_tf32 = False
    return (a.cuda() @ b.cuda()).to(a.device)


def tf32(a, b):
    """Operands rounded to 11 bits, as PyTorch does when asked for speed."""
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        return (a.cuda() @ b.cuda()).to(a.device)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False
