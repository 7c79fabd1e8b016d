# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Low-precision recipes of linear layers by PyTorch's own casts, and by a table of the 8 magnitudes where it has none:
a witness of reference/model/quantised.cpp and recipe_linear.cpp.

Written after torchao (tensorwise, rowwise), DeepSeek-V3's report and kernels (block), OCP MX 1.0 (mxfp8) and
arXiv:2509.25149 (nvfp4). A quantised matrix is returned as the float32 values that it stands for.
"""
import functools

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import DTensor, Partial, Shard

import pytorch_moe

FP4 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
MAX = {torch.float8_e4m3fn: 448.0, torch.float8_e5m2: 57344.0}


def to_float8(x, dtype):
    return x.clamp(-MAX[dtype], MAX[dtype]).to(dtype).float()


def to_float4(x):
    """The nearest magnitude of the table; of two as near, the one with the even code."""
    size = x.abs().clamp(max=6.0).double()
    high = torch.searchsorted(FP4.double(), size).clamp(max=7)
    low = (high - 1).clamp(min=0)
    down, up = size - FP4.double()[low], FP4.double()[high] - size
    code = torch.where((down < up) | ((down == up) & (low % 2 == 0)), low, high)
    return FP4[code].copysign(x)


def e8m0(exponent):
    """2^exponent as PyTorch's E8M0 holds it."""
    return torch.exp2(exponent.clamp(-127, 127)).float().to(torch.float8_e8m0fnu).float()


def blockwise(x, rows, columns, quantise):
    """quantise(block, its largest magnitude), over the blocks of a matrix."""
    return torch.cat([torch.cat([quantise(block, block.abs().amax(dim=1, keepdim=True) if rows == 1 else block.abs().max())
                                 for block in band.split(columns, dim=1)], dim=1)
                      for band in (x.split(rows, dim=0) if rows != 1 else [x])], dim=0)


def by_factor(x, amax, dtype, to_power):
    factor = MAX[dtype] / torch.clamp(amax.double(), min=1e-12)
    factor = torch.exp2(torch.floor(torch.log2(factor))) if to_power else factor
    return to_float8(x * factor.float(), dtype) / factor.float()


def by_quotient(x, amax, dtype, to_power):
    scale = amax / MAX[dtype]
    if to_power:
        scale = e8m0(torch.ceil(torch.log2(scale.double())))
    scale = torch.where(amax == 0, 1.0, scale)
    return to_float8(x / scale, dtype) * scale


def by_microscale(x, amax, dtype, up):
    top = {torch.float8_e4m3fn: 8, torch.float8_e5m2: 15}[dtype]
    exponent = torch.ceil(torch.log2((amax / MAX[dtype]).double())) if up else torch.floor(torch.log2(amax.double())) - top
    scale = e8m0(exponent)
    return to_float8(x / scale, dtype) * scale


def by_two_scales(x, largest):
    encode = ((6 * 448) * (1 / largest)).clamp(max=torch.finfo(torch.float32).max)  # of a matrix of zeros
    decode = 1 / encode

    def quantise(block, amax):
        scale = to_float8(amax / 6 * encode, torch.float8_e4m3fn) * decode
        return to_float4(block * (1 / scale).clamp(max=torch.finfo(torch.float32).max)) * scale
    return blockwise(x, 1, 16, quantise)


def over_ranks(amax):
    amax = amax.clone()
    dist.all_reduce(amax, op=dist.ReduceOp.MAX)
    return amax


def quantised(x, operand, config, cut=None):
    """x as its product takes it, contiguous; the product sums over the columns. A float64 twin rounds nothing. `cut`
    names the dimension of which each rank has a part: magnitudes that reach over it are those of all ranks."""
    return (x if x.dtype == torch.float64 or x.numel() == 0 else rounded(x, operand, config, cut)).contiguous()


def rounded(x, operand, config, cut):
    recipe, scales = config["linear.recipe"], config.get("linear.scales", "recipe")
    own = "e5m2" if recipe == "float8_tensor" else "e4m3"
    wanted = config.get("linear.gradients", "recipe")
    name = (own if wanted == "recipe" else wanted) if operand == "gradient" else "e4m3"
    dtype, x = getattr(torch, {"e4m3": "float8_e4m3fn"}.get(name, "float8_" + name)), x.float()
    if scales == "unit":
        return to_float4(x) if recipe == "nvfp4" else to_float8(x, dtype)
    is_shared = config.get("linear.tp_scales", "whole") == "whole"
    if recipe == "float8_tensor":
        amax = x.abs().max()
        return by_factor(x, over_ranks(amax) if cut and is_shared else amax, dtype, scales == "power_of_two")
    if recipe == "float8_row":
        amax = x.abs().amax(dim=1, keepdim=True)
        return by_factor(x, over_ranks(amax) if cut == "columns" and is_shared else amax, dtype, scales == "power_of_two")
    if recipe == "float8_block":
        rows = 128 if operand == "weight" else 1
        return blockwise(x, rows, 128, lambda block, amax: by_quotient(block, amax, dtype, scales == "power_of_two"))
    if recipe == "mxfp8":
        return blockwise(x, 1, 32, lambda block, amax: by_microscale(block, amax, dtype, scales == "round_up"))
    largest = x.abs().max()
    return by_two_scales(x, over_ranks(largest) if cut and is_shared else largest)


TURNED = {None: None, "rows": "columns", "columns": "rows"}


class Product(torch.autograd.Function):
    """x W^T, where ranks may have parts of the rows or columns of W."""
    @staticmethod
    def forward(context, x, weight, config, cut=None):
        context.save_for_backward(x, weight)
        context.config, context.cut = config, cut
        of_x = cut if cut == "columns" else None
        y = nn.functional.linear(quantised(x.flatten(0, -2), "input", config, of_x),
                                 quantised(weight, "weight", config, cut))
        return y.to(x.dtype).view(*x.shape[:-1], weight.shape[0])

    @staticmethod
    def backward(context, dy):
        (x, weight), config, cut = context.saved_tensors, context.config, context.cut
        of_x, of_dy = (cut, None) if cut == "columns" else (None, TURNED[cut])
        dy, flat = dy.reshape(-1, weight.shape[0]), x.flatten(0, -2)
        dx = quantised(dy, "gradient", config, of_dy) @ quantised(weight.T, "weight", config, TURNED[cut]).T
        dweight = quantised(dy.T, "gradient", config, TURNED[of_dy]) @ quantised(flat.T, "input", config, TURNED[of_x]).T
        return dx.to(x.dtype).view(x.shape), dweight.to(weight.dtype), None, None


def product_of_parts(x, weight, config):
    """The same of DTensors: the rows of `weight` are sharded (ColwiseParallel), or its columns (RowwiseParallel)."""
    by_rows = weight.placements == (Shard(0),)
    own = x.to_local(grad_placements=[Partial()]) if by_rows else x.to_local()
    y = Product.apply(own, weight.to_local(), config, "rows" if by_rows else "columns")
    return DTensor.from_local(y, weight.device_mesh, [Shard(-1) if by_rows else Partial()], run_check=False)


def multiply_by_recipe(model, config):
    """Lets the linear layers of the blocks, and each expert, multiply by the config's recipe; routers and
    adapters do not."""
    if config.get("linear.recipe", "none") == "none":
        return
    def forward(x, module):
        if isinstance(module.weight, DTensor) and isinstance(x, DTensor):
            y = product_of_parts(x, module.weight, config)
        else:
            y = Product.apply(x, module.weight, config)
        y = y if module.bias is None else y + module.bias
        return y + module.lora_b(module.lora_a(x)) * module.scale if getattr(module, "is_adapted", False) else y
    for name, module in model.layers.named_modules():
        if isinstance(module, nn.Linear) and not name.endswith(("router.gate", ".lora_a", ".lora_b")):
            module.forward = functools.partial(forward, module=module)
        if isinstance(module, pytorch_moe.Experts):
            module.product = lambda x, weight: Product.apply(x, weight, config)
