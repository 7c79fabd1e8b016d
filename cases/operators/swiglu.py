# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The gate of SwiGLU."""

import torch
from torch.nn.functional import silu


def fused(gate, up):
    return silu(gate) * up


def written_out(gate, up):
    return gate / (1 + torch.exp(-gate)) * up


def gelu(gate, up):
    """The gate of GeGLU, which a wrong activation key gives."""
    return torch.nn.functional.gelu(gate) * up
