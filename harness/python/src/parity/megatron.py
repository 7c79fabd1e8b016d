# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a training loop of Megatron-Core, also over ranks of tensor and pipeline parallelism.

import parity.megatron                             # before the model is made, for the float64 twin
...
rec = parity.megatron.record(model, optimizer)     # the chunks of this rank, and what get_megatron_optimizer returned
...
optimizer.step()
rec.step(loss=loss)
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

from megatron.core import parallel_state
from megatron.core.optimizer import optimizer as megatron_optimizer

import parity

from .observe import clipping
from .observe.names import named_parameters
from .placement.flat import Run
from .placement.layout import Axis
from .recording import twin
from .recording.warn import warn

IS_TWIN = twin.begin_if_asked()  # its DistributedDataParallel copies gradients to buffers, and optimizers parameters


def record(model: Any, optimizer: Any, **options: Any) -> Any:
    """A Recorder, or a NoRecorder if nobody asked for a trace. options: those of `parity.record`.

    Parameters have the layout of tensor parallelism, and the names that they have in the model without pipeline
    stages. The norm is the one that Megatron clips with. A step that its loss scaler skips is not an update.

    Raises Error for what a rank does not hold in a way that a trace could name.
    """
    if not options.get("path") and not os.environ.get("PARITY_TRACE"):
        return parity.NoRecorder()
    chunks = list(model) if isinstance(model, (list, tuple)) else [model]
    parts = [one for one in getattr(optimizer, "chained_optimizers", [optimizer]) if one.optimizer is not None]
    _refuse(chunks, parts)
    plain = _parts([_unwrapped(chunk) for chunk in chunks])
    parameters = list(named_parameters(plain))
    for part in parts:
        _name_main_parameters(part, {id(one): name for name, one in parameters})
    _watch_clipping()
    if IS_TWIN:
        options.setdefault("twin", "float64")
    options.setdefault("mesh", {"tp": parallel_state.get_tensor_model_parallel_group()})
    options["dims"] = {name: _dims(one) for name, one in parameters if _is_cut(one)} | (options.get("dims") or {})
    return parity.record(plain, [one.optimizer for one in parts], **options)


def _refuse(chunks: list[Any], parts: list[Any]) -> None:
    """Raises Error for what the recorder would name wrongly, or would not see."""
    ddp, experts = getattr(chunks[0], "ddp_config", None), parallel_state.get_expert_tensor_parallel_world_size()
    precise = any(part.config.use_precision_aware_optimizer for part in parts)
    for found, what, advice in (
        (parallel_state.get_expert_model_parallel_world_size() > 1, "expert parallelism", "use one rank for experts"),
        (
            experts != parallel_state.get_tensor_model_parallel_world_size(),
            "experts with another tensor parallelism than the model",
            "use the same",
        ),
        (getattr(ddp, "use_megatron_fsdp", False), "Megatron-FSDP", "use parity.record"),
        (getattr(ddp, "overlap_param_gather", False), "overlap_param_gather", "turn it off"),
        (precise, "use_precision_aware_optimizer, which hides its gradients", "turn it off"),
    ):
        if found:
            raise parity.Error(f"cannot record {what}; {advice}")


# --- names and places ----------------------------------------------------------------------------


def _unwrapped(chunk: Any) -> Any:
    """A chunk without DistributedDataParallel and Float16Module."""
    while hasattr(chunk, "module"):
        chunk = chunk.module
    return chunk


def _parts(chunks: list[Any]) -> Any:
    """The model, or its parts under the names that they have in the model without pipeline stages."""
    if len(chunks) == 1 and not any(
        str(layer.layer_number - 1) != own for _, layers in _lists_of_layers(chunks[0]) for own, layer in layers
    ):
        return chunks[0]
    return {prefix: part for chunk in chunks for prefix, part in _split(chunk, "")}


def _split(module: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """(prefix, part) of a module: its layers under their numbers in the whole model, and what has no layers."""
    inside = [name for name, _ in _lists_of_layers(module)]
    if not inside:
        yield prefix, module
        return
    for child, inner in module.named_children():
        own = f"{prefix}.{child}" if prefix else child
        if child in inside:
            yield from ((f"{own}.{layer.layer_number - 1}", layer) for layer in inner)
        else:
            yield from _split(inner, own)


def _lists_of_layers(module: Any) -> list[tuple[str, list[tuple[str, Any]]]]:
    """(name, its layers with their own names) of each list of numbered layers within a module."""
    found = []
    for name, inner in module.named_modules():
        layers = list(inner.named_children()) if type(inner).__name__ == "ModuleList" else []
        if layers and all(hasattr(layer, "layer_number") for _, layer in layers):
            found.append((name, layers))
    return found


def _is_cut(parameter: Any) -> bool:
    """Whether the ranks of tensor parallelism hold parts of a parameter. Others are replicas."""
    return getattr(parameter, "tensor_model_parallel", False)


def _dims(parameter: Any) -> str:
    """Which dimension of a parameter its ranks shard. A fused matrix has one part of each of its matrices."""
    stride = getattr(parameter, "partition_stride", 1)
    words = [f"d{number}" for number in range(parameter.dim())]
    words[parameter.partition_dim] += "[tp]" if stride == 1 else f"[tp:stride={stride}]"
    return " ".join(words)


# --- main parameters -----------------------------------------------------------------------------


def _name_main_parameters(part: Any, names: dict[int, str]) -> None:
    """Tells the recorder whose the tensors are that an optimizer trains in the place of parameters.

    Runs of the DistributedOptimizer are vectors called <parameter>.flat. Those of a parameter that tensor parallelism
    cuts along another dimension than the first, or with a stride, are not runs of the whole parameter. They are left
    out."""
    left_out = []
    for parameter, main in _pairs(part):
        name = names[id(parameter)]
        if not hasattr(part, "model_param_gbuf_map"):
            main.parity_name = name
        elif (run := _run(part, parameter)) is None:
            left_out.append(name)
        else:
            main.parity_name, main.parity_run = f"{name}.flat", run
    if left_out:
        warn(f"gradients and states of {', '.join(left_out)} are not recorded; turn use_distributed_optimizer off")


def _pairs(part: Any) -> Iterator[tuple[Any, Any]]:
    """(parameter of the model, tensor that the optimizer trains), where these are not the same."""
    groups = []
    if hasattr(part, "model_param_gbuf_map"):
        groups = [
            (part.model_fp32_groups, part.shard_fp32_groups),
            (part.model_float16_groups, part.shard_fp32_from_float16_groups),
        ]
    elif hasattr(part, "fp32_from_float16_groups"):
        groups = [(part.float16_groups, part.fp32_from_float16_groups)]
    for models, mains in groups:
        for model, main in zip(models, mains, strict=True):
            yield from zip(model, main, strict=True)


def _run(part: Any, parameter: Any) -> Run | None:
    """The elements of the whole parameter that this rank's optimizer trains; None if they are no run."""
    held = part._get_model_param_range_map(parameter)["param"]
    group = part.data_parallel_group
    axis, before, elements = Axis("dp", group.rank(), group.size()), 0, parameter.numel()
    tp = parallel_state.get_tensor_model_parallel_world_size()
    if tp > 1 and _is_cut(parameter):
        if parameter.partition_dim != 0 or getattr(parameter, "partition_stride", 1) != 1:
            return None
        place = parallel_state.get_tensor_model_parallel_rank()
        axis = Axis("tp_dp", place * axis.size + axis.coordinate, tp * axis.size)
        before, elements = place * elements, tp * elements
    return Run(elements, before + held.start, before + held.end, axis)


# --- clipping ------------------------------------------------------------------------------------


@functools.cache
def _watch_clipping() -> None:
    """Tells the recorders what Megatron computes the norm of, and what it clips with which norm."""
    _before("get_grad_norm_fp32", lambda gradients, *_, **__: clipping.tell_norm(gradients))
    _before(
        "clip_grad_by_total_norm_fp32",
        lambda parameters, max_norm, total_norm, *_, **__: clipping.tell_clip(parameters, total_norm, max_norm),
    )


def _before(name: str, tell: Callable[..., None]) -> None:
    original = getattr(megatron_optimizer, name)

    @functools.wraps(original)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        tell(*arguments, **options)
        return original(*arguments, **options)

    setattr(megatron_optimizer, name, wrapper)
