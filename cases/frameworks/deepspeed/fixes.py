# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Fixes of defects of DeepSpeed. Each changes what DeepSpeed built, after it was built."""


def offload(engine):
    """Up to 0.18.9, a sum of gradients that were offloaded is forgotten, unless the micro-batch is the last (#7967)."""
    zero = engine.optimizer
    add = zero.async_accumulate_grad_in_cpu_via_gpu

    def added(parameter):
        add(parameter)
        stored = zero.accumulated_grads_in_cpu[zero.get_param_id(parameter)]
        stored.copy_(zero.get_param_gradient_attribute(parameter).view(-1))

    zero.async_accumulate_grad_in_cpu_via_gpu = added


FIXES = {"offload": offload}
