# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Cross entropy over a whole vocabulary, and in chunks of rows."""

import torch
from torch.nn.functional import cross_entropy


def whole(logits, labels):
    return cross_entropy(logits, labels)


def chunked(logits, labels):
    """The sums of chunks, divided by the labels of all of them."""
    counted = (labels != -100).sum()
    parts = [cross_entropy(x, y, reduction="sum") for x, y in zip(logits.split(16), labels.split(16))]
    return torch.stack(parts).sum() / counted


def mean_of_means(logits, labels):
    """The mean of the chunks' means: chunks with few labels count too much."""
    parts = [cross_entropy(x, y) for x, y in zip(logits.split(16), labels.split(16)) if (y != -100).any()]
    return torch.stack(parts).mean()
