# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Softmax over rows of which a mask keeps some elements: keep is 1 for these, and 0 for padding."""

import math

import torch


def library(x, keep):
    return torch.softmax(torch.where(keep == 1, x, -math.inf), -1)


def in_order(x, keep):
    """Adds from the first element on, so that zeros at the end change no sum."""
    kept = torch.where(keep == 1, x, -math.inf)
    powers = torch.exp(kept - kept.amax(-1, keepdim=True).detach())
    return powers / powers.cumsum(-1)[..., -1:]


def multiplied(x, keep):
    """The mask as a factor: a padded element still has the weight exp(0)."""
    return torch.softmax(x * keep, -1)
