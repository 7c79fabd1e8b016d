# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The families of schedules on PyTorch optimizers, stepped the way each library steps them: a witness.

    pytorch_schedules.py < CONFIGS > RATES

CONFIGS is a JSON list of flat configs, each with "updates"; RATES a list of {"lr": [...], "weight_decay": [...]},
what each update receives. Factors go through PyTorch's own LambdaLR; Megatron-LM and DeepSpeed keep their
own count, which is stepped after the optimizer. Written from the published formulas (NUMERICS.md, section 1);
nothing is shared with the C++ schedules.
"""
import json
import math
import sys

import torch


def total_of(config):
    return config.get("lr.total_steps") or config["steps"]


def titan(config):
    total = total_of(config)
    warmup = min(config["lr.warmup_steps"], total)
    ratio = config["lr.decay_ratio"]
    decay = total - warmup if ratio < 0 else min(round(total * ratio), total - warmup)
    stable_end = total + 1 - decay
    shape = {"linear": lambda p: 1 - p, "sqrt": lambda p: 1 - math.sqrt(p),
             "cosine": lambda p: 0.5 * (1 + math.cos(math.pi * p))}[config["lr.decay"]]
    lowest = config["lr.min_factor"]

    def factor(c):
        if c < warmup:
            return (c + 1) / warmup
        if c < stable_end or decay == 0:
            return 1.0
        return lowest + (1 - lowest) * shape((c + 1 - stable_end) / decay)
    return factor


def warmup_linear(config):
    warmup, first = config["lr.warmup_steps"], config["lr.first_index"]
    return lambda c: (c + first) / warmup if c < warmup else 1.0


def hugging_face_linear(config):
    total, warmup = total_of(config), config["lr.warmup_steps"]
    return lambda c: c / max(1, warmup) if c < warmup else max(0.0, (total - c) / max(1, total - warmup))


def hugging_face_cosine(config):
    total, warmup, cycles = total_of(config), config["lr.warmup_steps"], config["lr.num_cycles"]

    def factor(c):
        if c < warmup:
            return c / max(1, warmup)
        p = (c - warmup) / max(1, total - warmup)
        return max(0.0, 0.5 * (1.0 + math.cos(math.pi * cycles * 2.0 * p)))
    return factor


def verl_cosine(config):
    total, warmup, cycles = total_of(config), config["lr.warmup_steps"], config["lr.num_cycles"]
    lowest, first = config["lr.min_factor"], config["lr.init_factor"]

    def factor(c):
        if c < warmup:
            return first + (1.0 - first) * (c / max(1, warmup))
        p = (c - warmup) / max(1, total - warmup)
        swing = math.cos(math.pi * cycles * 2.0 * p)
        return max(lowest, swing * ((1 - lowest) * 0.5) + (1 + lowest) * 0.5)
    return factor


def verl_constant(config):
    warmup = config["lr.warmup_steps"]
    return lambda c: c / max(1, warmup) if c < warmup else 1.0


FACTORS = {f.__name__: f for f in (titan, warmup_linear, hugging_face_linear, hugging_face_cosine, verl_cosine,
                                   verl_constant)}


class Megatron:
    """Counts samples from 0; the constructor sets the first rate."""

    def __init__(self, optimizer, config):
        self.optimizer, self.config = optimizer, config
        self.batch = config["data.global_batch"]
        self.samples = 0
        self.set()

    def step(self):
        self.samples += self.batch
        self.set()

    def set(self):
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
            group["weight_decay"] = self.weight_decay()

    def rate(self):
        config, n = self.config, self.samples
        high = config["lr.base"]
        low, first = high * config["lr.min_factor"], high * config["lr.init_factor"]
        warmup, total = config["lr.warmup_steps"] * self.batch, total_of(config) * self.batch
        style = config["lr.decay"]
        if warmup > 0 and n <= warmup:
            return first + (high - first) * float(n) / float(warmup)
        if style == "constant":
            return high
        if n > total:
            return low
        if style == "inverse_square_root":
            return max(low, high * max(warmup, 1) ** 0.5 / max(n, 1) ** 0.5)
        p = (n - warmup) / (total - warmup)
        if style == "wsd":
            length, style = config["lr.wsd_steps"] * self.batch, config["lr.wsd_decay"]
            if n <= total - length:
                return low + 1.0 * (high - low)
            p = (n - (total - length)) / length
        share = {"linear": 1.0 - p, "cosine": 0.5 * (math.cos(math.pi * p) + 1.0),
                 "exponential": 2.0 * math.pow(0.5, p) - 1.0, "minus_sqrt": 1.0 - math.sqrt(p)}[style]
        return low + share * (high - low)

    def weight_decay(self):
        config = self.config
        end, ramp = config["optimizer.weight_decay"], config["optimizer.weight_decay_ramp"]
        length = config["steps"] * self.batch
        if ramp == "constant" or self.samples > length:
            return end
        start, r = config["optimizer.weight_decay_start"], self.samples / length
        share = {"linear": r, "cosine": 0.5 * (math.cos(math.pi * (1 - r)) + 1.0)}[ramp]
        return start + share * (end - start)


class DeepSpeed:
    """Counts iterations from -1; before the first step() the rate is the one of a schedule not begun."""

    def __init__(self, optimizer, config):
        self.optimizer, self.config = optimizer, config
        self.iteration = -1
        self.set()

    def step(self):
        self.iteration += 1
        self.set()

    def set(self):
        rate = self.cosine() if self.config["lr.decay"] == "cosine" else self.between()
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def warmup(self):
        """(whether it lasts, its share, its length)"""
        length = max(2, self.config["lr.warmup_steps"])
        if self.iteration >= length:
            return False, 1.0, length
        if self.config["lr.warmup"] == "log":
            return True, (1.0 / math.log(length)) * math.log(self.iteration + 1), length
        return True, self.iteration / length, length

    def between(self):
        high, total = self.config["lr.base"], total_of(self.config)
        low = high * self.config["lr.min_factor"]
        if self.iteration < 0:
            return low
        warming, share, length = self.warmup()
        if not warming and self.config["lr.decay"] == "linear":
            share = max(0.0, (total - self.iteration) / max(1, total - length))
        return low + (high - low) * share

    def cosine(self):
        if self.iteration < 0:
            return 0.0
        base, first, low = (self.config[f"lr.{key}"] for key in ("base", "init_factor", "min_factor"))
        warming, share, length = self.warmup()
        if warming:
            return base * (first + share * (1.0 - first))
        p = min(1.0, (self.iteration - length + 1) / max(1, total_of(self.config) - length))
        return base * max(0.0, low + (1.0 - low) * ((1 + math.cos(math.pi * p)) / 2))


COUNTED = {"megatron": Megatron, "deepspeed": DeepSpeed}


def make_schedule(optimizer, config):
    """An object whose step() belongs after each optimizer.step(); the optimizer's groups hold the rate."""
    family = config["lr.schedule"]
    if family in COUNTED:
        return COUNTED[family](optimizer, config)
    return torch.optim.lr_scheduler.LambdaLR(optimizer, FACTORS[family](config))


def rates_of(config):
    weight = torch.nn.Parameter(torch.zeros(()))
    optimizer = torch.optim.SGD([weight], lr=config["lr.base"], weight_decay=config["optimizer.weight_decay"])
    schedule = make_schedule(optimizer, config)
    told = {"lr": [], "weight_decay": []}
    for _ in range(config["updates"]):
        for name, values in told.items():
            values.append(optimizer.param_groups[0][name])
        optimizer.step()
        schedule.step()
    return told


if __name__ == "__main__":
    json.dump([rates_of(config) for config in json.load(sys.stdin)], sys.stdout)
