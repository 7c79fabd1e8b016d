# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The weights of the k experts with the largest logits, of which some are equal."""

import torch


def top_k(logits, k):
    """torch.topk, which may take any of equal logits."""
    weights, experts = torch.softmax(logits, -1).topk(k, -1)
    return weights, experts


def stable(logits, k):
    """A stable sort: of equal logits the first expert comes first."""
    experts = torch.sort(logits, dim=-1, descending=True, stable=True).indices[:, :k]
    return torch.softmax(logits, -1).gather(-1, experts), experts


def last_first(logits, k):
    """Of equal logits the last expert comes first: another expert, with the same weight."""
    experts = logits.shape[-1] - 1 - torch.sort(logits.flip(-1), dim=-1, descending=True, stable=True).indices[:, :k]
    return torch.softmax(logits, -1).gather(-1, experts), experts
