# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Products of groups of rows with a matrix for each, as experts compute them. a [t, k], b [g, k, n], ends: g numbers."""

import torch


def loop(a, b, ends):
    begins = [0, *ends[:-1]]
    return torch.cat([a[begin:end] @ b[group] for group, (begin, end) in enumerate(zip(begins, ends))])


def batched(a, b, ends):
    """Every row with every matrix, of which each row keeps its own."""
    group = torch.bucketize(torch.arange(a.shape[0]), torch.tensor(ends), right=True)
    return torch.einsum("tk,gkn->gtn", a, b).gather(0, group[None, :, None].expand(1, -1, b.shape[2]))[0]


def shifted(a, b, ends):
    """Takes the matrices of the next groups, as an offset that counts from 1 does."""
    return loop(a, b.roll(-1, 0), ends)
