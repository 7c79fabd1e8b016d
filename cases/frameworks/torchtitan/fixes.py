# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Fixes of defects that torchtitan 0.2.2 has. Each changes what torchtitan builds, after it was built."""

import dataclasses

import torch.distributed as dist
from torch.distributed._composable.replicate import replicate
from torch.distributed.tensor import DTensor


def final_norm(model):
    """The last norm of DeepSeek-V3 has PyTorch's default eps in place of the config's."""
    model.norm.eps = model.model_args.norm_eps


def replicas(model):
    """DistributedDataParallel averages gradients, though each loss was divided by the labels of all ranks (#2318)."""
    def added(_, bucket):
        return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda done: done.value()[0])

    model.register_comm_hook(None, added)


def router(model):
    """Under tensor parallelism, each rank has a part of the gradient of the router's scores, and nobody adds them (#2387)."""
    def added(gradient, mesh):
        whole = gradient.contiguous().clone()
        dist.all_reduce(whole, group=mesh.get_group())
        return whole

    def watch(gate, _, scores):
        if isinstance(gate.weight, DTensor) and scores.requires_grad:
            scores.register_hook(lambda gradient: added(gradient, gate.weight.device_mesh))

    for layer in model.layers.values():
        if layer.moe_enabled:
            layer.moe.router.gate.register_forward_hook(watch)


FIXES = {"final_norm": final_norm, "replicas": replicas, "router": router}


class Divided:
    """A loss function that divides by `labels`. The pipeline starts its backward passes from undivided losses (#2972)."""

    labels = 1.0

    def __init__(self, function):
        self.function = function

    def __call__(self, *given):
        return self.function(*given) / self.labels


def applied(spec, names):
    """The same TrainSpec, which applies these fixes."""
    if "pipeline" in names:
        build = spec.build_loss_fn
        spec = dataclasses.replace(spec, build_loss_fn=lambda *given, **more: Divided(build(*given, **more)))
    def parallelize(model, *given):
        model = spec.parallelize_fn(model, *given)
        for name in names:
            if name in FIXES:
                FIXES[name](model)
        return model

    return dataclasses.replace(spec, parallelize_fn=parallelize)
