# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""One update of AdamW by PyTorch's implementations. All return parameter, first and second moment."""

import torch
from torch.optim.adamw import adamw


def update(parameter, gradient, first, second, how):
    tensors = [one.clone() for one in (parameter, first, second)]
    parameter, first, second = tensors
    step = torch.tensor(2.0, dtype=torch.float32)  # becomes 3
    adamw(
        [parameter], [gradient], [first], [second], [], [step], foreach=how == "foreach", fused=how == "fused",
        amsgrad=False, beta1=0.9, beta2=0.999, lr=0.001, weight_decay=0.01, eps=1e-8, maximize=False,
    )
    return parameter, first, second


def loop(parameter, gradient, first, second):
    return update(parameter, gradient, first, second, "loop")


def foreach(parameter, gradient, first, second):
    return update(parameter, gradient, first, second, "foreach")


def fused(parameter, gradient, first, second):
    return update(parameter, gradient, first, second, "fused")


def eps_inside(parameter, gradient, first, second):
    """sqrt(v + eps) in place of sqrt(v) + eps, as some descriptions of Adam have it."""
    m = first + (gradient - first) * (1 - 0.9)
    v = second * 0.999 + gradient * gradient * (1 - 0.999)
    root = (v / (1 - 0.999**3) + 1e-8).sqrt()
    return parameter * (1 - 0.001 * 0.01) - 0.001 / (1 - 0.9**3) * m / root, m, v
