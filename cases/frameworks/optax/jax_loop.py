# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The same loop in JAX, with optax's AdamW.    Usage: jax_loop.py CONFIG.json

keys: those of torch_loop.py, with optax's default of weight_decay, and eps_root (added inside of the root)
"""

import os

os.environ |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
import jax
import jax.numpy as jnp
import numpy
import optax
import parity
from shared import DTYPE, batches, config, first_weights

jax.config.update("jax_enable_x64", DTYPE == "float64")


def rate(done):
    return config["base_lr"] * jnp.minimum(1.0, (done + config["first"]) / config["warmup"])


def loss_of(weights, inputs, targets):
    hidden = jnp.tanh(inputs @ weights["0.weight"] + weights["0.bias"])
    return jnp.square(hidden @ weights["1.weight"] + weights["1.bias"] - targets).mean()


given = {name: config[name] for name in ("weight_decay", "eps_root") if name in config}
optimizer = optax.adamw(rate, b1=0.9, b2=config["beta2"], eps=config["eps"], **given)


@jax.jit
def update(weights, state, inputs, targets):
    """One update. Returns the new weights and state, then what the recorder gets."""
    loss, gradients = jax.value_and_grad(loss_of)(weights, inputs, targets)
    norm = optax.global_norm(gradients)
    clipped = jax.tree.map(lambda values: values * jnp.minimum(1.0, config["max_norm"] / (norm + 1e-6)), gradients)
    changes, state = optimizer.update(clipped, state, weights)
    return optax.apply_updates(weights, changes), state, loss, norm, gradients


weights = {name: jnp.asarray(values) for name, values in first_weights().items()}
state = optimizer.init(weights)
rec = parity.record(config=config)
for step, (inputs, targets) in enumerate(batches()):
    weights, state, loss, norm, gradients = update(weights, state, inputs, targets)
    for phase, tree in (("grad", gradients), ("param", weights)):
        for name, values in tree.items():
            rec.tensor(phase, name.replace(".", "_"), numpy.asarray(values))
    rec.step(loss=loss, grad_norm=norm, lr=float(rate(step)))
