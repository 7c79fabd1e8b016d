# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the loops in PyTorch and in JAX share: the config, first weights and data, as NumPy arrays."""

import json
import os
import sys

import numpy

WIDTHS = (16, 64, 4)
DTYPE = numpy.dtype(os.environ.get("PARITY_DTYPE", "float32"))
config = {"steps": 12, "warmup": 4, "base_lr": 2**-6, "beta2": 0.999, "eps": 1e-8, "max_norm": 0.5, "first": 1}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)
random = numpy.random.default_rng(5)


def first_weights():
    """name -> array of each layer, inputs by outputs. Drawn in float32, also for the float64 twin."""
    weights = {}
    for layer, (inputs, outputs) in enumerate(zip(WIDTHS[:-1], WIDTHS[1:], strict=True)):
        weights[f"{layer}.weight"] = (random.standard_normal((inputs, outputs), "float32") / inputs**0.5).astype(DTYPE)
        weights[f"{layer}.bias"] = numpy.zeros(outputs, DTYPE)
    return weights


def batches():
    for _ in range(config["steps"]):
        inputs = random.standard_normal((64, WIDTHS[0]), "float32").astype(DTYPE)
        yield inputs, inputs[:, : WIDTHS[-1]] ** 2
