# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training script that does not know of parity. With --one-indexed its warm-up begins an update earlier."""
import sys

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
first = 1 if "--one-indexed" in sys.argv else 0
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda update: min(1.0, (update + first) / 5))
batch = torch.randn(64, 16)
for update in range(20):
    loss = (model(batch).squeeze(1) - batch.sum(1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
