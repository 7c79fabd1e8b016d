# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a training loop of Megatron-Core.

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
from .recording.warn import warn


def record(model: Any, optimizer: Any, **options: Any) -> Any:
    """A Recorder, or a NoRecorder if nobody asked for a trace. options: those of `parity.record`.

    Parameters have the layout of tensor parallelism. Those of a pipeline begin with stage.<number>. The norm is the
    one that Megatron clips with. A step that its loss scaler skips is not an update.

    Raises Error for expert parallelism and for the precision-aware optimizer.
    """
    if not options.get("path") and not os.environ.get("PARITY_TRACE"):
        return parity.NoRecorder()
    chunks = _named_chunks(model if isinstance(model, (list, tuple)) else [model])
    parts = [one for one in getattr(optimizer, "chained_optimizers", [optimizer]) if one.optimizer is not None]
    _refuse_unknown(parts)
    _watch_clipping()
    parameters = list(named_parameters(chunks))
    for part in parts:
        _name_main_parameters(part, {id(one): name for name, one in parameters})
    dims = {name: _dims(one) for name, one in parameters if getattr(one, "tensor_model_parallel", False)}
    mesh = {"tp": parallel_state.get_tensor_model_parallel_group()}
    return parity.record(chunks, [one.optimizer for one in parts], mesh=mesh, dims=dims, **options)


def _named_chunks(chunks: Any) -> Any:
    """The model without wrappers, or the chunks of this rank's pipeline stages under their numbers."""
    stages, stage = (
        parallel_state.get_pipeline_model_parallel_world_size(),
        parallel_state.get_pipeline_model_parallel_rank(),
    )
    plain = [_unwrapped(chunk) for chunk in chunks]
    if stages * len(plain) == 1:
        return plain[0]
    return {f"stage.{stage + stages * number}": chunk for number, chunk in enumerate(plain)}


def _unwrapped(module: Any) -> Any:
    """What Megatron's DistributedDataParallel and Float16Module wrap."""
    while type(module).__name__ in ("DistributedDataParallel", "Float16Module"):
        module = module.module
    return module


def _refuse_unknown(parts: list[Any]) -> None:
    if parallel_state.get_expert_model_parallel_world_size() > 1:
        raise parity.Error("cannot record expert parallelism (ranks give other experts one name); use one rank of it")
    for part in parts:
        if part.config.use_precision_aware_optimizer:
            raise parity.Error("cannot record use_precision_aware_optimizer (it hides its gradients); turn it off")


def _dims(parameter: Any) -> str:
    dims = [f"d{number}" for number in range(parameter.dim())]
    dims[parameter.partition_dim] += "[tp]"
    return " ".join(dims)


# --- main parameters -----------------------------------------------------------------------------


def _name_main_parameters(part: Any, names: dict[int, str]) -> None:
    """Tells the recorder whose the tensors are that an optimizer trains in the place of parameters.

    Runs of the DistributedOptimizer are vectors called <parameter>.flat. Those of a parameter that tensor parallelism
    cuts along another dimension than the first are no runs of the whole parameter, and are left out."""
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
    if tp > 1 and getattr(parameter, "tensor_model_parallel", False):
        if parameter.partition_dim != 0:
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
        lambda parameters, max_norm, total_norm, *_, **__: clipping.tell_clip(parameters, total_norm),
    )


def _before(name: str, tell: Callable[..., None]) -> None:
    original = getattr(megatron_optimizer, name)

    @functools.wraps(original)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        tell(*arguments, **options)
        return original(*arguments, **options)

    setattr(megatron_optimizer, name, wrapper)
