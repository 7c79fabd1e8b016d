# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A planted defect: sums by atomics on the GPU, in an order that differs from run to run."""

import parity
import torch

torch.manual_seed(0)
weight = torch.nn.Parameter(torch.randn(8, 64, device="cuda"))
rows = torch.randint(0, 8, (200000,), device="cuda")
data = torch.randn(200000, 64, device="cuda")
optimizer = torch.optim.SGD([weight], lr=1e-3)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = weight

    def forward(self):
        return torch.zeros(8, 64, device="cuda").index_add(0, rows, data * self.weight[rows])


model = Model()
rec = parity.record(model, optimizer)
for _ in range(4):
    optimizer.zero_grad()
    loss = model().square().mean()
    loss.backward()
    optimizer.step()
    rec.step(loss=loss)
