# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training loop in JAX and Flax that records itself: a small network, AdamW, a warm-up, and clipping.

The recorder sees no optimizer of PyTorch here. So the loop gives it the channels, and the tensors as NumPy arrays.

Usage: train.py [CONFIG.json]     keys: steps, warmup, max_norm
"""

import json
import sys

import jax
import jax.numpy as jnp
import numpy
import optax
import parity
from flax import linen

config = {"steps": 8, "warmup": 4, "max_norm": 0.3}
if len(sys.argv) > 1:
    with open(sys.argv[1], encoding="utf-8") as file:
        config |= json.load(file)


class Network(linen.Module):
    @linen.compact
    def __call__(self, inputs):
        return linen.Dense(4)(jnp.tanh(linen.Dense(32)(inputs)))


def rate(done):
    return 2e-2 * jnp.minimum(1.0, (done + 1) / config["warmup"])


def loss_of(parameters, inputs):
    return jnp.square(network.apply(parameters, inputs) - inputs[:, :4]).mean()


@jax.jit
def update(parameters, state, inputs):
    """One update. Returns the new parameters and state, then what the recorder gets."""
    loss, gradients = jax.value_and_grad(loss_of)(parameters, inputs)
    norm = optax.global_norm(gradients)
    clipped = jax.tree.map(lambda values: values * jnp.minimum(1.0, config["max_norm"] / norm), gradients)
    changes, state = optimizer.update(clipped, state, parameters)
    return optax.apply_updates(parameters, changes), state, loss, norm, gradients, clipped


def record_tree(phase, tree):
    """Offers the leaves of a tree. np.asarray of an array of JAX on the CPU copies nothing."""
    for path, values in jax.tree_util.tree_leaves_with_path(tree["params"]):
        rec.tensor(phase, ".".join(key.key for key in path), numpy.asarray(values))


network, optimizer = Network(), optax.adamw(rate)
parameters = network.init(jax.random.key(7), jnp.zeros((1, 8)))
state = optimizer.init(parameters)
rec = parity.record(config=config)

for step in range(config["steps"]):
    inputs = jax.random.normal(jax.random.key(step), (256, 8))
    parameters, state, loss, norm, gradients, clipped = update(parameters, state, inputs)
    record_tree("grad", gradients)
    record_tree("grad_clipped", clipped)
    record_tree("param", parameters)
    rec.step(loss=loss, grad_norm=norm, lr=rate(step), examples=len(inputs))
