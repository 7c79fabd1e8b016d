# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The norm of a list of gradients."""

import torch


def of_norms(tensors):
    """The norm of the tensors' norms, as clip_grad_norm_ computes it."""
    return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(one) for one in tensors]))


def of_all(tensors):
    """The norm of all elements in one tensor."""
    return torch.linalg.vector_norm(torch.cat([one.flatten() for one in tensors]))


def sum_of_norms(tensors):
    """The sum of the norms: a norm only if there is one tensor."""
    return sum(torch.linalg.vector_norm(one) for one in tensors)
