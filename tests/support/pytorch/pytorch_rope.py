# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Rotary positions in ordinary PyTorch, of pytorch_llama.py and by itself.

    pytorch_rope.py < LINES     a line: OUT SCALING WIDTH LENGTH THETA DTYPE LAYOUT; LAYOUT: complex or rotate_half

Writes the bytes of each line's table to its OUT.
"""
import math
import sys

import torch

OWN_SCALING = {"gpt2": "none", "llama3": "llama", "qwen3": "none", "llama4": "llama4", "deepseek_v3": "yarn"}  # of each family


def scaling_of(config):
    """llama, llama4, yarn or none."""
    asked = config.get("architecture.rope_scaling", "model")
    return OWN_SCALING[config["model"].split(".")[0]] if asked == "model" else asked


def stretched(f, factor, low, high, original=8192):
    """Scales frequencies like Meta's Llama; for Llama 4 nothing is between low and high."""
    wavelength = 2 * math.pi / f
    smooth = (original / wavelength - low) / (high - low) if high > low else torch.zeros_like(f)
    middle = (1 - smooth) * f / factor + smooth * f
    is_long, is_short = wavelength > original / low, wavelength < original / high
    f = torch.where(is_long, f / factor, f)
    return torch.where(~is_long & ~is_short, middle, f)


def yarn(f, theta, factor=40.0, fast=32.0, slow=1.0, original=4096):
    """Frequencies between two places of the head go over from their own to a fortieth (YaRN, by parts)."""
    width = 2 * len(f)

    def place(turns):
        return width * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(theta))
    low, high = max(math.floor(place(fast)), 0), min(math.ceil(place(slow)), width - 1)
    if low == high:
        high += 0.001
    ramp = ((torch.arange(len(f), dtype=f.dtype) - low) / (high - low)).clamp(0, 1)
    return f / factor * ramp + f * (1 - ramp)


def rope_table(width, length, theta, scaling, dtype, halves=False):
    """exp(i t f_j) as [length, width / 2] complex, frequencies scaled if asked.

    For RoPE by halves of cosines and sines taken by themselves, which may round otherwise than polar's.
    """
    f = 1.0 / (theta ** (torch.arange(0, width, 2, dtype=dtype) / width))
    if scaling == "llama":
        f = stretched(f, 8, 1, 4)
    elif scaling == "llama4":
        f = stretched(f, 16, 1, 1)
    elif scaling == "yarn":
        f = yarn(f, theta)
    angles = torch.outer(torch.arange(length, dtype=dtype), f)
    return torch.complex(angles.cos(), angles.sin()) if halves else torch.polar(torch.ones_like(angles), angles)


def wide(x):
    """At least float32."""
    return x if x.dtype == torch.float64 else x.float()


def rotate(x, turns):
    """x [B, S, H, d]; neighbouring pairs turn by the row of their position."""
    pairs = torch.view_as_complex(wide(x).reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(3).to(x.dtype)


def rotate_by_halves(x, turns):
    """x [B, S, H, d]; elements half a head apart turn. `turns`: exp(i angle), [..., d / 2] complex."""
    cos, sin = (torch.cat([part, part], -1) for part in (turns.real, turns.imag))
    first, second = wide(x).chunk(2, -1)
    return (wide(x) * cos + torch.cat([-second, first], -1) * sin).to(x.dtype)


def turns_of(table, positions):
    """[B, S, 1, d / 2], or [1, S, 1, d / 2] where every row counts 0, 1, 2, ..."""
    B, S = positions.shape
    if torch.equal(positions, torch.arange(S).expand(B, S)):
        return table[:S].view(1, S, 1, -1)
    return table[positions].unsqueeze(2)


def write_table(out, scaling, width, length, theta, dtype, layout):
    table = rope_table(int(width), int(length), float(theta), scaling, getattr(torch, dtype), layout == "rotate_half")
    if layout == "rotate_half":
        table = torch.cat([table.real, table.real, table.imag, table.imag], 1)
    with open(out, "wb") as file:
        file.write(table.contiguous().numpy().tobytes())


if __name__ == "__main__":
    for line in sys.stdin:
        write_table(*line.split())
