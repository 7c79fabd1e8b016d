# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Weights of bfloat16 around PyTorch's optimizers, and torch.amp.GradScaler: witnesses of reference/optim/stored_weights.cpp
and gradient_scaler.cpp. Tensors of bfloat16 hold what the C++ trainer keeps as float32 with values of bfloat16.
"""
import numpy
import torch


def make_scaler(config):
    return torch.amp.GradScaler(
        "cpu", enabled=config.get("loss.scale", "none") == "dynamic", init_scale=config.get("loss.scale_init", 65536.0),
        growth_factor=config.get("loss.scale_growth", 2.0), backoff_factor=config.get("loss.scale_backoff", 0.5),
        growth_interval=config.get("loss.scale_interval", 2000))


def was_skipped(scaler, optimizer):
    return scaler.is_enabled() and any(found.item() for found in scaler._found_inf_per_device(optimizer).values())


def split_mix(x):
    x = x + numpy.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return x ^ (x >> numpy.uint64(31))


def draws(seed, name, update, count):
    """16 bits for each element, as int32."""
    with numpy.errstate(over="ignore"):
        name_hash = numpy.uint64(0xCBF29CE484222325)
        for byte in name.encode():
            name_hash = (name_hash ^ numpy.uint64(byte)) * numpy.uint64(0x100000001B3)
        key = split_mix(split_mix(split_mix(numpy.uint64(seed)) ^ name_hash) + numpy.uint64(update))
        return torch.from_numpy((split_mix(key + numpy.arange(count, dtype=numpy.uint64)) >> numpy.uint64(48)).astype("i4"))


def stochastic(x, drawn):
    """torchao's rounding of float32 to bfloat16, with the draws given."""
    bits = x.view(torch.int32)
    fraction, down = bits & 0xFFFF, bits & ~0xFFFF
    return torch.where(drawn.view_as(bits) < fraction, down + 0x10000, down).view(torch.float32).bfloat16()


class Stored:
    """Runs around each step of an optimizer of float32 parameters, whose values it takes from bfloat16 and rounds back."""

    def __init__(self, named, optimizer, config):
        self.rule, self.seed = config["optimizer.weights"], config.get("optimizer.rounding_seed", 0)
        self.names, self.parameters = zip(*[(name, p) for name, p in named if p.requires_grad])
        wide = self.parameters[0].dtype  # float64 in a twin, which rounds nothing
        narrow = torch.bfloat16 if wide == torch.float32 else wide
        self.stored = [p.detach().to(narrow, copy=True) for p in self.parameters]
        self.masters = [value.to(wide, copy=True) for value in self.stored]
        self.errors = [torch.zeros_like(value) for value in self.stored]
        self.updates = 0
        self.show()
        optimizer.register_step_pre_hook(self.before)
        optimizer.register_step_post_hook(self.after)

    @torch.no_grad()
    def show(self):
        for p, value in zip(self.parameters, self.stored):
            p.copy_(value)

    @torch.no_grad()
    def before(self, *_):
        for p, master in zip(self.parameters, self.masters):
            p.copy_(master if self.rule == "master" else p)

    @torch.no_grad()
    def after(self, *_):
        self.updates += 1
        for i, p in enumerate(self.parameters):
            if self.rule == "master":
                self.masters[i].copy_(p)
            if self.rule == "kahan":
                old = self.stored[i].clone()
                self.errors[i].add_(p - old.to(p.dtype))
                self.stored[i].add_(self.errors[i])
                self.errors[i].add_(old.sub_(self.stored[i]))
            elif self.rule == "stochastic" and p.dtype == torch.float32:
                self.stored[i] = stochastic(p.detach(), draws(self.seed, self.names[i], self.updates, p.numel()))
            else:
                self.stored[i].copy_(p)
        self.show()
