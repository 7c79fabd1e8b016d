# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The smallest trace, with plain h5py: python minimal_trace.py [trace.h5]. See harness/trace/FORMAT.md."""

import os
import sys

import h5py
import numpy as np

steps = np.arange(1, 6)
loss = 2.0 / steps
weight = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)

path = sys.argv[1] if len(sys.argv) > 1 else os.environ["PARITY_TRACE"]
with h5py.File(path, "w") as trace:
    trace.attrs["schema"] = "parity.trace/1.0"
    trace.attrs["status"] = "complete"
    trace["steps"] = steps
    trace["channels/loss"] = loss
    trace["channels/valid_tokens"] = np.full(5, 1024)
    trace["tensors/5/param/tok_embeddings.weight/0"] = weight  # optional, as is everything else
